// Deciding: who may, when, about which version, and once.

import type { Mutant } from "./mutant.ts";

const decision = { file: "shared/review/decision.ts", test: { file: "test/shared/review/decision.test.ts" } };
const http = "test/workers/contract/review-http.test.ts";
const deciding = "test/workers/objects/deciding.test.ts";

const written = "test/workers/contract/written-reply.test.ts";

export const reviewMutants: readonly Mutant[] = [
  {
    name: "a text is no reply where a tool use is required",
    file: "shared/review/written.ts",
    from: ' && request.toolChoice !== "required"',
    to: "",
    test: { file: written, only: "not for every request" },
  },
  {
    name: "a written reply has the form that the client requested",
    file: "shared/review/written.ts",
    from: "if (rule !== undefined && !rule.fits(reply))",
    to: "if (rule !== undefined && false)",
    test: { file: written, only: "where JSON is asked for" },
  },
  {
    name: "Approve beside a written reply decides nothing",
    file: "workers/objects/run/run-edit.ts",
    from: 'if (answer !== undefined) return { kind: "twoChoices" };',
    to: "",
    test: { file: written, only: "decides nothing: the page asks which of the two" },
  },
  {
    ...decision,
    name: "an answer at the deadline is late",
    from: 'if (now >= review.deadlineAt) return { kind: "late" };\n  if (answer.version',
    to: 'if (now > review.deadlineAt) return { kind: "late" };\n  if (answer.version',
  },
  { ...decision, name: "an answer is about the current version", from: "answer.version !== review.version || ", to: "" },
  { ...decision, name: "an answer is about the current digest", from: " || answer.digest !== review.digest) {", to: ") {" },
  {
    ...decision,
    name: "a closed review is decided no more",
    from: "if (review.closing !== null)\n    return isRepeat",
    to: "if (review.closing !== null && isRepeat(review, review.closing, answer))\n    return isRepeat",
  },
  {
    ...decision,
    name: "nobody approves their own request where that is barred",
    from: 'if (own !== null) return { kind: "notAllowed", why: own };\n  return approve',
    to: "return approve",
  },
  {
    ...decision,
    name: "only those who are asked decide",
    from: "if (review.reviewers.includes(reviewer)) return null;",
    to: 'if (reviewer !== "") return null;',
  },
  {
    ...decision,
    name: "an edit voids the approvals of what was there before",
    from: "const kept = edited ? [] : review.votes;",
    to: "const kept = review.votes;",
  },
  {
    ...decision,
    name: "one person's two approvals are one",
    from: 'if (kept.some((earlier) => earlier.reviewer === vote.reviewer)) return { kind: "repeated" };',
    to: "",
  },
  {
    ...decision,
    name: "a quorum is reached, not nearly",
    from: "if (votes.length < review.quorum) return",
    to: "if (votes.length + 1 < review.quorum) return",
  },
  {
    ...decision,
    name: "a repeat has the same digest",
    from: 'answer.act === "approve" && voted && (answer.editedDigest ?? answer.digest) === review.digest',
    to: 'answer.act === "approve" && voted',
  },
  {
    ...decision,
    name: "a repeated denial is the same person's",
    from: 'return answer.act === "deny" && closing.by === answer.reviewer;',
    to: 'return answer.act === "deny";',
  },
  {
    ...decision,
    name: "a place is given up before the deadline",
    from: 'if (now >= review.deadlineAt) return { kind: "late" };\n  if (review.votes',
    to: "if (review.votes",
  },
  {
    ...decision,
    name: "who has approved does not give up their place",
    from: 'if (review.votes.some((vote) => vote.reviewer === reviewer)) return { kind: "notAllowed", why: "hasApproved" };',
    to: "",
  },
  {
    ...decision,
    name: "who asks does not choose who decides",
    from: 'if (to !== null && own !== null) return { kind: "notAllowed", why: own };',
    to: "",
  },
  {
    ...decision,
    name: "one's own place does not count towards the quorum where it may not approve",
    from: "review.reviewers.filter((each) => ownBar(review, each) === null).length",
    to: "review.reviewers.length",
  },

  {
    name: "a form promises its changes",
    file: "workers/objects/run/run-deciding.ts",
    from: 'if (hasUnseenChanges(edit, submission)) return { kind: "unseenChanges" };',
    to: "",
    test: { file: http, only: "other changes than its page showed" },
  },
  {
    name: "another change of the same number is not the one that was shown",
    file: "shared/review/changes.ts",
    from: "count === changes.length && (shown === shownLive || (shown ?? shownDigest([])) === shownDigest(changes))",
    to: "count === changes.length",
    test: { file: "test/shared/review/changes.test.ts" },
  },
  {
    name: "a grant is given by its own button alone",
    file: "shared/review/form.ts",
    from: "const grant = isAllowing ? parseGrant(plain) : ok(undefined);",
    to: 'const grant = act === "approve" && plain.has(formFields.grant) ? parseGrant(plain) : ok(undefined);',
    test: { file: "test/shared/review/form.test.ts" },
  },
  {
    name: "a grant is ended by its own reviewer",
    file: "workers/objects/run/run-deciding.ts",
    from: "if (given === undefined || given.by !== by.name) return",
    to: "if (given === undefined) return",
    test: { file: "test/workers/contract/grants.test.ts", only: "not undone by another reviewer" },
  },
  {
    name: "the model counts as a change",
    file: "shared/review/changes.ts",
    from: "changes: [...changes, { path: modelPath, changes: differenceOf(first, model) }],",
    to: "changes,",
    test: { file: "test/shared/review/changes.test.ts" },
  },
  {
    name: "an approval carries a number of changes",
    file: "shared/review/form.ts",
    from: "const counted = /^(approve|answer):(0|[1-9][0-9]{0,5})$/;",
    to: "const counted = /^(approve|answer):?([0-9]*)$/;",
    test: { file: "test/shared/review/form.test.ts" },
  },
  {
    name: "a form's fields come once",
    file: "shared/review/form.ts",
    from: 'if (into.has(key)) return err({ kind: "repeated", field: isEdit ? "edit" : knownName(name) });',
    to: "",
    test: { file: "test/shared/review/form.test.ts" },
  },
  {
    name: "an edit keeps to the fields that the content has",
    file: "shared/review/edit.ts",
    from: "const extra = [...edits.keys()].some((path) => !known.has(path));",
    to: "const extra = known.size < 0;",
    test: { file: "test/shared/review/edit.test.ts" },
  },
  {
    name: "an edit lowers the limit of tokens and never raises it",
    file: "shared/review/edit.ts",
    from: "if (Number(text) > value) return refuse(",
    to: "if (Number(text) > 1e12) return refuse(",
    test: { file: "test/shared/review/edit.test.ts" },
  },
  {
    name: "an edited request still fits the schema",
    file: "shared/review/edit.ts",
    from: "if (issues.length === 0 && changed() && !fits(samplingRequest, value)) {",
    to: "if (issues.length > 9) {",
    test: { file: "test/shared/review/edit.test.ts" },
    survives: "each single field is checked before, so no edit was found that breaks the whole; the check stays for fields to come",
  },
  {
    name: "an edited reply is what its client asked for",
    file: "shared/review/edit.ts",
    from: "if (issues.length === 0 && changed() && rule !== undefined && !rule.fits(value)) {",
    to: "if (issues.length > 9 && rule !== undefined) {",
    test: { file: "test/shared/review/edit.test.ts" },
  },
  {
    name: "a nonce is used once",
    file: "workers/objects/run/run-deciding.ts",
    from: 'if (used !== null) return { kind: used === sha256Hex(words) ? "repeated" : "onceUsed" };',
    to: "",
    test: { file: deciding, only: "a nonce that was used" },
  },
  {
    name: "the same words again are the same answer, others are none",
    file: "workers/objects/run/run-deciding.ts",
    from: 'used === sha256Hex(words) ? "repeated" : "onceUsed"',
    to: '"repeated"',
    test: { file: http, only: "cannot be sent again with the other answer" },
  },
  {
    name: "a grant is not given together with an edit",
    file: "workers/objects/run/run-deciding.ts",
    from: 'if (edit.kind === "edited" && submission.grant !== undefined) return { kind: "noGrant" };',
    to: "",
    test: { file: "test/workers/contract/grants.test.ts", only: "not together with an edit" },
  },
  {
    name: "a grant that is not on offer is not given",
    file: "workers/objects/run/run-deciding.ts",
    from: 'if (grant === "notOffered") return { kind: "noGrant" };',
    to: "",
    test: { file: "test/workers/contract/grants.test.ts", only: "does not enable grants" },
  },
  {
    name: "a denied reply is deleted",
    file: "workers/objects/run/run-deciding.ts",
    from: 'if (gate === "response") store.deleteReplies();\n    else',
    to: 'if (gate === "request")',
    test: { file: "test/workers/objects/forgetting.test.ts", only: "a denied reply" },
  },
];
