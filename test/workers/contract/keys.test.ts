// API keys: made once, listed without themselves, limited to servers and models, expired and revoked.

import { describe, expect, test } from "vitest";
import {
  admin,
  adminJson,
  adminToken,
  answerOf,
  configure,
  createKey,
  devKey,
  env,
  errorOf,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  rpc,
  sample,
  samplingMessage,
  travel,
} from "../support/gateway.ts";
import { neverLogged } from "../support/logs.ts";

const revoke = (id: string): Promise<Response> => admin(`/keys/${id}`, { method: "DELETE" });

describe("POST /admin/keys", () => {
  test("answers 201 with the key, this once", async () => {
    const asked = {
      name: "ci",
      owner: "Ada",
      servers: ["open"],
      models: ["first"],
      limits: { concurrent: 3 },
      expiresAt: "2126-01-01T00:00:00Z",
    };
    const response = await admin("/keys", jsonBody("POST", asked));
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([201, "no-store"]);
    const made = await response.json<{ id: string; key: string }>();
    neverLogged(made.key);
    expect(made).toMatchObject({
      ...asked,
      expiresAt: Date.parse(asked.expiresAt),
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^csk_/),
      scopes: ["sampling", "control"],
      limits: { concurrent: 3, requestsPerMinute: 60 },
    });
    const listed = await (await admin("/keys")).text();
    expect(JSON.parse(listed)).toMatchObject({ keys: [{ id: made.id, name: "ci", revokedAt: null }] });
    expect(listed).not.toContain(made.key);
  });

  test("keeps only the key's SHA-256", async () => {
    const { key } = await createKey();
    const stored = await env.CONFIG.list();
    for (const { name } of stored.keys) {
      expect(name).not.toContain(key);
      expect(await env.CONFIG.get(name)).not.toContain(key);
    }
    const digest = [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)))]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    expect(stored.keys.map(({ name }) => name)).toContain(`key:${digest}`);
  });

  test.each<[string, unknown]>([
    ["no name", {}],
    ["an unknown member", { name: "a", admin: true }],
    ["an unknown scope", { name: "a", scopes: ["root"] }],
    ["no scope at all", { name: "a", scopes: [] }],
    ["a limit of nothing", { name: "a", limits: { concurrent: 0 } }],
    ["a time that is none", { name: "a", expiresAt: "tomorrow" }],
    ["a list", []],
    ["null", null],
  ])("refuses %s with 400 and where it is wrong", async (_name, body) => {
    const response = await admin("/keys", jsonBody("POST", body));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.any(String) });
    expect((await adminJson<{ keys: unknown[] }>("/keys")).keys).toEqual([]);
  });

  test.each(["{", "", "\u0000"])("refuses a body that is not JSON (%j) with 400", async (body) => {
    const response = await admin("/keys", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty("error");
  });

  test("is for the operator only", async () => {
    for (const key of [null, devKey, "csk_wrong", `${adminToken}x`, adminToken.slice(1)])
      expect((await gateway("/admin/keys", { ...jsonBody("POST", { name: "mine" }), key })).status).toBe(401);
  });
});

describe("a key", () => {
  test("that expires is refused from that moment on", async () => {
    const { key } = await createKey({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
    expect((await sample({}, { key })).status).toBe(200);
    travel(60_000);
    const response = await sample({}, { key });
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toMatchObject({ code: -32014, message: expect.stringContaining("expired") });
  });

  test("that is revoked is refused at once, at every door", async () => {
    const { id, key } = await createKey();
    expect((await sample({}, { key })).status).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    const response = await sample({}, { key });
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toMatchObject({ code: -32014, message: expect.stringContaining("revoked") });
    expect((await gateway("/sessions/sess-1", { method: "DELETE", key })).status).toBe(401);
    expect((await rpc("tasks/get", { taskId: "x" }, { key })).status).toBe(401);
    expect((await adminJson<{ keys: { revokedAt: number | null }[] }>("/keys")).keys[0]?.revokedAt).toEqual(expect.any(Number));
    expect((await revoke(id)).status).toBe(204);
  });

  test("that is revoked where this isolate and KV still show it is refused by the object that admits it", async () => {
    const { id, key } = await createKey();
    expect((await sample({}, { key })).status).toBe(200);
    const published = (await env.CONFIG.list({ prefix: "key:" })).keys.map(({ name }) => name);
    const before = await Promise.all(published.map((name) => env.CONFIG.get(name)));
    await revoke(id);
    // As another place on earth sees it for the next minute.
    for (const [index, name] of published.entries()) await env.CONFIG.put(name, before[index] ?? "");
    const response = await sample({}, { key });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).code).toBe(-32014);
    expect(model.calls).toHaveLength(1);
  });

  test("that KV does not show yet is let in", async () => {
    const { key } = await createKey();
    for (const { name } of (await env.CONFIG.list({ prefix: "key:" })).keys) await env.CONFIG.delete(name);
    expect((await sample({}, { key })).status).toBe(200);
  });

  test("whose entry in KV is damaged is unknown, and breaks nothing", async () => {
    const { key } = await createKey();
    for (const { name } of (await env.CONFIG.list({ prefix: "key:" })).keys) await env.CONFIG.put(name, "{damaged");
    expect((await sample({}, { key })).status).toBe(401);
  });

  test("reaches the servers it is for and no others", async () => {
    const { key } = await createKey({ servers: ["open"] });
    expect(await answerOf(sample({ server: "open" }, { key }))).toHaveProperty("result");
    expect(await errorOf(sample({ server: "open-too" }, { key }))).toMatchObject({ code: -1, data: { outcome: "refused" } });
  });

  test("reaches the models it is for and no others, whatever the hints say", async () => {
    const { key } = await createKey({ models: ["second"] });
    const { result } = await answerOf(sample({ params: { modelPreferences: { hints: [{ name: "first" }] } } }, { key }));
    expect(result).toMatchObject({ model: "vendor/second" });
    const none = await createKey({ models: ["none"] });
    expect(await errorOf(sample({}, { key: none.key }))).toMatchObject({ code: -32010 });
  });
});

test("a key for the control door alone opens no other, and sees its own runs", async () => {
  const { key } = await createKey({ scopes: ["control"] });
  await configure("servers", { servers: { notes: { url: "https://notes.example.com/mcp" } } });
  const doors: [string, RequestInit][] = [
    ["/sampling", jsonBody("POST", samplingMessage())],
    ["/sessions/sess-1", { method: "DELETE" }],
    ["/sessions/sess-1/requests/7?server=open", { method: "DELETE" }],
    ["/mcp/notes", jsonBody("POST", { jsonrpc: "2.0", id: 1, method: "ping" })],
  ];
  for (const [path, init] of doors) {
    const response = await gateway(path, { ...init, key });
    expect([path, response.status, response.headers.get("WWW-Authenticate")]).toEqual([path, 403, null]);
    expect(await errorOf(response)).toMatchObject({
      code: -32014,
      message: expect.stringContaining('"sampling"'),
      data: { scope: "sampling" },
    });
  }
  expect(model.calls).toEqual([]);
  expect((await gateway("/runs/run_x", { key })).status).toBe(404);
});

test("a key from the time when there was one scope opens what it opened then", async () => {
  const { key } = await createKey({ scopes: ["sampling"] });
  expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
});

test("revoking a key that never was is 404", async () => {
  expect((await revoke("key_0000000000000000")).status).toBe(404);
});

test("the development key counts only where PUBLIC_URL is a loopback address", async () => {
  for (const [url, status] of [
    ["https://countersign.example.com", 401],
    ["http://localhost.example.com", 401],
    ["", 401],
    ["http://127.0.0.1:9", 200],
  ] as const)
    expect([url, (await gatewayWith({ PUBLIC_URL: url }, "/sampling", jsonBody("POST", samplingMessage()))).status]).toEqual([url, status]);
});

test("without an admin token, or with a short one, nobody is an operator, and the answer says what to set", async () => {
  for (const token of ["", "short"]) {
    const response = await gatewayWith({ ADMIN_TOKEN: token }, "/admin/keys", { key: token === "" ? null : token });
    expect(response.status).toBe(401);
    expect(JSON.stringify(await response.json())).toContain("wrangler secret put ADMIN_TOKEN");
  }
});
