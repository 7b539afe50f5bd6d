// The same cause has the same code, message and data as at POST /sampling; and the word, the HTTP
// status and the headers that this endpoint adds.

import { beforeEach, describe, expect, test, vi } from "vitest";
import { SessionObject } from "../../../../workers/objects/session/session-object.ts";
import { ringNextAlarm, stubOf } from "../../objects/inside.ts";
import {
  type ControlAnswer,
  type Sent,
  control,
  controlAnswerOf,
  controlRaw,
  envelopeOf,
  gates,
  prompt,
  textEnvelope,
} from "../../support/control.ts";
import {
  type RpcError,
  admin,
  answerOf,
  configure,
  createKey,
  devKey,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  openNotice,
  routing,
  sample,
  samplingMessage,
  travel,
} from "../../support/gateway.ts";
import { promptMarker, reasonMarker, replyMarker } from "../../support/logs.ts";
import { decide, press } from "../../support/reviewer.ts";

type Expected = { readonly status: number; readonly word: string; readonly headers?: Record<string, string> };

/** The answer, as an error of this kind; null: nothing of the envelope could be told. */
async function expectEnding(response: Response, requestId: unknown, { status, word, headers = {} }: Expected): Promise<ControlAnswer> {
  const text = await response.text();
  const answer = JSON.parse(text) as ControlAnswer;
  expect({ status: response.status, word: answer.status, id: answer.request_id }).toEqual({ status, word, id: requestId });
  expect(answer).not.toHaveProperty("result");
  expect(answer.error).toMatchObject({ code: expect.any(Number), message: expect.stringMatching(/./) });
  for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.get("Cache-Control")).toMatch(/^no-store(, no-transform)?$/);
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(text).not.toContain(promptMarker);
  expect(text).not.toContain(replyMarker);
  return answer;
}

/** An error of the sampling endpoint as this one writes it. How long an attempt took is its own. */
const asHere = ({ code, message, data }: RpcError) => withoutTimes({ code, message, ...(data !== undefined && { details: data }) });
const withoutTimes = (error: unknown): unknown =>
  JSON.parse(JSON.stringify(error, (name, value: unknown) => (name === "durationMs" ? 0 : value)));

beforeEach(() => gates());

const bearer = { "WWW-Authenticate": "Bearer" };
const unauthorized: Expected = { status: 401, word: "unauthorized", headers: bearer };

describe("who may not come in", () => {
  test.each<[string, () => Promise<string>, Expected]>([
    ["a key that nobody made", async () => "csk_nobody-made-this-one", unauthorized],
    ["a key of 10,000 characters", async () => "k".repeat(10_000), unauthorized],
    [
      "a key that was revoked",
      async () => {
        const { id, key } = await createKey();
        await admin(`/keys/${id}`, { method: "DELETE" });
        return key;
      },
      unauthorized,
    ],
    [
      "a key that has expired",
      async () => {
        const { key } = await createKey({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
        travel(60_000);
        return key;
      },
      unauthorized,
    ],
  ])("%s is told the same as at the sampling endpoint", async (_name, make, expected) => {
    const key = await make();
    const envelope = textEnvelope();
    // Nothing of the body is read for who cannot come in: not the id either.
    const answer = await expectEnding(await control(envelope, { key }), null, expected);
    expect(answer.error).toEqual(asHere(await errorOf(sample({}, { key }))));
    expect(model.calls).toHaveLength(0);
  });

  test("a key of the sampling endpoint alone is told which scope it needs", async () => {
    const [here, there] = [await createKey({ scopes: ["sampling"] }), await createKey({ scopes: ["control"] })];
    const envelope = textEnvelope();
    const answer = await expectEnding(await control(envelope, { key: here.key }), null, {
      status: 403,
      word: "unauthorized",
    });
    const other = await sample({}, { key: there.key });
    expect(other.status).toBe(403);
    const { code, message } = await errorOf(other);
    expect(answer.error).toEqual({ code, message: message.replace("sampling", "control"), details: { scope: "control" } });
  });

  test.each<[string, Record<string, string>]>([
    ["nothing at all", {}],
    ["another scheme", { Authorization: `Basic ${btoa(devKey)}` }],
  ])("%s is told how to come in, and nothing of what else is wrong", async (_name, headers) => {
    const answer = await expectEnding(await control({ request_id: "req-x", task: 7 }, { key: null, headers }), "req-x", unauthorized);
    expect(answer.error).toMatchObject({ code: -32014, message: expect.stringMatching(/auth\.api_key.*auth\.token.*Authorization/) });
    expect(answer.error).not.toHaveProperty("details");
  });
});

test("a flood of wrong keys from one address is answered with 429 and Retry-After", async () => {
  const headers = { "CF-Connecting-IP": "203.0.113.77" };
  const response = await eventually("429", async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => control({}, { key: "csk_wrong", headers })));
    return answers.find(({ status }) => status === 429);
  });
  await expectEnding(response, null, { status: 429, word: "rate_limited", headers: { "Retry-After": "60" } });
});

describe("what cannot be read", () => {
  const invalid = { status: 400, word: "invalid" };
  const json = { "Content-Type": "application/json" };
  const smallKey = async () => (await createKey({ limits: { bodyBytes: 1024 } })).key;
  const large = (): Sent => ({ ...samplingMessage(), ...textEnvelope(), pad: "x".repeat(2_000) });
  test.each<[string, (path: string) => Promise<Response>, Expected]>([
    ["not JSON", (path) => gateway(path, { method: "POST", body: "{", headers: json }), invalid],
    ["an empty body", (path) => gateway(path, { method: "POST", headers: json }), invalid],
    ["bytes that are not UTF-8", (path) => gateway(path, { method: "POST", body: Uint8Array.of(34, 255, 34), headers: json }), invalid],
    [
      "no content type",
      (path) => gateway(path, { method: "POST", body: "{}", headers: { "Content-Type": "" } }),
      { status: 415, word: "invalid" },
    ],
    [
      "a type that only begins like JSON",
      (path) => gateway(path, { method: "POST", body: "{}", headers: { "Content-Type": "application/json-seq" } }),
      { status: 415, word: "invalid" },
    ],
    [
      "a body over the limit of the key",
      async (path) => gateway(path, { ...jsonBody("POST", large()), key: await smallKey() }),
      { status: 413, word: "invalid" },
    ],
    [
      "a body over the limit that does not say its length",
      async (path) => {
        const body = new Blob([JSON.stringify(large())]).stream();
        return gateway(path, { method: "POST", body, headers: json, key: await smallKey() });
      },
      { status: 413, word: "invalid" },
    ],
  ])("%s", async (_name, ask, expected) => {
    const answer = await expectEnding(await ask("/control"), null, expected);
    const there = await ask("/sampling");
    expect(there.status).toBe(expected.status);
    expect(answer.error).toEqual(asHere(await errorOf(there)));
    expect(answer.protocol_version).toBeNull();
  });

  test("a body over the limit of a key that stands in it is refused too, and named", async () => {
    const envelope: Sent = { ...large(), auth: { api_key: await smallKey() } };
    const answer = await expectEnding(await control(envelope, { key: null }), envelope["request_id"], { status: 413, word: "invalid" });
    expect(answer.error).toMatchObject({ code: -32015, details: { limitBytes: 1024 } });
  });

  test("a body may be as large as the key in the header allows", async () => {
    const mebibyte = 1024 * 1024;
    const padded = (length: number): Sent => ({ ...textEnvelope(), padding: "x".repeat(length) });
    const { key } = await createKey({ limits: { bodyBytes: 8 * mebibyte } });
    const taken = await control(padded(5 * mebibyte), { key });
    expect(taken.status).toBe(200);
    await taken.body?.cancel();
    await expectEnding(await control(padded(9 * mebibyte), { key }), null, { status: 413, word: "invalid" });
  });

  test("application/json with a charset is JSON", async () => {
    const headers = { "Content-Type": "Application/JSON; charset=utf-8" };
    expect((await controlRaw(JSON.stringify(textEnvelope()), { headers })).status).toBe(200);
  });
});

test("everything that is wrong with an envelope is told at once, each at its pointer, with what could be read of it", async () => {
  const envelope = {
    protocol_version: "2.0",
    request_id: "req-wrong",
    model: { version: 2 },
    task: { type: "text_generation", parameters: { temperature: 3, top_p: -1, stop: [7], stream: "yes", response_format: "xml" } },
    context: { history: [{ role: "tool", content: promptMarker }], session_id: "é" },
    control: { timeout: 0, priority: "urgent", cache: {} },
  };
  const answer = await expectEnding(await control(envelope), "req-wrong", { status: 400, word: "invalid" });
  expect(answer.protocol_version).toBe("2.0");
  expect(answer.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^Invalid params: /) });
  const errors = answer.error?.details?.["errors"] as { pointer: string; message: string }[];
  const at = "/task/parameters";
  expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual(
    [
      "/model/name",
      "/model/version",
      ...["prompt", "temperature", "top_p", "stop/0", "stream", "response_format"].map((name) => `${at}/${name}`),
      "/context/history/0/role",
      "/context/session_id",
      ...["timeout", "priority", "cache/enable"].map((name) => `/control/${name}`),
    ].toSorted(),
  );
  expect(errors.every(({ message }) => message.length > 0)).toBe(true);
});

describe("what is known before a model is asked", () => {
  test.each<[string, () => Promise<unknown>, object, Expected]>([
    ["the policy refuses", () => gates({ request: "refuse" }), {}, { status: 403, word: "refused" }],
    ["the key is not for what asks", async () => {}, { servers: ["elsewhere"] }, { status: 403, word: "refused" }],
  ])("%s", async (_name, prepare, options, expected) => {
    await prepare();
    const { key } = await createKey(options);
    const envelope = textEnvelope();
    const answer = await expectEnding(await control(envelope, { key }), envelope["request_id"], expected);
    expect(answer.error).toEqual(asHere(await errorOf(sample({}, { key }))));
    expect(model.calls).toHaveLength(0);
  });

  test("no model: why each one fell out, and that a name was asked for", async () => {
    const envelope = textEnvelope({ max_tokens: 50_000 });
    const answer = await expectEnding(await control(envelope), envelope["request_id"], { status: 422, word: "no_model" });
    const there = await errorOf(sample({ params: { maxTokens: 50_000 } }));
    expect(answer.error?.code).toBe(there.code);
    expect(answer.error?.message).toMatch(/with the requested name/);
    const { models } = there.data as { models: { model: string; reason: string }[] };
    expect(answer.error?.details?.["models"]).toContainEqual(models[0]);
  });

  test("no model of a name that the table does not have, whatever else it has", async () => {
    const envelope = textEnvelope({}, { model: { name: "made-up" } });
    await expectEnding(await control(envelope), envelope["request_id"], { status: 422, word: "no_model" });
    expect(model.calls).toHaveLength(0);
  });

  test("no model says nothing of addresses and secrets", async () => {
    await configure("routing", {
      providers: { locked: { kind: "openai", baseUrl: "https://secret-host.example.com/v1", secret: "SECRET_VARIABLE" } },
      models: routing.models.map((each) => ({ ...each, provider: "locked" })),
    });
    const response = await control(textEnvelope());
    expect(response.status).toBe(422);
    expect(await response.text()).not.toMatch(/secret-host|SECRET_VARIABLE/);
  });

  test.each(["text_generation", "function_call"])("over the key's rate: 429 with when to come again, for %s", async (type) => {
    const { key } = await createKey({ limits: { requestsPerMinute: 1 } });
    await control(textEnvelope(), { key });
    const functions = [{ name: "f" }];
    const envelope = envelopeOf(type, type === "function_call" ? { functions, function_call: { name: "f", parameters: {} } } : { prompt });
    const response = await control(envelope, { key });
    const retryAfter = Number(response.headers.get("Retry-After"));
    const answer = await expectEnding(response, envelope["request_id"], { status: 429, word: "rate_limited" });
    const retryAfterMs = answer.error?.details?.["retryAfterMs"] as number;
    expect(retryAfter).toBe(Math.ceil(retryAfterMs / 1000));
    const there = asHere(await errorOf(sample({}, { key })));
    expect({ ...answer.error, details: { ...answer.error?.details, retryAfterMs: 0 } }).toEqual({
      ...(there as object),
      details: { limit: "requestsPerMinute", max: 1, retryAfterMs: 0 },
    });
  });

  test("too many at once: 429", async () => {
    await gates({ request: "review" });
    const { key } = await createKey({ limits: { concurrent: 1 } });
    const waiting = control(textEnvelope(), { key });
    await openNotice("request");
    const envelope = textEnvelope();
    const response = await control(envelope, { key });
    const answer = await expectEnding(response, envelope["request_id"], {
      status: 429,
      word: "rate_limited",
      headers: { "Retry-After": "1" },
    });
    expect(answer.error).toEqual(asHere(await errorOf(sample({}, { key }))));
    await decide("request", "deny");
    await waiting;
  });
});

describe("once it has begun", () => {
  test("every candidate failed: what each attempt came to, without the provider's words, and the HTTP status says so", async () => {
    const free = "the provider's own words with sk-secret-of-provider";
    model.script({ status: 400, message: free }, { status: 400, message: free });
    const envelope = textEnvelope();
    const response = await control(envelope);
    expect(await response.clone().text()).not.toMatch(/sk-secret|own words|model\.example\.com/);
    const answer = await expectEnding(response, envelope["request_id"], { status: 502, word: "failed" });
    expect(withoutTimes(answer.error)).toEqual(asHere(await errorOf(sample())));
    expect(answer.model).toEqual({ requested: { name: "first" } });
  });

  /** How a waiting request ends, at both endpoints. */
  const endings: [string, object, (run: string) => Promise<unknown>, string][] = [
    ["a person said no", { request: "review" }, (run) => decide("request", "deny", run, withReason), "rejected"],
    [
      "a person said no and the reason may be told",
      { request: "review", tellReason: true },
      (run) => decide("request", "deny", run, withReason),
      "rejected",
    ],
    ["a person said no to the reply", { response: "review" }, (run) => decide("response", "deny", run), "rejected"],
    [
      "nobody decided in time",
      { request: "review" },
      async (run) => {
        travel(601_000);
        await ringNextAlarm(stubOf(run));
      },
      "expired",
    ],
    [
      "no reviewer could be reached",
      { request: "review" },
      async (run) => press((await openNotice("request", run)).link, "deny", (fields) => fields.set("act", "notMine")),
      "undeliverable",
    ],
    ["it was withdrawn", { request: "review" }, (run) => gateway(`/runs/${run}`, { method: "DELETE" }), "cancelled"],
  ];
  test.each(endings)("%s", async (_name, then, end, word) => {
    await gates(then);
    const gate = "response" in then ? "response" : "request";
    const waiting = sample();
    await end((await openNotice(gate)).run);
    const there = await answerOf(waiting);
    const envelope = textEnvelope();
    const here = control(envelope);
    await end((await openNotice(gate)).run);
    const answer = await expectEnding(await here, envelope["request_id"], { status: 200, word });
    expect(withoutTimes(answer.error)).toEqual(asHere(there.error as RpcError));
    if ("tellReason" in then) expect(answer.error?.details).toEqual({ outcome: "rejected", reason: reasonMarker });
    else expect(JSON.stringify(answer)).not.toContain(reasonMarker);
  });
});

const withReason = (fields: URLSearchParams): void => fields.set("reason", reasonMarker);

describe("a fault of ours", () => {
  test("has an id to quote and nothing else, in the shape of this endpoint", async () => {
    const broken = await gatewayWith({ LINK_KEY: "short" }, "/control", jsonBody("POST", textEnvelope()));
    expect(broken.status).toBe(500);
    const answer = await controlAnswerOf(broken);
    expect(answer).toEqual({
      protocol_version: null,
      request_id: null,
      status: "error",
      error: { code: -32603, message: expect.stringContaining("Internal error"), details: { quote: expect.any(String) } },
    });
    expect(JSON.stringify(answer)).not.toMatch(/LINK_KEY|short/);
  });

  test("names the request as soon as it was read", async () => {
    vi.spyOn(SessionObject.prototype, "associate").mockImplementation(() => {
      throw new Error("the object is gone");
    });
    const envelope = textEnvelope();
    const response = await control(envelope);
    expect(response.status).toBe(500);
    expect(await controlAnswerOf(response)).toMatchObject({ request_id: envelope["request_id"], protocol_version: "2.1", status: "error" });
  });
});
