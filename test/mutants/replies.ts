// A reply that a person writes: who else must approve it. And what an error repeats of a request.

import type { Mutant } from "./mutant.ts";

const lifecycle = {
  file: "shared/run/lifecycle.ts",
  test: { file: "test/shared/run/lifecycle.test.ts", only: "a reply that Ada writes" },
};

export const replyMutants: readonly Mutant[] = [
  {
    ...lifecycle,
    name: "an author approves no reply whose warnings they did not see",
    from: "isReviewDue(ifRisk, { isEdited: true, risk }) ? undefined : own",
    to: "own",
  },
  {
    name: "without self-approval an author does not approve their own reply",
    file: "shared/review/decision.ts",
    from: 'author === reviewer ? "ownReply" : null',
    to: "null",
    test: lifecycle.test,
  },
  {
    ...lifecycle,
    name: "a review of a written reply knows its author",
    from: "risk: written.risk, author: written.by }",
    to: "risk: written.risk }",
  },
  {
    ...lifecycle,
    name: "an author's approval is for the reply's quorum",
    from: 'if (verdict?.kind === "approved")',
    to: "if (verdict !== null)",
  },
  {
    ...lifecycle,
    name: "a written reply that nobody may approve ends its run",
    from: "return ableToApprove(review) >= review.quorum ?",
    to: "return ableToApprove(review) >= 0 ?",
  },
  {
    name: "a reply that nobody else could approve is not written",
    file: "workers/objects/run/review/run-edit.ts",
    from: 'if (form.act === "answer" && !mayAuthor(state, by.name))',
    to: "if (false as boolean)",
    test: { file: "test/workers/contract/written-reply.test.ts", only: "nobody else could approve" },
  },
  {
    name: "an error about a token repeats nothing of it",
    file: "workers/endpoints/auth.ts",
    from: "`The token in Authorization is not ${wanted}; send ${send}`",
    to: "`The token in Authorization is not ${wanted}: ${presented}; send ${send}`",
    test: { file: "test/workers/contract/what-errors-say.test.ts", only: "is not repeated" },
  },
  {
    name: "the record says that an author's approval is by writing",
    file: "workers/objects/run/run-transitions.ts",
    from: ", byWriting: true }",
    to: " }",
    test: { file: "test/workers/contract/written-reply.test.ts", only: "where one approval is enough" },
  },
];
