// The relay between both families, where a weaker check once passed every test.

import type { Mutant } from "./mutant.ts";

const bridge = (only: string): Mutant["test"] => ({ file: "test/workers/objects/bridge.test.ts", only });
const call = (only: string): Mutant["test"] => ({ file: "test/workers/objects/call.test.ts", only });
const words = (only: string): Mutant["test"] => ({ file: "test/shared/relay/bridging.test.ts", only });

const machine = { file: "shared/relay/call.ts" };
const questions = { file: "workers/objects/bridge/bridge-questions.ts" };
const bridging = { file: "shared/relay/bridging.ts" };

export const relayGapMutants: readonly Mutant[] = [
  {
    ...machine,
    name: "nothing is sent before all of a round is answered",
    from: "event.round === state.asked && openQuestions(state).length === 0",
    to: "event.round === state.asked",
    test: call("sends nothing before everything"),
  },
  {
    ...machine,
    name: "a call whose continuation is at the server has no other end",
    from: "return !state.isAtServer && event.round === state.asked ? finish",
    to: "return event.round === state.asked ? finish",
    test: call("sends nothing before everything"),
  },
  {
    file: "workers/endpoints/relay/stateless/stateless-relay.ts",
    name: "a state of a call without a session begins none",
    from: "if (state === undefined || (state !== null && state.bridge === undefined)) return",
    to: "if (state === undefined) return",
    test: bridge("a state of a call without a session"),
  },
  {
    file: "workers/objects/bridge/bridge-object.ts",
    name: "a client's calls that wait at a server are limited",
    from: "if (this.#inFlight().length >= mostCalls) return tooMany;",
    to: "",
    test: bridge("a hundred calls of one client"),
  },
  {
    ...questions,
    name: "questions before a call are limited",
    from: "if (this.#early.length >= mostEarly) return false;",
    to: "",
    test: bridge("for roots waits for the next call"),
  },
  {
    ...questions,
    name: "a question that was withdrawn before a call is not asked",
    from: 'this.#early = this.#early.filter(({ asked }) => asked.id !== message.params?.["requestId"]);',
    to: "",
    test: bridge("for roots waits for the next call"),
  },
  {
    ...questions,
    name: "a client is not asked in a call for what it did not declare",
    from: "return missing === null ? ok(method) :",
    to: "return missing !== undefined ? ok(method) :",
    test: bridge("did not declare"),
  },
  {
    ...questions,
    name: "a question in a call is not nested too deeply",
    from: "if (isDeeperThan(deepest, params)) return",
    to: "if (isDeeperThan(10 * deepest, params)) return",
    test: bridge("did not declare"),
  },
  {
    ...questions,
    name: "a client is asked in a call for three things alone",
    from: "if (!isInputMethod(method)) return err(failed(-32_601, `Method not found: ${method}`));",
    to: "",
    test: bridge("did not declare"),
  },
  {
    ...bridging,
    name: "tasks of another revision do not reach a session",
    from: ' || method.startsWith("tasks/")',
    to: "",
    test: words("would change the session of others"),
  },
  {
    ...bridging,
    name: "a subscription of one client is not the whole session's",
    from: '  "resources/subscribe",\n',
    to: "",
    test: words("would change the session of others"),
  },
  {
    ...bridging,
    name: "a client's own progress token does not reach a session",
    from: '  "progressToken",\n',
    to: "",
    test: words("no progress token but the gateway's"),
  },
  {
    ...bridging,
    name: "a client's capabilities do not reach a session's server in `_meta`",
    from: "  clientCapabilitiesKey,\n  clientInfoKey,\n  logLevelKey,\n  subscriptionIdKey,\n",
    to: "  clientInfoKey,\n  logLevelKey,\n  subscriptionIdKey,\n",
    test: words("no progress token but the gateway's"),
  },
  {
    ...bridging,
    name: "a client that asked for no log messages gets none",
    from: "wanted !== null && logLevels",
    to: "logLevels",
    test: words("logs at"),
  },
  {
    ...bridging,
    name: "what a session's server offers of tasks is not offered",
    from: 'method === "tools/list" ? withoutExecution(answer.result) : answer.result',
    to: "answer.result",
    test: words("gives results that are complete"),
  },
  {
    file: "workers/objects/call/call-object.ts",
    name: "an input is declined in its round alone",
    from: 'this.#take(attempt, { kind: "declined", round, key });',
    to: 'this.#take(attempt, { kind: "declined", round: 1, key });',
    test: call("takes the first answer to what the round asked"),
  },
  {
    ...machine,
    name: "an input is declined that the round asked for",
    from: 'if (question?.by !== "client" || question.method !== samplingMethod) return',
    to: "if (question === undefined) return",
    test: { file: "test/shared/relay/call.test.ts", only: "takes no answer from the side" },
  },
  {
    ...machine,
    name: "a call ends in its round alone",
    from: "return !state.isAtServer && event.round === state.asked ? finish",
    to: "return !state.isAtServer ? finish",
    test: call("ends a call in its round alone"),
  },
  {
    ...machine,
    name: "a first answer stands",
    from: "isOpen ? openQuestions(state).find",
    to: "isOpen ? state.questions.find",
    test: call("takes the first answer"),
  },
  {
    file: "workers/objects/call/call-tables.ts",
    name: "a call that waited for a day is found no more",
    from: "ended = 0 AND until > ? ORDER BY",
    to: "ended = 0 AND ? > 0 ORDER BY",
    test: call("waited for a day"),
  },
  {
    file: "workers/objects/call/call-tables.ts",
    name: "a call whose time is over is not shown",
    from: '"attempt = ? AND until > ?"',
    to: '"attempt = ? AND ? > 0"',
    test: call("ends a call in its round alone"),
  },
  {
    file: "workers/stubs/stubs.ts",
    name: "a session at a server is one key's",
    from: 'digestOf("countersign/bridge-name/v1", { keyId, digest })',
    to: 'digestOf("countersign/bridge-name/v1", { keyId: keyId && "", digest })',
    test: bridge("with another key has a session of its own"),
  },
  {
    file: "workers/objects/bridge/bridge-object.ts",
    name: "another request finds no call in a session",
    from: "call.bound === request.bound && call.isFree",
    to: "call.isFree",
    test: bridge("with other arguments finds no call"),
  },
  {
    file: "workers/objects/bridge/bridge-object.ts",
    name: "a session begins for a key that lives",
    from: "if (!(await this.#ofKey.mayWrite(id, until))) return false;",
    to: "",
    test: bridge("of a revoked key has nothing begun"),
  },
  {
    file: "workers/objects/bridge/bridge-object.ts",
    name: "what a client's own credential began goes on with it alone",
    from: "if (row === null || row.own_credential === 1) return false;",
    to: "if (row === null) return false;",
    test: bridge("without the credential that its client had"),
  },
  {
    ...machine,
    name: "questions in one call are limited",
    from: "const fresh = isFull ? [] : asks.filter",
    to: "const fresh = asks.filter",
    test: bridge("a hundred times in one call"),
  },
];
