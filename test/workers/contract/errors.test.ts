// The table of errors of the HTTP contract, row by row: code, message, data and HTTP status.

import { describe, expect, test } from "vitest";
import { ringNextAlarm, stubOf } from "../objects/inside.ts";
import { promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
import {
  type Asked,
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
  notices,
  openNotice,
  policy,
  post,
  routing,
  sample,
  samplingMessage,
  travel,
} from "../support/gateway.ts";
import { expectOfficial } from "../support/official.ts";
import { decide } from "../support/reviewer.ts";

type Expected = {
  readonly status: number;
  readonly code: number;
  readonly message?: string | RegExp;
  readonly data?: unknown;
  readonly headers?: Record<string, string | RegExp>;
  /** Absent: the request's own id. */
  readonly id?: null;
};

async function expectError(
  response: Response,
  id: string | number | undefined,
  { status, code, message, data, headers = {} }: Expected,
): Promise<void> {
  const answer = await answerOf(response);
  expect({ status: response.status, code: answer.error?.code, id: answer.id }).toEqual({ status, code, id });
  expectOfficial("JSONRPCErrorResponse", answer);
  if (typeof message === "string") expect(answer.error?.message).toBe(message);
  else if (message !== undefined) expect(answer.error?.message).toMatch(message);
  if (data !== undefined) expect(answer.error?.data).toEqual(data);
  for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toMatch(value);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(JSON.stringify(answer)).not.toContain(promptMarker);
}

const raw = (body: string, headers: Record<string, string> = { "Content-Type": "application/json" }): Promise<Response> =>
  gateway("/sampling", { method: "POST", body, headers });

describe("before the request is read", () => {
  test.each<[string, () => Promise<Response>, Expected]>([
    ["not JSON", () => raw("{"), { status: 400, code: -32700 }],
    ["an empty body", () => raw(""), { status: 400, code: -32700 }],
    [
      "bytes that are not UTF-8",
      () => gateway("/sampling", { method: "POST", body: Uint8Array.of(34, 255, 34), headers: { "Content-Type": "application/json" } }),
      { status: 400, code: -32700 },
    ],
    ["a batch", () => raw("[]"), { status: 400, code: -32600 }],
    ["a JSON text", () => raw('"text"'), { status: 400, code: -32600 }],
    ["another version of JSON-RPC", () => raw('{"jsonrpc":"1.0","method":"x"}'), { status: 400, code: -32600 }],
    ["a response", () => raw('{"jsonrpc":"2.0","result":{}}'), { status: 400, code: -32600 }],
    ["a null id", () => raw('{"jsonrpc":"2.0","id":null,"method":"x"}'), { status: 400, code: -32600 }],
    ["no key", () => post({}, { key: null }), { status: 401, code: -32014, headers: { "WWW-Authenticate": "Bearer" } }],
    [
      "a key nobody made",
      () => post({}, { key: "csk_nobody-made-this-one" }),
      { status: 401, code: -32014, headers: { "WWW-Authenticate": "Bearer" } },
    ],
    ["a key of 10,000 characters", () => post({}, { key: "k".repeat(10_000) }), { status: 401, code: -32014 }],
    [
      "another scheme of authorization",
      () => post({}, { key: null, headers: { Authorization: `Basic ${btoa(devKey)}` } }),
      { status: 401, code: -32014 },
    ],
    ["no content type", () => raw("{}", { "Content-Type": "" }), { status: 415, code: -32016 }],
    ["a form", () => raw("a=b", { "Content-Type": "application/x-www-form-urlencoded" }), { status: 415, code: -32016 }],
    ["a type that only begins like JSON", () => raw("{}", { "Content-Type": "application/json-seq" }), { status: 415, code: -32016 }],
    [
      "a body over the limit",
      async () => post(samplingMessage({ params: { systemPrompt: "x".repeat(2_000) } }), { key: (await smallKey()).key }),
      { status: 413, code: -32015, data: { limitBytes: 1024 } },
    ],
    [
      "a body over the limit that does not say its length",
      async () => streamed("x".repeat(2_000), (await smallKey()).key),
      { status: 413, code: -32015, data: { limitBytes: 1024 } },
    ],
  ])("%s", async (_name, ask, expected) => {
    await expectError(await ask(), undefined, expected);
    expect(model.calls).toHaveLength(0);
  });

  const message = samplingMessage({ id: "a" });
  test.each<[string, () => Promise<Response>, Expected]>([
    ["is no request", () => raw('{"jsonrpc":"2.0","id":"a","method":7}'), { status: 400, code: -32600 }],
    ["has no key", () => post(message, { key: null }), { status: 401, code: -32014 }],
    ["has a wrong key", () => post(message, { key: "csk_wrong" }), { status: 401, code: -32014 }],
    [
      "has a key for something else",
      async () => post(message, { key: (await createKey({ scopes: ["control"] })).key }),
      { status: 403, code: -32014 },
    ],
    ["has no JSON type", () => raw(JSON.stringify(message), { "Content-Type": "text/plain" }), { status: 415, code: -32016 }],
  ])("the error names the id of a request that %s", async (_what, ask, expected) => {
    await expectError(await ask(), "a", expected);
  });

  test("of a stranger's body no more than 16 KiB is read for its id", async () => {
    const long = samplingMessage({ id: "a", params: { systemPrompt: "x".repeat(20_000) } });
    await expectError(await post(long, { key: null }), undefined, { status: 401, code: -32014 });
  });

  test("application/json with a charset is JSON", async () => {
    expect((await raw(JSON.stringify(samplingMessage()), { "Content-Type": "Application/JSON; charset=utf-8" })).status).toBe(200);
  });

  test("the key may come in X-Countersign-Key, where Authorization belongs to somebody else", async () => {
    const answer = await post(samplingMessage(), {
      key: null,
      headers: { "X-Countersign-Key": devKey, Authorization: "Bearer of-an-upstream" },
    });
    expect(await answerOf(answer)).toHaveProperty("result");
  });
});

const smallKey = () => createKey({ limits: { bodyBytes: 1024 } });

function streamed(text: string, key: string): Promise<Response> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  void writer
    .write(new TextEncoder().encode(text))
    .then(() => writer.close())
    .catch(() => {});
  return gateway("/sampling", { method: "POST", body: readable, key, headers: { "Content-Type": "application/json" } });
}

const text = (value: string) => ({ type: "text", text: value });
const use = (id: string) => ({ type: "tool_use", id, name: "weather", input: {} });
const resultOf = (id: string) => ({ type: "tool_result", toolUseId: id, content: [text("fine")] });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const ask = user(text(promptMarker));

describe("params against the schema answer -32602 and say where", () => {
  test.each<[string, object, string]>([
    ["maxTokens missing", { maxTokens: undefined }, "/maxTokens"],
    ["maxTokens that is no integer", { maxTokens: 1.5 }, "/maxTokens"],
    ["messages missing", { messages: undefined }, "/messages"],
    ["an unknown role", { messages: [{ role: "system", content: text("x") }] }, "/messages/0/role"],
    ["a priority above 1", { modelPreferences: { costPriority: 1.01 } }, "/modelPreferences/costPriority"],
    ["a priority below 0", { modelPreferences: { speedPriority: -0.01 } }, "/modelPreferences/speedPriority"],
    ["bad base64", { messages: [user({ type: "image", data: "?!", mimeType: "image/png" })] }, "/messages/0/content/0/data"],
    ["a bad mime type", { messages: [user({ type: "image", data: "AAAA", mimeType: "text/html" })] }, "/messages/0/content/0/mimeType"],
    ["a lone surrogate", { systemPrompt: "\ud800" }, "/systemPrompt"],
    ["includeContext of another word", { includeContext: "everything" }, "/includeContext"],
    ["a tool use in a user's message", { messages: [user(use("a"))] }, "/messages/0/content/0"],
    ["a tool result in an assistant's message", { messages: [ask, assistant(resultOf("a"))] }, "/messages/1/content/0"],
    ["a tool use id given twice", { messages: [ask, assistant(use("a"), use("a")), user(resultOf("a"))] }, "/messages/1/content/1/id"],
    [
      "two results of one tool use",
      { messages: [ask, assistant(use("a")), user(resultOf("a"), resultOf("a"))] },
      "/messages/2/content/1/toolUseId",
    ],
    [
      "a result that answers no tool use",
      { messages: [ask, assistant(use("a")), user(resultOf("a"), resultOf("b"))] },
      "/messages/2/content/1/toolUseId",
    ],
  ])("%s", async (_name, params, pointer) => {
    const message = samplingMessage({ params });
    const response = await post(message);
    const { error } = await answerOf(response.clone());
    await expectError(response, message.id, { status: 200, code: -32602, message: /^Invalid params: / });
    const { errors = [] } = (error?.data ?? {}) as { errors?: { pointer: string; message: string }[] };
    expect(errors.map((each) => each.pointer)).toContain(pointer);
    expect(errors.every((each) => each.message.length > 0)).toBe(true);
  });

  test.each<[string, object[], string, string]>([
    ["a tool use without its result", [ask, assistant(use("a")), user(text("next"))], "Tool result missing in request", "/messages/1"],
    ["a tool use at the end", [ask, assistant(use("a"))], "Tool result missing in request", "/messages/1"],
    [
      "one of two results missing",
      [ask, assistant(use("a"), use("b")), user(resultOf("a"))],
      "Tool result missing in request",
      "/messages/1",
    ],
    [
      "tool results mixed with other content",
      [ask, assistant(use("a")), user(resultOf("a"), text("and"))],
      "Tool results mixed with other content",
      "/messages/2",
    ],
  ])("%s", async (_name, messages, message, pointer) => {
    const asked = samplingMessage({ params: { messages } });
    const response = await post(asked);
    expect((await errorOf(response.clone())).data?.["pointer"]).toMatch(new RegExp(`^${pointer}`));
    await expectError(response, asked.id, { status: 200, code: -32602, message });
  });
});

describe("what is known before the model is asked", () => {
  test.each<[string, () => Promise<Asked | void>, Expected]>([
    [
      "not associated: no session",
      async () => ({ meta: { "countersign/session": undefined } }),
      {
        status: 200,
        code: -32602,
        message: /^Sampling request is not associated with a client request: send /,
        data: { reason: "noSession" },
      },
    ],
    [
      "not associated: no originating request",
      async () => ({ meta: { "countersign/originatingRequest": undefined } }),
      {
        status: 200,
        code: -32602,
        message: /^Sampling request is not associated with a client request: send /,
        data: { reason: "noOriginatingRequest" },
      },
    ],
    [
      "not associated: the originating request has ended",
      async () => void (await gateway("/sessions/sess-1/requests/7?server=open", { method: "DELETE" })),
      {
        status: 200,
        code: -32602,
        message: "Sampling request is not associated with a client request",
        data: { reason: "originatingRequestEnded" },
      },
    ],
    [
      "not associated: the session has ended",
      async () => void (await gateway("/sessions/sess-1", { method: "DELETE" })),
      { status: 200, code: -32602, message: "Sampling request is not associated with a client request", data: { reason: "sessionEnded" } },
    ],
    [
      "the policy refuses",
      async () => ({ server: "refused" }),
      { status: 200, code: -1, message: "Sampling request refused by policy", data: { outcome: "refused" } },
    ],
    ["no model can serve it", async () => ({ params: { maxTokens: 50_000 } }), { status: 200, code: -32010, message: /No model/ }],
  ])("%s", async (_name, prepare, expected) => {
    const asked = samplingMessage((await prepare()) ?? {});
    await expectError(await post(asked), asked.id, expected);
    expect(model.calls).toHaveLength(0);
    expect(await notices()).toEqual([]);
  });

  test("-32010 says why each model fell out", async () => {
    const { data } = await errorOf(sample({ params: { maxTokens: 50_000 } }));
    expect(data).toEqual({
      models: [
        { model: "first", reason: expect.stringMatching(/./) },
        { model: "second", reason: expect.stringMatching(/./) },
      ],
    });
  });

  test("-32010 says nothing of addresses and secrets", async () => {
    await configure("routing", {
      providers: { locked: { kind: "openai", baseUrl: "https://secret-host.example.com/v1", secret: "SECRET_VARIABLE" } },
      models: routing.models.map((each) => ({ ...each, provider: "locked" })),
    });
    const error = await errorOf(sample());
    expect(error.code).toBe(-32010);
    expect(JSON.stringify(error)).not.toMatch(/secret-host|SECRET_VARIABLE/);
  });

  test("an unknown method", async () => {
    await expectError(await post({ jsonrpc: "2.0", id: 1, method: "tools/list" }), 1, { status: 200, code: -32601 });
    await expectError(await post({ jsonrpc: "2.0", id: 2, method: "toString", params: {} }), 2, { status: 200, code: -32601 });
  });
});

describe("once it has begun", () => {
  test("a person said no at the request gate: the reason is not told unless the policy lets it be", async () => {
    const answer = sample({ id: 1, server: "request-gate" });
    await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
    await expectError(await answer, 1, { status: 200, code: -1, message: "User rejected sampling request", data: { outcome: "rejected" } });
    expect(model.calls).toHaveLength(0);
  });

  test("where the policy lets it, the reason is told", async () => {
    const answer = sample({ id: 1, server: "reason-told" });
    await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
    await expectError(await answer, 1, { status: 200, code: -1, data: { outcome: "rejected", reason: reasonMarker } });
  });

  test("a person said no to the reply: nothing of it is told", async () => {
    const answer = sample({ id: 1, server: "response-gate" });
    await decide("response", "deny");
    const response = await answer;
    expect(await response.clone().text()).not.toContain(replyMarker);
    await expectError(response, 1, { status: 200, code: -1, message: "User rejected sampling request", data: { outcome: "rejected" } });
  });

  test("nobody decided in time", async () => {
    const answer = sample({ id: 1, server: "request-gate" });
    const { run } = await openNotice("request");
    travel(601_000);
    await ringNextAlarm(stubOf(run));
    await expectError(await answer, 1, { status: 200, code: -1, data: { outcome: "expired" } });
  });

  test("every candidate failed: what each attempt came to, without the provider's words", async () => {
    const free = "the provider's own words with sk-secret-of-provider";
    model.script({ status: 400, message: free }, { status: 400, message: free });
    const response = await sample({ id: 1 });
    const body = await response.clone().text();
    expect(body).not.toMatch(/sk-secret|own words|model\.example\.com/);
    await expectError(response, 1, { status: 200, code: -32011 });
    const { data } = await errorOf(Promise.resolve(new Response(body)));
    expect(data?.["attempts"]).toEqual([
      { model: "first", provider: "scripted", durationMs: expect.any(Number), fault: expect.any(String), status: 400 },
    ]);
  });

  test("every candidate failed on the durable path: the same error", async () => {
    model.script({ status: 401, message: "no" });
    const answer = sample({ id: 1, server: "request-gate" });
    await decide("request", "approve");
    const error = await errorOf(answer);
    expect(error).toMatchObject({ code: -32011, data: { attempts: [{ model: "first", provider: "scripted", status: 401 }] } });
  });

  test("failover: the next candidate answers where the first one is down, and the answer says which", async () => {
    model.script({ status: 503, message: "down" }, { status: 503, message: "down" }, { status: 503, message: "down" });
    const { result } = await answerOf(sample());
    expect(result).toMatchObject({ model: "vendor/second", _meta: { "countersign/run": { model: { id: "second" } } } });
  });

  test("cancelled while a person is awaited", async () => {
    const answer = sample({ id: 1, server: "request-gate" });
    const { run } = await openNotice("request");
    await gateway(`/runs/${run}`, { method: "DELETE" });
    await expectError(await answer, 1, { status: 200, code: -32800, data: { outcome: "cancelled" } });
  });
});

describe("a fault of ours", () => {
  test("is -32603 with an id to quote and nothing else, with status 500", async () => {
    const broken = await gatewayWith({ LINK_KEY: "short" }, "/sampling", jsonBody("POST", samplingMessage()));
    const answer = await answerOf(broken);
    expect(broken.status).toBe(500);
    expect(answer).toEqual({
      jsonrpc: "2.0",
      error: { code: -32603, message: expect.stringContaining("Internal error"), data: { quote: expect.any(String) } },
    });
    expect(JSON.stringify(answer)).not.toMatch(/LINK_KEY|short/);
  });
});

describe("a flood of wrong keys from one address", () => {
  const endpoints: [string, (headers: Record<string, string>) => Promise<Response>][] = [
    ["POST /sampling", (headers) => post({}, { key: "csk_wrong", headers })],
    ["GET /runs/{id}", (headers) => gateway("/runs/run_none", { key: "csk_wrong", headers })],
  ];
  test.each(endpoints)("is answered with 429 and Retry-After at %s", async (endpoint, ask) => {
    const from = { "CF-Connecting-IP": `203.0.113.${endpoint.length}` };
    const response = await eventually("429", async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => ask(from)));
      return answers.find(({ status }) => status === 429);
    });
    await expectError(response, undefined, { status: 429, code: -32013, headers: { "Retry-After": "60" } });
  });
});

test("a policy that names nobody who could decide cannot be written", async () => {
  await expect(configure("policy", { ...policy, default: { ...policy.default, reviewers: [] } })).rejects.toThrow("400");
});
