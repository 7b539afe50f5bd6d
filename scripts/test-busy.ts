// npm run test:busy: runs the whole suite with every core kept busy by something else, so that a
// test that counts on a quick machine fails.
//
// File by file in slices, each written down in .busy/ when it is done: interrupted, the same
// command goes on where it stopped, as long as the source is the same. `--runs 5` runs the suite
// five times, `--only <part of a path>` some files, `--again` begins anew.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { familyOf } from "../test/outside/support/processes.ts";
import { type Work, type FileRun, type Progress, type Slice, type TestFile, readProgress, slicesLeft, summaryOf } from "./busy-progress.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const folder = join(root, ".busy");
const progressFile = join(folder, "progress.jsonl");
const projects = ["pure", "workers", "outside"];
/**
 * Enough files that vitest's start takes a small part of the time, and few enough that an
 * interruption loses little.
 */
const sliceFiles = 40;

const { values } = parseArgs({
  options: { runs: { type: "string", default: "1" }, only: { type: "string", default: "" }, again: { type: "boolean", default: false } },
});
const runs = Number(values.runs);
if (!Number.isSafeInteger(runs) || runs < 1) throw new Error(`--runs takes a whole number from 1, not ${values.runs}`);

/** The state of the source: the commit, and the changed and new files since. */
function sourceNow(): string {
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root, maxBuffer: 1024 ** 3 });
  const hash = createHash("sha256")
    .update(git("rev-parse", "HEAD"))
    .update(git("diff", "HEAD", "--binary"));
  for (const file of git("ls-files", "-z", "--others", "--exclude-standard").toString().split("\0"))
    if (file !== "") hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function testFiles(): TestFile[] {
  const filters = projects.flatMap((project) => ["--project", project]);
  const listed = execFileSync(process.execPath, [vitest, "list", "--filesOnly", "--json", ...filters], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return (JSON.parse(listed.toString()) as { file: string; projectName: string }[]) // vitest's own
    .map(({ file, projectName }) => ({ file: relative(root, file), project: projectName }))
    .filter(({ file }) => file.includes(values.only))
    .toSorted((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || a.file.localeCompare(b.file));
}

/** A busy process, which ends with this one in every case. */
const burn = `const parent = process.ppid;
  const on = () => { const end = Date.now() + 200; while (Date.now() < end); if (process.ppid === parent) setImmediate(on); };
  on();`;

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

let underWay: ChildProcess | undefined;

/** Runs one slice. A file that is not in vitest's report was not run, which is a failure. */
async function runSlice({ run, project, files }: Slice): Promise<FileRun[]> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const child = spawn(process.execPath, [vitest, "run", "--project", project, ...files, "--reporter=json", `--outputFile=${report}`], {
    cwd: root,
    stdio: "ignore",
    detached: true,
  });
  underWay = child;
  const code = await new Promise<number | null>((resolve) => {
    child.on("exit", resolve);
  });
  underWay = undefined;
  const results = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as Report).testResults : []; // vitest's own
  return files.map((file) => {
    const found = results.find(({ name }) => relative(root, name) === file);
    if (found === undefined) return { run, project, file, tests: 0, failed: [`was not run: vitest ended with ${code}`], seconds: 0 };
    const failed = found.assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.split("\n")[0]?.slice(0, 200) ?? ""}`);
    const isBroken = found.status === "failed" && failed.length === 0;
    return {
      run,
      project,
      file,
      tests: found.assertionResults.length,
      failed: isBroken ? [`could not be run: ${found.message.split("\n")[0] ?? ""}`] : failed,
      seconds: Math.round((found.endTime - found.startTime) / 100) / 10,
    };
  });
}

const work: Work = { source: sourceNow(), runs, only: values.only };
const before = values.again || !existsSync(progressFile) ? null : readProgress(readFileSync(progressFile, "utf8"), work);
if (before === null) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(progressFile, `${JSON.stringify(work)}\n`);
}
const write = (line: object): void => appendFileSync(progressFile, `${JSON.stringify(line)}\n`);

const all = testFiles();
if (all.length === 0) throw new Error(`no test file has ${JSON.stringify(values.only)} in its path`);
const slices = slicesLeft(all, runs, before?.files ?? [], sliceFiles);
const total = all.length * runs;
let progress: Progress = before ?? { files: [], seconds: 0 };
console.log(
  `${total} files in ${runs} ${runs === 1 ? "run" : "runs"}${progress.files.length === 0 ? "" : `, ${progress.files.length} already done`}`,
);

const burners = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", burn], { stdio: "ignore" }));
const endAll = (): void => {
  for (const each of burners) each.kill("SIGKILL");
  // Gateways that tests started have process groups of their own, which would outlive this process.
  for (const pid of underWay?.pid === undefined ? [] : familyOf(underWay.pid)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process ended meanwhile.
    }
  }
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    endAll();
    console.log("Interrupted. Run the same command to continue from here.");
    process.exit(130);
  });

for (const slice of slices) {
  const started = performance.now();
  const files = await runSlice(slice);
  const sliceSeconds = Math.round((performance.now() - started) / 100) / 10;
  for (const each of files) write(each);
  write({ sliceSeconds });
  progress = { files: [...progress.files, ...files], seconds: progress.seconds + sliceSeconds };
  const failed = files.flatMap((each) => each.failed);
  console.log(
    `run ${slice.run}  ${progress.files.length}/${total}  ${slice.project}  ${files.at(-1)?.file ?? ""}  ${sliceSeconds} s${failed.length === 0 ? "" : `  FAILED: ${failed.length}`}`,
  );
}
endAll();
console.log(summaryOf(progress, runs));
process.exitCode = progress.files.some(({ failed }) => failed.length > 0) ? 1 : 0;
