// The documents as one isolate serves them, with a KV that shows what it likes, as KV does after a
// write.

import { beforeEach, expect, test } from "vitest";
import { publishedCopy } from "../../../shared/published.ts";
import { configStub } from "../../../workers/stubs/stubs.ts";
import { leastKeyVersion } from "../../../workers/stores/published-document.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { bindingBudgetsOf, budgetsInMemory, documentIssues, documentsOf, serveWritten } from "../../../workers/stores/documents.ts";
import { env, policy, writer } from "../support/gateway.ts";
import { doctorText } from "../../../shared/words/doctor.ts";

const textOf = (version: number): string => JSON.stringify({ ...policy, version });
const copyOf = (version: number): string => publishedCopy(settingsOf(env).keys, "policy", { version, text: textOf(version) });

/** An isolate with a KV of its own, before the real ConfigObject. */
function isolateWith(kv: { shows: string | null }) {
  const store = { get: async (name: string) => (name === "policy" ? kv.shows : env.CONFIG.get(name)) } as unknown as KVNamespace;
  const real = configStub(env);
  const asked: string[] = [];
  let isCutOff = false;
  const through = {
    latest: () => (asked.push("latest"), isCutOff ? new Promise<never>(() => {}) : real.latest()),
    current: (name: "policy") => (asked.push(`current ${name}`), real.current(name)),
    repair: (name: string) => (asked.push(`repair ${name}`), real.repair(name)),
  };
  const here = { ...env, CONFIG: store, CONFIGURATION: { getByName: () => through } as unknown as typeof env.CONFIGURATION };
  return {
    asked,
    /** A request begins to ask, and ends before it is answered. */
    cutOff: (now: number): void => {
      isCutOff = true;
      void leastKeyVersion(here, "of some key", now);
      isCutOff = false;
    },
    written: (version: number, now: number): void => serveWritten(here, "policy", { version, text: textOf(version) }, now),
    /** The version that serves at this time, once what was begun in the background is over. */
    at: async (now: number): Promise<number> => {
      const background: Promise<unknown>[] = [];
      await documentsOf(here, now, (work) => void background.push(work));
      await Promise.all(background);
      return (await documentsOf(here, now, () => {})).policy.version;
    },
    problems: (): string[] => documentIssues(here).map(({ says }) => doctorText(says)),
  };
}

/** Writes the policy again as its next version. */
const write = async (expected: number): Promise<void> =>
  void (await configStub(env).write("policy", expected, JSON.stringify(policy), writer));

let start = 0;
beforeEach(async () => {
  start = Date.now();
  expect((await configStub(env).current("policy"))?.version).toBe(1);
});

test("an isolate that saw a policy written does not go back to the one before it, which KV still shows", async () => {
  const kv = { shows: copyOf(1) };
  const isolate = isolateWith(kv);
  expect(await isolate.at(start)).toBe(1);
  await write(1);
  isolate.written(2, start);
  for (const later of [0, 30_000, 60_000, 90_000]) expect([await isolate.at(start + later), isolate.problems()]).toEqual([2, []]);
  kv.shows = copyOf(2);
  expect([await isolate.at(start + 120_000), isolate.problems()]).toEqual([2, []]);
});

test("one that did not see it written learns of it from the ConfigObject within a minute, and health is well while KV may lag", async () => {
  const isolate = isolateWith({ shows: copyOf(1) });
  expect(await isolate.at(start)).toBe(1);
  await write(1);
  expect(await isolate.at(start + 30_000)).toBe(1);
  expect([await isolate.at(start + 60_000), isolate.problems()]).toEqual([2, []]);
  expect(await isolate.at(start + 130_000)).toBe(2);
  expect(isolate.problems()).toEqual([expect.stringContaining("older version")]);
});

test("the ConfigObject is asked once a minute, however many requests there are, and for a text only where KV does not have it", async () => {
  const kv = { shows: copyOf(1) };
  const isolate = isolateWith(kv);
  for (let seconds = 0; seconds < 300; seconds += 1) await isolate.at(start + seconds * 1_000);
  expect(new Set(isolate.asked)).toEqual(new Set(["latest"]));
  expect(isolate.asked.length).toBeLessThanOrEqual(6);
  // What KV shows of a later version is asked about at once.
  await write(1);
  kv.shows = copyOf(2);
  expect(await isolate.at(start + 330_000)).toBe(2);
});

test("a request that was cut off while it asked holds up no other one, of the same millisecond neither", async () => {
  const isolate = isolateWith({ shows: copyOf(1) });
  await isolate.at(start);
  isolate.cutOff(start + 61_000);
  expect(await isolate.at(start + 61_000)).toBe(1);
});

test("where the ConfigObject's numbers began again, its own document serves, whatever KV shows", async () => {
  const isolate = isolateWith({ shows: copyOf(7) });
  isolate.written(8, start - 200_000);
  expect(await isolate.at(start)).toBe(1);
  expect(isolate.problems()).toEqual([expect.stringContaining("is newer")]);
});

test("malformed budgets bind nobody, from memory neither, until valid ones were read; those then go on being used", async () => {
  const isolate = { ...env, CONFIG: { get: async () => null } as unknown as KVNamespace };
  const write = async (version: number, document: object, now: number): Promise<void> => {
    const text = JSON.stringify({ ...document, version });
    await configStub(env).write("budgets", version - 1, text, writer);
    serveWritten(isolate, "budgets", { version, text }, now);
  };
  const limit = (tokens: unknown) => ({ budgets: { all: { of: "everything", tokens, per: "day" } } });
  await write(1, limit("of a later version"), start);
  await expect(bindingBudgetsOf(isolate, start, () => {})).rejects.toThrow();
  expect(budgetsInMemory(isolate, start)).toBeNull();
  await write(2, limit(100), start);
  await write(3, limit("of a later version"), start);
  expect((await bindingBudgetsOf(isolate, start, () => {})).budgets).toMatchObject({ all: { tokens: 100 } });
  expect(budgetsInMemory(isolate, start)?.budgets).toMatchObject({ all: { tokens: 100 } });
});
