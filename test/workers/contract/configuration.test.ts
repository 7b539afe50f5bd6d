// Configuration over HTTP: versions, 412, restore; and a malformed document that takes nothing
// down.

import { describe, expect, test, vi } from "vitest";
import { publishedCopy } from "../../../shared/published.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { configStub } from "../../../workers/stubs/stubs.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import {
  admin,
  adminJson,
  answerOf,
  configure,
  env,
  errorOf,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  policy,
  routing,
  sample,
  samplingMessage,
  travel,
  writer,
} from "../support/gateway.ts";
import { textEnvelope } from "../support/control.ts";
import { chatOf, inputOf } from "../support/v1.ts";

type Stored = { readonly version: number } & Record<string, unknown>;

const documents = { policy, routing };

const health = async (): Promise<{ status: string; problems: string[] }> => (await gateway("/healthz", { key: null })).json();

const put = (name: string, document: unknown, ifMatch?: string): Promise<Response> =>
  admin(`/${name}`, jsonBody("PUT", document, ifMatch === undefined ? {} : { "If-Match": ifMatch }));

describe.each(["policy", "routing"] as const)("%s", (name) => {
  test("is read with its version, and replaced whole by who names that version", async () => {
    const read = await admin(`/${name}`);
    const current = await read.json<Stored>();
    expect(read.headers.get("ETag")).toBe(`"${current.version}"`);
    for (const [index, form] of [String(current.version), `"${current.version + 1}"`, `W/"${current.version + 2}"`].entries()) {
      const written = await put(name, documents[name], form);
      expect([written.status, written.headers.get("ETag")]).toEqual([200, `"${current.version + 1 + index}"`]);
    }
    expect((await adminJson<Stored>(`/${name}`)).version).toBe(current.version + 3);
  });

  test("whoever was slower gets 412 with the current document, and changes nothing", async () => {
    const { version } = await adminJson<Stored>(`/${name}`);
    await configure(name, documents[name]);
    const late = await put(name, documents[name], String(version));
    expect(late.status).toBe(412);
    const { error, current } = await late.json<{ error: string; current: Stored }>();
    expect(error).toMatch(/Version conflict: the current version is/);
    expect(current).toEqual(await adminJson(`/${name}`));
    expect(current.version).toBe(version + 1);
  });

  test("of ten at once with one version, one is written", async () => {
    const { version } = await adminJson<Stored>(`/${name}`);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => put(name, documents[name], String(version))))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(9);
  });

  test.each([undefined, "", "*", "abc", "-1", "1.5", '"1", "2"'])(
    "without a version (If-Match: %s) nothing is written: 428",
    async (form) => {
      const before = await adminJson<Stored>(`/${name}`);
      expect((await put(name, documents[name], form)).status).toBe(428);
      expect(await adminJson(`/${name}`)).toEqual(before);
    },
  );

  test.each<[string, string]>([
    ["not JSON", "{"],
    ["null", "null"],
    ["a list", "[]"],
    ["an unknown member", '{"surprise":1}'],
    ["nesting without end", `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
  ])("refuses %s with 400, says why, and serves on", async (_what, body) => {
    const before = await adminJson<Stored>(`/${name}`);
    const response = await admin(`/${name}`, { method: "PUT", body, headers: { "If-Match": String(before.version) } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/./) });
    expect(await adminJson(`/${name}`)).toEqual(before);
    expect(await answerOf(sample())).toHaveProperty("result");
  });

  test("over a megabyte is 413", async () => {
    const response = await admin(`/${name}`, { method: "PUT", body: " ".repeat(1_000_001), headers: { "If-Match": "1" } });
    expect(response.status).toBe(413);
  });

  test("keeps its last twenty versions, which can be read and restored as the newest", async () => {
    for (let i = 0; i < 21; i += 1) await configure(name, documents[name]);
    const { versions } = await adminJson<{ versions: { version: number; at: string }[] }>(`/${name}/versions`);
    expect(versions).toHaveLength(20);
    const newest = versions[0]?.version ?? 0;
    expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, i) => newest - i));
    expect((await admin(`/${name}/versions/${newest - 20}`)).status).toBe(404);
    const old = await adminJson<Stored>(`/${name}/versions/${newest - 19}`);
    const restored = await admin(`/${name}/versions/${newest - 19}/restore`, { method: "POST" });
    expect(restored.status).toBe(200);
    expect(await adminJson(`/${name}`)).toEqual({ ...old, version: newest + 1 });
    const late = await admin(`/${name}/versions/${newest}/restore`, { method: "POST", headers: { "If-Match": String(newest) } });
    expect(late.status).toBe(412);
    // Somebody who names a version means it, however they wrote it.
    const unread = await admin(`/${name}/versions/${newest}/restore`, { method: "POST", headers: { "If-Match": `v${newest}` } });
    expect(unread.status).toBe(400);
    expect(await adminJson(`/${name}`)).toEqual({ ...old, version: newest + 1 });
  });

  test.each(["999", "00", "abc", "-1", "1e999", "%20"])("has no version %s", async (version) => {
    expect((await admin(`/${name}/versions/${version}`)).status).toBe(404);
    expect((await admin(`/${name}/versions/${version}/restore`, { method: "POST" })).status).toBe(404);
  });

  test("says who wrote each version, and which one was restored", async () => {
    await configure(name, documents[name]);
    const { version } = await adminJson<Stored>(`/${name}`);
    await admin(`/${name}/versions/${version}/restore`, { method: "POST" });
    const { versions } = await adminJson<{ versions: { version: number }[] }>(`/${name}/versions`);
    expect(versions.slice(0, 2)).toEqual([
      { version: version + 1, at: expect.any(String), by: { kind: "adminToken", fingerprint: expect.any(String) }, restored: version },
      { version, at: expect.any(String), by: { kind: "adminToken", fingerprint: expect.any(String) }, restored: null },
    ]);
  });

  test("has the built-in document as version 0, which can be restored", async () => {
    const standard = await adminJson<Stored>(`/${name}/versions/0`);
    expect(standard.version).toBe(0);
    const { version } = await adminJson<Stored>(`/${name}`);
    expect((await admin(`/${name}/versions/0/restore`, { method: "POST" })).status).toBe(200);
    expect(await adminJson(`/${name}`)).toEqual({ ...standard, version: version + 1 });
    await configure(name, documents[name]);
  });

  test("is checked without being written", async () => {
    const before = await adminJson<Stored>(`/${name}`);
    expect(await adminJson(`/${name}/check`, jsonBody("POST", documents[name]))).toMatchObject({ valid: true, details: [] });
    expect(await adminJson(`/${name}/check`, jsonBody("POST", { ...documents[name], surprise: 1 }))).toMatchObject({
      valid: false,
      details: [{ pointer: "/surprise", message: "is not a known member" }],
    });
    expect((await admin(`/${name}/check`, { method: "POST", body: "{" })).status).toBe(400);
    expect(await adminJson(`/${name}`)).toEqual(before);
  });

  test("publishes its schema", async () => {
    expect(await adminJson(`/${name}/schema`)).toMatchObject({ type: "object", properties: expect.any(Object) });
  });

  test("that KV cannot give: the last good one serves, and health says so", async () => {
    vi.spyOn(env.CONFIG, "get").mockRejectedValue(new Error("KV is away"));
    travel(31_000);
    await eventually("the problem", async () => (await health()).problems.join().includes("could not be read"));
    expect(await answerOf(sample())).toHaveProperty("result");
  });

  test("that could not be read, and can be again: health is well again", async () => {
    vi.spyOn(env.CONFIG, "get").mockRejectedValueOnce(new Error("KV is away"));
    travel(31_000);
    await eventually("the problem", async () => (await health()).status === "degraded");
    travel(31_000);
    await eventually("the end of the problem", async () => (await health()).status === "ok");
  });

  const copyOf = async (of: string): Promise<string> => (await env.CONFIG.get(of)) ?? "";
  const opened = { ...policy, version: 99, rules: [], default: { ...policy.default, request: "allow", response: "allow" } };
  const anotherKey = [signingKey("another gateway's key, long enough")] as const;
  /**
   * What somebody makes of the copy in KV who may write there and has everything that was ever
   * published.
   */
  const tampering: [string, (good: string) => Promise<string | null>][] = [
    ["missing", async () => null],
    ["no document", async () => "{malformed"],
    ["empty", async () => ""],
    ["written by hand", async () => JSON.stringify(name === "policy" ? opened : { ...routing, version: 99, models: [] })],
    ["changed under its MAC", async (good) => good.replace('"version":', '"version": ')],
    [
      "another gateway's",
      async () => publishedCopy(anotherKey, name, { version: 1, text: JSON.stringify({ ...documents[name], version: 1 }) }),
    ],
    ["the copy of another document", async () => copyOf(name === "policy" ? "routing" : "policy")],
    [
      "an older version",
      async (good) => {
        await configure(name, documents[name]);
        travel(121_000);
        return good;
      },
    ],
    [
      "a later version than was written",
      async () => publishedCopy(settingsOf(env).keys, name, { version: 99, text: JSON.stringify({ ...documents[name], version: 99 }) }),
    ],
  ];

  test.each(tampering)("that is %s in KV is not used, health says so, and it is published again", async (_what, tamper) => {
    travel(121_000);
    const bad = await tamper(await copyOf(name));
    const good = await copyOf(name);
    if (bad === null) await env.CONFIG.delete(name);
    else await env.CONFIG.put(name, bad);
    travel(31_000);
    const seen = await eventually("the problem", async () => {
      const state = await health();
      return state.status === "degraded" ? state : null;
    });
    expect(seen.problems).toEqual([expect.stringContaining(`PUT /admin/${name}`)]);
    expect(await answerOf(sample())).toHaveProperty("result");
    expect(await errorOf(sample({ server: "refused" }))).toMatchObject({ code: -1 });
    expect(model.calls).toHaveLength(1);
    await eventually("the copy as it was", async () => (await copyOf(name)) === good);
    travel(31_000);
    await eventually("the end of the problem", async () => (await health()).status === "ok");
  });
});

test("a written document serves the very next request", async () => {
  await configure("policy", { ...policy, rules: [], default: { ...policy.default, request: "refuse" } });
  expect((await answerOf(sample())).error?.data).toEqual({ outcome: "refused" });
});

test("a document that another place wrote serves within a minute, also where KV does not show it yet", async () => {
  const refusing = { ...policy, rules: [], default: { ...policy.default, request: "refuse" } };
  const elsewhere = async (document: object): Promise<void> => {
    const { version } = (await configStub(env).current("policy")) ?? { version: 0 };
    await configStub(env).write("policy", version, JSON.stringify(document), writer);
  };
  const before = (await env.CONFIG.get("policy")) ?? "";
  await elsewhere(refusing);
  expect(await answerOf(sample())).toHaveProperty("result");
  travel(61_000);
  await eventually("the new policy", async () => (await answerOf(sample())).error?.code === -1);
  await elsewhere(policy);
  await env.CONFIG.put("policy", before);
  travel(61_000);
  await eventually("the newest policy", async () => (await answerOf(sample())).result !== undefined);
  expect((await health()).problems).toEqual([]);
});

test("while the ConfigObject does not answer the last good documents serve; an isolate that never had any refuses", async () => {
  const asked: string[] = [];
  const away = {
    getByName: () =>
      new Proxy({}, { get: (_, method) => () => Promise.reject(new Error(`${String(asked.push(String(method)))}: the object is away`)) }),
  } as unknown as typeof env.CONFIGURATION; // what an object looks like that cannot be reached
  const request = (): RequestInit => jsonBody("POST", samplingMessage());
  // An isolate with a KV of its own begins; then it finds the object gone.
  const here = { CONFIG: new Proxy(env.CONFIG, { get: (real, method) => Reflect.get(real, method).bind(real) as unknown }) };
  expect(await answerOf(gatewayWith(here, "/sampling", request()))).toHaveProperty("result");
  travel(61_000);
  for (let i = 0; i < 2; i += 1)
    expect(await answerOf(gatewayWith({ ...here, CONFIGURATION: away }, "/sampling", request()))).toHaveProperty("result");
  const degraded = await eventually("what health says", async () => {
    const state = await (await gatewayWith({ ...here, CONFIGURATION: away }, "/healthz")).json<{ problems: string[] }>();
    return state.problems.length > 0 ? state : null;
  });
  expect(degraded.problems.join()).toContain("ConfigObject did not say");
  // A genuine copy in KV is enough to begin with, and nothing else is.
  for (const [shown, served] of [
    ["genuine", true],
    ["damaged", false],
    ["missing", false],
  ] as const) {
    const get = async (name: string): Promise<string | null> =>
      shown === "genuine" ? env.CONFIG.get(name) : shown === "damaged" ? "{}" : null;
    const cold = { CONFIG: { get } as unknown as typeof env.CONFIG, CONFIGURATION: away };
    const calls = model.calls.length;
    const response = await gatewayWith(cold, "/sampling", request());
    const answer = await answerOf(response);
    if (served) expect([shown, answer]).toEqual([shown, expect.objectContaining({ result: expect.anything() })]);
    else {
      expect([shown, response.status, response.headers.get("Retry-After"), answer.error?.code]).toEqual([shown, 503, "5", -32017]);
      for (const [path, body] of [
        ["/control", textEnvelope()],
        ["/v1/chat/completions", chatOf("What is it?")],
        ["/v1/responses", inputOf("What is it?")],
      ] as const) {
        const other = await gatewayWith(cold, path, jsonBody("POST", body));
        expect([path, shown, other.status, other.headers.get("Retry-After")]).toEqual([path, shown, 503, "5"]);
        expect((await other.json<{ error: { message: string } }>()).error.message).toContain("cannot read its configuration");
      }
      expect(model.calls).toHaveLength(calls);
      const state = await gatewayWith(cold, "/healthz");
      expect([state.status, (await state.json<{ status: string }>()).status]).toEqual([503, "down"]);
    }
  }
});

test("nothing else is a document", async () => {
  // These are paths of keys, which take DELETE.
  for (const path of ["/keys/versions", "/keys/schema"]) expect((await admin(path)).status).toBe(405);
  for (const name of ["secrets", "__proto__", "constructor"]) {
    expect((await admin(`/${name}/versions`)).status).toBe(404);
    expect((await admin(`/${name}/schema`)).status).toBe(404);
  }
});

test("POST /admin/routing/explain says what would be chosen and why, and calls nobody", async () => {
  const explained = await (await admin("/routing/explain", jsonBody("POST", { preferences: { hints: [{ name: "second" }] } }))).json();
  expect(JSON.stringify(explained)).toMatch(/second/);
  expect((await admin("/routing/explain", jsonBody("POST", { preferences: { costPriority: 2 } }))).status).toBe(400);
  expect((await admin("/routing/explain", jsonBody("POST", { surprise: 1 }))).status).toBe(400);
  expect(model.calls).toHaveLength(0);
  expect(routing.models).toHaveLength(2);
});

test("holidays that people enter push out no version that an operator wrote", async () => {
  await configure("policy", policy);
  const { version: first } = await adminJson<Stored>("/policy");
  const writer = { by: { kind: "inbox", email: "ada@example.com" }, restored: null } as const;
  for (let i = 0; i < 21; i += 1) await configStub(env).write("policy", first + i, JSON.stringify(policy), writer);
  const { versions } = await adminJson<{ versions: { version: number }[] }>("/policy/versions");
  const newest = first + 21;
  const since = versions.map(({ version }) => version).filter((version) => version >= first);
  expect(since).toEqual([...Array.from({ length: 20 }, (_, i) => newest - i), first]);
  expect((await adminJson<Stored>("/policy")).version).toBe(newest);
});
