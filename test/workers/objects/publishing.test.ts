// Configuration is committed first and published afterwards, whatever happens in between.

import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { publishedCopy, publishingMark, readPublished } from "../../../shared/published.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import { type SigningKeys, signingKey } from "../../../shared/sealed-id.ts";
import { type ConfigObject } from "../../../workers/objects/config-object.ts";
import { configStub } from "../../../workers/stubs/stubs.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { createKey, env, eventually, gatewayWith, writer, operator } from "../support/gateway.ts";
import { asObject, crash, later, ringAlarm, tablesOf } from "./inside.ts";

type Put = (key: string, value: string) => Promise<void>;

/** Puts a stand-in before KV's `put` in the object's own environment: where its world begins. */
const throughKv = (put: (real: Put) => Put): Promise<void> =>
  runInDurableObject(configStub(env), (instance) => {
    const inside = instance as unknown as { env: typeof env }; // a test's reach into the object
    const real = inside.env.CONFIG;
    inside.env = {
      ...inside.env,
      CONFIG: new Proxy(real, { get: (_, name) => (name === "put" ? put((key, value) => real.put(key, value)) : Reflect.get(real, name)) }),
    };
  });

const published = async (name: string): Promise<unknown> => {
  const copy = readPublished(settingsOf(env).keys, name, (await env.CONFIG.get(name)) ?? "");
  return copy === undefined ? null : (JSON.parse(copy.text) as unknown);
};
const stub = (): DurableObjectStub<ConfigObject> => asObject(configStub(env));

test("a crash between commit and publishing: the alarm publishes", async () => {
  await throughKv(() => () => new Promise<void>(() => {}));
  void stub()
    .write("servers", 0, JSON.stringify({ marker: "one" }), writer)
    .catch(() => "cut off");
  await eventually("the commit", async () => (await tablesOf(stub() as unknown as DurableObjectStub))["unpublished"]?.length === 1);
  await crash();
  expect(await published("servers")).toBeNull();
  expect(await eventually("the published copy", async () => (await published("servers")) as object | null)).toEqual({
    marker: "one",
    version: 1,
  });
  expect((await tablesOf(stub() as unknown as DurableObjectStub))["unpublished"]).toEqual([]);
});

test("a KV that fails again and again is tried again, and the writer is answered at once", async () => {
  let failures = 0;
  await throughKv((real) => (key, value) => {
    failures += 1;
    return failures <= 8 ? Promise.reject(new Error("429")) : real(key, value);
  });
  expect(await stub().write("servers", 0, JSON.stringify({ marker: "one" }), writer)).toEqual({ kind: "written", version: 1 });
  for (let i = 0; i < 9; i += 1) {
    later(61_000);
    await ringAlarm(stub() as unknown as DurableObjectStub);
  }
  expect(failures).toBe(9);
  expect(await published("servers")).toEqual({ marker: "one", version: 1 });
});

test("of writes one after the other KV ends with the last, even where the first one's publishing takes longer", async () => {
  let first = true;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await throughKv((real) => async (key, value) => {
    if (first) {
      first = false;
      await held;
    }
    await real(key, value);
  });
  const one = stub().write("servers", 0, JSON.stringify({ marker: "one" }), writer);
  await eventually("the first commit", async () => (await stub().current("servers")) !== null);
  const two = stub().write("servers", 1, JSON.stringify({ marker: "two" }), writer);
  await eventually("the second commit", async () => (await stub().current("servers"))?.version === 2);
  release();
  await Promise.all([one, two]);
  expect(await published("servers")).toEqual({ marker: "two", version: 2 });
  expect((await tablesOf(stub() as unknown as DurableObjectStub))["unpublished"]).toEqual([]);
});

test("of ten who write the same version at once, one does", async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => stub().write("servers", 0, JSON.stringify({ marker: index }), writer)),
  );
  expect(answers.filter(({ kind }) => kind === "written")).toHaveLength(1);
  const current = JSON.parse((await stub().current("servers"))?.text ?? "null") as unknown;
  for (const answer of answers) if (answer.kind === "conflict") expect(JSON.parse(answer.current.text)).toEqual(current);
  expect(await published("servers")).toEqual(current);
});

const older: SigningKeys = [signingKey("the key before this one, long enough")];

/**
 * What a start with another LINK_KEY, or of an older version, left behind: its copies in KV, and
 * its mark in the object.
 */
const starts: [string, string | null, (name: string, version: number, text: string) => string][] = [
  ["a rotation of LINK_KEY", publishingMark(older), (name, version, text) => publishedCopy(older, name, { version, text })],
  ["an upgrade from copies without a MAC", null, (_name, _version, text) => text],
];

test.each(starts)("after %s everything that was published is published again", async (_what, mark, asItWas) => {
  const { key } = await createKey();
  const revoked = await createKey();
  await stub().revokeKey(revoked.id, operator);
  const names = ["policy", "routing", `key:${sha256Hex(key)}`, `key:${sha256Hex(revoked.key)}`];
  const before: Record<string, string> = {};
  for (const name of names) {
    before[name] = (await env.CONFIG.get(name)) ?? "";
    const copy = readPublished(settingsOf(env).keys, name, before[name]);
    if (copy === undefined) throw new Error(`${name} is not published`);
    await env.CONFIG.put(name, asItWas(name, copy.version, copy.text));
  }
  await runInDurableObject(stub(), (_, { storage }) => {
    if (mark === null) storage.sql.exec("DELETE FROM published_with");
    else storage.sql.exec("UPDATE published_with SET mark = ?", mark);
  });
  await crash();
  await stub().latest();
  for (const name of names) await eventually(name, async () => (await env.CONFIG.get(name)) === before[name]);
  await eventually("the end", async () => (await tablesOf(stub() as unknown as DurableObjectStub))["unpublished"]?.length === 0);
  // Once is enough.
  await crash();
  await stub().latest();
  expect((await tablesOf(stub() as unknown as DurableObjectStub))["unpublished"]).toEqual([]);
});

test("copies of the key before this one are accepted while it is LINK_KEY_PREVIOUS, and not without", async () => {
  const mine = { CONFIG: new Proxy(env.CONFIG, { get: (real, name) => Reflect.get(real, name).bind(real) as unknown }) };
  const rotated = { ...mine, LINK_KEY: "the-key-after-the-rotation-0123456789" };
  const both = await gatewayWith({ ...rotated, LINK_KEY_PREVIOUS: env.LINK_KEY ?? "" }, "/healthz");
  expect(await both.json()).toEqual({ status: "ok", problems: [] });
  const one = await gatewayWith(
    { ...rotated, CONFIG: new Proxy(env.CONFIG, { get: (real, name) => Reflect.get(real, name).bind(real) as unknown }) },
    "/healthz",
  );
  // Of the routing table, the policy and the budgets.
  expect((await one.json<{ problems: string[] }>()).problems).toHaveLength(3);
});
