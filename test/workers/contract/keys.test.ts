// API keys: made once, listed without themselves, limited to servers and models, expired and
// revoked.

import { describe, expect, test, vi } from "vitest";
import { KeyObject } from "../../../workers/objects/key/key-object.ts";
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
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  notices,
  policy,
  rpc,
  sample,
  samplingMessage,
  travel,
} from "../support/gateway.ts";
import { control, textEnvelope } from "../support/control.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import { publishedCopy } from "../../../shared/published.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { neverLogged } from "../support/logs.ts";
import { press } from "../support/reviewer.ts";

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
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: "2126-01-01T00:00:00.000Z",
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^csk_/),
      scopes: ["sampling", "control", "v1"],
      limits: { concurrent: 3, requestsPerMinute: 60 },
    });
    const listed = await (await admin("/keys")).text();
    expect(JSON.parse(listed)).toMatchObject({
      keys: [{ id: made.id, name: "ci", expiresAt: "2126-01-01T00:00:00.000Z", revokedAt: null }],
    });
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

  test("that is revoked is refused at once, at every endpoint", async () => {
    const { id, key } = await createKey();
    expect((await sample({}, { key })).status).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    // Where the gateway's own copy says so, the key's object is not even asked.
    const asked = [vi.spyOn(KeyObject.prototype, "admit"), vi.spyOn(KeyObject.prototype, "count")];
    const response = await sample({}, { key });
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toMatchObject({ code: -32014, message: expect.stringContaining("revoked") });
    expect((await gateway("/sessions/sess-1", { method: "DELETE", key })).status).toBe(401);
    expect((await rpc("tasks/get", { taskId: "x" }, { key })).status).toBe(401);
    for (const each of asked) expect(each).not.toHaveBeenCalled();
    expect((await adminJson<{ keys: { revokedAt: string | null }[] }>("/keys")).keys[0]?.revokedAt).toMatch(/Z$/);
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

  test("whose entry in KV is damaged counts as it was made, health says so, and its entry is written again", async () => {
    const { key } = await createKey({ scopes: ["control"] });
    const name = `key:${sha256Hex(key)}`;
    const good = (await env.CONFIG.get(name)) ?? "";
    for (const damaged of ["{damaged", good.replace('"control"', '"sampling","control"'), good.slice(good.indexOf("\n") + 1)]) {
      await env.CONFIG.put(name, damaged);
      // As another isolate reads it.
      travel(61_000);
      expect((await sample({}, { key })).status).toBe(403);
      expect((await (await gateway("/healthz", { key: null })).json<{ problems: string[] }>()).problems.join()).toContain(
        "API key's record",
      );
      await eventually("the entry as it was", async () => (await env.CONFIG.get(name)) === good);
    }
    travel(121_000);
    expect(await (await gateway("/healthz", { key: null })).json()).toEqual({ status: "ok", problems: [] });
  });

  test("that nobody made is unknown, whatever is written into KV under its digest", async () => {
    const { key } = await createKey();
    const good = (await env.CONFIG.get(`key:${sha256Hex(key)}`)) ?? "";
    const record = { id: "key_0", name: "mine", createdAt: 0 };
    const forged = publishedCopy([signingKey("another gateway's key, long enough")], `key:${sha256Hex("mine")}`, {
      version: 1,
      text: JSON.stringify({ record, revokedAt: null }),
    });
    for (const [presented, entry] of [
      ["mine-by-hand", JSON.stringify({ record, revokedAt: null })],
      ["mine-copied", good],
      ["mine", forged],
    ] as const) {
      await env.CONFIG.put(`key:${sha256Hex(presented)}`, entry);
      expect([presented, (await sample({}, { key: presented })).status]).toEqual([presented, 401]);
    }
    expect(model.calls).toEqual([]);
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

describe("where a rule bars people from approving their own requests", () => {
  const ada = { name: "Ada", email: "ada@example.org" };
  const reviewers = { everyone: [ada, { name: "Grace" }, { name: "#room", slack: "C0123456789" }] };
  const people = ["Ada", "Grace"];
  /** The default bars own requests, and so does a rule for the keys that are named so. */
  const barring = {
    ...policy,
    rules: [{ name: "ours", when: { key: "ours-*" }, then: { reviewers: people } }, ...policy.rules],
    default: { ...policy.default, reviewers: people, selfApproval: false },
    reviewers,
  };
  const lax = { ...barring, default: { ...barring.default, selfApproval: true } };

  async function bar(document: object = barring): Promise<void> {
    const { version } = await adminJson<{ version: number }>("/policy");
    const written = await admin("/policy?cutOffKeys=yes", jsonBody("PUT", document, { "If-Match": String(version) }));
    expect(written.status).toBe(200);
  }

  const strangers: [string, string | undefined][] = [
    ["nobody", undefined],
    ["somebody else", "Mallory"],
    ["a reviewer's full name", "Ada Lovelace"],
    ["an email address that no reviewer has", "ada@example.com"],
    ["letters that only look like a reviewer's", "\u0410d\u0430"],
    ["a character that is not seen", "A\u200bda"],
    ["a group", "everyone"],
    ["a Slack channel", "#room"],
  ];

  test("a key of nobody whom the policy knows is not made there, and the answer says what to do", async () => {
    await bar();
    for (const [how, owner] of strangers) {
      const made = await admin("/keys", jsonBody("POST", { name: "ci", owner }));
      expect([how, made.status, await made.text()]).toEqual([
        how,
        409,
        expect.stringMatching(/the default .*selfApproval.*name or email/s),
      ]);
    }
    expect((await adminJson<{ keys: unknown[] }>("/keys")).keys).toEqual([]);
    // No such rule applies to these.
    for (const other of [{ name: "ci", servers: ["open"] }, { name: "ours-1" }])
      expect((await admin("/keys", jsonBody("POST", other))).status).toBe(201);
  });

  test("a key of nobody whom the policy knows, made before, asks nobody, by any way in", async () => {
    await configure("policy", lax);
    const keys: [string, string][] = [];
    for (const [how, owner] of strangers) keys.push([how, (await createKey(owner === undefined ? {} : { owner })).key]);
    await bar();
    const refused = { code: -1, message: expect.stringContaining("owner") as unknown, data: { outcome: "refused", reason: "keyOwner" } };
    for (const [how, key] of keys) {
      expect([how, await errorOf(sample({ server: "notes" }, { key }))]).toEqual([how, refused]);
      expect(await errorOf(sample({ server: "notes" }, { key, headers: { Prefer: "respond-async" } }))).toEqual(refused);
      expect(await errorOf(sample({ server: "notes", params: { task: {} } }, { key }))).toEqual(refused);
      expect([how, (await control(textEnvelope(), { key })).status]).toEqual([how, 403]);
      // Where nobody is asked there is nothing to bar.
      expect(await answerOf(sample({ server: "open" }, { key }))).toHaveProperty("result");
    }
    expect(model.calls).toHaveLength(keys.length);
    expect(await notices()).toEqual([]);
  });

  test("an owner by a reviewer's name or email, however it is written, is that reviewer, who may not approve", async () => {
    await bar();
    for (const owner of ["ada", " ADA ", "\uff21\uff24\uff21", "ada@example.org", "Ada@Example.ORG"]) {
      const { key } = await createKey({ owner });
      const accepted = await sample({ server: "notes" }, { key, headers: { Prefer: "respond-async" } });
      const run = (accepted.headers.get("Location") ?? "").slice("/runs/".length);
      const linkOf = (name: string): Promise<string> =>
        eventually(`${name}'s notice`, async () => (await notices()).find((each) => each.run === run && each.reviewer === name)?.link);
      expect([owner, (await press(await linkOf("Ada"), "approve")).status]).toEqual([owner, 403]);
      expect((await press(await linkOf("Grace"), "approve")).status).toBe(303);
    }
  });

  test("a policy that cuts keys off is refused with their names, unless it is meant; health goes on naming them", async () => {
    await configure("policy", lax);
    const { id } = await createKey({ name: "nobody's" });
    const fine = await createKey({ name: "hers", owner: "Ada" });
    const over = await createKey({ name: "over" });
    await revoke(over.id);
    const { version } = await adminJson<{ version: number }>("/policy");
    const put = (query = ""): Promise<Response> => admin(`/policy${query}`, jsonBody("PUT", barring, { "If-Match": String(version) }));
    const refused = await put();
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: expect.stringContaining("?cutOffKeys=yes") as unknown, keys: [{ id, name: "nobody's", owner: null, rule: "default" }] },
    ]);
    expect((await adminJson<{ version: number }>("/policy")).version).toBe(version);
    expect((await put("?cutOffKeys=yes")).status).toBe(200);
    const health = async (): Promise<string> => (await gateway("/healthz", { key: null })).text();
    expect(await health()).toContain(id);
    expect(await health()).not.toContain(fine.id);
    // What was cut off before is no reason to refuse the next version.
    await configure("policy", { ...barring, imageHosts: ["images.example.org"] });
    await revoke(id);
    travel(60_000);
    expect(await health()).not.toContain(id);
  });
});

test("a key for the control endpoint alone opens no other, and sees its own runs", async () => {
  const { key } = await createKey({ scopes: ["control"] });
  await configure("servers", { servers: { notes: { url: "https://notes.example.com/mcp" } } });
  const endpoints: [string, RequestInit][] = [
    ["/sampling", jsonBody("POST", samplingMessage())],
    ["/sessions/sess-1", { method: "DELETE" }],
    ["/sessions/sess-1/requests/7?server=open", { method: "DELETE" }],
    ["/mcp/notes", jsonBody("POST", { jsonrpc: "2.0", id: 1, method: "ping" })],
  ];
  for (const [path, init] of endpoints) {
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

test.each(["/admin/keys", "/admin/record", "/admin/nothing", "/runs/run_x"])(
  "what %s answers, also to nobody in particular, is stored by nothing on its way and read as what it is",
  async (path) => {
    for (const key of [adminToken, null]) {
      const { headers } = await gateway(path, { key });
      expect([headers.get("Cache-Control"), headers.get("X-Content-Type-Options")]).toEqual(["no-store", "nosniff"]);
    }
  },
);
