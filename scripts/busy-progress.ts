// What `npm run test:busy` writes down as it goes, and what it makes of it: which files are left after an interruption, and the summary.
// Pure: no clock, no files, no processes.

/** One test file of one run. */
export type FileRun = {
  readonly run: number;
  readonly project: string;
  /** From the project's root. */
  readonly file: string;
  readonly tests: number;
  /** Names of the tests that failed; of a file that could not be run, what became of it. */
  readonly failed: readonly string[];
  readonly seconds: number;
};

/** The first line: lines after it are of this work only. */
export type Begun = { readonly source: string; readonly runs: number; readonly only: string };

/** How long a slice of files took, by the wall clock: files of a slice run side by side. */
export type SliceTime = { readonly sliceSeconds: number };

export type Progress = { readonly files: readonly FileRun[]; readonly seconds: number };

const isFileRun = (line: object): line is FileRun => "file" in line && "failed" in line;
const isSliceTime = (line: object): line is SliceTime => "sliceSeconds" in line;

/**
 * Reads what an earlier process left, where it was of the same source and the same work; null where it was not, or is nothing. A last
 * line that was cut off in the middle is of no file.
 */
export function readProgress(text: string, { source, runs, only }: Begun): Progress | null {
  const lines = text.split("\n").flatMap((line) => parsed(line));
  const [first] = lines;
  if (first === undefined || !("source" in first) || JSON.stringify(first) !== JSON.stringify({ source, runs, only })) return null;
  return {
    files: lines.filter((line) => isFileRun(line)),
    seconds: lines.filter((line) => isSliceTime(line)).reduce((sum, { sliceSeconds }) => sum + sliceSeconds, 0),
  };
}

function parsed(line: string): object[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value] : [];
  } catch {
    return [];
  }
}

export type TestFile = { readonly project: string; readonly file: string };
export type Slice = { readonly run: number; readonly project: string; readonly files: readonly string[] };

/** What is left to do, in slices of files of one project each, run after run. */
export function slicesLeft(all: readonly TestFile[], runs: number, done: readonly FileRun[], sliceFiles: number): Slice[] {
  const known = new Set(done.map(({ run, file }) => `${run} ${file}`));
  return Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
    [...Map.groupBy(all, ({ project }) => project)].flatMap(([project, files]) => {
      const left = files.map(({ file }) => file).filter((file) => !known.has(`${run} ${file}`));
      return Array.from({ length: Math.ceil(left.length / sliceFiles) }, (_, at) => ({
        run,
        project,
        files: left.slice(at * sliceFiles, (at + 1) * sliceFiles),
      }));
    }),
  );
}

/** What it came to, in a few lines for a person. */
export function summaryOf({ files, seconds }: Progress, runs: number): string {
  const failures = files.flatMap(({ run, file, failed }) => failed.map((name) => `  run ${run}  ${file}  ${name}`));
  const tests = files.reduce((sum, each) => sum + each.tests, 0);
  const of = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  return [
    `${of(runs, "run")}, ${of(files.length, "file")}, ${of(tests, "test")}, ${of(failures.length, "failure")}, ${Math.round(seconds)} s`,
    ...failures,
  ].join("\n");
}
