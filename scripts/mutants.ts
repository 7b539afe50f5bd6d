// npm run test:mutants: removes one check after another, in a copy of the source, and runs the test
// that must fail for it.
//
// After an interruption it resumes: a mutation that is judged for the same files is not judged
// again. `--only <part of a name>` judges some, `--again` also those judged before; `--table`
// prints the table of docs/security.md from the results.

import { spawn } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mutants } from "../test/mutants/all.ts";
import { type Mutant, countOf } from "../test/mutants/mutant.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Beside the checkout's packages, which the copies use. */
const folder = join(root, ".mutants");
const results = join(folder, "results.jsonl");
const copies = 2;

export type Judged = {
  readonly key: string;
  readonly name: string;
  /** `broken`: the test fails without the mutation too, or did not run, and proves nothing. */
  readonly verdict: "killed" | "survived" | "broken";
  readonly seconds: number;
};

/** Identifies a mutation by its name and the content of its files. */
const keyOf = ({ file, from, to, test }: Mutant): string =>
  createHash("sha256")
    .update(JSON.stringify([file, from, to, test, readFileSync(join(root, file), "utf8"), readFileSync(join(root, test.file), "utf8")]))
    .digest("hex")
    .slice(0, 16);

/** A copy of the source, which uses the checkout's packages. */
export function makeCopy(index: number): string {
  const copy = join(folder, `${process.pid}-${index}`);
  rmSync(copy, { recursive: true, force: true });
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root }).toString().split("\0");
  for (const file of files) {
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  if (existsSync(join(root, ".dev.vars"))) cpSync(join(root, ".dev.vars"), join(copy, ".dev.vars"));
  return copy;
}

/** Removes the check in a copy. False where it does not stand there exactly once. */
export function removeCheck(copy: string, { file, from, to }: Mutant): boolean {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (countOf(source, from) !== 1) return false;
  writeFileSync(
    path,
    source.replace(from, () => to),
  );
  return true;
}

type Ran = { readonly isPassed: boolean; readonly ms: number };

/** The tests that ran, by full name. A file that cannot be loaded has none. */
function runTests(copy: string, file: string, only: string | undefined, options: readonly string[]): Promise<ReadonlyMap<string, Ran>> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const filter = only === undefined ? [] : ["-t", only];
  const child = spawn(process.execPath, [vitest, "run", file, ...filter, ...options, "--reporter=json", `--outputFile=${report}`], {
    cwd: copy,
    stdio: "ignore",
  });
  return new Promise((resolve) => {
    child.on("exit", () => {
      if (!existsSync(report)) return resolve(new Map());
      const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report; // vitest's own
      const ran = testResults.flatMap(({ assertionResults }) => assertionResults);
      resolve(
        new Map(
          ran.flatMap(({ fullName, status, duration = 0 }) =>
            status === "passed" || status === "failed" ? [[fullName, { isPassed: status === "passed", ms: duration }] as const] : [],
          ),
        ),
      );
    });
  });
}

type Report = {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly duration?: number }[];
  }[];
};

/**
 * Which mutations' tests pass in the unchanged source. All tests of one file that are asked for run
 * once, in one process, whatever the number of mutations that they watch.
 */
class SoundTests {
  readonly #wanted: ReadonlyMap<string, string | undefined>;
  readonly #ran = new Map<string, Promise<ReadonlyMap<string, Ran>>>();

  constructor(chosen: readonly Mutant[]) {
    const wanted = new Map<string, string | undefined>();
    for (const { test } of chosen) {
      const before = wanted.get(test.file);
      if (!wanted.has(test.file)) wanted.set(test.file, test.only === undefined ? undefined : `(?:${test.only})`);
      else wanted.set(test.file, before === undefined || test.only === undefined ? undefined : `${before}|(?:${test.only})`);
    }
    this.#wanted = wanted;
  }

  /**
   * How long the longest of a mutation's tests takes, in milliseconds; null where one fails, or
   * none runs. `copy`: one of the source without a mutation at this moment.
   */
  async longest(copy: string, { file, only }: Mutant["test"]): Promise<number | null> {
    const run = this.#ran.get(file) ?? runTests(copy, file, this.#wanted.get(file), []);
    this.#ran.set(file, run);
    const named = only === undefined ? undefined : new RegExp(only);
    const results = [...(await run)].filter(([name]) => named?.test(name) ?? true).map(([, ran]) => ran);
    return results.length > 0 && results.every(({ isPassed }) => isPassed) ? Math.max(...results.map(({ ms }) => ms)) : null;
  }
}

/**
 * Many mutations leave their test waiting for what never comes: it has ten times as long as it
 * takes without one, and half a minute at least.
 */
const timeoutFor = (ms: number): string => `--testTimeout=${Math.max(30_000, Math.ceil(ms) * 10)}`;

/** Judges one mutation in a copy, and puts the file back. The same test must pass without it. */
async function judge(copy: string, mutant: Mutant, sound: SoundTests): Promise<Judged> {
  const started = Date.now();
  const path = join(copy, mutant.file);
  const original = readFileSync(path, "utf8");
  const finish = (verdict: Judged["verdict"]): Judged => ({
    key: keyOf(mutant),
    name: mutant.name,
    verdict,
    seconds: Math.round((Date.now() - started) / 100) / 10,
  });
  const longest = await sound.longest(copy, mutant.test);
  if (longest === null || !removeCheck(copy, mutant)) return finish("broken");
  try {
    const options = ["--bail=1", timeoutFor(longest)];
    const ran = [...(await runTests(copy, mutant.test.file, mutant.test.only, options)).values()];
    if (ran.some(({ isPassed }) => !isPassed)) return finish("killed");
    return finish(ran.length > 0 ? "survived" : "broken");
  } finally {
    writeFileSync(path, original);
  }
}

function judgedBefore(): Map<string, Judged> {
  if (!existsSync(results)) return new Map();
  const lines = readFileSync(results, "utf8").trim().split("\n");
  return new Map(lines.flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Judged])).map((each) => [each.key, each])); // written below
}

const isAsExpected = (mutant: Mutant, { verdict }: Judged): boolean => verdict === (mutant.survives === undefined ? "killed" : "survived");

export function table(judged: ReadonlyMap<string, Judged>): string {
  const areas = new Map<string, { mutants: number; judged: number; killed: number; survived: string[] }>();
  for (const mutant of mutants) {
    const area = dirname(mutant.file);
    const row = areas.get(area) ?? { mutants: 0, judged: 0, killed: 0, survived: [] };
    const verdict = judged.get(keyOf(mutant))?.verdict;
    row.mutants += 1;
    if (verdict !== undefined) row.judged += 1;
    if (verdict === "killed") row.killed += 1;
    else if (verdict !== undefined) row.survived.push(`${mutant.name}: ${mutant.survives ?? verdict}`);
    areas.set(area, row);
  }
  const rows = [...areas].map(([area, row]) => rowOf(`\`${area}/\``, row, row.survived.join("; ") || "none"));
  const sum = (of: "mutants" | "judged" | "killed"): number => [...areas.values()].reduce((all, row) => all + row[of], 0);
  return [
    "| folder | mutations | judged | killed | survived, with the reason |",
    "|---|---|---|---|---|",
    ...rows.sort(),
    rowOf("all", { mutants: sum("mutants"), judged: sum("judged"), killed: sum("killed") }, ""),
  ].join("\n");
}

const rowOf = (
  name: string,
  row: { readonly mutants: number; readonly judged: number; readonly killed: number },
  survived: string,
): string => `| ${name} | ${row.mutants} | ${row.judged} | ${row.killed} | ${survived} |`;

async function main(): Promise<void> {
  const {
    only,
    again,
    table: isTable,
  } = parseArgs({
    options: {
      only: { type: "string", default: "" },
      again: { type: "boolean", default: false },
      table: { type: "boolean", default: false },
    },
  }).values;
  const judged = judgedBefore();
  if (isTable) return console.log(table(judged));
  const chosen = mutants.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`No mutation has "${only}" in its name`);
  const waiting = chosen.filter(
    (mutant) => again || !judged.has(keyOf(mutant)) || !isAsExpected(mutant, judged.get(keyOf(mutant)) as Judged),
  );
  console.log(`${chosen.length} mutations, ${chosen.length - waiting.length} of them judged before.`);
  mkdirSync(folder, { recursive: true });
  let done = chosen.length - waiting.length;
  const started = Date.now();
  const sound = new SoundTests(waiting);
  await Promise.all(
    Array.from({ length: Math.min(copies, waiting.length) }, async (_, index) => {
      const copy = makeCopy(index);
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const verdict = await judge(copy, mutant, sound);
        judged.set(verdict.key, verdict);
        appendFileSync(results, `${JSON.stringify(verdict)}\n`);
        done += 1;
        const mark = isAsExpected(mutant, verdict) ? " " : "!";
        console.log(`${mark} ${done}/${chosen.length} ${verdict.verdict.padEnd(8)} ${verdict.seconds} s  ${mutant.file}: ${mutant.name}`);
      }
      rmSync(copy, { recursive: true, force: true });
    }),
  );
  const wrong = chosen.filter((mutant) => {
    const found = judged.get(keyOf(mutant));
    return found === undefined || !isAsExpected(mutant, found);
  });
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`\n${chosen.length - wrong.length} as expected, ${wrong.length} not, in ${seconds} s.`);
  for (const mutant of wrong) console.log(`  ${judged.get(keyOf(mutant))?.verdict ?? "not judged"}: ${mutant.file}: ${mutant.name}`);
  if (wrong.length > 0) process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
