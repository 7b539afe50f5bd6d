// Configuration is committed first and published afterwards, whatever happens in between.

import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { type ConfigObject } from "../../../workers/objects/config.ts";
import { configStub } from "../../../workers/objects/names.ts";
import { env, eventually } from "../support/gateway.ts";
import { crash, later, ringAlarm, tablesOf } from "./inside.ts";

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

const published = async (name: string): Promise<unknown> => JSON.parse((await env.CONFIG.get(name)) ?? "null");
const stub = (): DurableObjectStub<ConfigObject> => configStub(env);

test("a crash between commit and publishing: the alarm publishes", async () => {
  await throughKv(() => () => new Promise<void>(() => {}));
  void stub()
    .write("servers", 0, JSON.stringify({ marker: "one" }))
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
  expect(await stub().write("servers", 0, JSON.stringify({ marker: "one" }))).toEqual({ kind: "written", version: 1 });
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
  const one = stub().write("servers", 0, JSON.stringify({ marker: "one" }));
  await eventually("the first commit", async () => (await stub().current("servers")) !== null);
  const two = stub().write("servers", 1, JSON.stringify({ marker: "two" }));
  await eventually("the second commit", async () => (await stub().current("servers"))?.version === 2);
  release();
  await Promise.all([one, two]);
  expect(await published("servers")).toEqual({ marker: "two", version: 2 });
  expect((await tablesOf(stub() as unknown as DurableObjectStub))["unpublished"]).toEqual([]);
});

test("of ten who write the same version at once, one does", async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => stub().write("servers", 0, JSON.stringify({ marker: index }))),
  );
  expect(answers.filter(({ kind }) => kind === "written")).toHaveLength(1);
  const current = JSON.parse((await stub().current("servers"))?.text ?? "null") as unknown;
  for (const answer of answers) if (answer.kind === "conflict") expect(JSON.parse(answer.current.text)).toEqual(current);
  expect(await published("servers")).toEqual(current);
});
