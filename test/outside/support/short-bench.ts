// The short mode of the benchmark: it proves that each part still measures something, and judges no
// figure.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Report, markdownOf } from "../../../bench/report.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const results = mkdtempSync(join(tmpdir(), "countersign-bench-results-"));
/** Where the benchmark puts what it deletes at its end. */
const temporary = mkdtempSync(join(tmpdir(), "countersign-bench-temporary-"));
afterAll(() => {
  for (const each of [results, temporary]) rmSync(each, { recursive: true, force: true });
});

/** What wrangler writes about its updates is not the benchmark's. */
const left = (): string[] => readdirSync(temporary).filter((name) => name.startsWith("countersign"));

type Ended = { readonly code: number | null; readonly printed: string; readonly progress: string };

function run(args: readonly string[], stopOn?: string): Promise<Ended> {
  const child = spawn(process.execPath, ["bench/main.ts", ...args], { cwd: root, env: { ...process.env, TMPDIR: temporary } });
  let [printed, progress] = ["", ""];
  let isStopped = false;
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => {
    progress += chunk.toString();
    if (stopOn === undefined || isStopped || !progress.includes(stopOn)) return;
    isStopped = true;
    child.kill("SIGINT");
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, printed, progress })));
}

/** Tests of these parts, which are run in one go. */
export function benchTests(names: readonly string[]): void {
  let whole: Ended;
  beforeAll(async () => {
    whole = await run([...names, "--short", "--results", results]);
  }, 600_000);

  test.each(names)("the part %s gives a complete table and its figures as JSON", (name) => {
    const file = join(results, `${name}.json`);
    expect(existsSync(file), whole.progress).toBe(true);
    const report = JSON.parse(readFileSync(file, "utf8")) as Report; // written by the benchmark
    expect(report).toMatchObject({ part: name, settings: { short: true } });
    for (const fact of ["date", "commit", "machine", "node", "workerd"] as const) expect(report[fact], fact).toMatch(/\S/);
    expect(report.tables.length).toBeGreaterThan(0);
    for (const { title, labels, columns, rows } of report.tables) {
      expect(rows.length, title).toBeGreaterThan(0);
      for (const row of rows) {
        expect(row.labels, title).toHaveLength(labels.length);
        // What could not be measured would be null.
        for (const [key, values] of Object.entries(row.values))
          expect(values.every(Number.isFinite), `${title}, ${row.labels.join(", ")}: ${key} is ${JSON.stringify(values)}`).toBe(true);
      }
      for (const { key } of columns)
        expect(
          rows.some(({ values }) => (values[key] ?? []).length > 0),
          `${title}: ${key}`,
        ).toBe(true);
    }
    for (const { file: picture } of report.pictures)
      expect(readFileSync(join(results, picture), "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    for (const table of report.tables) expect(whole.printed).toContain(`**${table.title}**`);
    expect(markdownOf(report, ".")).not.toContain("NaN");
  });

  test("the command succeeds, and leaves no data behind", () => {
    expect(whole).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
  });
}

export function stopTest(): void {
  test("stopped by Ctrl-C, it ends with its processes and deletes its data", async () => {
    const stopped = await run(["decision", "--short", "--rounds", "500", "--results", results], "round 1/500");
    expect(stopped.code).toBe(130);
    expect(left()).toEqual([]);
  });
}
