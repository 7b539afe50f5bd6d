// CSV that a spreadsheet opens: what is a formula to it stays text, and what is read back is what
// was written.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvOf } from "../../shared/csv.ts";

/** A reader of RFC 4180. */
function read(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === "" && quoted === undefined && bare === "") break;
    rows.at(-1)?.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

describe("CSV", () => {
  test.each([
    ["notes", "notes"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    ["=1+1", `"'=1+1"`],
    ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
    ["+41 44", `"'+41 44"`],
    ["-2", `"'-2"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["  =1", `"'  =1"`],
    ["\t=1", `"'\t=1"`],
    ["＝1+1", `"'＝1+1"`],
    [-2, "-2"],
    [0.000_001, "0.000001"],
    [null, ""],
  ] as const)("%j is %s", (cell, written) => {
    expect(csvOf([[cell]])).toBe(`${written}\r\n`);
  });

  test("is read back as it was, and no text begins a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })), { minLength: 1 }), (rows) => {
        const back = read(csvOf(rows));
        expect(back.map((row) => row.map((cell) => cell.replace(/^'/, "")))).toEqual(
          rows.map((row) => row.map((cell) => cell.replace(/^'/, ""))),
        );
        for (const cell of back.flat()) expect(cell).not.toMatch(/^\s*[=+\-@＝＋－＠]/);
      }),
    );
  });
});
