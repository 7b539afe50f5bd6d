// The API under /v1 and its scoped tokens: what a token is for, and what ends it.

import type { Mutant } from "./mutant.ts";

const tokens = (only: string): Mutant["test"] => ({ file: "test/workers/contract/v1/tokens.test.ts", only });
const responses = (only: string): Mutant["test"] => ({ file: "test/workers/contract/v1/responses.test.ts", only });
const reading = (only: string): Mutant["test"] => ({ file: "test/shared/wire/openai/responses-request.test.ts", only });
const writing = (only: string): Mutant["test"] => ({ file: "test/shared/wire/openai/responses-answer.test.ts", only });
const chat = (only: string): Mutant["test"] => ({ file: "test/workers/contract/v1/chat.test.ts", only });

const making = { file: "workers/credentials/scoped-tokens.ts" };

export const v1Mutants: readonly Mutant[] = [
  {
    ...making,
    name: "a scoped token expires",
    from: "if (now >= claims.expiresAt) return",
    to: "if (now < 0) return",
    test: tokens("expires, and a changed one is unknown"),
  },
  {
    ...making,
    name: "a scoped token is for its models",
    from: "...(models === null ? {} : { models: [...models] }) };",
    to: "};",
    test: tokens("is for its models, and never for more than its key"),
  },
  {
    ...making,
    name: "a key without the scope v1 gets no token",
    from: 'if (!key.scopes.includes("v1")) return',
    to: 'if (!key.scopes.includes("sampling")) return',
    test: tokens("is for its models, and never for more than its key"),
  },
  {
    file: "shared/credential/scoped-token.ts",
    name: "a server gets no more than its entry allows",
    from: "maxUsd: Math.min(asked.maxUsd ?? allowed.maxUsd, allowed.maxUsd),",
    to: "maxUsd: asked.maxUsd ?? allowed.maxUsd,",
    test: tokens("is what its entry allows"),
  },
  {
    file: "workers/objects/session/session-object.ts",
    name: "no token for a client request that has ended",
    from: "if (known === null ? this.#originating.isFull() : !isLive(known, now)) return false;",
    to: "",
    test: tokens("ends with its client request"),
  },
  {
    file: "workers/pipeline/incoming/v1-call.ts",
    name: "a scoped token ends with its client request",
    from: "if (claims !== null)\n    return {",
    to: 'if (claims !== null && id === "")\n    return {',
    test: tokens("ends with its client request"),
  },
  {
    file: "workers/pipeline/incoming/v1-call.ts",
    name: "a question about another image is another request",
    from: "{ request, images, models })",
    to: "{ request, models })",
    test: { file: "test/workers/contract/v1/images.test.ts", only: "about another image is another request" },
  },
  {
    file: "workers/pipeline/spend/spending.ts",
    name: "what is spent with a scoped token counts for it",
    from: "return key.token === undefined ? allowances : [...allowances, tokenAllowance(key.token)];",
    to: "return allowances;",
    test: tokens("spends no more than it may"),
  },
  {
    file: "workers/endpoints/v1/v1-caller.ts",
    name: "a key without the scope v1 is refused",
    from: 'if (record.scopes.includes("v1")) return',
    to: "if (record.scopes.length > 0) return",
    test: chat("a key without the scope, an unknown key, an unknown model"),
  },
  {
    name: "the arguments of a call keep the rules for every value from outside",
    file: "shared/wire/openai/openai-fields.ts",
    from: "return isObject(read) && issues.found.length === 0 ? (read as JsonObject) : undefined; // parsed from JSON",
    to: "return isObject(read) ? (read as JsonObject) : undefined;",
    test: { file: "test/shared/wire/openai/chat-request.test.ts", only: "arguments hold" },
  },
  {
    name: "only a client that asks again takes from a requestor who is there",
    file: "workers/pipeline/start/start-run.ts",
    from: "isRetry: incoming.isRetry === true,",
    to: "isRetry: true,",
    test: { file: "test/workers/contract/v1/retries.test.ts", only: "a second request is one of its own" },
  },
  {
    name: "a denial is not asked about again",
    file: "workers/objects/run/begin/run-adoption.ts",
    from: "if ((isSoonAfter || isUnheard) && state.end !== null && isDecidedAgainst(state.end))",
    to: "if (isUnheard && state.end !== null && isDecidedAgainst(state.end))",
    test: { file: "test/workers/contract/v1/retries.test.ts", only: "after the decision" },
  },
  {
    name: "a retry finds the outcome that came before it",
    file: "workers/objects/run/outbox/run-effects.ts",
    from: "return mayBeAskedAgain ? this.#deps.now() + retriedMs : null;",
    to: "return null;",
    test: { file: "test/workers/contract/v1/retries.test.ts", only: "after the decision" },
  },
  {
    name: "an Idempotency-Key is one key's",
    file: "workers/stubs/stubs.ts",
    from: "sessionStub(env, keyId, `v1 ${recordShardOf(id)}`)",
    to: 'sessionStub(env, keyId && "", `v1 ${recordShardOf(id)}`)',
    test: chat("of another key is another request"),
  },
  {
    name: "an Idempotency-Key is one endpoint's",
    file: "workers/pipeline/incoming/v1-call.ts",
    from: '"countersign/v1-request/v1", { what, body, models }',
    to: '"countersign/v1-request/v1", { body, models }',
    test: responses("the same Idempotency-Key is the same request here"),
  },
  {
    name: "vectors are of the size that was asked for",
    file: "shared/provider/embedding.ts",
    from: "size !== (dimensions ?? size)",
    to: "size === undefined",
    test: chat("the size of embeddings is asked of models that take it"),
  },
  {
    name: "a size of vectors is asked only of models that take it",
    file: "shared/routing/eligible.ts",
    from: 'if (dimensionsOf(request) !== undefined && model.takes?.includes("dimensions") !== true) return { key: "noDimensions" };',
    to: "",
    test: chat("the size of embeddings is asked of models that take it"),
  },
  {
    name: "a response that is to be stored is refused",
    file: "shared/wire/openai/responses-request.ts",
    from: 'store: refused(isFalse, "must be',
    to: 'store: refused(() => true, "must be',
    test: reading("store"),
  },
  {
    name: "a response that goes on from a stored one is refused",
    file: "shared/wire/openai/responses-request.ts",
    from: 'previous_response_id: refused(never, "is not',
    to: 'previous_response_id: refused(() => true, "is not',
    test: reading("previous_response_id"),
  },
  {
    name: "an item by reference is refused",
    file: "shared/wire/openai/responses-items.ts",
    from: "issues.add(at, notStored);",
    to: "",
    test: reading("ItemReference"),
  },
  {
    name: "a hosted tool is refused",
    file: "shared/wire/openai/openai-fields.ts",
    from: "if (isOther) issues.add(`${at}/type`, must);",
    to: "",
    test: reading("a tool that is no function is refused"),
  },
  {
    name: "calls are in the assistant's message before them",
    file: "shared/wire/openai/conversation.ts",
    from: 'turn.joins === true && before?.kind === "said" && before.role === turn.role',
    to: "false",
    test: reading("calls join what the assistant said"),
  },
  {
    name: "the results of one turn are one message",
    file: "shared/wire/openai/conversation.ts",
    from: 'before?.kind === "result"',
    to: "false",
    test: reading("calls join what the assistant said"),
  },
  {
    name: "the events of a response are numbered",
    file: "shared/wire/openai/responses-answer.ts",
    from: "this.#sequence += 1;",
    to: "",
    test: writing("come in the documented order"),
  },
  {
    name: "a stream that fails has an error that SDKs throw",
    file: "shared/wire/openai/responses-answer.ts",
    from: 'this.#event("error", {',
    to: 'this.#event("failure", {',
    test: writing("in a stream is an error"),
  },
  {
    name: "a reply that was cut off is incomplete",
    file: "shared/wire/openai/responses-answer.ts",
    from: 'reason === "length" ? "max_output_tokens" :',
    to: 'reason === "length" ? null :',
    test: writing("has a state of OpenAI's"),
  },
];
