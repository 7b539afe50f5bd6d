// The progress file of `npm run test:busy`: its lines, the files that are left after an
// interruption, and the summary. Pure: no clock, no files, no processes.

/** One test file of one run. */
export type FileRun = {
  readonly run: number;
  readonly project: string;
  /** From the project's root. */
  readonly file: string;
  readonly tests: number;
  /** The names of the tests that failed, or why the file could not be run. */
  readonly failed: readonly string[];
  readonly seconds: number;
};

/** The first line: what the lines after it belong to. */
export type Work = { readonly source: string; readonly runs: number; readonly only: string };

/** The wall-clock time of a slice, whose files run in parallel. */
export type SliceTime = { readonly sliceSeconds: number };

export type Progress = { readonly files: readonly FileRun[]; readonly seconds: number };

const isFileRun = (line: object): line is FileRun => "file" in line && "failed" in line;
const isSliceTime = (line: object): line is SliceTime => "sliceSeconds" in line;

/**
 * Reads an earlier process's file; null where it is empty, or of another source or other work. A
 * truncated last line is ignored.
 */
export function readProgress(text: string, { source, runs, only }: Work): Progress | null {
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

/** The files that are left, run by run, in slices of one project each. */
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

/** The summary, in a few lines. */
export function summaryOf({ files, seconds }: Progress, runs: number): string {
  const failures = files.flatMap(({ run, file, failed }) => failed.map((name) => `  run ${run}  ${file}  ${name}`));
  const tests = files.reduce((sum, each) => sum + each.tests, 0);
  const of = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  return [
    `${of(runs, "run")}, ${of(files.length, "file")}, ${of(tests, "test")}, ${of(failures.length, "failure")}, ${Math.round(seconds)} s`,
    ...failures,
  ].join("\n");
}
