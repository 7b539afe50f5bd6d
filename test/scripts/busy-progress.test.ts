import { describe, expect, test } from "vitest";
import { type FileRun, readProgress, slicesLeft, summaryOf } from "../../scripts/busy-progress.ts";

const begun = { source: "abc", runs: 2, only: "" };
const done = (run: number, file: string, failed: string[] = []): FileRun => ({
  run,
  project: "pure",
  file,
  tests: 3,
  failed,
  seconds: 1.5,
});
const text = (...lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

describe("what an earlier process left", () => {
  test("is gone on from, where source and work are the same, and a line that was cut off is of no file", () => {
    const left = `${text(begun, done(1, "a"), { sliceSeconds: 2 }, done(1, "b"))}{"run":1,"file":"c","fai`;
    expect(readProgress(left, begun)).toEqual({ files: [done(1, "a"), done(1, "b")], seconds: 2 });
  });

  test.each<[string, string]>([
    ["of another source", text({ ...begun, source: "def" }, done(1, "a"))],
    ["of other work", text({ ...begun, only: "relay" }, done(1, "a"))],
    ["empty", ""],
    ["something else", "[]\nnull\n"],
  ])("is nothing to go on from where it is %s", (_what, left) => {
    expect(readProgress(left, begun)).toBeNull();
  });
});

test("what is left is each file of each run that is not done, in slices of one project", () => {
  const files = ["a", "b", "c"].map((file) => ({ project: "pure", file })).concat({ project: "workers", file: "d" });
  expect(slicesLeft(files, 2, [done(1, "a"), done(1, "b"), done(1, "d")], 2)).toEqual([
    { run: 1, project: "pure", files: ["c"] },
    { run: 2, project: "pure", files: ["a", "b"] },
    { run: 2, project: "pure", files: ["c"] },
    { run: 2, project: "workers", files: ["d"] },
  ]);
});

test("the summary has runs, files, tests, time, and each failure with its run, file and name", () => {
  expect(summaryOf({ files: [done(1, "a"), done(2, "a", ["x fails"])], seconds: 61.4 }, 2)).toBe(
    "2 runs, 2 files, 6 tests, 1 failure, 61 s\n  run 2  a  x fails",
  );
});
