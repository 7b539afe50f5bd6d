import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LinePage, type LinePlace, mergedLines } from "../../../shared/record/line-list.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";

const line = (run: string, createdAt: number): RunSummary => ({
  run,
  createdAt,
  key: "key_a",
  server: null,
  name: null,
  endedAt: createdAt,
  state: "completed",
  cause: null,
  model: null,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  reviews: [],
});

const byAge = (a: LinePlace, b: LinePlace): number => b.createdAt - a.createdAt || (a.run === b.run ? 0 : a.run < b.run ? 1 : -1);

/** A shard that reads so many lines in a call, of which every third fits, and returns so many. */
function pageOf(lines: readonly RunSummary[], after: LinePlace | null, mostRead: number, limit: number): LinePage {
  const rest = lines.toSorted(byAge).filter((each) => after === null || byAge(after, each) < 0);
  const read = rest.slice(0, mostRead);
  const fit = read.filter(({ createdAt }) => createdAt % 3 === 0);
  const found = fit.slice(0, limit);
  const last = found.length === limit ? found.at(-1) : read.length === rest.length ? undefined : read.at(-1);
  return { lines: found, stoppedAt: last === undefined ? null : { createdAt: last.createdAt, run: last.run } };
}

describe("one list of several shards", () => {
  test("has every line once and in order, page by page, however far each shard reads", () => {
    const shard = fc.record({ times: fc.array(fc.nat(60), { maxLength: 40 }), mostRead: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(shard, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 7 }), (shards, limit) => {
        const stored = shards.map(({ times }, n) => times.map((at, index) => line(`run_${n}_${index}`, at)));
        const listed: RunSummary[] = [];
        let after: LinePlace | null = null;
        do {
          const pages = stored.map((lines, n) => pageOf(lines, after, shards[n]?.mostRead ?? 1, limit + 1));
          const { lines, next }: ReturnType<typeof mergedLines> = mergedLines(pages, limit);
          expect(lines.length).toBeLessThanOrEqual(limit);
          if (next !== null && after !== null) expect(byAge(after, next)).toBeLessThan(0);
          listed.push(...lines);
          after = next;
        } while (after !== null);
        const wanted = stored.flat().filter(({ createdAt }) => createdAt % 3 === 0);
        expect(listed.map(({ run }) => run)).toEqual(wanted.toSorted(byAge).map(({ run }) => run));
      }),
    );
  });

  test("goes on behind the place that the least far shard has come to, also where nothing was found", () => {
    const pages: LinePage[] = [
      { lines: [], stoppedAt: { createdAt: 50, run: "run_b" } },
      { lines: [line("run_a", 60), line("run_c", 40)], stoppedAt: null },
    ];
    expect(mergedLines(pages, 10)).toMatchObject({ lines: [{ run: "run_a" }], next: { createdAt: 50, run: "run_b" } });
    expect(mergedLines([{ lines: [], stoppedAt: null }], 10)).toEqual({ lines: [], next: null });
  });
});
