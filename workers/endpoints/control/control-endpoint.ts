// POST /control: Model Control Protocol envelopes to the same pipeline as the other endpoints; and
// the envelope's published schema.

import { isObject } from "../../../shared/json/values.ts";
import { Hono } from "hono";
import { handedBackAnswer, refusalControlAnswer } from "../../../shared/wire/control/answer.ts";
import { answerJsonSchema } from "../../../shared/wire/control/answer-schema.ts";
import { controlCodec } from "../../../shared/wire/control/codec.ts";
import { envelopeIdentity } from "../../../shared/wire/control/envelope-identity.ts";
import { envelopeJsonSchema } from "../../../shared/wire/control/envelope-schema.ts";
import { identityIn } from "../../../shared/wire/control/read-envelope.ts";
import { statusOf } from "../../../shared/wire/status.ts";
import { deltaEvent, finalEvent, progressEvent } from "../../../shared/wire/control/control-events.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { describeOutcome, describeRefusal } from "../../../shared/wire/describe.ts";
import type { Completed, Outcome, Ran, Refusal } from "../../../shared/model/outcome.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { CONTROL_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { readBytes } from "../../http/body.ts";
import { mayRead } from "../../pipeline/admit/calls.ts";
import { type Doing, type Ending, type EnvelopeCall, beginEnvelope, remember } from "../../pipeline/control/control-task.ts";
import { type Refused, recordRefusal, thrownRefusal } from "../../pipeline/record/refusals.ts";
import { Deltas } from "../../http/deltas.ts";
import {
  type KeptAlive,
  beforeKeepAlive,
  endingWith,
  keepAliveEndpointEvents,
  keepAliveJson,
  keptAlive,
  progressMessages,
} from "../../http/keep-alive.ts";
import { countOpening } from "../../pipeline/wait/key-watch.ts";
import { settingsOf } from "../../platform/settings.ts";
import { beginTrace, transportContext } from "../../telemetry/begin-trace.ts";
import type { KeyRecord } from "../../stores/keys.ts";
import { paths } from "../../platform/urls.ts";
import { named } from "../answer-schema.ts";
import type { App, AppContext } from "../app-context.ts";
import { inPath, asJson, asJsonOrEvents, jsonBody, jsonSchema, retryAfter } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { callerOfControl, hasCredential } from "./control-auth.ts";
import { jsonResponse, refusalHeaders } from "../../http/json-response.ts";

export const controlRoutes = new Hono<App>();

/** An internal error before there is an answer: in the shape of every other answer. */
controlRoutes.onError((error) => refuse(thrownRefusal(error)));

const controlSchema = describe("controlSchema", {
  summary: "The JSON Schema of the envelope",
  parameters: [inPath("file", "1.0.json, 2.0.json or 2.1.json")],
  200: { description: "The schema", bodies: [{ type: "application/schema+json", schema: jsonSchema }] },
  404: "No such version",
});

controlRoutes.get(paths.controlSchema, controlSchema, (c) => {
  const schema = envelopeJsonSchema(/^(.*)\.json$/.exec(c.req.param("file") ?? "")?.[1] ?? "");
  return schema === undefined
    ? c.json({ error: "There is no schema of this version; available are /control/schema/1.0.json, 2.0.json and 2.1.json" }, 404)
    : c.body(JSON.stringify(schema), 200, { "Content-Type": "application/schema+json", "Cache-Control": "public, max-age=3600" });
});

const controlAnswer = named("ControlAnswer", () => answerJsonSchema);
const envelope = named("Envelope", envelopeOfAnyVersion);

/**
 * The newest version has every version's members; each version's own schema is at
 * `/control/schema/`.
 */
function envelopeOfAnyVersion(): JsonObject {
  const schema = envelopeJsonSchema("2.1") ?? {};
  const version = { type: "string", pattern: String.raw`^(?:1\.0|2\.(?:0|[1-9][0-9]{0,5}))$`, description: "The version of the protocol." };
  return {
    ...schema,
    title: "Model Control Protocol: request",
    properties: { ...(schema["properties"] as JsonObject), protocol_version: version },
  };
}

const answer = (description: string, headers?: Record<string, string>) => asJson(controlAnswer, description, headers);

const control = describe("control", {
  summary: "One request of the Model Control Protocol: an envelope, answered whole or, where it asks for a stream, with server-sent events",
  auth: "control",
  body: jsonBody(envelope),
  200: asJsonOrEvents(controlAnswer, "The answer. It may be held for as long as a person needs: white space or comments meanwhile"),
  400: answer("invalid: not JSON, or faults of the envelope with a pointer to each"),
  401: answer("unauthorized: no credential, or one that is not good"),
  402: answer("over_budget: the key's budget is used up"),
  403: answer("refused by policy; rejected by a person; or unauthorized: a key without the scope control"),
  409: answer("conflict: the request_id was used before with another body; or cancelled"),
  413: answer("invalid: over the key's limit of bytes"),
  415: answer("invalid: not application/json"),
  422: answer("no_model: the routing table has no model for it"),
  429: answer("rate_limited", retryAfter),
  500: answer("error: a fault of the gateway, with an id to quote"),
  502: answer("failed: every model failed, or a registered function's server cannot be asked"),
  503: answer(
    "unavailable: what is needed to check the credential, or the gateway's configuration, cannot be read now; or undeliverable: no reviewer could be reached",
    { "Retry-After": "Seconds, where it is unavailable" },
  ),
  504: answer("expired: nobody decided in time, told of a request whose end was known before anything was sent"),
});

controlRoutes.post(paths.control, control, async (c) => {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return refuse({ kind: "notJsonType" });
  // A credential in a header is checked before the body is read.
  const announced = hasCredential(c.req.raw.headers) ? await callerOfControl(c, {}) : null;
  if (announced?.kind === "refused") {
    record(c, announced.key, announced.refusal);
    return refuse(announced.refusal);
  }
  const announcedId = announced?.record.id ?? null;
  const tooMany = announced === null ? null : mayRead(announced.record, Date.now());
  if (tooMany !== null) {
    record(c, announcedId, tooMany);
    return refuse(tooMany);
  }
  const body = await readEnvelope(c, announced?.record ?? null);
  if ("refusal" in body) {
    record(c, announcedId, body.refusal);
    return refuse(body.refusal);
  }
  // A caller that may not use the endpoint learns nothing of what else is wrong.
  const auth = authIn(body.value);
  const caller = announced !== null && isEmpty(auth) ? announced : await callerOfControl(c, auth);
  const requestId = identityIn(body.value).requestId ?? undefined;
  if (caller.kind === "refused") {
    record(c, caller.key, caller.refusal, { requestId });
    return refuse(caller.refusal, body.value);
  }
  const { id, limits } = caller.record;
  const { bodyBytes } = limits ?? defaultLimits;
  const late: Refusal | null =
    body.bytes > bodyBytes ? { kind: "tooLarge", limitBytes: bodyBytes } : announced === null ? mayRead(caller.record, Date.now()) : null;
  if (late !== null) {
    record(c, id, late, { requestId });
    return refuse(late, body.value);
  }
  const parsed = controlCodec.decode(body.value);
  if (!parsed.ok) {
    const { version, errors } = parsed.error;
    const refusal: Refusal = { kind: "invalidParams", errors };
    record(c, id, refusal, { requestId });
    return answerRefused({ requestId: parsed.error.requestId, version }, refusal);
  }
  const { auth: _auth, ...envelope } = parsed.value;
  const trace = beginTrace(c.env, transportContext(c.req.raw.headers));
  const refused = (refusal: Refusal): Response => {
    record(c, id, refusal, { requestId, name: envelope.task.type, trace });
    return answerRefused(envelope, refusal);
  };
  try {
    const asked = { key: caller.record, envelope: { ...envelope, auth: {} }, identity: envelopeIdentity(body.value), trace };
    return await serve(c, asked, refused);
  } catch (error) {
    return refused(thrownRefusal(error));
  }
});

/** Records a refusal where the caller's key is known. */
function record(c: AppContext, key: string | null, refusal: Refusal, about: Pick<Refused, "name" | "requestId" | "trace"> = {}): void {
  if (key !== null) recordRefusal(c.env, c.executionCtx, { key, endpoint: "control", server: CONTROL_SERVER, ...about }, refusal);
}

/**
 * What is read of an unauthenticated body: enough for a prompt and a few images' addresses, not for
 * images.
 */
const mostUnknownBytes = 256 * 1024;

/**
 * The body as JSON, bounded by the limit of the key in a header; where the credential is in the
 * body, by `mostUnknownBytes`.
 */
async function readEnvelope(
  c: AppContext,
  known: KeyRecord | null,
): Promise<{ readonly value: unknown; readonly bytes: number } | { readonly refusal: Refusal }> {
  const limitBytes = known === null ? mostUnknownBytes : (known.limits ?? defaultLimits).bodyBytes;
  const bytes = await readBytes(c.req.raw, limitBytes);
  if (bytes === "tooLarge") return { refusal: { kind: "tooLarge", limitBytes, ...(known === null ? { unknown: true } : {}) } };
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes)), bytes: bytes.length };
  } catch {
    return { refusal: { kind: "notJson" } };
  }
}

/** The credentials of an envelope that is not decoded yet. */
function authIn(value: unknown): { readonly apiKey?: string; readonly token?: string } {
  const auth = isObject(value) && isObject(value["auth"]) ? value["auth"] : {};
  const { api_key: apiKey, token } = auth;
  return { ...(typeof apiKey === "string" ? { apiKey } : {}), ...(typeof token === "string" ? { token } : {}) };
}

const isEmpty = ({ apiKey = "", token = "" }: ReturnType<typeof authIn>): boolean => apiKey === "" && token === "";

async function serve(
  c: AppContext,
  asked: Pick<EnvelopeCall, "key" | "envelope" | "identity" | "trace">,
  refused: (refusal: Refusal) => Response,
): Promise<Response> {
  const { key, envelope } = asked;
  const { task } = envelope;
  const deltas = "stream" in task && task.stream ? new Deltas() : null;
  const { signal } = c.req.raw;
  const call: EnvelopeCall = {
    env: c.env,
    ctx: c.executionCtx,
    ...asked,
    ...(deltas === null ? {} : { onDelta: deltas.push }),
    signal,
  };
  const started = await beginEnvelope(call);
  if (!started.ok) return refused(started.error);
  if (deltas !== null) {
    const opened = await countOpening(c.env, key, started.value.isCounted);
    return opened.ok ? stream(c, call, started.value, deltas, opened.value) : answerRefused(envelope, opened.error);
  }
  const soon = started.value.soon === null ? null : await beforeKeepAlive(started.value.soon, started.value.slow);
  if (soon !== null) {
    const answer = await delivered(call, soon);
    const { outcome } = soon;
    return outcome === null || outcome.kind === "completed" || outcome.kind === "ran"
      ? jsonResponse(answer)
      : failed(answer, unsent(outcome));
  }
  const opened = await countOpening(c.env, key, started.value.isCounted);
  if (!opened.ok) return answerRefused(envelope, opened.error);
  const response = keptAliveAnswer(c, call, started.value, (answer) => JSON.stringify(answer));
  return keepAliveJson(endingWith(response, opened.value));
}

/**
 * Sends deltas as they come where no gate is closed; else progress, and the reviewed text at the
 * end.
 */
function stream(c: AppContext, call: EnvelopeCall, doing: Doing, deltas: Deltas, done: () => void): Response {
  const { envelope } = call;
  const response = keptAliveAnswer(c, call, doing, finalEvent);
  const withDeltas: KeptAlive<JsonObject> = {
    ...response,
    work: async (onProgress, say) => {
      // Started before the buffered deltas are sent, so that progress comes first.
      const answering = response.work(onProgress, say);
      deltas.open(say);
      const answer = await answering;
      const text = textIn(answer);
      if (!deltas.any && text !== "") say(text);
      return answer;
    },
  };
  return keepAliveEndpointEvents(endingWith(withDeltas, done), {
    progress: (state) => progressEvent(envelope, { state, message: progressMessages[state] }),
    delta: (text) => deltaEvent(envelope, text),
  });
}

const keptAliveAnswer = (c: AppContext, call: EnvelopeCall, doing: Doing, encode: (answer: JsonObject) => string): KeptAlive<JsonObject> =>
  keptAlive(call.signal, {
    work: async (onProgress, left) => delivered(call, await doing.ending(onProgress, left)),
    broken: (quote) => controlCodec.encode({ kind: "broken", quote }, { envelope: call.envelope }),
    encode,
    heartbeatMs: settingsOf(c.env).heartbeatMs,
  });

/** The answer as it is sent. What the session remembers of it is stored first. */
async function delivered(call: EnvelopeCall, { outcome, calls }: Ending): Promise<JsonObject> {
  const { envelope } = call;
  if (outcome === null) return handedBackAnswer(envelope, calls ?? []);
  const answer = controlCodec.encode(outcome, { envelope, ...(calls === undefined ? {} : { calls }) });
  if (outcome.kind === "completed") await remember(call, outcome.meta, textIn(answer));
  return answer;
}

function textIn({ result }: JsonObject): string {
  const text = isObject(result) ? result["text"] : undefined;
  return typeof text === "string" ? text : "";
}

/** A refusal before the envelope is decoded: its answer has the identity that can be read. */
const refuse = (refusal: Refusal, value?: unknown): Response => answerRefused(identityIn(value), refusal);

function answerRefused(identity: Parameters<typeof refusalControlAnswer>[0], refusal: Refusal): Response {
  const described = describeRefusal(refusal);
  return failed(refusalControlAnswer(identity, described), described);
}

/** The error of an outcome, without a status of its own: `statusOf` derives it from the code. */
const unsent = (outcome: Exclude<Outcome, Completed | Ran>): Parameters<typeof statusOf>[0] => {
  const { code, message, data } = describeOutcome(outcome);
  return { code, message, ...(data === undefined ? {} : { data }) };
};

/** An error answer of which nothing was sent yet, with its status. */
function failed(answer: JsonObject, error: Parameters<typeof statusOf>[0]): Response {
  const status = statusOf(error);
  return jsonResponse(answer, status, refusalHeaders(status, error.data?.["retryAfterMs"]));
}
