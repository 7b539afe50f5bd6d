// What a review costs, counted: the platform bills rows and calls, and each written row that
// somebody waits for is time. The bounds leave room for a machine that is slow.

import { runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { RunObject } from "../../../workers/objects/run/run-object.ts";
import { runTables } from "../../../workers/objects/schema/run-schema.ts";
import { configStub } from "../../../workers/stubs/stubs.ts";
import { answerOf, env, openNotice, sample } from "../support/gateway.ts";
import { filledForm, postForm } from "../support/reviewer.ts";
import { quiet } from "./inside.ts";

/** Counts the rows that runs write from now on, their tables among them. */
async function countRows(): Promise<() => number> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const tables = new Set(runTables);
  const isOfRun = (query: string): boolean =>
    tables.has(query) || /^(?:INSERT INTO|UPDATE|DELETE FROM) (?:run|event|content)\b/.test(query);
  await runInDurableObject(configStub(env), (_, { storage }) => {
    const all = Object.getPrototypeOf(storage.sql) as SqlStorage;
    const { exec } = all;
    vi.spyOn(all, "exec").mockImplementation(function (this: SqlStorage, query, ...values) {
      const cursor = exec.call(this, query, ...values);
      if (isOfRun(query)) cursors.push(cursor);
      return cursor;
    });
  });
  return () => cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
}

test("opening a review writes at most 20 rows, deciding and delivering it 15, and its form asks the run once", async () => {
  const rows = await countRows();
  const answer = answerOf(sample({ server: "request-gate" }));
  const { run, link } = await openNotice("request");
  await quiet(run);
  const opened = rows();
  const form = await filledForm(link, "approve");
  await quiet(run);
  rows();
  const calls = (["view", "decide"] as const).map((name) => vi.spyOn(RunObject.prototype, name));
  expect((await postForm(link, form)).status).toBe(303);
  await answer;
  await quiet(run);
  const decided = rows();
  expect(calls.map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  expect([opened, opened <= 20, decided, decided <= 15]).toEqual([opened, true, decided, true]);
  // Neither is a count of nothing.
  expect(Math.min(opened, decided)).toBeGreaterThan(5);
});
