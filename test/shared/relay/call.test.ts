// A call with rounds, and one in a session, by every order of what may happen to it.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CallEffect,
  type CallEvent,
  type CallState,
  type CallTerms,
  knows,
  newCall,
  openFor,
  openQuestions,
  step,
} from "../../../shared/relay/call.ts";

const rounds: CallTerms = { server: "rounds", mostAsked: 3, ours: ["sampling/createMessage"] };
const session: CallTerms = { server: "session", mostAsked: 3, ours: [] };

const reply = { key: "reply", method: "sampling/createMessage" } as const;
const confirm = { key: "confirm", method: "elicitation/create" } as const;

function play(terms: CallTerms, events: readonly CallEvent[], from = newCall(terms)): { state: CallState; effects: CallEffect[] } {
  let state = from;
  const effects: CallEffect[] = [];
  for (const event of events) {
    const next = step(state, event);
    state = next.state;
    effects.push(...next.effects);
  }
  return { state, effects };
}

const kinds = (effects: readonly CallEffect[]): string[] => effects.map(({ kind }) => kind);
const asksBoth: CallEvent = { kind: "asked", questions: [reply, confirm] };
const replied: CallEvent = { kind: "answered", round: 1, key: "reply", by: "gateway" };
const confirmed: CallEvent = { kind: "answered", round: 1, key: "confirm", by: "client" };
const proceeded: CallEvent = { kind: "proceeded", round: 1 };

describe("a round", () => {
  test("is answered by the gateway and the client, goes to the server once, and ends with its last word", () => {
    const { state, effects } = play(rounds, [asksBoth, replied, confirmed, proceeded, { kind: "responded" }]);
    expect(kinds(effects)).toEqual(["ask", "send", "finish"]);
    expect(state).toMatchObject({ end: "answered", questions: [] });
  });

  test("goes to nobody before everything is answered, and only while the client waits", () => {
    expect(kinds(play(rounds, [asksBoth, replied, proceeded]).effects)).toEqual(["ask"]);
    expect(kinds(play(rounds, [asksBoth, replied, confirmed]).effects)).toEqual(["ask"]);
  });

  test("takes no answer from the side that was not asked, nor to another round", () => {
    const { state } = play(rounds, [asksBoth]);
    for (const event of [
      { ...replied, by: "client" },
      { ...confirmed, by: "gateway" },
      { ...confirmed, round: 2 },
      { ...confirmed, key: "other" },
      { kind: "declined", round: 1, key: "confirm" },
      { kind: "declined", round: 1, key: "reply" },
      { kind: "withdrawn", key: "confirm" },
      { kind: "delivered", key: "confirm" },
      { kind: "refused", round: 2 },
      { kind: "responded" },
      { kind: "lost" },
    ] as const)
      expect(step(state, event).state).toBe(state);
  });

  test("leaves the server's answers as they are while it works on them, and ends as lost where it is not heard of again", () => {
    const { state } = play(rounds, [{ kind: "asked", questions: [confirm] }, confirmed, proceeded]);
    for (const event of [confirmed, proceeded, { kind: "refused", round: 1 }] as const) expect(step(state, event).state).toBe(state);
    expect(step(state, { kind: "lost" })).toMatchObject({ state: { end: "lost" }, effects: [{ kind: "finish", end: "lost" }] });
    expect(kinds(step(state, { kind: "cancelled" }).effects)).toEqual(["stop", "finish"]);
  });

  test("waits again with its answers where the server refused them unread, and the first request does not", () => {
    const asked = play(rounds, [{ kind: "asked", questions: [confirm] }, confirmed, proceeded]).state;
    const { state, effects } = step(asked, { kind: "unsent" });
    expect([effects, openQuestions(state), state.end]).toEqual([[], [], null]);
    expect(kinds(step(state, proceeded).effects)).toEqual(["send"]);
    const first = newCall(rounds);
    expect(step(first, { kind: "unsent" }).state).toBe(first);
  });

  test("of which there are too many ends the call", () => {
    const { state, effects } = play(
      rounds,
      [1, 2, 3, 4].flatMap((round): CallEvent[] => [
        { kind: "asked", questions: [] },
        { ...proceeded, round },
      ]),
    );
    expect(kinds(effects)).toEqual(["ask", "send", "ask", "send", "ask", "send", "finish"]);
    expect(state.end).toBe("tooManyRounds");
  });

  test("has sampling that the client declined answered by the gateway", () => {
    const terms = { ...rounds, ours: [] };
    const { state: begun } = play(terms, [asksBoth]);
    expect(step(begun, { kind: "declined", round: 2, key: "reply" }).state).toBe(begun);
    const { state, effects } = play(terms, [{ kind: "declined", round: 1, key: "reply" }], begun);
    expect(effects.at(-1)).toMatchObject({ kind: "ask", questions: [{ key: "reply", by: "gateway" }] });
    expect(openFor(state, "client")).toMatchObject([{ key: "confirm" }]);
    expect(step(state, { ...replied, by: "client" }).state).toBe(state);
  });

  test("that is refused withdraws what is open", () => {
    const { effects } = play(rounds, [asksBoth, confirmed, { kind: "refused", round: 1 }]);
    expect(effects.slice(1)).toMatchObject([
      { kind: "withdraw", questions: [{ key: "reply" }] },
      { kind: "finish", end: "refused" },
    ]);
  });
});

describe("a session", () => {
  const asks = (key: string, request: number): CallEvent => ({ kind: "asked", questions: [{ ...confirm, key, request }] });

  test("has each answer as it comes, and goes on asking meanwhile", () => {
    const { state, effects } = play(session, [
      asks("a", 7),
      asks("b", 8),
      { kind: "answered", key: "b", by: "client" },
      { kind: "delivered", key: "b" },
      { kind: "withdrawn", key: "a" },
      asks("c", 9),
      { kind: "responded" },
    ]);
    expect(kinds(effects)).toEqual(["ask", "ask", "deliver", "withdraw", "ask", "withdraw", "finish"]);
    expect(state.end).toBe("answered");
  });

  test("asks the same once, as long as its answer is not delivered, and no more than it may", () => {
    const { state, effects } = play(session, [asks("a", 7), asks("again", 7), asks("b", 8), asks("c", 9), asks("d", 10)]);
    expect(kinds(effects)).toEqual(["ask", "ask", "ask"]);
    expect(openQuestions(state).map(({ key }) => key)).toEqual(["a", "b", "c"]);
    expect([knows(state, 7), knows(state, "7"), knows(state, 10)]).toEqual([true, false, false]);
    const answered: CallEvent = { kind: "answered", key: "a", by: "client" };
    const again = play(session, [asks("a", 7), answered, asks("b", 7), { kind: "delivered", key: "a" }, asks("c", 7)]);
    expect(kinds(again.effects)).toEqual(["ask", "deliver", "ask"]);
  });
});

describe.each([
  ["rounds", rounds],
  ["rounds of a client with sampling of its own", { ...rounds, ours: [] }],
  ["a session", session],
])("whatever happens, in whatever order and however often, in %s", (_family, terms) => {
  const key = fc.constantFrom("reply", "confirm", "roots");
  const round = fc.integer({ min: 1, max: 3 });
  const by = fc.constantFrom("client" as const, "gateway" as const);
  const question = fc.constantFrom(reply, confirm, { key: "roots", method: "roots/list" } as const);
  const isSession = terms.server === "session";
  const asking = isSession
    ? fc.integer({ min: 1, max: 6 }).map((request): CallEvent => ({
        kind: "asked",
        questions: [{ key: `input-${request}`, method: "elicitation/create", request }],
      }))
    : fc.uniqueArray(question, { selector: (each) => each.key }).map((questions): CallEvent => ({ kind: "asked", questions }));
  const anyKey = isSession ? fc.integer({ min: 1, max: 6 }).map((request) => `input-${request}`) : key;
  const event: fc.Arbitrary<CallEvent> = fc.oneof(
    { weight: 3, arbitrary: asking },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("answered" as const), round, key: anyKey, by }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("declined" as const), round, key: anyKey }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("proceeded" as const), round }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delivered" as const), key: anyKey }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("withdrawn" as const), key: anyKey }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("refused" as const), round }) },
    { weight: 1, arbitrary: fc.constantFrom<CallEvent>({ kind: "responded" }, { kind: "cancelled" }, { kind: "lost" }) },
    { weight: 1, arbitrary: fc.constant<CallEvent>({ kind: "unsent" }) },
  );

  test("each question is answered once or withdrawn, each round is sent once, and the end is the end", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = newCall(terms);
        const sent: number[] = [];
        /** By round and key: asked, and what became of it. */
        const fates = new Map<string, "open" | "answered" | "withdrawn">();
        const nameOf = (key_: string): string => (isSession ? key_ : `${state.asked} ${key_}`);
        for (const each of events) {
          const before = state;
          const { state: next, effects } = step(state, each);
          state = next;
          if (before.end !== null) {
            expect(next).toBe(before);
            expect(effects).toEqual([]);
          }
          // Every event comes twice: the second one changes nothing. A round that asks is followed
          // by an attempt of its own.
          expect(step(next, each).effects).toEqual([]);
          expect(step(next, each).state).toBe(next);
          // The server has nothing of it: it is sent once more.
          if (each.kind === "unsent" && next !== before) expect(sent.pop()).toBe(next.asked);
          if (each.kind === "answered" && next !== before) {
            expect(fates.get(nameOf(each.key))).toBe("open");
            fates.set(nameOf(each.key), "answered");
          }
          for (const effect of effects) {
            if (effect.kind === "ask" && each.kind === "asked")
              for (const { key: name } of effect.questions) {
                // In a session the same may be asked again once its answer is delivered.
                expect(fates.get(nameOf(name))).not.toBe("open");
                fates.set(nameOf(name), "open");
              }
            if (effect.kind === "withdraw")
              for (const { key: name } of effect.questions) {
                expect(fates.get(nameOf(name))).toBe("open");
                fates.set(nameOf(name), "withdrawn");
              }
            if (effect.kind === "send") {
              expect(before.questions.every(({ isAnswered }) => isAnswered)).toBe(true);
              sent.push(next.asked);
            }
            if (effect.kind === "deliver") expect(fates.get(nameOf(effect.key))).toBe("answered");
          }
          expect(next.asked).toBeLessThanOrEqual(terms.mostAsked);
          if (next.end !== null) expect([...fates.values()]).not.toContain("open");
        }
        expect(new Set(sent).size).toBe(sent.length);
      }),
      { numRuns: 500 },
    );
  });

  test("answers lead to the same state in whatever order they come", () => {
    const answers: CallEvent[] = isSession
      ? [1, 2, 3].map((request) => ({ kind: "answered", key: `input-${request}`, by: "client" }))
      : [reply, confirm, { key: "roots", method: "roots/list" }].map((each) => ({
          kind: "answered",
          round: 1,
          key: each.key,
          by: terms.ours.some((ours) => ours === "sampling/createMessage") && each.key === "reply" ? "gateway" : "client",
        }));
    const begun = isSession
      ? play(
          terms,
          [1, 2, 3].map((request) => ({ kind: "asked", questions: [{ ...confirm, key: `input-${request}`, request }] })),
        )
      : play(terms, [{ kind: "asked", questions: [reply, confirm, { key: "roots", method: "roots/list" }] }]);
    const inOrder = play(terms, answers, begun.state);
    fc.assert(
      fc.property(fc.shuffledSubarray([...answers, ...answers], { minLength: 6 }), (shuffled) => {
        const { state, effects } = play(terms, shuffled, begun.state);
        expect(state).toEqual(inOrder.state);
        expect(effects).toHaveLength(inOrder.effects.length);
      }),
      { numRuns: 100 },
    );
  });
});
