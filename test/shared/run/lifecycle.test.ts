import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Condition,
  type ContentDigest,
  type Effect,
  type RunEvent,
  type RunState,
  type Stage,
  isCalling,
  isUnclaimed,
  mayAuthor,
  mostCalls,
  newRun,
  openGate,
  step,
} from "../../../shared/run/lifecycle.ts";
import { noReviews } from "../../../shared/run/stages.ts";
import type { RiskLevel, SeenRisk } from "../../../shared/policy/risk.ts";
import type { Answer, Review } from "../../../shared/review/decision.ts";

const begun = 1_000_000;
const deadlineSeconds = 60;
const terms = { reviewers: ["Ada", "Grace"], escalateTo: ["Edsger"], quorum: 1, owner: null, selfApproval: true, deadlineSeconds };
const request = { digest: "request-1", risk: "none" } as const;

type Gates = { request: boolean; response: boolean; responseIfEdited: boolean; responseIfRisk: RiskLevel | null };
const openGates: Gates = { request: false, response: false, responseIfEdited: false, responseIfRisk: null };
const inEveryCase = { kind: "always" } as const;

/** The stages of a message. */
const through = ({ request, response, responseIfEdited, responseIfRisk: level }: Gates): readonly Stage[] => [
  { kind: "review", name: "request", when: request ? [inEveryCase] : [] },
  { kind: "act", act: "model" },
  {
    kind: "review",
    name: "response",
    when: [
      ...(response ? [inEveryCase] : []),
      ...(responseIfEdited ? [{ kind: "ifEdited" } as const] : []),
      ...(level === null ? [] : [{ kind: "ifRisk", level } as const]),
    ],
  },
];
const both = through({ ...openGates, request: true, response: true });

const begin = (stages: readonly Stage[], terms: RunState["terms"], content: ContentDigest): RunState =>
  newRun({ stages, terms, content, reviews: noReviews });
const run = (stages = both, quorum = 1): RunState => begin(stages, { ...terms, quorum }, request);

/** Takes events in turn, all at one time, and gives the last state with every effect. */
function play(state: RunState, events: readonly RunEvent[], now = begun): { state: RunState; effects: Effect[] } {
  const effects: Effect[] = [];
  for (const event of events) {
    const next = step(state, event, now);
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}

const approve = (gate: "request" | "response", digest: string, over: Partial<Answer> = {}): RunEvent => ({
  kind: "answered",
  gate,
  answer: { act: "approve", reviewer: "Ada", channel: "outbox", version: 1, digest, ...over },
});
const deny = (gate: "request" | "response", digest: string): RunEvent => approve(gate, digest, { act: "deny", reason: "No." });
const received: RunEvent = { kind: "received" };
const givesUp = (reviewer: string, to: string | null = null): RunEvent => ({ kind: "recused", gate: "request", recusal: { reviewer, to } });
const escalate: RunEvent = { kind: "escalate", gate: "request" };
const unreachable = (...reviewers: string[]): RunEvent => ({ kind: "undeliverable", gate: "request", reviewers });
const generated = { kind: "generated", call: 1, replyDigest: "reply-1", risk: "none" } as const satisfies RunEvent;

describe("the way of a run", () => {
  test("through both gates: ask, call, ask, finish, each once", () => {
    const { state, effects } = play(run(), [received, approve("request", "request-1"), generated, approve("response", "reply-1")]);
    expect(effects).toEqual([
      { kind: "open", gate: "request" },
      { kind: "ask", gate: "request", reviewers: ["Ada", "Grace"], why: "asked" },
      { kind: "withdraw", gate: "request" },
      { kind: "call", call: 1, again: false },
      { kind: "open", gate: "response" },
      { kind: "ask", gate: "response", reviewers: ["Ada", "Grace"], why: "asked" },
      { kind: "withdraw", gate: "response" },
      { kind: "finish" },
    ]);
    expect(state).toMatchObject({ end: { kind: "completed" } });
  });

  test("without gates the model is called at once and its reply is the end", () => {
    const { state, effects } = play(run(through(openGates)), [received, generated]);
    expect(effects).toEqual([{ kind: "call", call: 1, again: false }, { kind: "finish" }]);
    expect(state.end).toEqual({ kind: "completed" });
  });

  test("a no at the request gate ends it before any call, a no at the response gate after it", () => {
    const first = play(run(), [received, deny("request", "request-1")]);
    expect(first.state.end).toEqual({ kind: "rejected", gate: "request", by: "Ada", reason: "No." });
    expect(first.effects).not.toContainEqual(expect.objectContaining({ kind: "call" }));
    const second = play(run(), [received, approve("request", "request-1"), generated, deny("response", "reply-1")]);
    expect(second.state.end).toMatchObject({ kind: "rejected", gate: "response" });
  });

  test("an edit at the request gate is what the call is for", () => {
    const { state } = play(run(), [received, approve("request", "request-1", { editedDigest: "request-2" })]);
    expect(state.content.digest).toBe("request-2");
    expect(isCalling(state)).toBe(true);
  });

  test("an edit at the response gate leaves the digest of the request alone", () => {
    const { state } = play(run(), [
      received,
      approve("request", "request-1"),
      generated,
      approve("response", "reply-1", { editedDigest: "reply-2" }),
    ]);
    expect(state.reviews.request?.digest).toBe("request-1");
    expect(state.reviews.response).toMatchObject({ version: 2, digest: "reply-2" });
  });

  test("an open response gate that was opened for the request as asked is closed for the reply to an edited one", () => {
    const gates = through({ ...openGates, request: true, responseIfEdited: true });
    const edited = play(run(gates), [received, approve("request", "request-1", { editedDigest: "request-2" }), generated]);
    expect(openGate(edited.state)).toBe("response");
    const asAsked = play(run(gates), [received, approve("request", "request-1"), generated]);
    expect(asAsked.state.end).toEqual({ kind: "completed" });
  });

  test("an open response gate closes for a reply whose risk is as high as the gate says, or higher, and for no other", () => {
    const levels = ["none", "low", "medium", "high"] as const;
    for (const responseIfRisk of [null, "low", "medium", "high"] as const)
      for (const risk of levels) {
        const { state } = play(run(through({ ...openGates, responseIfRisk })), [received, { ...generated, risk }]);
        const isAsked = responseIfRisk !== null && levels.indexOf(risk) >= levels.indexOf(responseIfRisk);
        expect([responseIfRisk, risk, openGate(state)]).toEqual([responseIfRisk, risk, isAsked ? "response" : null]);
        expect(state.end?.kind).toBe(isAsked ? undefined : "completed");
      }
  });

  test("a gate with several conditions is asked about where any one of them holds", () => {
    const gates = through({ ...openGates, request: true, responseIfEdited: true, responseIfRisk: "high" });
    const { state } = play(run(gates), [received, approve("request", "request-1"), { ...generated, risk: "high" }]);
    expect(openGate(state)).toBe("response");
  });

  test("a vote below the quorum is told to the others, an edited one as a change", () => {
    const voted = play(run(both, 2), [received, approve("request", "request-1")]);
    expect(voted.effects.slice(2)).toEqual([{ kind: "tellAgain", gate: "request", why: "voted" }]);

    const { state, effects } = play(run(both, 2), [received, approve("request", "request-1", { editedDigest: "request-2" })]);
    expect(effects.slice(2)).toEqual([{ kind: "tellAgain", gate: "request", why: "changed" }]);
    expect(openGate(state)).toBe("request");
  });

  test("a lifted redaction is a new version without votes, which its reviewers are told of, and the call is for it", () => {
    const lift = { reviewer: "Grace", version: 1, digest: "request-1", mark: 2, liftedDigest: "request-2" };
    const lifted: RunEvent = { kind: "lifted", gate: "request", lift };
    const { state, effects } = play(run(both, 2), [received, approve("request", "request-1"), lifted]);
    expect(effects.at(-1)).toEqual({ kind: "tellAgain", gate: "request", why: "changed" });
    expect(state.reviews.request).toMatchObject({ version: 2, digest: "request-2", votes: [], lifted: [2] });
    expect(state.content.digest).toBe("request-2");
    // Again, for the version before, by somebody else, and after the deadline it changes nothing.
    for (const change of [{}, { version: 2 }, { reviewer: "Mallory", version: 2, digest: "request-2" }])
      expect(step(state, { kind: "lifted", gate: "request", lift: { ...lift, ...change } }, begun).state).toBe(state);
    const late = { ...lift, version: 2, digest: "request-2" };
    expect(step(state, { kind: "lifted", gate: "request", lift: late }, begun + deadlineSeconds * 1000).lifting).toEqual({ kind: "late" });
  });

  test("nobody lifts a redaction of their own request where they may not approve it", () => {
    const own = begin(both, { ...terms, owner: "Ada", selfApproval: false }, request);
    const lift = { reviewer: "Ada", version: 1, digest: "request-1", mark: 1, liftedDigest: "request-2" };
    const { state } = play(own, [received]);
    expect(step(state, { kind: "lifted", gate: "request", lift }, begun).lifting).toEqual({ kind: "notAllowed", why: "ownRequest" });
  });

  describe("a reply that Ada writes in the model's place", () => {
    const writes = (risk: "none" | "high" = "none"): RunEvent =>
      approve("request", "request-1", { editedDigest: "request-2", written: { reply: "written-1", risk } });
    const ask = (...reviewers: string[]): Effect => ({ kind: "ask", gate: "response", reviewers, why: "asked" });
    const after = (events: readonly RunEvent[], over: Partial<RunState["terms"]> = {}, stages = both) =>
      play(begin(stages, { ...terms, ...over }, request), [received, ...events]);

    test("passes a response gate that she may pass alone: nobody is asked, and its review has her approval of the very reply", () => {
      const { state, effects } = after([writes()]);
      expect(effects.slice(2)).toEqual([
        { kind: "withdraw", gate: "request" },
        { kind: "takeReply" },
        { kind: "authorApproved", gate: "response", verdict: "approved" },
        { kind: "finish" },
      ]);
      expect(state.end).toEqual({ kind: "completed" });
      expect(state.reviews.response).toMatchObject({
        digest: "written-1",
        author: "Ada",
        votes: [{ reviewer: "Ada", version: 1 }],
        closing: { how: "approved", by: "Ada" },
      });
    });

    test("has her vote where more must approve, and only the others are asked", () => {
      const both2 = { quorum: 2, reviewers: ["Ada", "Grace", "Edsger"] };
      const vote = approve("request", "request-2", { reviewer: "Grace", version: 2 });
      const { state, effects } = after([writes(), vote], both2);
      expect(effects.slice(-3)).toEqual([
        { kind: "open", gate: "response" },
        ask("Grace", "Edsger"),
        { kind: "authorApproved", gate: "response", verdict: "voted" },
      ]);
      expect(state.reviews.response?.votes.map(({ reviewer }) => reviewer)).toEqual(["Ada"]);
      expect(step(state, approve("response", "written-1"), begun).verdict).toEqual({ kind: "repeated" });
      expect(step(state, approve("response", "written-1", { reviewer: "Edsger" }), begun).state.end).toEqual({ kind: "completed" });
    });

    test("is approved by another person where the rule bars people from approving what is their own", () => {
      const { state, effects } = after([writes()], { selfApproval: false });
      expect(effects.at(-1)).toEqual(ask("Grace"));
      expect(state.reviews.response?.votes).toEqual([]);
      expect(step(state, approve("response", "written-1"), begun).verdict).toEqual({ kind: "notAllowed", why: "ownReply" });
      const hands: RunEvent = { kind: "recused", gate: "response", recusal: { reviewer: "Ada", to: "Edsger" } };
      expect(step(state, hands, begun).recusal).toEqual({ kind: "notAllowed", why: "ownReply" });
      expect(step(state, deny("response", "written-1"), begun).state.end).toMatchObject({ kind: "rejected", by: "Ada" });
      expect(step(state, approve("response", "written-1", { reviewer: "Grace" }), begun).state.end).toEqual({ kind: "completed" });
    });

    test("is asked about with its warnings, which she did not see as she wrote it, and she may approve it then", () => {
      const gates = through({ ...openGates, request: true, response: true, responseIfRisk: "high" });
      const { state, effects } = after([writes("high")], {}, gates);
      expect(effects.at(-1)).toEqual(ask("Ada", "Grace"));
      expect(state.reviews.response?.votes).toEqual([]);
      expect(step(state, approve("response", "written-1"), begun).state.end).toEqual({ kind: "completed" });
      expect(after([writes()], {}, gates).state.end).toEqual({ kind: "completed" });
    });

    test("is asked about where she is not among those who decide about the reply", () => {
      const hers = approve("request", "request-1", {
        reviewer: "Edsger",
        editedDigest: "request-2",
        written: { reply: "written-1", risk: "none" },
      });
      const { state, effects } = after([escalate, hers]);
      expect(effects.at(-1)).toEqual(ask("Ada", "Grace"));
      expect(state.reviews.response?.votes).toEqual([]);
    });

    test("asks those of the escalation at once where nobody else may approve it, and ends the run where there are none", () => {
      const alone = { reviewers: ["Ada"], selfApproval: false };
      expect(after([writes()], alone).effects.at(-1)).toMatchObject({ kind: "ask", reviewers: ["Edsger"], why: "escalated" });
      expect(after([writes()], { ...alone, escalateTo: [] }).state.end).toEqual({ kind: "undeliverable", gate: "response" });
      expect(mayAuthor(begin(both, { ...terms, ...alone }, request), "Ada")).toBe(true);
      expect(mayAuthor(begin(both, { ...terms, ...alone, escalateTo: [] }, request), "Ada")).toBe(false);
      const open = through({ ...openGates, request: true });
      expect(mayAuthor(begin(open, { ...terms, ...alone, escalateTo: [] }, request), "Ada")).toBe(true);
    });
  });

  test("content that cannot be read ends it as failed in every phase, and its review with it", () => {
    for (const events of [
      [],
      [received],
      [received, approve("request", "request-1")],
      [received, approve("request", "request-1"), generated],
    ]) {
      const { state, effects } = play(run(), [...events, { kind: "unreadable" }]);
      expect(state.end).toEqual({ kind: "failed", why: "contentUnreadable" });
      expect(openGate(state)).toBeNull();
      expect(effects.at(-1)).toEqual({ kind: "finish" });
    }
  });

  test("the response gate's deadline counts from the moment it opened", () => {
    const asked = play(run(), [received, approve("request", "request-1")], begun).state;
    const { state } = step(asked, generated, begun + 50_000);
    expect(state.reviews.response).toMatchObject({ openedAt: begun + 50_000, deadlineAt: begun + 50_000 + deadlineSeconds * 1000 });
  });
});

describe("deadlines", () => {
  const asked = play(run(), [received]).state;
  const deadline = begun + deadlineSeconds * 1000;

  test.each([
    [deadline - 1, null],
    [deadline, { kind: "expired", gate: "request" }],
    [deadline + 86_400_000, { kind: "expired", gate: "request" }],
  ])("the deadline's event at %i of 1060000 ends the run as %o", (now, end) => {
    expect(step(asked, { kind: "deadline", gate: "request" }, now).state.end).toEqual(end);
  });

  test("in the very millisecond of the deadline an approval is late, and the deadline ends it: in either order the answer is no", () => {
    const late = step(asked, approve("request", "request-1"), deadline);
    expect(late).toMatchObject({ verdict: { kind: "late" }, effects: [] });
    const ended = step(late.state, { kind: "deadline", gate: "request" }, deadline);
    expect(ended.state.end).toEqual({ kind: "expired", gate: "request" });
    expect(step(ended.state, approve("request", "request-1"), deadline)).toMatchObject({ verdict: { kind: "closed" }, effects: [] });
  });

  test("the request gate's deadline does nothing once the request was approved", () => {
    const approved = step(asked, approve("request", "request-1"), deadline - 1).state;
    expect(step(approved, { kind: "deadline", gate: "request" }, deadline + 1)).toEqual({ state: approved, effects: [], verdict: null });
  });

  test("no gate stays open after the end of its request, and one whose own deadline comes first closes at that", () => {
    const own = deadlineSeconds * 1000;
    const ending = (endsAt: number): RunState => begin(both, { ...terms, endsAt }, request);
    const deadlinesOf = ({ reviews }: RunState) => [reviews.request?.deadlineAt, reviews.response?.deadlineAt];
    const soon = step(
      play(ending(begun + own + 1_000), [received, approve("request", "request-1")]).state,
      generated,
      begun + 50_000,
    ).state;
    expect(deadlinesOf(soon)).toEqual([begun + own, begun + own + 1_000]);
    const atOnce = play(ending(begun + 1), [received]).state;
    expect(deadlinesOf(atOnce)).toEqual([begun + 1, undefined]);
    expect(step(atOnce, approve("request", "request-1"), begun + 1)).toMatchObject({ verdict: { kind: "late" }, effects: [] });
    expect(step(atOnce, { kind: "deadline", gate: "request" }, begun + 1).state.end).toEqual({ kind: "expired", gate: "request" });
  });

  test("a deadline of a gate that was never opened does nothing", () => {
    expect(step(asked, { kind: "deadline", gate: "response" }, deadline * 2).state).toBe(asked);
  });
});

describe("people who come and go", () => {
  test("a hand-over asks the heir alone, and leaves the one who gave it in peace", () => {
    const { state, effects } = play(run(), [received, givesUp("Ada", "Barbara")]);
    expect(effects.slice(2)).toEqual([
      { kind: "release", gate: "request", reviewers: ["Ada"] },
      { kind: "ask", gate: "request", reviewers: ["Barbara"], why: "handedOver" },
    ]);
    expect(state.reviews.request?.reviewers).toEqual(["Grace", "Barbara"]);
    expect(step(state, approve("request", "request-1"), begun).verdict).toEqual({ kind: "notAllowed", why: "left" });
    expect(step(state, approve("request", "request-1", { reviewer: "Barbara" }), begun).verdict).toMatchObject({ kind: "approved" });
  });

  test("whoever says that it is not theirs is not asked any more; the others are", () => {
    const { state, effects } = play(run(), [received, givesUp("Ada")]);
    expect(effects.slice(2)).toEqual([{ kind: "release", gate: "request", reviewers: ["Ada"] }]);
    expect(openGate(state)).toBe("request");
  });

  test("where too few are left, those of the escalation are asked at once", () => {
    const { state, effects } = play(run(), [received, givesUp("Ada"), givesUp("Grace")]);
    expect(effects.at(-1)).toEqual({ kind: "ask", gate: "request", reviewers: ["Edsger"], why: "escalated" });
    expect(openGate(state)).toBe("request");
  });

  test("where nobody is left, the run ends at once and not at its deadline", () => {
    const { state } = play(run(), [received, escalate, givesUp("Ada"), givesUp("Grace"), givesUp("Edsger")]);
    expect(state.end).toEqual({ kind: "undeliverable", gate: "request" });
  });

  test("where those who are left and those of the escalation cannot reach the quorum, it ends as well", () => {
    const { state } = play(run(both, 3), [received, givesUp("Ada")]);
    expect(state.end).toEqual({ kind: "undeliverable", gate: "request" });
  });

  test("an escalation asks more people and takes nobody's place; a second one changes nothing", () => {
    const { state, effects } = play(run(), [received, escalate, escalate]);
    expect(effects.slice(2)).toEqual([{ kind: "ask", gate: "request", reviewers: ["Edsger"], why: "escalated" }]);
    expect(state.reviews.request?.reviewers).toEqual(["Ada", "Grace", "Edsger"]);
  });

  test("where nobody could be reached, those of the escalation are tried before the run is given up", () => {
    const first = play(run(), [received, unreachable("Ada"), unreachable("Ada", "Grace")]);
    expect(first.effects.slice(2)).toEqual([{ kind: "ask", gate: "request", reviewers: ["Edsger"], why: "escalated" }]);
    expect(step(first.state, unreachable("Ada", "Grace"), begun).state).toBe(first.state);
    expect(step(first.state, unreachable("Ada", "Grace", "Edsger"), begun).state.end).toEqual({ kind: "undeliverable", gate: "request" });
  });

  test("a decided review is escalated and handed over to nobody", () => {
    const { state } = play(run(), [received, deny("request", "request-1")]);
    expect(step(state, escalate, begun)).toEqual({ state, effects: [], verdict: null });
    expect(step(state, givesUp("Grace", "Barbara"), begun)).toMatchObject({ state, effects: [], recusal: { kind: "closed" } });
  });
});

describe("model calls", () => {
  const calling = play(run(), [received, approve("request", "request-1")]).state;

  test("a lost call is made again under a new number, and says so", () => {
    expect(step(calling, { kind: "callLost", call: 1 }, begun).effects).toEqual([{ kind: "call", call: 2, again: true }]);
  });

  test("the answer of a call that was given up is not taken", () => {
    const again = step(calling, { kind: "callLost", call: 1 }, begun).state;
    expect(step(again, generated, begun)).toEqual({ state: again, effects: [], verdict: null });
    expect(step(again, { ...generated, call: 2 }, begun).effects[0]).toEqual({ kind: "open", gate: "response" });
  });

  test("losing the same call twice makes it again once", () => {
    const again = step(calling, { kind: "callLost", call: 1 }, begun).state;
    expect(step(again, { kind: "callLost", call: 1 }, begun).state).toBe(again);
  });

  test(`a call that is lost ${mostCalls} times fails the run`, () => {
    const { state, effects } = play(
      calling,
      [1, 2, 3, 4].map((call): RunEvent => ({ kind: "callLost", call })),
    );
    expect(effects).toEqual([{ kind: "call", call: 2, again: true }, { kind: "call", call: 3, again: true }, { kind: "finish" }]);
    expect(state.end).toEqual({ kind: "failed" });
  });

  test("a call that is made once is not made again when its answer is lost: the run fails", () => {
    const once = play(begin(through(openGates), { ...terms, once: true }, request), [received]).state;
    const { state, effects } = step(once, { kind: "callLost", call: 1 }, begun);
    expect(effects).toEqual([{ kind: "finish" }]);
    expect(state.end).toEqual({ kind: "failed" });
    expect(step(once, generated, begun).state.end).toEqual({ kind: "completed" });
  });

  test("a failed call fails the run, and a cancellation during the call leaves its answer without effect", () => {
    expect(step(calling, { kind: "callFailed", call: 1 }, begun).state.end).toEqual({ kind: "failed" });
    const cancelled = step(calling, { kind: "cancelled", cause: "caller" }, begun).state;
    expect(cancelled.end).toEqual({ kind: "cancelled", cause: "caller" });
    expect(step(cancelled, generated, begun)).toEqual({ state: cancelled, effects: [], verdict: null });
  });
});

const names = ["request", "response", "third", "fourth"] as const;
type Name = (typeof names)[number];
const noneOf: RunState<Name>["reviews"] = { request: null, response: null, third: null, fourth: null };

const gate = fc.constantFrom(...names);
const digest = fc.constantFrom("request-1", "request-2", "reply-1", "reply-2");
const anEvent: fc.Arbitrary<RunEvent<Name>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(received) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("answered" as const),
      gate,
      answer: fc
        .record({
          act: fc.constantFrom("approve" as const, "approve" as const, "approve" as const, "deny" as const),
          reviewer: fc.constantFrom("Ada", "Grace", "Mallory"),
          channel: fc.constant("outbox"),
          version: fc.integer({ min: 1, max: 2 }),
          digest,
          edited: fc.option(digest, { nil: undefined, freq: 4 }),
          risk: fc.option(fc.constantFrom("none" as const, "high" as const), { nil: undefined }),
        })
        .map(({ edited, risk, ...answer }): Answer => {
          if (edited === undefined) return answer;
          return { ...answer, editedDigest: edited, ...(risk === undefined ? {} : { written: { reply: "reply-1", risk } }) };
        }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("recused" as const),
      gate,
      recusal: fc.record({
        reviewer: fc.constantFrom("Ada", "Grace", "Edsger", "Mallory"),
        to: fc.constantFrom(null, "Ada", "Grace", "Edsger", "Barbara"),
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("lifted" as const),
      gate,
      lift: fc.record({
        reviewer: fc.constantFrom("Ada", "Grace", "Mallory"),
        version: fc.integer({ min: 1, max: 3 }),
        digest,
        mark: fc.integer({ min: 1, max: 3 }),
        liftedDigest: fc.constantFrom("request-2", "reply-2"),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("unreadable" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("escalate" as const), gate }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deadline" as const), gate }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("undeliverable" as const),
      gate,
      reviewers: fc.subarray(["Ada", "Grace", "Edsger", "Barbara"], { minLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("cancelled" as const),
      cause: fc.constantFrom("caller" as const, "session" as const, "keyRevoked" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("generated" as const),
      call: fc.integer({ min: 1, max: 4 }),
      replyDigest: fc.constant("reply-1"),
      risk: fc.constantFrom("none" as const, "high" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claimed" as const), call: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unsent" as const), call: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("callFailed" as const), call: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("callLost" as const), call: fc.integer({ min: 1, max: 4 }) }) },
);
/** `isAimed`: at what the run is at by then, so that long lists are gone through. */
type Move = { readonly event: RunEvent<Name>; readonly isAimed: boolean; readonly after: number };
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    event: anEvent,
    isAimed: fc.constantFrom(true, true, false),
    after: fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 70_000 })),
  }),
  { maxLength: 40 },
);

function aimed(event: RunEvent<Name>, state: RunState<Name>): RunEvent<Name> {
  if ("call" in event) return { ...event, call: state.call?.number ?? event.call };
  const gate = openGate(state);
  const review = gate === null ? null : state.reviews[gate];
  if (!("gate" in event) || gate === null || review === null) return event;
  const { version, digest } = review;
  if (event.kind === "answered") return { ...event, gate, answer: { ...event.answer, version, digest } };
  return event.kind === "lifted" ? { ...event, gate, lift: { ...event.lift, version, digest } } : { ...event, gate };
}

type Told = {
  readonly event: RunEvent<Name>;
  readonly effects: readonly Effect<Name>[];
  readonly before: RunState<Name>;
  readonly after: RunState<Name>;
  readonly now: number;
};
type Stages = readonly Stage<Name>[];

function tell(stages: Stages, quorum: number, moves: readonly Move[]): Told[] {
  let state = newRun({ stages, terms: { ...terms, quorum }, content: request, reviews: noneOf });
  let now = begun;
  return [{ event: received, isAimed: false, after: 0 }, ...moves].map((move) => {
    now += move.after;
    const before = state;
    const event = move.isAimed ? aimed(move.event, before) : move.event;
    const frozen = JSON.stringify(state);
    const next = step(state, event, now);
    expect(JSON.stringify(before), "a step changes nothing that it was given").toBe(frozen);
    state = next.state;
    return { event, effects: next.effects, before, after: state, now };
  });
}

const messages = fc.record({ request: fc.boolean(), response: fc.boolean() }).map((closed): Stages => through({ ...openGates, ...closed }));

const ifRisk = (level: RiskLevel): Condition => ({ kind: "ifRisk", level });
const conditions = fc.oneof(
  fc.constant<Condition[]>([inEveryCase]),
  fc.subarray<Condition>([inEveryCase, { kind: "ifEdited" }, ifRisk("low"), ifRisk("high")], { maxLength: 2 }),
);
const acts = fc.constantFrom("model" as const, "tool" as const, "release" as const, "none" as const);
/** Each name once, anywhere among acts. */
const anyStages = (when: fc.Arbitrary<Condition[]>, act: typeof acts): fc.Arbitrary<Stages> =>
  fc
    .tuple(fc.subarray([...names]), fc.array(act, { maxLength: 4 }))
    .chain(([reviews, between]) =>
      fc
        .shuffledSubarray([...reviews, ...between.map((_, index) => index)], { minLength: reviews.length + between.length })
        .chain((order) =>
          fc.tuple(
            ...order.map((each): fc.Arbitrary<Stage<Name>> =>
              typeof each === "number"
                ? fc.constant({ kind: "act", act: between[each] ?? "none" })
                : when.map((conditions) => ({ kind: "review", name: each, when: conditions })),
            ),
          ),
        ),
    );

const anyRun = fc.tuple(fc.oneof(messages, anyStages(conditions, acts)), fc.integer({ min: 1, max: 2 }), moves);
const always = (property: (told: readonly Told[], stages: Stages, quorum: number) => void): void =>
  fc.assert(
    fc.property(anyRun, ([stages, quorum, moves]) => property(tell(stages, quorum, moves), stages, quorum)),
    { numRuns: 1000 },
  );

const isApproved = (review: Review<Name> | null): boolean => review?.closing?.how === "approved";
const isChanged = (review: Review<Name> | null): boolean => (review?.version ?? 1) > 1;
const reviewsIn = (stages: Stages) => stages.filter((stage) => stage.kind === "review");
const isCall = (stage: Stage<Name>): boolean => stage.kind === "act" && (stage.act === "model" || stage.act === "tool");
const isRelease = (stage: Stage<Name> | undefined): boolean => stage?.kind === "act" && stage.act === "release";
/** The caller's request goes on with this event. */
const isClaim = ({ before, after }: Told): boolean => isUnclaimed(before) && !isUnclaimed(after) && after.end === null;

describe("the caller's own request", () => {
  const released = (response = false): readonly Stage[] =>
    through({ ...openGates, request: true, response }).map((stage) => (stage.kind === "act" ? { kind: "act", act: "release" } : stage));
  const approved = play(run(released()), [received, approve("request", "request-1")]);
  const claimed: RunEvent = { kind: "claimed", call: 1 };

  test("it waits for its caller, and nothing ends it but a cancellation", () => {
    expect(approved.effects.at(-1)).toEqual({ kind: "passOn", call: 1 });
    expect(isUnclaimed(approved.state)).toBe(true);
    const other: RunEvent[] = [generated, { kind: "callFailed", call: 1 }, { kind: "callLost", call: 1 }, { ...claimed, call: 2 }];
    expect(play(approved.state, other).state).toBe(approved.state);
    expect(play(approved.state, [{ kind: "cancelled", cause: "caller" }, claimed]).state.end).toMatchObject({ kind: "cancelled" });
  });

  test("it is claimed once, and what came of it is reviewed where the stages say so", () => {
    const once = step(approved.state, claimed, begun + 5);
    expect([once.state.call, once.effects]).toEqual([{ number: 1, startedAt: begun + 5 }, []]);
    expect(step(once.state, claimed, begun + 6).state).toBe(once.state);
    expect(play(once.state, [generated]).state.end).toEqual({ kind: "completed" });
    const reviewed = play(run(released(true)), [received, approve("request", "request-1"), claimed, generated]);
    expect(openGate(reviewed.state)).toBe("response");
  });

  test("one that was refused before anything was done is claimed again, under another number", () => {
    const unsent: RunEvent = { kind: "unsent", call: 1 };
    const freed = play(approved.state, [claimed, unsent]);
    expect([freed.state.call, freed.effects, isUnclaimed(freed.state)]).toEqual([{ number: 2, startedAt: null }, [], true]);
    const again = play(freed.state, [{ ...claimed, call: 2 }]);
    // What came late of the first frees nothing and ends nothing.
    for (const late of [unsent, generated, claimed, { kind: "callLost", call: 1 } as const])
      expect(play(again.state, [late]).state).toBe(again.state);
    expect(step(approved.state, unsent, begun).state).toBe(approved.state);
  });

  test("it is not claimed before its review, nor again after it was lost", () => {
    expect(step(play(run(released()), [received]).state, claimed, begun).state.call).toBeNull();
    const lost = play(approved.state, [claimed, { kind: "callLost", call: 1 }]);
    expect(lost.state.end).toEqual({ kind: "failed" });
    expect(play(lost.state, [claimed]).state).toBe(lost.state);
  });
});

describe("whatever happens in whatever order", () => {
  test("a run ends at most once, and nothing is done after its end", () => {
    always((told) => {
      const ended = told.findIndex(({ after }) => after.end !== null);
      expect(told.flatMap(({ effects }) => effects).filter(({ kind }) => kind === "finish")).toHaveLength(ended === -1 ? 0 : 1);
      if (ended === -1) return;
      for (const { effects, after } of told.slice(ended + 1)) {
        expect(effects).toEqual([]);
        expect(after).toBe(told[ended]?.after);
      }
    });
  });

  test("an event either changes nothing and has no effects, or changes the state", () => {
    always((told) => {
      for (const { before, after, effects } of told) if (after === before) expect(effects).toEqual([]);
    });
  });

  test("no call number is used twice, and every call of an act after the first is said to be another", () => {
    always((told, stages) => {
      const calls = told.flatMap(({ effects, before, after }) =>
        effects.flatMap((effect) => (effect.kind === "call" ? [{ ...effect, isSame: before.at === after.at }] : [])),
      );
      // A call that was refused before it ran has another number when it is claimed again.
      const numbers = told.flatMap(({ event, effects, before, after }) => [
        ...(event.kind === "unsent" && after !== before ? [after.call?.number] : []),
        ...effects.flatMap((effect) => ("call" in effect ? [effect.call] : [])),
      ]);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      expect(calls.map(({ again }) => again)).toEqual(calls.map(({ isSame }) => isSame));
      expect(calls.length).toBeLessThan(mostCalls + Math.max(stages.filter(isCall).length, 1));
    });
  });

  test("nothing is done twice, except a call whose answer was lost", () => {
    always((told, stages) => {
      const done = told.flatMap(({ event, effects, after }) =>
        event.kind === "callLost" ? [] : effects.filter(({ kind }) => kind === "call").map(() => after.at),
      );
      expect(new Set(done).size).toBe(done.length);
      const isReleased = ({ kind }: { readonly kind: string }): boolean => kind === "passOn";
      const releases = stages.filter(isRelease);
      expect(told.flatMap(({ effects }) => effects.filter(isReleased)).length).toBeLessThanOrEqual(releases.length);
    });
  });

  test("a caller's request goes on by a claim, once where it was not refused, and its loss is the end", () => {
    always((told, stages) => {
      const claims = told.filter(isClaim);
      expect(claims.every(({ event }) => event.kind === "claimed")).toBe(true);
      const freed = told.filter(({ event, before, after }) => event.kind === "unsent" && after !== before);
      for (const each of freed) expect([isUnclaimed(each.before), isUnclaimed(each.after), each.effects]).toEqual([false, true, []]);
      expect(claims.length).toBeLessThanOrEqual(new Set(claims.map(({ after }) => after.at)).size + freed.length);
      const numbers = claims.map(({ after }) => after.call?.number);
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const { event, before, after, effects } of told) {
        if (!isRelease(stages[before.at]) || after === before) continue;
        if (event.kind === "generated") expect(isUnclaimed(before)).toBe(false);
        if (event.kind !== "callLost" && event.kind !== "callFailed") continue;
        expect(isUnclaimed(before)).toBe(false);
        expect([after.end, effects]).toEqual([{ kind: "failed" }, [{ kind: "finish" }]]);
      }
    });
  });

  test("something is done only once each review before it was passed by enough people, for the very digest", () => {
    always((told, stages, quorum) => {
      for (const each of told) {
        const { effects, after } = each;
        if (!effects.some(({ kind }) => kind === "call" || kind === "passOn") && !isClaim(each)) continue;
        for (const { name, when } of reviewsIn(stages.slice(0, after.at))) {
          const review = after.reviews[name];
          if (review === null) expect(when).not.toContainEqual(inEveryCase);
          else expect(review.closing).toMatchObject({ how: "approved" });
          if (review !== null) expect(new Set(review.votes.map(({ reviewer }) => reviewer)).size).toBe(quorum);
        }
        const last = after.stages
          .slice(0, after.at)
          .findLast((stage) => isCall(stage) || isRelease(stage) || (stage.kind === "review" && after.reviews[stage.name] !== null));
        const review = last?.kind === "review" ? after.reviews[last.name] : null;
        if (review !== null) expect(after.content.digest).toBe(review.written?.reply ?? review.digest);
      }
    });
  });

  test("every stage that a run passes had nothing to do, or was done, and every one that it stops at has", () => {
    always((told, stages) => {
      let risk: SeenRisk = request.risk;
      const replaced = new Set<number>();
      for (const { event, effects, before, after } of told) {
        if (after === before) continue;
        const decided = "gate" in event ? after.reviews[event.gate] : null;
        if (event.kind === "generated") risk = event.risk;
        else if (isApproved(decided) && decided?.written !== undefined) {
          risk = decided.written.risk;
          replaced.add(stages.findIndex(({ kind }, at) => kind === "act" && at > before.at));
        } else if ("gate" in event && decided?.digest !== before.reviews[event.gate]?.digest) risk = "high";
        const isDue = ({ when }: { readonly when: readonly Condition[] }, at: number): boolean =>
          when.some(
            (condition) =>
              condition.kind === "always" ||
              (condition.kind === "ifEdited" && reviewsIn(stages.slice(0, at)).some(({ name }) => isChanged(after.reviews[name]))) ||
              (condition.kind === "ifRisk" && (risk === "high" || risk === condition.level)),
          );
        const isOver = after.end?.kind === "completed";
        for (const [at, stage] of [...stages.entries()].slice(before.at + 1, isOver ? undefined : after.at)) {
          if (stage.kind === "review") expect(isApproved(after.reviews[stage.name])).toBe(isDue(stage, at));
          else expect((!isCall(stage) && !isRelease(stage)) || replaced.has(at)).toBe(true);
        }
        const passed = [...stages.entries()].slice(before.at + 1, isOver ? undefined : after.at + 1);
        const released = passed.filter(([at, stage]) => isRelease(stage) && !replaced.has(at));
        expect(effects.filter(({ kind }) => kind === "passOn")).toHaveLength(released.length);
        const stop = stages[after.at];
        if (isOver || after.at === before.at || stop === undefined) continue;
        expect(stop.kind === "review" ? isDue(stop, after.at) : (isCall(stop) || isRelease(stop)) && !replaced.has(after.at)).toBe(true);
      }
    });
  });

  test("a run ends with each of its reviews closed", () => {
    always((told) => {
      for (const { after } of told) {
        if (after.end === null) continue;
        for (const review of Object.values(after.reviews)) if (review !== null) expect(review.closing).not.toBeNull();
      }
    });
  });

  test("a reply is never delivered without every gate of the run passed", () => {
    always((told, stages) => {
      for (const { after } of told) {
        if (after.end?.kind !== "completed") continue;
        for (const { name, when } of reviewsIn(stages)) {
          const [mustOpen, mayOpen] = [when.includes(inEveryCase), when.length > 0];
          expect([...(mayOpen ? ["approved"] : []), ...(mustOpen ? [] : ["none"])]).toContain(after.reviews[name]?.closing?.how ?? "none");
        }
      }
    });
  });

  test("stages at which nobody is asked and nothing is called are over at once", () => {
    const quiet = anyStages(fc.constant([]), fc.constant("none" as const));
    fc.assert(
      fc.property(quiet, (stages) => {
        const { state, effects } = step(newRun({ stages, terms, content: request, reviews: noneOf }), received, begun);
        expect(state.end).toEqual({ kind: "completed" });
        expect(effects).toEqual([{ kind: "finish" }]);
      }),
    );
  });

  test("a reply that a person wrote is delivered by as many people as the rule wants, for the very reply", () => {
    always((told, stages, quorum) => {
      for (const { after } of told) {
        for (const [at, stage] of stages.entries()) {
          const [act, next] = stages.slice(at + 1);
          if (after.end?.kind !== "completed" || stage.kind !== "review" || act?.kind !== "act" || next?.kind !== "review") continue;
          const { written } = after.reviews[stage.name] ?? {};
          if (written === undefined || !next.when.includes(inEveryCase)) continue;
          const review = after.reviews[next.name];
          expect(review?.author).toBe(written.by);
          if (review?.version === 1) expect(review.digest).toBe(written.reply);
          expect(review?.votes.length).toBe(quorum);
        }
      }
    });
  });

  test("nobody who is not a reviewer ever decides", () => {
    always((told) => {
      for (const { after } of told) expect(JSON.stringify(after)).not.toContain("Mallory");
    });
  });

  test("every approval that stands is that of somebody who is asked, and nobody's stands twice", () => {
    always((told) => {
      for (const { after } of told) {
        for (const review of Object.values(after.reviews)) {
          const voters = review?.votes.map(({ reviewer }) => reviewer) ?? [];
          expect(new Set(voters).size).toBe(voters.length);
          for (const voter of voters) expect(review?.reviewers).toContain(voter);
          expect(new Set(review?.reviewers).size).toBe(review?.reviewers.length ?? 0);
        }
      }
    });
  });

  test("nobody is asked anew about a review that is closed, and whoever left is asked only when it was handed to them", () => {
    always((told) => {
      for (const { effects, before } of told) {
        for (const effect of effects) {
          if (effect.kind !== "ask" || effect.why === "asked") continue;
          const review = before.reviews[effect.gate];
          expect(review?.closing).toBeNull();
          for (const name of effect.reviewers) expect(review?.reviewers).not.toContain(name);
          if (effect.why === "escalated")
            expect(review?.left.map(({ reviewer }) => reviewer)).not.toEqual(expect.arrayContaining([...effect.reviewers]));
        }
      }
    });
  });

  test("a review is approved or denied before its deadline and expires at or after it", () => {
    always((told) => {
      for (const review of Object.values(told.at(-1)?.after.reviews ?? {})) {
        if (!review?.closing) continue;
        const { how, at } = review.closing;
        if (how === "expired") expect(at).toBeGreaterThanOrEqual(review.deadlineAt);
        if (how === "approved" || how === "denied") expect(at).toBeLessThan(review.deadlineAt);
      }
    });
  });

  test("each gate that was asked about is withdrawn when it closes, and never asked about again", () => {
    always((told) => {
      const effects = told.flatMap(({ effects }) => effects);
      for (const each of names) {
        const order = effects.filter((effect) => (effect.kind === "open" || effect.kind === "withdraw") && effect.gate === each);
        order.forEach(({ kind }, index) => expect(kind).toBe(index === 0 ? "open" : "withdraw"));
        expect(order.length).toBeLessThanOrEqual(2);
        const closed = told.at(-1)?.after.reviews[each]?.closing != null;
        expect(order.length % 2).toBe(closed || order.length === 0 ? 0 : 1);
      }
    });
  });

  test("every event twice is every event once", () => {
    fc.assert(
      fc.property(anyRun, ([stages, quorum, moves]) => {
        const once = tell(stages, quorum, moves);
        const twice = tell(
          stages,
          quorum,
          moves.flatMap(({ after }, index) => {
            const event = once[index + 1]?.event ?? received;
            return [after, 0].map((each): Move => ({ event, isAimed: false, after: each }));
          }),
        );
        expect(twice.at(-1)?.after).toEqual(once.at(-1)?.after);
        expect(twice.flatMap(({ effects }) => effects)).toEqual(once.flatMap(({ effects }) => effects));
      }),
      { numRuns: 500 },
    );
  });
});
