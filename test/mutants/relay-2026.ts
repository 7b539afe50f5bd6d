// The relay in revision 2026-07-28: whom a state is good for, what is sent once, and what a server
// may ask a client.

import type { Mutant } from "./mutant.ts";

const state = (only: string): Mutant["test"] => ({ file: "test/workers/contract/request-state.test.ts", only });
const hostile = (only: string): Mutant["test"] => ({ file: "test/workers/contract/stateless-hostile.test.ts", only });
const call = (only: string): Mutant["test"] => ({ file: "test/workers/objects/call.test.ts", only });
const bytes = (only: string): Mutant["test"] => ({ file: "test/workers/contract/stateless.test.ts", only });

const bridge = (only: string): Mutant["test"] => ({ file: "test/workers/objects/bridge.test.ts", only });
const listens = (only: string): Mutant["test"] => ({ file: "test/rest/relay/bridge-listen.test.ts", only });

const relay = { file: "workers/endpoints/relay/stateless/stateless-relay.ts" };
const answers = { file: "workers/endpoints/relay/calls/relayed-call.ts" };
const object = { file: "workers/objects/call/call-object.ts" };
const machine = { file: "shared/relay/call.ts" };
const sealed = { file: "workers/credentials/request-state.ts" };
const rounds = { file: "workers/endpoints/relay/calls/call-rounds.ts" };

const address = { file: "shared/relay/url-elicitation.ts" };

export const relay2026Mutants: readonly Mutant[] = [
  {
    ...relay,
    name: "a requestState is its key's",
    from: "{ key: c.var.key.id, server: relay.name, method, params: valueAsWritten(rest) }",
    to: "{ server: relay.name, method, params: valueAsWritten(rest) }",
    test: state("with another method, at another server, with another key"),
  },
  {
    ...relay,
    name: "a requestState is its server's",
    from: "{ key: c.var.key.id, server: relay.name, method, params: valueAsWritten(rest) }",
    to: "{ key: c.var.key.id, method, params: valueAsWritten(rest) }",
    test: state("with another method, at another server, with another key"),
  },
  {
    ...relay,
    name: "a requestState is its params'",
    from: "{ key: c.var.key.id, server: relay.name, method, params: valueAsWritten(rest) }",
    to: "{ key: c.var.key.id, server: relay.name, method }",
    test: state("is refused with other arguments"),
  },
  {
    ...sealed,
    name: "a requestState is bound to its request",
    from: "additionalData: utf8ToBytes(`${domain}\\0${bound}`),",
    to: "additionalData: utf8ToBytes(`${domain}\\0${bound.slice(0, 0)}`),",
    test: state("with another method, at another server, with another key"),
  },
  {
    ...sealed,
    name: "a requestState expires",
    from: "return expiresAt <= now ? undefined :",
    to: "return expiresAt <= 0 ? undefined :",
    test: state("of a round that passes is good for a day"),
  },
  {
    ...relay,
    name: "requests whose numbers a parser rounds are not one call",
    from: "params: valueAsWritten(rest) }",
    to: "params: JSON.parse(rest) as unknown }",
    test: bytes("whose numbers only a parser takes for equal"),
  },
  {
    ...relay,
    name: "clients of other capabilities do not share a call",
    from: "capabilities: JSON.stringify(capabilities), token",
    to: "token",
    test: call("where their clients declare different capabilities"),
  },
  {
    ...object,
    name: "a continuation is not sent again after a reset",
    from: 'if (!isUnderWay) this.#take(attempt, { kind: "lost" }, cutOff);',
    to: "",
    test: call("while the server has the continuation"),
  },
  {
    ...machine,
    name: "a continuation is noted before it is sent",
    from: "state: { ...state, isAtServer: true }, effects",
    to: "state: { ...state }, effects",
    test: call("while the server has the continuation"),
  },
  {
    ...object,
    name: "a continuation under way is waited for",
    from: "const isUnderWay = this.#sending.has(attempt);",
    to: 'const isUnderWay = attempt === "";',
    test: state("ten at once send one continuation"),
  },
  {
    ...machine,
    name: "an answer is of the round that asked",
    from: "(!state.isAtServer && round === state.asked)",
    to: "!state.isAtServer",
    test: call("takes the first answer to what the round asked"),
  },
  {
    ...machine,
    name: "an answer is to what the round asked",
    from: "openQuestions(state).find((each) => each.key === key)",
    to: "openQuestions(state)[0]",
    test: call("takes the first answer to what the round asked"),
  },
  {
    ...machine,
    name: "rounds of a call are limited",
    from: "state.asked >= terms.mostAsked",
    to: "state.asked >= 4 * terms.mostAsked",
    test: hostile("that comes for ever ends after a number of rounds"),
  },
  {
    ...relay,
    name: "rounds that pass are limited",
    from: "if (rounds >= mostRounds)",
    to: "if (rounds >= 4 * mostRounds)",
    test: hostile("of a state alone for ever"),
  },
  {
    ...object,
    name: "a call of a revoked key is forgotten",
    from: "    await this.#forget();\n  }\n\n  override async alarm",
    to: "  }\n\n  override async alarm",
    test: call("nothing of it is stored"),
  },
  {
    ...object,
    name: "a call is known to its key before it is written",
    from: "if (!(await this.#isOfLivingKey(start.keyId))) return null;",
    to: "",
    test: call("has none that begins later"),
  },
  {
    file: "shared/relay/rounds.ts",
    name: "what a client did not declare is not asked of it",
    from: "  if (missing === null) return null;\n",
    to: "  if (missing === null || missing !== null) return null;\n",
    test: hostile("which it did not declare"),
  },
  {
    file: "shared/relay/rounds.ts",
    name: "an address of the gateway in a round is refused",
    from: "method === elicitationMethod && elicitsOurs(params, ownUrl)",
    to: "method === elicitationMethod && elicitsOurs(params, ownUrl) && params === null",
    test: hostile("that leads to the gateway"),
  },
  {
    file: "shared/relay/rounds.ts",
    name: "no server asks under a key of the gateway",
    from: "if (isNamedAsOurs(key))",
    to: "if (isNamedAsOurs(key) && false)",
    test: hostile("under the gateway's own key"),
  },
  {
    ...address,
    name: "a key of the gateway is known in any spelling",
    from: "folded(name).startsWith(ownNames)",
    to: "name.startsWith(ownNames)",
    test: hostile("under that key in another spelling"),
  },
  {
    ...address,
    name: "all names of this machine are one host",
    from: "isThisMachine(hostname) ? thisMachine : hostname",
    to: "false ? thisMachine : hostname",
    test: { file: "test/shared/relay/url-elicitation.test.ts" },
  },
  {
    ...address,
    name: "another port of this machine is another program",
    from: "(hostOf(own) !== thisMachine || portOf(each) === portOf(own))",
    to: "true",
    test: { file: "test/shared/relay/url-elicitation.test.ts" },
  },
  {
    ...address,
    name: "an address is read as somebody types it",
    from: "[text, `http://${bare}`]",
    to: "[text]",
    test: { file: "test/shared/relay/url-elicitation.test.ts" },
  },
  {
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    name: "no server asks under an id of the gateway",
    from: "isNamedAsOurs(message.id) || this.#elicitsOurs",
    to: "this.#elicitsOurs",
    test: { file: "test/workers/contract/relay-elicitation.test.ts", only: "under an id of the gateway" },
  },
  {
    file: "workers/endpoints/relay/calls/rounds-driver.ts",
    name: "later rounds are checked too",
    from: "if (refused !== null) return endRefused(context, at, refused.error);",
    to: "",
    test: hostile("that leads to the gateway is refused at a later round"),
  },
  {
    ...rounds,
    name: "an error with an address of the gateway is replaced at the end of a call",
    from: "(publicUrl === undefined ? undefined : withoutOurs(message, publicUrl)) ?? message",
    to: '(publicUrl === undefined ? withoutOurs(message, "") : undefined) ?? message',
    test: hostile("is replaced in"),
  },
  {
    file: "workers/endpoints/relay/calls/response-stream.ts",
    name: "sampling in a notification does not reach a client",
    from: 'read.kind !== "notification" || asksForSampling(value) || isAmbiguous(message)',
    to: 'read.kind !== "notification" || isAmbiguous(message)',
    test: hostile("on the stream of a request"),
  },
  {
    ...answers,
    name: "sampling in place of an answer does not reach a client",
    from: 'typeof message["method"] === "string" || asksForSampling(message) || isAmbiguous(text)',
    to: "isAmbiguous(text)",
    test: hostile("in place of a JSON answer"),
  },
  {
    ...answers,
    name: "what clients may read in different ways is no answer",
    from: "asksForSampling(message) || isAmbiguous(text)",
    to: "asksForSampling(message)",
    test: hostile("in place of a JSON answer"),
  },
  {
    file: "workers/http/body.ts",
    name: "JSON in another encoding is no answer",
    from: 'return text.includes("\\0") ? null : text;',
    to: "return text;",
    test: hostile("in place of a JSON answer, in UTF-16"),
  },
  {
    file: "shared/relay/event-stream.ts",
    name: "what an event may hold is bounded",
    from: "maxBufferSize: mostCharacters,",
    to: "",
    test: { file: "test/shared/relay/event-stream.test.ts", only: "is refused from where" },
  },
  {
    file: "shared/relay/event-stream.ts",
    name: "a message is on one line for every client",
    from: "json.replaceAll(/[\\u0085\\u2028\\u2029]/g,",
    to: "json.replaceAll(/[\\u0085]/g,",
    test: hostile("behind a line end that only some clients know"),
  },
  {
    ...machine,
    name: "a client does not answer sampling that is the gateway's",
    from: "if (question?.by !== event.by) return",
    to: "if (question === undefined) return",
    test: state("to sampling that is the gateway's"),
  },
  {
    file: "workers/objects/bridge/bridge-object.ts",
    name: "a session that nobody uses is ended",
    from: "if (idleAt !== null && idleAt <= now && this.#inFlight().length === 0 && this.#listens.isEmpty) {",
    to: "if (idleAt !== null && idleAt <= 0 && this.#inFlight().length === 0 && this.#listens.isEmpty) {",
    test: bridge("is kept without its calls, and ended half an hour after its last use"),
  },
  {
    file: "workers/objects/bridge/bridge-listens.ts",
    name: "a change is told to those who asked for it alone",
    from: "if (listen.isOver || !isWanted(listen.filter, change)) continue;",
    to: "if (listen.isOver) continue;",
    test: listens("has what the server tells of acknowledged, and is told that and nothing else"),
  },
  {
    file: "workers/objects/bridge/bridge-listens.ts",
    name: "so many listen at most",
    from: "return this.#listens.size >= mostListens;",
    to: "return false;",
    test: listens("is refused where too many listen"),
  },
  {
    file: "workers/objects/bridge/bridge-listens.ts",
    name: "the last listener's end ends the subscription at the server",
    from: "if (users <= 0) void this.#settle(uri);",
    to: "",
    test: listens("shares a subscription with others, which ends with the last of them"),
  },
  {
    file: "workers/objects/bridge/bridge-object.ts",
    name: "a call that its client left for a day is cancelled at the server",
    from: "if (call.until <= now) await this.#expire(call);",
    to: "if (call.until <= 0) await this.#expire(call);",
    test: bridge("has a day, and then the server is told"),
  },
  {
    file: "workers/endpoints/relay/sessions/session-relay.ts",
    name: "a client's own reply to sampling reaches no server, in a session",
    from: "ours.includes(samplingMethod) && maySampleByItself(body, value))",
    to: "ours.includes(samplingMethod) && body.length === 0)",
    test: { file: "test/workers/contract/relay.test.ts", only: "reaches no server whose sampling the gateway answers" },
  },
];
