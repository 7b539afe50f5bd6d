// The books of the fast path, with a ledger that writes down what it gets.

import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Settled } from "../../../workers/stubs/session-calls.ts";
import type { LedgerEntry } from "../../../workers/stubs/ledger-calls.ts";
import { expect, test } from "vitest";
import { env, travel } from "../support/gateway.ts";
import { enqueue, withSettled } from "../../../workers/pipeline/record/write-behind.ts";

const entry: LedgerEntry = { events: [], summary: null };

function withLedger() {
  const appended: LedgerEntry[] = [];
  const ledger = { append: async (text: string) => void appended.push(...(JSON.parse(text) as LedgerEntry[])) };
  const books = { ...env, LEDGER: { ...env.LEDGER, getByName: () => ledger } as unknown as typeof env.LEDGER };
  const work: Promise<unknown>[] = [];
  const ctx = { waitUntil: (each: Promise<unknown>) => void work.push(each) };
  return { appended, books, work, ctx };
}

test("an entry that cannot be made is lost alone: those beside it, and those after it, are kept", async () => {
  const { appended, books, work, ctx } = withLedger();
  const broken = (): never => {
    throw new TypeError("no canonical form");
  };

  enqueue(books, ctx, { entry: { run: "run_1", make: broken } });
  enqueue(books, ctx, { entry: { run: "run_1", make: () => entry } });
  await Promise.all(work.splice(0));
  expect(appended).toEqual([entry]);

  enqueue(books, ctx, { entry: { run: "run_1", make: () => entry } });
  await Promise.all(work);
  expect(appended).toEqual([entry, entry]);
});

test("what is behind is written soon though the clock goes back meanwhile, or stands", async () => {
  const { appended, books, work, ctx } = withLedger();
  enqueue(books, ctx, { entry: { run: "run_1", make: () => entry } });
  travel(-3_600_000);
  await Promise.all(work);
  expect(appended).toEqual([entry]);
});

test("answers that are too long for one call go to their session in several, and a request of it carries its own alone", async () => {
  const calls: Settled[][] = [];
  const session = { settle: async (list: string) => void calls.push(JSON.parse(list) as Settled[]) };
  const books = { ...env, SESSION: { idFromString: (id: string) => id, get: () => session } as unknown as typeof env.SESSION };
  const work: Promise<unknown>[] = [];
  const ctx = { waitUntil: (each: Promise<unknown>) => void work.push(each) };
  const settled = (request: string, length: number): Settled => ({
    originating: "o",
    request,
    run: "run_1",
    result: jsonOf({ kind: "broken", quote: "x".repeat(length) } as const),
    isRecorded: false,
  });
  const mebibyte = 1024 * 1024;

  for (const request of ["1", "2", "3"]) enqueue(books, ctx, { session: { object: "s", settled: settled(request, 5 * mebibyte) } });
  enqueue(books, ctx, { session: { object: "s", settled: settled("4", 10) } });
  const carriedBy = (request: string): Promise<string[]> =>
    withSettled(books, ctx, { session: "s", originating: "o", request }, async (list) => list.map((each) => each.request));
  expect(await carriedBy("4")).toEqual(["4"]);
  expect(await carriedBy("4")).toEqual([]);
  expect(await carriedBy("5")).toEqual([]);
  await Promise.all(work);
  expect(calls.map((list) => list.map(({ request }) => request))).toEqual([["1"], ["2"], ["3"]]);
});

test("a session hears that the record has a line when it has it, and of the outcome also where it has none", async () => {
  const calls: Settled[] = [];
  const session = { settle: async (list: string) => void calls.push(...(JSON.parse(list) as Settled[])) };
  let isAway = false;
  const order: string[] = [];
  const append = async (): Promise<void> => {
    if (isAway) throw new Error("away");
    await new Promise((resolve) => setTimeout(resolve, 20));
    order.push(`append before ${calls.length} outcomes`);
  };
  const books = {
    ...env,
    LEDGER: { ...env.LEDGER, getByName: () => ({ append }) } as unknown as typeof env.LEDGER,
    SESSION: { idFromString: (id: string) => id, get: () => session } as unknown as typeof env.SESSION,
  };
  const work: Promise<unknown>[] = [];
  const ctx = { waitUntil: (each: Promise<unknown>) => void work.push(each) };
  const settled = (run: string): Settled => ({
    originating: "o",
    request: run,
    run,
    result: jsonOf({ kind: "broken", quote: "" } as const),
    isRecorded: false,
  });
  enqueue(books, ctx, { session: { object: "s", settled: settled("run_1") }, entry: { run: "run_1", make: () => entry } });
  // Its line comes later: its key ended while the model was called.
  enqueue(books, ctx, { session: { object: "s", settled: settled("run_2") } });
  await Promise.all(work.splice(0));
  expect(order).toEqual(["append before 0 outcomes"]);
  expect(calls.map(({ run, isRecorded }) => [run, isRecorded])).toEqual([
    ["run_1", true],
    ["run_2", false],
  ]);
  isAway = true;
  enqueue(books, ctx, { session: { object: "s", settled: settled("run_3") }, entry: { run: "run_3", make: () => entry } });
  await Promise.all(work);
  expect(calls.at(-1)).toMatchObject({ run: "run_3", isRecorded: false });
});
