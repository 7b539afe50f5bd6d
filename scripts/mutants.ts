// npm run test:mutants: removes one check after another, in a copy of the source, and runs the test that must fail for it.
//
// After an interruption it resumes: a mutation that is judged for the same files is not judged again. `--only <part of a name>` judges some,
// `--again` also those judged before; `--table` prints the table of docs/security.md from the results.

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

function makeCopy(index: number): string {
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

/** The numbers of tests that passed and failed. A file that cannot be loaded counts as neither. */
function runTest(copy: string, { file, only }: Mutant["test"]): Promise<{ readonly passed: number; readonly failed: number }> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const filter = only === undefined ? [] : ["-t", only];
  const child = spawn(process.execPath, [vitest, "run", file, ...filter, "--bail=1", "--reporter=json", `--outputFile=${report}`], {
    cwd: copy,
    stdio: "ignore",
  });
  return new Promise((resolve) => {
    child.on("exit", () => {
      if (!existsSync(report)) return resolve({ passed: 0, failed: 0 });
      const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as Report; // vitest's own
      resolve({ passed: numPassedTests, failed: numFailedTests });
    });
  });
}

type Report = { readonly numPassedTests: number; readonly numFailedTests: number };

/** Judges one mutation in a copy, and puts the file back. The same test must pass without it. */
async function judge(copy: string, mutant: Mutant, sound: Map<string, boolean>): Promise<Judged> {
  const started = Date.now();
  const path = join(copy, mutant.file);
  const original = readFileSync(path, "utf8");
  const finish = (verdict: Judged["verdict"]): Judged => ({
    key: keyOf(mutant),
    name: mutant.name,
    verdict,
    seconds: Math.round((Date.now() - started) / 100) / 10,
  });
  if (countOf(original, mutant.from) !== 1) return finish("broken");
  const test = JSON.stringify(mutant.test);
  if (!sound.has(test)) {
    const { passed, failed } = await runTest(copy, mutant.test);
    sound.set(test, passed > 0 && failed === 0);
  }
  if (sound.get(test) !== true) return finish("broken");
  writeFileSync(
    path,
    original.replace(mutant.from, () => mutant.to),
  );
  try {
    const { passed, failed } = await runTest(copy, mutant.test);
    if (failed > 0) return finish("killed");
    return finish(passed > 0 ? "survived" : "broken");
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
  const areas = new Map<string, { mutants: number; killed: number; survived: string[] }>();
  for (const mutant of mutants) {
    const area = dirname(mutant.file);
    const row = areas.get(area) ?? { mutants: 0, killed: 0, survived: [] };
    const verdict = judged.get(keyOf(mutant))?.verdict;
    row.mutants += 1;
    if (verdict === "killed") row.killed += 1;
    else row.survived.push(`${mutant.name}: ${mutant.survives ?? verdict ?? "not judged"}`);
    areas.set(area, row);
  }
  const rows = [...areas].map(([area, row]) => `| \`${area}/\` | ${row.mutants} | ${row.killed} | ${row.survived.join("; ") || "none"} |`);
  const killed = [...areas.values()].reduce((sum, row) => sum + row.killed, 0);
  return [
    "| folder | mutations | killed | survived, with the reason |",
    "|---|---|---|---|",
    ...rows.sort(),
    `| all | ${mutants.length} | ${killed} | |`,
  ].join("\n");
}

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
  await Promise.all(
    Array.from({ length: Math.min(copies, waiting.length) }, async (_, index) => {
      const copy = makeCopy(index);
      const sound = new Map<string, boolean>();
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
