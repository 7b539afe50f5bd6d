// The documents as one isolate serves them, with a KV that shows what it likes, as KV does after a write.

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { documentsOf, serveWritten } from "../../../workers/stores/documents.ts";
import { policy } from "../support/gateway.ts";

const versionOf = (version: number): string => JSON.stringify({ ...policy, version });

/** The version that serves at this time, once what was begun in the background is over. */
function isolateWith(kv: { shows: string | null }): {
  written: (version: number, now: number) => void;
  at: (now: number) => Promise<number>;
} {
  const store = { get: async (name: string) => (name === "policy" ? kv.shows : null) } as unknown as KVNamespace;
  const here = { ...env, CONFIG: store };
  return {
    written: (version, now) => serveWritten(here, "policy", versionOf(version), now),
    at: async (now) => {
      const background: Promise<unknown>[] = [];
      await documentsOf(here, now, (work) => void background.push(work));
      await Promise.all(background);
      return (await documentsOf(here, now, () => {})).policy.version;
    },
  };
}

const start = 1_000_000;

test("an isolate that saw a policy written does not go back to the one before it, which KV still shows", async () => {
  const kv = { shows: versionOf(1) };
  const isolate = isolateWith(kv);
  expect(await isolate.at(start)).toBe(1);
  isolate.written(2, start);
  for (const later of [0, 30_000, 60_000, 90_000]) expect(await isolate.at(start + later)).toBe(2);
  kv.shows = versionOf(3);
  expect(await isolate.at(start + 120_000)).toBe(3);
});

test("when KV has had its time, what it shows serves, also where its numbers begin again", async () => {
  const kv = { shows: versionOf(7) };
  const isolate = isolateWith(kv);
  isolate.written(8, start);
  expect(await isolate.at(start + 30_000)).toBe(8);
  expect(await isolate.at(start + 120_000)).toBe(7);
});
