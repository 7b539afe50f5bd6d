// The API under /v1, as OpenAI's SDKs speak it: chat completions, responses, embeddings and models,
// through the same pipeline as every other endpoint.

import { type Handler, Hono } from "hono";
import * as z from "zod";
import type { Note } from "../../../shared/model/call.ts";
import type { Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { V1_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { type AnswerStream, type ChatAsked, ChunkWriter, completionOf } from "../../../shared/wire/openai/chat-answer.ts";
import { parseChat } from "../../../shared/wire/openai/chat-request.ts";
import { embeddingsAnswer, parseEmbedding } from "../../../shared/wire/openai/embeddings.ts";
import { outcomeError } from "../../../shared/wire/openai/openai-error.ts";
import type { ParsedRequest } from "../../../shared/wire/openai/openai-request.ts";
import { ResponseEvents, responseOf } from "../../../shared/wire/openai/responses-answer.ts";
import { parseResponses } from "../../../shared/wire/openai/responses-request.ts";
import { parseJson } from "../../../shared/json/values.ts";
import { readBody } from "../../http/body.ts";
import { badIdempotencyKey, idempotencyKeyOf } from "../../http/request-headers.ts";
import { Deltas } from "../../http/deltas.ts";
import { mayRead } from "../../pipeline/admit/calls.ts";
import { paramsRefusal, recordRefusal, thrownRefusal } from "../../pipeline/record/refusals.ts";
import { type V1Call, beginV1 } from "../../pipeline/incoming/v1-call.ts";
import { paths } from "../../platform/urls.ts";
import type { RequestTrace } from "../../../shared/telemetry/request-trace.ts";
import { beginTrace, transportContext } from "../../telemetry/begin-trace.ts";
import { named } from "../answer-schema.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, asJsonOrEvents, inHeader, inPath, jsonBody, jsonObject, retryAfter } from "../openapi/answers.ts";
import { describe, describedBy } from "../openapi/describe.ts";
import { allowOf, operationsFor } from "../openapi/operations.ts";
import { type V1Caller, answerError, callerOfV1, refuseV1 } from "./v1-caller.ts";
import { withModels } from "./v1-models.ts";
import { answerStreamed, answerWhole } from "./v1-response.ts";
import { jsonResponse } from "../../http/json-response.ts";

export const v1Routes = new Hono<App>();

v1Routes.onError((error) => refuseV1(thrownRefusal(error)));

const openAIError = named("OpenAIError", () =>
  z.object({ error: z.object({ message: z.string(), type: z.string(), param: z.string().nullable(), code: z.string() }) }),
);

const refusals = {
  400: asJson(openAIError, "Not valid: `error.param` says where"),
  401: asJson(openAIError, "No credential, or one that is unknown, expired or revoked"),
  402: asJson(openAIError, "insufficient_quota: a budget is used up"),
  403: asJson(openAIError, "Refused by policy, denied by a person, or decided by nobody in time; or a key without the scope v1"),
  404: asJson(openAIError, "No model of this name can serve it"),
  409: asJson(openAIError, "The Idempotency-Key was used before with another body; or cancelled"),
  413: asJson(openAIError, "Over the key's limit of bytes"),
  415: asJson(openAIError, "Not application/json"),
  429: asJson(openAIError, "Rate limited", retryAfter),
  500: asJson(openAIError, "A fault of the gateway, with an id to quote"),
  502: asJson(openAIError, "Every model failed"),
  503: asJson(openAIError, "The configuration cannot be read now", retryAfter),
};
const idempotency = inHeader(
  "Idempotency-Key",
  "The same key with the same body is the same request: it gets the same answer, and is paid once",
);

const chat = describe("chatCompletions", {
  summary: "A chat completion, whole or streamed, as OpenAI's API has it",
  auth: "v1",
  parameters: [idempotency],
  body: jsonBody(jsonObject),
  200: asJsonOrEvents(jsonObject, "The completion. It may be held for as long as people need: white space or comments meanwhile"),
  ...refusals,
});

const answerChat: Handler<App> = (c) =>
  served(c, "chat.completions", async (caller, body, refuse, trace) => {
    const parsed = parseChat(body);
    if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
    const { includeUsage } = parsed.value;
    return complete({ ...callOf(c, caller, body, parsed.value), trace, what: "chat.completions" }, parsed.value, {
      prefix: "chatcmpl-",
      whole: completionOf,
      events: (asked) => new ChunkWriter(asked, includeUsage),
      refuse,
    });
  });
v1Routes.post(paths.v1.chat, describedBy(chat, answerChat));

const responses = describe("createResponse", {
  summary: "A response, whole or streamed, as OpenAI's API has it; it is not stored",
  auth: "v1",
  parameters: [idempotency],
  body: jsonBody(jsonObject),
  200: asJsonOrEvents(jsonObject, "The response. It may be held for as long as people need: white space or comments meanwhile"),
  ...refusals,
});

v1Routes.post(paths.v1.responses, responses, (c) =>
  served(c, "responses", async (caller, body, refuse, trace) => {
    const parsed = parseResponses(body);
    if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
    const { echo } = parsed.value;
    return complete({ ...callOf(c, caller, body, parsed.value), trace, what: "responses" }, parsed.value, {
      prefix: "resp_",
      whole: (outcome, asked) => responseOf(outcome, { ...asked, echo }),
      events: (asked) => new ResponseEvents({ ...asked, echo }),
      refuse,
    });
  }),
);

const embeddings = describe("embeddings", {
  summary: "Vectors for texts, as OpenAI's API has it",
  auth: "v1",
  parameters: [idempotency],
  body: jsonBody(jsonObject),
  200: asJson(jsonObject, "The vectors"),
  ...refusals,
});

v1Routes.post(paths.v1.embeddings, embeddings, (c) =>
  served(c, "embeddings", async (caller, body, refuse, trace) => {
    const parsed = parseEmbedding(body);
    if (!parsed.ok) return refuse(paramsRefusal(parsed.error));
    const { request } = parsed.value;
    const call: V1Call = {
      ...platformOf(c, caller, body),
      trace,
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
    return answerWhole(call, started.value, { encode, refuse });
  }),
);

const models = describe("listModels", {
  summary: "The models that the key may use now, as OpenAI's API has them",
  auth: "v1",
  200: asJson(jsonObject, "The list; `auto` chooses by MCP preferences"),
  401: refusals[401],
  403: refusals[403],
  429: refusals[429],
  503: refusals[503],
});

v1Routes.get(paths.v1.models, models, (c) => withModels(c, (list) => jsonResponse({ object: "list", data: list })));

const model = describe("getModel", {
  summary: "One of these models",
  auth: "v1",
  parameters: [inPath("id", "The model's id")],
  200: asJson(jsonObject, "The model"),
  401: refusals[401],
  403: refusals[403],
  404: refusals[404],
  429: refusals[429],
  503: refusals[503],
});

v1Routes.get(paths.v1.model, model, (c) =>
  withModels(c, (list) => {
    const found = list.find(({ id }) => id === c.req.param("id"));
    return found === undefined
      ? unknownPath("There is no such model for this key; GET /v1/models lists them", "model_not_found", "model")
      : jsonResponse(found);
  }),
);

v1Routes.all(paths.v1.other, (c) => {
  const taken = operationsFor(v1Routes, c.req.path);
  if (taken.length === 0)
    return unknownPath(
      "There is nothing at this path: use POST /v1/chat/completions, POST /v1/responses, POST /v1/embeddings or GET /v1/models",
      "unknown_url",
      null,
    );
  const message = `This path takes ${taken.map(({ method }) => method).join(" and ")} alone`;
  const error = { message, type: "invalid_request_error", param: null, code: "method_not_allowed" };
  const answer = answerError({ status: 405, body: { error }, mayRetry: false });
  answer.headers.set("Allow", allowOf(taken));
  return answer;
});

const unknownPath = (message: string, code: string, param: string | null): Response =>
  answerError({ status: 404, body: { error: { message, type: "invalid_request_error", param, code } }, mayRetry: false });

type Refuse = (refusal: Refusal) => Response;

/**
 * Authenticates the caller and reads the body, then serves it. Every refusal of a known key is in
 * the record.
 */
async function served(
  c: AppContext,
  what: V1Call["what"],
  serve: (caller: V1Caller, body: unknown, refuse: Refuse, trace: RequestTrace | undefined) => Promise<Response>,
): Promise<Response> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return refuseV1({ kind: "notJsonType" });
  const caller = await callerOfV1(c);
  if (!caller.ok) return refuseV1(caller.error);
  const { record, claims } = caller.value;
  const trace = beginTrace(c.env, transportContext(c.req.raw.headers));
  const refuse: Refuse = (refusal) => {
    const about = claims === null ? { server: V1_SERVER, method: "v1", name: what } : claims;
    const { server, method, name } = about;
    recordRefusal(
      c.env,
      c.executionCtx,
      { key: record.id, endpoint: "v1", server, method, name, requestId: idempotencyKeyOf(c.req.raw.headers) ?? undefined, trace },
      refusal,
    );
    return refuseV1(refusal);
  };
  if (c.req.header("Idempotency-Key") !== undefined && idempotencyKeyOf(c.req.raw.headers) === null) return refuse(badIdempotencyKey);
  const tooMany = mayRead(record, Date.now());
  if (tooMany !== null) return refuse(tooMany);
  const { bodyBytes } = record.limits ?? defaultLimits;
  const read = await readBody(c.req.raw, bodyBytes);
  if (read === "tooLarge") return refuse({ kind: "tooLarge", limitBytes: bodyBytes });
  const body = read === "notUtf8" ? undefined : parseJson(read.text);
  if (body === undefined) return refuse({ kind: "notJson" });
  try {
    return await serve(caller.value, body, refuse, trace);
  } catch (error) {
    return refuse(thrownRefusal(error));
  }
}

const platformOf = (c: AppContext, { record, claims }: V1Caller, body: unknown) => ({
  env: c.env,
  ctx: c.executionCtx,
  key: record,
  signal: c.req.raw.signal,
  body,
  idempotencyKey: idempotencyKeyOf(c.req.raw.headers),
  // OpenAI's SDKs count their attempts. They send no Idempotency-Key of their own, and a caller
  // that leaves before its response has begun is not always noticed.
  isRetry: /^[1-9]\d{0,3}$/.test(c.req.header("X-Stainless-Retry-Count") ?? ""),
  claims,
});

const notesOf = ({ ignored }: Pick<ParsedRequest, "ignored">): Note[] =>
  ignored.length === 0 ? [] : [{ kind: "notPassedOn", members: ignored }];

const callOf = (
  c: AppContext,
  caller: V1Caller,
  body: unknown,
  { request, addresses, pointerOf, ignored }: ParsedRequest,
): Omit<V1Call, "what"> => ({
  ...platformOf(c, caller, body),
  request,
  addresses,
  pointerOf,
  notes: notesOf({ ignored }),
});

/** How an endpoint writes its answer. `prefix`: of the answer's id. */
type Writing = {
  readonly prefix: string;
  readonly whole: (outcome: Outcome, asked: ChatAsked) => object;
  readonly events: (asked: ChatAsked) => AnswerStream;
  readonly refuse: Refuse;
};

async function complete(
  call: V1Call,
  { model: name, notes, stream }: ParsedRequest,
  { prefix, whole, events, refuse }: Writing,
): Promise<Response> {
  const asked: ChatAsked = {
    id: prefix + crypto.randomUUID().replaceAll("-", ""),
    created: Math.floor(Date.now() / 1000),
    model: name,
    notes,
  };
  const deltas = stream ? new Deltas() : null;
  const started = await beginV1(deltas === null ? call : { ...call, onDelta: deltas.push });
  if (!started.ok) return refuse(started.error);
  if (deltas === null) return answerWhole(call, started.value, { encode: (outcome) => whole(outcome, asked), refuse });
  return answerStreamed(call, started.value, { events: events(asked), deltas, refuse });
}
