// The books of the fast path, with a ledger that writes down what it gets.

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { LedgerEntry } from "../../../workers/objects/ledger.ts";
import { keep } from "../../../workers/pipeline/bookkeeping.ts";

const entry: LedgerEntry = { events: [], summary: null };

test("an entry that cannot be made is lost alone: those beside it, and those after it, are kept", async () => {
  const appended: LedgerEntry[] = [];
  const ledger = { append: async (text: string) => void appended.push(...(JSON.parse(text) as LedgerEntry[])) };
  const books = { ...env, LEDGER: { ...env.LEDGER, getByName: () => ledger } as unknown as typeof env.LEDGER };
  const work: Promise<unknown>[] = [];
  const ctx = { waitUntil: (each: Promise<unknown>) => void work.push(each) };
  const broken = (): never => {
    throw new TypeError("no canonical form");
  };

  keep(books, ctx, { entry: { run: "run_1", make: broken } });
  keep(books, ctx, { entry: { run: "run_1", make: () => entry } });
  await Promise.all(work.splice(0));
  expect(appended).toEqual([entry]);

  keep(books, ctx, { entry: { run: "run_1", make: () => entry } });
  await Promise.all(work);
  expect(appended).toEqual([entry, entry]);
});
