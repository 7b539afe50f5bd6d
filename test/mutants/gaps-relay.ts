// The relay between both families, where a weaker check once passed every test.

import type { Mutant } from "./mutant.ts";

const bridge = (only: string): Mutant["test"] => ({ file: "test/workers/objects/bridge.test.ts", only });
const call = (only: string): Mutant["test"] => ({ file: "test/workers/objects/call.test.ts", only });
const words = (only: string): Mutant["test"] => ({ file: "test/shared/relay/bridging.test.ts", only });

const callObject = { file: "workers/objects/call/call-object.ts" };
const questions = { file: "workers/objects/bridge/bridge-questions.ts" };
const bridging = { file: "shared/relay/bridging.ts" };

export const relayGapMutants: readonly Mutant[] = [
  {
    ...callObject,
    name: "nothing is sent before all of a round is answered",
    from: "if (requests.some(({ key }) => !answers.has(key))) return this.look(attempt);",
    to: "",
    test: call("sends nothing before everything"),
  },
  {
    ...callObject,
    name: "a call whose continuation is at the server has no other end",
    from: "if (row === null || row.ended === 1 || row.round !== round || row.sent === 1) return this.look(attempt);",
    to: "if (row === null || row.ended === 1 || row.round !== round) return this.look(attempt);",
    test: call("sends nothing before everything"),
  },
  {
    file: "workers/endpoints/relay/stateless-relay.ts",
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
    from: "return undeclared([request], capabilities) === null ? null :",
    to: "return undeclared([request], capabilities) !== undefined ? null :",
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
    from: "if (!methods.has(method)) return failed(-32_601, `Method not found: ${method}`);",
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
];
