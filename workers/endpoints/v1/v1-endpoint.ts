// The API under /v1, as OpenAI's SDKs speak it: chat completions, embeddings and models, through the same pipeline as every other endpoint.

import { Hono } from "hono";
import type { Note } from "../../../shared/model/call.ts";
import type { Completed, Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { textOfReply } from "../../../shared/provider/json-reply.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { chooseCandidates } from "../../../shared/routing/choose.ts";
import { cannotCarry } from "../../../shared/provider/carry.ts";
import type { SamplingRequest } from "../../../shared/model/sampling.ts";
import { V1_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { type ChatAsked, ChunkWriter, completionOf } from "../../../shared/wire/openai/chat-answer.ts";
import { type ParsedChat, autoModel, parseChat } from "../../../shared/wire/openai/chat-request.ts";
import { embeddingsAnswer, parseEmbedding } from "../../../shared/wire/openai/embeddings.ts";
import { outcomeError } from "../../../shared/wire/openai/openai-error.ts";
import { parseJson } from "../../../shared/json/values.ts";
import { readBody } from "../../http/body.ts";
import { Deltas } from "../../http/deltas.ts";
import {
  type KeptAlive,
  beforeKeepAlive,
  endingWith,
  keepAliveEndpointEvents,
  keepAliveJson,
  keptAlive,
  progressMessages,
  within,
} from "../../http/keep-alive.ts";
import { countCalls, mayRead } from "../../pipeline/calls.ts";
import { watchOpeningResponse } from "../../pipeline/key-watch.ts";
import { readyIn } from "../../pipeline/plan-request.ts";
import type { Started } from "../../pipeline/pipeline-request.ts";
import { paramsRefusal, recordRefusal } from "../../pipeline/refusals.ts";
import { type V1Call, beginV1 } from "../../pipeline/v1-call.ts";
import { awaitRun } from "../../pipeline/wait.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import { ConfigurationUnavailable, documentsOf } from "../../stores/documents.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, asJsonOrEvents, inHeader, inPath, retryAfter } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { type V1Caller, answerError, answerV1, callerOfV1, refuseV1 } from "./v1-caller.ts";

export const v1Routes = new Hono<App>();

v1Routes.onError((error) => refuseV1(broken(error)));

function broken(error: unknown): Refusal {
  if (error instanceof ConfigurationUnavailable) return { kind: "configurationUnavailable" };
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  return { kind: "broken", quote };
}

const refusals = {
  400: asJson("OpenAIError", "Not valid: `error.param` says where"),
  401: asJson("OpenAIError", "No credential, or one that is unknown, expired or revoked"),
  402: asJson("OpenAIError", "insufficient_quota: a budget is used up"),
  403: asJson("OpenAIError", "Refused by policy, denied by a person, or decided by nobody in time; or a key without the scope v1"),
  404: asJson("OpenAIError", "No model of this name can serve it"),
  409: asJson("OpenAIError", "The Idempotency-Key was used before with another body; or cancelled"),
  413: asJson("OpenAIError", "Over the key's limit of bytes"),
  415: asJson("OpenAIError", "Not application/json"),
  429: asJson("OpenAIError", "Rate limited", retryAfter),
  500: asJson("OpenAIError", "A fault of the gateway, with an id to quote"),
  502: asJson("OpenAIError", "Every model failed"),
  503: asJson("OpenAIError", "The configuration cannot be read now", retryAfter),
};
const idempotency = inHeader(
  "Idempotency-Key",
  "The same key with the same body is the same request: it gets the same answer, and is paid once",
);

const chat = describe("chatCompletions", {
  summary: "A chat completion, whole or streamed, as OpenAI's API has it",
  auth: "v1",
  parameters: [idempotency],
  body: { type: "application/json", schema: "JsonObject" },
  200: asJsonOrEvents("JsonObject", "The completion. It may be held for as long as people need: white space or comments meanwhile"),
  ...refusals,
});

v1Routes.post(paths.v1.chat, chat, (c) =>
  served(c, "chat.completions", async (caller, body, refuse) => {
    const parsed = parseChat(body);
    if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
    return complete(c, callOf(c, caller, body, parsed.value), parsed.value, refuse);
  }),
);

const embeddings = describe("embeddings", {
  summary: "Vectors for texts, as OpenAI's API has it",
  auth: "v1",
  parameters: [idempotency],
  body: { type: "application/json", schema: "JsonObject" },
  200: asJson("JsonObject", "The vectors"),
  ...refusals,
});

v1Routes.post(paths.v1.embeddings, embeddings, (c) =>
  served(c, "embeddings", async (caller, body, refuse) => {
    const parsed = parseEmbedding(body);
    if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
    const { request } = parsed.value;
    const call: V1Call = {
      ...platformOf(c, caller, body),
      what: "embeddings",
      request,
      addresses: [],
      pointerOf: () => "/input",
      notes: notesOf(parsed.value),
    };
    const started = await beginV1(call);
    if (!started.ok) return refuse(started.error);
    const encode = (outcome: Outcome): object =>
      outcome.kind === "completed" ? embeddingsAnswer(outcome, parsed.value) : outcomeError(outcome).body;
    return whole(c, call, started.value, { encode, refuse });
  }),
);

const models = describe("listModels", {
  summary: "The models that the key may use now, as OpenAI's API has them",
  auth: "v1",
  200: asJson("JsonObject", "The list; `auto` chooses by MCP preferences"),
  401: refusals[401],
  403: refusals[403],
  429: refusals[429],
  503: refusals[503],
});

v1Routes.get(paths.v1.models, models, (c) => listed(c, (list) => answerV1({ object: "list", data: list })));

const model = describe("getModel", {
  summary: "One of these models",
  auth: "v1",
  parameters: [inPath("id", "The model's id")],
  200: asJson("JsonObject", "The model"),
  401: refusals[401],
  403: refusals[403],
  404: refusals[404],
  429: refusals[429],
  503: refusals[503],
});

v1Routes.get(paths.v1.model, model, (c) =>
  listed(c, (list) => {
    const found = list.find(({ id }) => id === c.req.param("id"));
    return found === undefined
      ? unknownPath("There is no such model for this key; GET /v1/models lists them", "model_not_found", "model")
      : answerV1(found);
  }),
);

v1Routes.all(paths.v1.other, () =>
  unknownPath("There is nothing at this path: use POST /v1/chat/completions, POST /v1/embeddings or GET /v1/models", "unknown_url", null),
);

const unknownPath = (message: string, code: string, param: string | null): Response =>
  answerError({ status: 404, body: { error: { message, type: "invalid_request_error", param, code } }, mayRetry: false });

type Refuse = (refusal: Refusal) => Response;

/** Authenticates the caller and reads the body, then serves it. Every refusal of a known key is in the record. */
async function served(
  c: AppContext,
  what: V1Call["what"],
  serve: (caller: V1Caller, body: unknown, refuse: Refuse) => Promise<Response>,
): Promise<Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return refuseV1({ kind: "notJsonType" });
  const caller = await callerOfV1(c);
  if (!caller.ok) return refuseV1(caller.error);
  const { record, claims } = caller.value;
  const refuse: Refuse = (refusal) => {
    const about = claims === null ? { server: V1_SERVER, method: "v1", name: what } : claims;
    const { server, method, name } = about;
    recordRefusal(
      c.env,
      c.executionCtx,
      { key: record.id, endpoint: "v1", server, method, name, requestId: idempotencyKeyOf(c) ?? undefined },
      refusal,
    );
    return refuseV1(refusal);
  };
  if (c.req.header("Idempotency-Key") !== undefined && idempotencyKeyOf(c) === null) return refuse(badIdempotencyKey);
  const tooMany = mayRead(record, Date.now());
  if (tooMany !== null) return refuse(tooMany);
  const { bodyBytes } = record.limits ?? defaultLimits;
  const read = await readBody(c.req.raw, bodyBytes);
  if (read === "tooLarge") return refuse({ kind: "tooLarge", limitBytes: bodyBytes });
  const body = read === "notUtf8" ? undefined : parseJson(read.text);
  if (body === undefined) return refuse({ kind: "notJson" });
  try {
    return await serve(caller.value, body, refuse);
  } catch (error) {
    return refuse(broken(error));
  }
}

const idempotencyKeyOf = (c: AppContext): string | null => {
  const given = c.req.header("Idempotency-Key");
  return given === undefined || !/^[\x21-\x7e]{1,255}$/.test(given) ? null : given;
};

/** Not left out: its sender relies on it to be asked, and to pay, once. */
const badIdempotencyKey: Refusal = {
  kind: "invalidParams",
  errors: [{ pointer: "/Idempotency-Key", message: "must be 1 to 255 visible characters of ASCII" }],
};

const platformOf = (c: AppContext, { record, claims }: V1Caller, body: unknown) => ({
  env: c.env,
  ctx: c.executionCtx,
  key: record,
  signal: c.req.raw.signal,
  body,
  idempotencyKey: idempotencyKeyOf(c),
  // OpenAI's SDKs count their attempts. They send no Idempotency-Key of their own, and a caller that leaves before its response has begun is
  // not always noticed.
  isRetry: /^[1-9]\d{0,3}$/.test(c.req.header("X-Stainless-Retry-Count") ?? ""),
  claims,
});

const notesOf = ({ ignored }: Pick<ParsedChat, "ignored">): Note[] =>
  ignored.length === 0 ? [] : [{ kind: "notPassedOn", members: ignored }];

const callOf = (c: AppContext, caller: V1Caller, body: unknown, { request, addresses, pointerOf, ignored }: ParsedChat): V1Call => ({
  ...platformOf(c, caller, body),
  what: "chat.completions",
  request,
  addresses,
  pointerOf,
  notes: notesOf({ ignored }),
});

async function complete(c: AppContext, call: V1Call, parsed: ParsedChat, refuse: Refuse): Promise<Response> {
  const asked: ChatAsked = {
    id: `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`,
    created: Math.floor(Date.now() / 1000),
    model: parsed.model,
    notes: parsed.notes,
  };
  const deltas = parsed.stream ? new Deltas() : null;
  const started = await beginV1(deltas === null ? call : { ...call, onDelta: deltas.push });
  if (!started.ok) return refuse(started.error);
  if (deltas === null) return whole(c, call, started.value, { encode: (outcome) => completionOf(outcome, asked), refuse });
  const opened = await countOpen(call, started.value);
  return opened.ok
    ? stream(c, call, started.value, new ChunkWriter(asked, parsed.includeUsage), deltas, opened.value)
    : refuse(opened.error);
}

/** Times the heartbeat: how long a response without a byte is held, so that an answer that comes by then has its status. */
const heartbeatsBeforeFirst = 3;

type Answering = { readonly encode: (outcome: Outcome) => object; readonly refuse: Refuse };

/** The answer whole, with its status where it comes soon. Later, the body has begun with white space, and an error is in it. */
async function whole(c: AppContext, call: V1Call, started: Started, { encode, refuse }: Answering): Promise<Response> {
  const quick = soonOf(started);
  const soon = quick === null ? null : await beforeKeepAlive(quick, started.kind === "fast" ? started.slow : undefined);
  if (soon !== null) return answered(soon, encode);
  const opened = await countOpen(call, started);
  if (!opened.ok) return refuse(opened.error);
  const left = new AbortController();
  call.signal.addEventListener("abort", () => left.abort(), { once: true });
  const ending = quick ?? awaitRun(c.env, runIn(started), () => {}, left.signal);
  const { heartbeatMs } = settingsOf(c.env);
  const held = await within(ending, heartbeatsBeforeFirst * heartbeatMs);
  if (held !== null) {
    opened.value();
    return answered(held, encode);
  }
  const response = keptAlive<Outcome>(call.signal, {
    work: (_onProgress, gone) => {
      gone.addEventListener("abort", () => left.abort(), { once: true });
      return ending;
    },
    broken: (quote) => ({ kind: "broken", quote }),
    encode: (outcome) => JSON.stringify(encode(outcome)),
    heartbeatMs,
  });
  return keepAliveJson(endingWith(response, opened.value));
}

const answered = (outcome: Outcome, encode: (outcome: Completed) => object): Response =>
  outcome.kind === "completed" ? answerV1(encode(outcome)) : answerError(outcomeError(outcome));

/** The outcome where no reviewer has to be waited for; null otherwise. */
const soonOf = (started: Started): Promise<Outcome> | null => (started.kind === "run" ? null : Promise.resolve(started.outcome));

function runIn(started: Started): string {
  if (started.kind !== "run") throw new Error("runIn: no run");
  return started.run;
}

/** Counts a response that opens now, unless its model call is counted; what is to be called at its end. */
async function countOpen({ env, key }: V1Call, started: Started): Promise<Result<() => void, Refusal>> {
  if (started.kind === "fast" && !started.attached) return ok(() => {});
  const watch = await watchOpeningResponse(env, key);
  return watch.ok ? ok(watch.value.done) : err(watch.error);
}

/** Sends the reply's text as it comes where no gate is closed; else comments that say what is waited for, and the reviewed text at the end. */
function stream(c: AppContext, call: V1Call, started: Started, chunks: ChunkWriter, deltas: Deltas, done: () => void): Response {
  const response = keptAlive<Outcome>(call.signal, {
    work: (onProgress, left) => soonOf(started) ?? awaitRun(c.env, runIn(started), onProgress, left),
    broken: (quote) => ({ kind: "broken", quote }),
    encode: (outcome) => chunks.end(outcome),
    heartbeatMs: settingsOf(c.env).heartbeatMs,
  });
  const withDeltas: KeptAlive<Outcome> = {
    ...response,
    work: async (onProgress, say) => {
      deltas.open(say);
      const outcome = await response.work(onProgress, say);
      const text = outcome.kind === "completed" ? textOfReply(outcome.reply) : "";
      if (!deltas.any && text !== "") say(text);
      return outcome;
    },
  };
  return keepAliveEndpointEvents(endingWith(withDeltas, done), {
    progress: (state) => `: ${progressMessages[state]}\n\n`,
    delta: (text) => chunks.delta(text),
  });
}

type ListedModel = { readonly id: string; readonly object: "model"; readonly created: number; readonly owned_by: string };

/** A small request of each kind that has an endpoint here: a model that can serve one of them is listed. */
const samples: readonly SamplingRequest[] = [
  { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text: "?" }] }], maxTokens: 1 },
  { kind: "embedding", messages: [{ role: "user", content: [{ type: "text", text: "?" }] }] },
];

async function listed(c: AppContext, answer: (list: readonly ListedModel[]) => Response): Promise<Response> {
  const caller = await callerOfV1(c);
  if (!caller.ok) return refuseV1(caller.error);
  const { record: key, claims } = caller.value;
  const uncounted = await countCalls(c.env, key);
  if (uncounted !== null) return refuseV1(uncounted);
  const { routing } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  const found = new Map<string, ListedModel>([[autoModel, { id: autoModel, object: "model", created: 0, owned_by: "countersign" }]]);
  for (const request of samples) {
    const choice = chooseCandidates({
      table: routing,
      request,
      key,
      server: claims?.server ?? V1_SERVER,
      ready: readyIn(c.env),
      cannotCarry: (asked, of, provider) => cannotCarry(asked, of, provider.kind),
      ...(key.models === undefined ? {} : { onlyModels: key.models }),
    });
    for (const { model: each } of choice.ok ? choice.value.ranked : [])
      found.set(each.id, { id: each.id, object: "model", created: 0, owned_by: each.provider });
  }
  return answer([...found.values()]);
}
