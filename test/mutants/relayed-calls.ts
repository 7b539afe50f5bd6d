// A client's call of a tool at the relay: what lets it through, once, and what its result passes.

import type { Mutant } from "./mutant.ts";

const contract = (only: string): Mutant["test"] => ({ file: "test/workers/contract/relayed-calls.test.ts", only });
const tasks = (only: string): Mutant["test"] => ({ file: "test/workers/contract/call-tasks.test.ts", only });
const ownResponses = { file: "test/shared/relay/own-responses.test.ts" };
const stdio = { file: "test/client/stdio/reviewed-calls.test.ts" };
const release = { file: "workers/objects/run/act/run-release.ts" };
const gate = { file: "workers/endpoints/relay/reviewed/reviewed-call.ts" };
const answer = { file: "workers/endpoints/relay/reviewed/call-answer.ts" };

export const relayedCallMutants: readonly Mutant[] = [
  {
    file: "workers/objects/run/begin/run-adoption.ts",
    name: "an approval is not for a client that timed out, whose stream is still open",
    from: 'if (isHolder) this.#deps.store.writeInput({ ...input, requestRef: { ...requestRef, request: "" } });',
    to: "",
    test: contract("says that it timed out"),
  },
  {
    ...gate,
    name: "an approval is not claimed for a client that has left",
    from: "if (!(await this.#sink.reachesClient())) return { response: null };",
    to: "",
    test: { file: "test/rest/relay/calling-clients.test.ts", only: "gives up, calls again" },
  },
  {
    file: "shared/relay/call-notices.ts",
    name: "a person's cancellation is no timeout",
    from: 'typeof reason === "string" && /timed?[ -]?out|deadline exceeded/i.test(reason)',
    to: 'typeof reason === "string"',
    test: { file: "test/shared/relay/call-notices.test.ts" },
  },
  {
    ...release,
    name: "an approval is for the caller that waits now",
    from: "if (!isHolder || !(isUnclaimed(state) || isAgain)",
    to: "if (!(isUnclaimed(state) || isAgain)",
    test: contract("the later one gets it"),
  },
  {
    ...release,
    name: "what is claimed is what was approved",
    from: "if (requestDigest(content, input.candidates) !== state.content.digest)",
    to: "if (false)",
    test: contract("exchanged after its approval"),
  },
  {
    ...release,
    name: "nothing is claimed that an operator stopped",
    from: 'if (!permitted.ok) cancelRun(this.#deps, "stopped");',
    to: "",
    test: contract("once an operator stopped everything"),
  },
  {
    file: "workers/objects/run/begin/run-requestor.ts",
    name: "a call whose caller left is lost",
    from: "      this.#lost();\n",
    to: "",
    test: contract("does not come back"),
  },
  {
    file: "workers/objects/run/outbox/run-clock.ts",
    name: "an approval that nobody comes for is over",
    from: 'this.#release.lost();\n        cancelRun(this.#deps, "caller");',
    to: "this.#release.lost();",
    test: contract("nobody came for in time"),
  },
  {
    ...gate,
    name: "no call hides in a batch",
    from: "if (plan === null || !plan.ok || !isPlain(plan.value) || isStopped || relay.server.receipts)",
    to: "if (plan === null || !plan.ok || isStopped)",
    test: contract("hides in a batch"),
  },
  {
    ...gate,
    name: "a call without an id is none",
    from: "if (id === undefined) return refuseWith(",
    to: "if (id === undefined) await refuseWith(",
    test: contract("shown as another call"),
  },
  {
    file: "workers/endpoints/relay/reviewed/waiting-state.ts",
    name: "an approval is for one user of a server",
    from: "user: ownerOf(authorization)?.token ?? null",
    to: "user: authorization === undefined",
    test: contract("another user's credential"),
  },
  {
    file: "workers/endpoints/relay/reviewed/waiting-state.ts",
    name: "a state is of its own call",
    from: "if (content !== contentOf(relay, body)) return null;",
    to: "",
    test: contract("no use of that state"),
  },
  {
    ...gate,
    name: "a cancelled call is withdrawn",
    from: "if (session === null || session instanceof Response || ids.length === 0)",
    to: "if (session === null || session instanceof Response || ids.length >= 0)",
    test: contract("once its client cancelled"),
  },
  {
    file: "workers/endpoints/relay/reviewed/approved-task.ts",
    name: "a task's result is reviewed before its client has it",
    from: "return claim.keepsResult",
    to: "return claim.keepsResult && false",
    test: tasks("gets a reviewed result, and nothing of it before"),
  },
  {
    file: "workers/endpoints/relay/reviewed/task-requests.ts",
    name: "a task belongs to its key and its session",
    from: "if (task.key !== c.var.key.id || task.server !== relay.name || task.session !== of) return false;",
    to: "",
    test: tasks("has a task that nobody else has"),
  },
  {
    file: "workers/endpoints/relay/reviewed/approved-task.ts",
    name: "only the protocol's own rounds send a task's call again",
    from: "if (!isRound(result) || !isStateless(first.value, (name) => this.#c.req.raw.headers.get(name))) return null;",
    to: "if (!isRound(result)) return null;",
    test: tasks("is a second call"),
  },
  {
    ...answer,
    name: "a result hides in no other message",
    from: 'const isOdd = message === null || Object.hasOwn(message, "result")',
    to: "const isOdd = message === null",
    test: contract("by no other way"),
    survives: "own-responses.ts drops the same at the client's edge, also on streams of other requests",
  },
  {
    ...answer,
    name: "what comes before a reviewed result has no event id",
    from: "await pass?.(eventOf(message));",
    to: "await pass?.(event);",
    test: contract("by no other way"),
  },
  {
    file: "shared/relay/own-responses.ts",
    name: "a response is to a request of its own exchange",
    from: "|| !own.has(idKey(request))",
    to: "",
    test: ownResponses,
  },
  {
    file: "shared/relay/own-responses.ts",
    name: "a response has one id in every reading",
    from: "more.length > 0 || request",
    to: "request",
    test: ownResponses,
  },
  {
    file: "shared/relay/own-responses.ts",
    name: "what only some clients read is no response",
    from: "if (parseJson(text) === undefined) return null;",
    to: "if (parseJson(text) === undefined) return undefined;",
    test: ownResponses,
  },
  {
    file: "workers/endpoints/relay/own-responses.ts",
    name: "a reviewed result comes on no stream of another request",
    from: "return isPlain ? raw : ownEvent(raw, own);",
    to: "return raw;",
    test: contract("by no other request"),
  },
  {
    file: "workers/endpoints/relay/own-responses.ts",
    name: "a reviewed result hides behind no line end that is one to some clients",
    from: 'return looseDatasOf(passed).some((data) => withoutOtherResponses(data, own) !== undefined) ? "" : passed;',
    to: "return passed;",
    test: contract("behind line ends"),
  },
  {
    file: "workers/endpoints/relay/own-responses.ts",
    name: "a reviewed result is no answer in another one's place",
    from: "if (left === null && answer.ok) return",
    to: "if (left === undefined && !answer.ok) return",
    test: contract("in its place"),
  },
  {
    file: "workers/endpoints/relay/own-responses.ts",
    name: "a reviewed result is not passed in another encoding",
    from: "if (text === null) return broken(c, otherEncoding);",
    to: "if (text === null) return new Response(bytes, answer);",
    test: contract("in another encoding"),
  },
  {
    file: "workers/endpoints/relay/relay-endpoint.ts",
    name: "a tool that changed while people decided is not called",
    from: "if (hidden !== null) return hidden;",
    to: "",
    test: contract("changed while people decided"),
  },
  {
    file: "shared/run/relayed-tool-call.ts",
    name: "a call is shown as its server reads it",
    from: "if (issue !== undefined) return err(",
    to: "if (issue !== undefined && issue.pointer === issue.message) return err(",
    test: contract("shown as another call"),
  },
  {
    file: "client/stdio/reviewed-calls.ts",
    name: "only an approval lets a call through",
    from: 'if (first.decision !== "approved")',
    to: 'if (first.decision === "denied")',
    test: stdio,
  },
  {
    file: "client/stdio/reviewed-calls.ts",
    name: "a call that ended meanwhile is not sent",
    from: "if (isOver) return;",
    to: "",
    test: stdio,
  },
];
