// Rounds of revision 2026-07-28 behind the command: who may answer what, and for how long.

import type { Mutant } from "./mutant.ts";

const test = "test/client/stdio/stateless-relay.test.ts";
const machine = "shared/relay/call.ts";
const calls = "client/stdio/calls.ts";
const relay = "client/stdio/stateless-relay.ts";
const translatingTest = "test/client/stdio/translating-relay.test.ts";

export const stdioRoundMutants: readonly Mutant[] = [
  {
    name: "a client behind the command answers what it was asked alone",
    file: relay,
    from: '{ key, by: "client" }, response)',
    to: '{ key, by: call.state.questions.find((each) => each.key === key)?.by ?? "client" }, response)',
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
    from: "visited !== undefined && sameness(method, rest) === visited.same",
    to: "visited !== undefined",
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
    file: machine,
    from: "const isFull = state.asked >= terms.mostAsked;",
    to: "const isFull = false;",
    test: { file: test, only: "asks for ever" },
  },
  {
    name: "no round passes the command twice",
    file: calls,
    from: "(this.#byUpstream.has(idKey(id)) || this.#byWaiting.has(idKey(id)) || this.#isOwn(id))",
    to: "(this.#byUpstream.has(idKey(id)) || this.#isOwn(id))",
    test: { file: test, only: "answers a request twice" },
  },
  {
    name: "nothing goes to the server while its client is away",
    file: relay,
    from: "if (waiting === undefined || state.isAtServer) return;",
    to: "if (state.isAtServer) return;",
    test: { file: test, only: "decides while the client is away" },
  },
  {
    name: "no round in disguise passes the command",
    file: calls,
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
    file: calls,
    from: "this.#settings.connection.abandoned(waiting.id);",
    to: "",
    test: { file: test, only: "while a person reviews withdraws the review" },
  },
  {
    name: "an older client behind the command is asked for what it declared alone",
    file: "shared/relay/rounds.ts",
    from: "requests.filter(({ method }) => !ours.includes(method)),",
    to: "[],",
    test: { file: translatingTest, only: "goes to the client's own sampling with forward" },
  },
  {
    name: "a review ends with the call of an older client behind the command",
    file: calls,
    from: 'this.received({ jsonrpc: "2.0", id, ...answer });',
    to: "",
    test: { file: translatingTest, only: "that the client answers with an error ends the call" },
  },
];
