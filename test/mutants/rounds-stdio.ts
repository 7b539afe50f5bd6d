// Rounds of revision 2026-07-28 behind the command: who may answer what, and for how long.

import type { Mutant } from "./mutant.ts";

const test = "test/client/stdio/stateless-relay.test.ts";
const call = "client/stdio/round-call.ts";
const relay = "client/stdio/stateless-relay.ts";
const translating = "client/stdio/translating-relay.ts";
const translatingTest = "test/client/stdio/translating-relay.test.ts";

export const stdioRoundMutants: readonly Mutant[] = [
  {
    name: "a client behind the command answers what it was asked alone",
    file: call,
    from: "for (const { key } of openIn(current).filter(isTheirs)) {",
    to: "for (const { key } of openIn(current)) {",
    test: { file: test, only: "its answers count for that alone" },
  },
  {
    name: "answers that nobody asked for stay behind the command",
    file: relay,
    from: "return inputResponses === undefined",
    to: "return inputResponses !== null",
    test: { file: test, only: "answers what nobody asked" },
  },
  {
    name: "a state behind the command is for its own request",
    file: relay,
    from: "call !== undefined && continues(request, rest, call)",
    to: "call !== undefined",
    test: { file: test, only: "the state of" },
  },
  {
    name: "a state behind the command is used once",
    file: relay,
    from: "      this.#away.delete(state);\n      this.#cameBack",
    to: "      this.#cameBack",
    test: { file: test, only: "and its call is still there" },
  },
  {
    name: "a call behind the command has so many rounds",
    file: call,
    from: "if (call.rounds >= MOST_ROUNDS)",
    to: "if (call.rounds < 0)",
    test: { file: test, only: "asks for ever" },
  },
  {
    name: "no round passes the command twice",
    file: relay,
    from: "(this.#byUpstream.has(idKey(id)) || this.#byLeg.has(idKey(id)) || this.#isOwn(id))",
    to: "(this.#byUpstream.has(idKey(id)) || this.#isOwn(id))",
    test: { file: test, only: "answers a request twice" },
  },
  {
    name: "nothing goes to the server while its client is away",
    file: relay,
    from: "if (leg === undefined || call.upstream !== undefined) return;\n    const open",
    to: "if (call.upstream !== undefined) return;\n    const open",
    test: { file: test, only: "decides while the client is away" },
  },
  {
    name: "no round in disguise passes the command",
    file: relay,
    from: "return MAY_BE_ROUND.test(text) && isAmbiguous(text);",
    to: "return false;",
    test: { file: test, only: "says what clients would read" },
  },
  {
    name: "no answer in disguise passes the command",
    file: "client/stdio/stdio-relay.ts",
    from: "if (refusal !== null) return",
    to: "if (refusal !== null && false) return",
    test: { file: test, only: "says what servers would read" },
  },
  {
    name: "a cancelled call behind the command ends its reviews",
    file: relay,
    from: "this.#settings.connection.abandoned(id);",
    to: "",
    test: { file: test, only: "while a person reviews withdraws the review" },
  },
  {
    name: "an older client behind the command answers what it was asked, once",
    file: translating,
    from: "this.#asks.delete(id);\n    const { call, key } = ask;",
    to: "const { call, key } = ask;",
    test: { file: translatingTest, only: "is asked of the client by requests" },
  },
  {
    name: "an older client behind the command is asked for what it declared alone",
    file: translating,
    from: "const missing = undeclared(requests, call.capabilities);",
    to: "const missing = undeclared([], call.capabilities);",
    test: { file: translatingTest, only: "goes to the client's own sampling with forward" },
  },
  {
    name: "a review ends with the call of an older client behind the command",
    file: translating,
    from: "if (current.state !== null) this.#inner.gaveUp(current.state);",
    to: "",
    test: { file: translatingTest, only: "that the client answers with an error ends the call" },
  },
];
