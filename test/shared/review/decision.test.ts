import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Answer, type AnyReview, type Verdict, askAlso, closeReview, decide, lift, recuse } from "../../../shared/review/decision.ts";

const opened = 1_000_000;
const deadline = opened + 60_000;

const review = (over: Partial<AnyReview> = {}): AnyReview => ({
  version: 1,
  digest: "d1",
  openedAt: opened,
  deadlineAt: deadline,
  quorum: 1,
  reviewers: ["Ada", "Grace", "Edsger"],
  owner: null,
  selfApproval: true,
  left: [],
  votes: [],
  closing: null,
  ...over,
});

const answer = (reviewer: string, over: Partial<Answer> = {}): Answer => ({
  act: "approve",
  reviewer,
  channel: "outbox",
  version: 1,
  digest: "d1",
  ...over,
});

/** The review after an answer that must have counted. */
function after(verdict: Verdict): AnyReview {
  if (verdict.kind !== "voted" && verdict.kind !== "approved" && verdict.kind !== "denied") throw new Error(`not counted: ${verdict.kind}`);
  return verdict.review;
}

describe("one reviewer", () => {
  test("an approval of what is current closes the review and says who, when, where and which version", () => {
    const verdict = decide(review(), answer("Ada"), opened + 5);
    expect(verdict).toMatchObject({ kind: "approved", edited: false });
    expect(after(verdict).closing).toEqual({ how: "approved", by: "Ada", at: opened + 5, channel: "outbox", version: 1, reason: null });
  });

  test("a denial closes the review, with the reason where one was given", () => {
    expect(after(decide(review(), answer("Ada", { act: "deny", reason: "No." }), opened)).closing).toMatchObject({
      how: "denied",
      reason: "No.",
    });
    expect(after(decide(review(), answer("Ada", { act: "deny" }), opened)).closing).toMatchObject({ how: "denied", reason: null });
  });

  test("an edited approval makes a new version, and what is approved is the edited content", () => {
    const verdict = decide(review(), answer("Ada", { editedDigest: "d2" }), opened);
    expect(verdict).toMatchObject({ kind: "approved", edited: true, review: { version: 2, digest: "d2", closing: { version: 2 } } });
  });

  test("an edit that comes to the same content is no edit", () => {
    expect(decide(review(), answer("Ada", { editedDigest: "d1" }), opened)).toMatchObject({
      kind: "approved",
      edited: false,
      review: { version: 1 },
    });
  });
});

describe("time", () => {
  test.each([
    [deadline - 1, "approved"],
    [deadline, "late"],
    [deadline + 1, "late"],
  ])("an approval at %i against a deadline at 1060000 is %s", (now, kind) => {
    expect(decide(review(), answer("Ada"), now).kind).toBe(kind);
  });

  test("a denial at the millisecond of the deadline is late as well: the deadline is a no of its own", () => {
    expect(decide(review(), answer("Ada", { act: "deny" }), deadline)).toEqual({ kind: "late" });
  });

  test("after the deadline closed the review an answer is told so", () => {
    const closed = closeReview(review(), { how: "expired", at: deadline });
    expect(closed && decide(closed, answer("Ada"), deadline + 1)).toMatchObject({
      kind: "closed",
      closing: { how: "expired", at: deadline },
    });
  });
});

describe("what was seen", () => {
  test.each<[string, Partial<Answer>]>([
    ["an older version", { version: 0 }],
    ["a newer version", { version: 2 }],
    ["another digest of the same version", { digest: "d1x" }],
    ["an empty digest", { digest: "" }],
  ])("an answer about %s decides nothing and is told what is current", (_, over) => {
    for (const act of ["approve", "deny"] as const) {
      expect(decide(review(), answer("Ada", { ...over, act }), opened)).toEqual({ kind: "stale", version: 1, digest: "d1" });
    }
  });
});

describe("who may decide", () => {
  test("somebody who is not on the list may neither approve nor deny, whatever the state of the review", () => {
    const closed = after(decide(review(), answer("Ada"), opened));
    for (const each of [review(), closed]) {
      for (const act of ["approve", "deny"] as const)
        expect(decide(each, answer("Mallory", { act }), opened)).toEqual({ kind: "notAllowed", why: "notAReviewer" });
    }
  });

  test("a denial after somebody else's is told who was first, and the same person's is a repeat", () => {
    const denied = after(decide(review(), answer("Ada", { act: "deny" }), opened));
    expect(decide(denied, answer("Grace", { act: "deny" }), opened)).toMatchObject({ kind: "closed", closing: { by: "Ada" } });
    expect(decide(denied, answer("Ada", { act: "deny" }), opened)).toEqual({ kind: "repeated" });
  });

  test("names are exact", () => {
    for (const name of ["ada", "Ada ", "", "Ad\u0061\u200b"]) expect(decide(review(), answer(name), opened).kind).toBe("notAllowed");
  });

  const own = review({ owner: "Ada", selfApproval: false });

  test("whose client asked may not approve where the policy bars it, not even with an edit", () => {
    expect(decide(own, answer("Ada"), opened)).toEqual({ kind: "notAllowed", why: "ownRequest" });
    expect(decide(own, answer("Ada", { editedDigest: "d2" }), opened)).toEqual({ kind: "notAllowed", why: "ownRequest" });
  });

  test("they may say no to their own request, and others may approve it", () => {
    expect(decide(own, answer("Ada", { act: "deny" }), opened).kind).toBe("denied");
    expect(decide(own, answer("Grace"), opened).kind).toBe("approved");
  });

  test.each(["ada", "ADA ", "\uff21da"])("is barred also where the key writes their name as %j", (owner) => {
    const theirs = review({ owner, selfApproval: false });
    expect(decide(theirs, answer("Ada"), opened)).toEqual({ kind: "notAllowed", why: "ownRequest" });
    expect(recuse(theirs, { reviewer: "Ada", to: "Barbara" }, opened)).toEqual({ kind: "notAllowed", why: "ownRequest" });
    expect(decide(theirs, answer("Grace"), opened).kind).toBe("approved");
  });

  test("where the policy allows it they approve their own request like anybody else", () => {
    expect(decide(review({ owner: "Ada" }), answer("Ada"), opened).kind).toBe("approved");
  });
});

describe("a quorum of two among three", () => {
  const two = review({ quorum: 2 });

  test("the first approval is a vote, the second one closes it", () => {
    const first = decide(two, answer("Ada"), opened);
    expect(first.kind).toBe("voted");
    const second = decide(after(first), answer("Grace"), opened + 1);
    expect(second.kind).toBe("approved");
    expect(after(second).votes.map(({ reviewer }) => reviewer)).toEqual(["Ada", "Grace"]);
    expect(after(second).closing).toMatchObject({ how: "approved", by: "Grace" });
  });

  test("one person counts once, however often and through however many channels", () => {
    const voted = after(decide(two, answer("Ada"), opened));
    for (const channel of ["outbox", "email", "slack"])
      expect(decide(voted, answer("Ada", { channel }), opened + 1)).toEqual({ kind: "repeated" });
  });

  test("one no ends it, whoever approved before, that person included", () => {
    const voted = after(decide(two, answer("Ada"), opened));
    expect(after(decide(voted, answer("Grace", { act: "deny" }), opened + 1)).closing).toMatchObject({ how: "denied", by: "Grace" });
    expect(after(decide(voted, answer("Ada", { act: "deny" }), opened + 1)).closing).toMatchObject({ how: "denied", by: "Ada" });
  });

  test("an edit voids the approvals of what was there before, and the editor's counts for the new version", () => {
    const voted = after(decide(two, answer("Ada"), opened));
    const edited = decide(voted, answer("Grace", { editedDigest: "d2" }), opened + 1);
    expect(edited).toMatchObject({ kind: "voted", edited: true, review: { version: 2, digest: "d2" } });
    expect(after(edited).votes).toEqual([{ reviewer: "Grace", version: 2, at: opened + 1, channel: "outbox" }]);
    expect(decide(after(edited), answer("Ada"), opened + 2)).toEqual({ kind: "stale", version: 2, digest: "d2" });
    expect(decide(after(edited), answer("Ada", { version: 2, digest: "d2" }), opened + 3).kind).toBe("approved");
  });

  test("whoever approved may still edit, which starts the count again with their own", () => {
    const voted = after(decide(two, answer("Ada"), opened));
    expect(after(decide(voted, answer("Ada", { editedDigest: "d2" }), opened + 1)).votes).toHaveLength(1);
  });
});

describe("answers that come again", () => {
  test("the same person's same answer is a repeat; wording and channel are no part of it", () => {
    const approved = after(decide(review(), answer("Ada"), opened));
    expect(decide(approved, answer("Ada", { channel: "email" }), opened + 9)).toEqual({ kind: "repeated" });
    const denied = after(decide(review(), answer("Ada", { act: "deny", reason: "a" }), opened));
    expect(decide(denied, answer("Ada", { act: "deny", reason: "b" }), opened + 9)).toEqual({ kind: "repeated" });
  });

  test("everybody whose approval counted repeats it, not only the last", () => {
    const first = after(decide(review({ quorum: 2 }), answer("Ada"), opened));
    const closed = after(decide(first, answer("Grace"), opened + 1));
    expect(decide(closed, answer("Ada"), opened + 2)).toEqual({ kind: "repeated" });
    expect(decide(closed, answer("Edsger"), opened + 2).kind).toBe("closed");
  });

  test("the other answer of the same person, and anybody else's, is told who was first", () => {
    const approved = after(decide(review(), answer("Ada"), opened));
    expect(decide(approved, answer("Ada", { act: "deny" }), opened + 1)).toMatchObject({
      kind: "closed",
      closing: { by: "Ada", how: "approved" },
    });
    expect(decide(approved, answer("Grace"), opened + 1)).toMatchObject({ kind: "closed", closing: { by: "Ada" } });
    expect(decide(approved, answer("Grace", { act: "deny" }), opened + 1)).toMatchObject({ kind: "closed", closing: { by: "Ada" } });
  });

  test("an approval of other content than what was approved is no repeat", () => {
    const approved = after(decide(review(), answer("Ada", { editedDigest: "d2" }), opened));
    expect(decide(approved, answer("Ada"), opened + 1).kind).toBe("closed");
    expect(decide(approved, answer("Ada", { editedDigest: "d2" }), opened + 1).kind).toBe("repeated");
    expect(decide(approved, answer("Ada", { editedDigest: "d3" }), opened + 1).kind).toBe("closed");
  });

  test("nothing repeats a review that was closed from outside", () => {
    for (const closing of [
      { how: "expired", at: opened },
      { how: "cancelled", at: opened, cause: "caller" },
      { how: "undeliverable", at: opened, cause: "noneReached" },
    ] as const) {
      const closed = closeReview(review(), closing);
      expect(closed && decide(closed, answer("Ada"), opened).kind).toBe("closed");
    }
  });
});

test("a review is closed from outside once, and never where somebody decided", () => {
  const closed = closeReview(review(), { how: "cancelled", at: opened, cause: "caller" });
  expect(closed?.closing).toEqual({ how: "cancelled", cause: "caller", at: opened });
  expect(closed && closeReview(closed, { how: "expired", at: deadline })).toBeNull();
  expect(closeReview(after(decide(review(), answer("Ada"), opened)), { how: "expired", at: deadline })).toBeNull();
});

const anAnswer = fc.record({
  act: fc.constantFrom("approve" as const, "deny" as const),
  reviewer: fc.constantFrom("Ada", "Grace", "Edsger", "Mallory"),
  channel: fc.constantFrom("outbox", "email"),
  version: fc.integer({ min: 0, max: 3 }),
  digest: fc.constantFrom("d1", "d2", "d3"),
  editedDigest: fc.option(fc.constantFrom("d1", "d2", "d3"), { nil: undefined }),
  after: fc.integer({ min: 0, max: 30_000 }),
});

test("of any answers in any order at most one closes a review, with enough different people who may and no later change", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.array(anAnswer, { maxLength: 20 }), (quorum, selfApproval, answers) => {
      let current = review({ quorum, selfApproval, owner: "Ada" });
      let now = opened;
      let closings = 0;
      for (const { after: later, editedDigest, ...rest } of answers) {
        now += later;
        const given: Answer = editedDigest === undefined ? rest : { ...rest, editedDigest };
        const before = structuredClone(current);
        const verdict = decide(current, given, now);
        expect(current).toEqual(before);
        if (verdict.kind !== "voted" && verdict.kind !== "approved" && verdict.kind !== "denied") continue;
        expect(before.closing).toBeNull();
        expect(now).toBeLessThan(deadline);
        expect([given.version, given.digest]).toEqual([before.version, before.digest]);
        expect(given.reviewer).not.toBe("Mallory");
        current = verdict.review;
        if (current.closing === null) continue;
        closings += 1;
        if (verdict.kind === "denied") continue;
        expect(new Set(current.votes.map(({ reviewer }) => reviewer)).size).toBe(quorum);
        expect(current.votes.every(({ version }) => version === current.version)).toBe(true);
        if (!selfApproval) expect(current.votes.map(({ reviewer }) => reviewer)).not.toContain("Ada");
      }
      expect(closings).toBeLessThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

describe("giving up one's place", () => {
  const gives = (over: Partial<AnyReview>, reviewer: string, to: string | null, at = opened) => recuse(review(over), { reviewer, to }, at);

  test("takes one off the list and puts the heir on it, with who and when", () => {
    expect(gives({}, "Ada", "Barbara", opened + 3)).toMatchObject({
      kind: "recused",
      exhausted: false,
      review: { reviewers: ["Grace", "Edsger", "Barbara"], left: [{ reviewer: "Ada", at: opened + 3, to: "Barbara" }] },
    });
  });

  test("twice is once", () => {
    const given = gives({}, "Ada", null);
    if (given.kind !== "recused") throw new Error(given.kind);
    expect(recuse(given.review, { reviewer: "Ada", to: null }, opened)).toEqual({ kind: "repeated" });
    expect(recuse(given.review, { reviewer: "Ada", to: "Barbara" }, opened)).toEqual({ kind: "notAllowed", why: "left" });
  });

  test.each([
    ["a stranger", {}, "Mallory", null, "notAReviewer"],
    [
      "whoever has approved",
      { quorum: 2, votes: [{ reviewer: "Ada", version: 1, at: opened, channel: "outbox" }] },
      "Ada",
      null,
      "hasApproved",
    ],
    ["to somebody who is asked anyway", {}, "Ada", "Grace", "isAskedAlready"],
    ["to oneself", {}, "Ada", "Ada", "isAskedAlready"],
    ["the owner, who would choose who approves", { owner: "Ada", selfApproval: false }, "Ada", "Barbara", "ownRequest"],
  ] as const)("is refused: %s", (_, over, reviewer, to, why) => {
    expect(gives(over, reviewer, to)).toEqual({ kind: "notAllowed", why });
  });

  test("comes too late in the very millisecond of the deadline, and after a decision", () => {
    expect(gives({}, "Ada", null, deadline)).toEqual({ kind: "late" });
    expect(gives({ closing: { how: "expired", at: deadline } }, "Ada", null)).toMatchObject({ kind: "closed" });
  });

  test("leaves the quorum as it was: with too few who may approve it is exhausted", () => {
    expect(gives({ quorum: 3 }, "Ada", null)).toMatchObject({ kind: "recused", exhausted: true });
    expect(gives({ quorum: 3 }, "Ada", "Barbara")).toMatchObject({ kind: "recused", exhausted: false });
    expect(gives({ quorum: 2, owner: "Grace", selfApproval: false }, "Ada", null)).toMatchObject({ exhausted: true });
  });
});

describe("putting a masked part back", () => {
  const votes = [{ reviewer: "Grace", version: 1, at: opened, channel: "outbox" as const }];
  const lifts = (over: Partial<AnyReview>, more: Partial<Parameters<typeof lift>[1]> = {}, at = opened) =>
    lift(review(over), { reviewer: "Ada", version: 1, digest: "d1", mark: 2, liftedDigest: "d2", ...more }, at);

  test("makes a version that nobody has approved, and says which parts were put back", () => {
    expect(lifts({ quorum: 2, votes, lifted: [1] })).toMatchObject({
      kind: "lifted",
      review: { version: 2, digest: "d2", votes: [], lifted: [1, 2] },
    });
  });

  test("of another version, or of the same number with other content, is stale", () => {
    for (const more of [{ version: 2 }, { digest: "d0" }]) expect(lifts({}, more)).toEqual({ kind: "stale", version: 1, digest: "d1" });
  });

  test("is for those who are asked and may approve, while they can", () => {
    expect(lifts({}, { reviewer: "Mallory" })).toEqual({ kind: "notAllowed", why: "notAReviewer" });
    expect(lifts({ owner: "Ada", selfApproval: false })).toEqual({ kind: "notAllowed", why: "ownRequest" });
    expect(lifts({ author: "Ada", selfApproval: false })).toEqual({ kind: "notAllowed", why: "ownReply" });
    expect(lifts({}, {}, deadline)).toEqual({ kind: "late" });
    expect(lifts({ closing: { how: "expired", at: deadline } })).toMatchObject({ kind: "closed" });
  });
});

test("who wrote a reply may not approve it where people may not approve what is their own", () => {
  const written = review({ author: "Ada", selfApproval: false });
  expect(decide(written, answer("Ada"), opened)).toEqual({ kind: "notAllowed", why: "ownReply" });
  expect(decide(written, answer("Grace"), opened).kind).toBe("approved");
});

describe("asking more people", () => {
  test("adds those who are neither asked nor have left", () => {
    const left = [{ reviewer: "Alan", at: opened, to: null }];
    expect(askAlso(review({ left }), ["Ada", "Alan", "Barbara"])).toMatchObject({
      added: ["Barbara"],
      review: { reviewers: ["Ada", "Grace", "Edsger", "Barbara"] },
    });
  });

  test("changes nothing where there is nobody to add or the review is closed", () => {
    expect(askAlso(review(), ["Ada"])).toBeNull();
    expect(askAlso(review({ closing: { how: "expired", at: deadline } }), ["Barbara"])).toBeNull();
  });
});
