// Which entries a list passes over by their text alone: none that has a line which is wanted.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { entryTexts, isPart } from "../../../shared/record/log/entry.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { lineTestOf } from "../../../workers/objects/ledger/line-filters.ts";
import type { RunsQuery } from "../../../workers/stubs/ledger-calls.ts";

const names = ["notes", "Notes", 'a "b"', "a\\b", "\u{1F600}", "\ud83d", "Ä", "ä", "\u212A", "k", "ΑΣ", "\n"];
const name = fc.constantFrom(...names);
const failures = fc.array(fc.record({ model: name, provider: name }), { maxLength: 2 });

const anyLine = fc
  .record({
    key: name,
    server: fc.option(name),
    name: fc.option(name),
    model: fc.option(name),
    rule: name,
    failures,
    people: fc.array(name),
  })
  .map(
    ({ failures: failed, people, ...more }) =>
      ({
        run: `run_${more.key.length}Ab`,
        createdAt: 1,
        endedAt: 2,
        state: failed.length > 0 ? "failed" : "completed",
        cause: failed.length > 0 ? { kind: "providersFailed", failures: failed } : null,
        costUsd: 0.5,
        inputTokens: 1,
        outputTokens: 1,
        reviews: [],
        review: { people, by: people, votes: 0, quorum: 1, edits: 0, askedAt: 1, waitedMs: 0 },
        ...more,
      }) as unknown as RunSummary, // as much of it as is looked at
  );

const part = fc.oneof(name, fc.constantFrom("", "N", "OTES", '"', "B", "\\", "K", "run_", "ab", "σ", "ς"));
const conditions = {
  state: fc.constantFrom("completed" as const, "failed" as const, "unanswered" as const),
  server: name,
  tool: name,
  key: name,
  model: name,
  provider: fc.record({ name, models: fc.array(name, { maxLength: 2 }) }),
  reviewer: name,
  rule: name,
  run: fc.constantFrom("run_", "1A", "b", "none"),
  search: fc.record({ text: part, keys: fc.array(name, { maxLength: 1 }) }),
};
/** One condition or two: with more of them hardly any line is wanted. */
const anyQuery = fc
  .tuple(fc.record(conditions), fc.subarray(Object.keys(conditions), { minLength: 1, maxLength: 2 }))
  .map(([all, names]): Omit<RunsQuery, "limit"> => Object.fromEntries(Object.entries(all).filter(([each]) => names.includes(each))));

test("no entry is passed over that has a wanted line, and most others are", () => {
  let [wanted, passed] = [0, 0];
  fc.assert(
    fc.property(anyLine, anyQuery, (line, query) => {
      const { isWanted, mayHave } = lineTestOf({ ...query, limit: 1 });
      const [text = ""] = entryTexts({ run: line.run, events: [], line, whole: true });
      if (!mayHave(text)) passed += 1;
      if (!isWanted(line)) return;
      wanted += 1;
      expect(mayHave(text)).toBe(true);
    }),
    { numRuns: 4_000 },
  );
  expect(wanted).toBeGreaterThan(100);
  expect(passed).toBeGreaterThan(1_000);
});

test("a part of a long entry is none that may be passed over", () => {
  const line = { run: "run_a" } as RunSummary;
  const parts = entryTexts({
    run: "run_a",
    events: [{ seq: 1, at: 1, fact: { kind: "finished", outcome: "x".repeat(70_000) } }] as never,
    line,
  });
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.every(isPart)).toBe(true);
});
