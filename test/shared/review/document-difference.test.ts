// The difference between two versions of a document, by lines.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DifferenceLine, documentDifference, printDocument } from "../../../shared/review/document-difference.ts";

const kinds = (lines: readonly DifferenceLine[]): string[] => lines.map(({ kind }) => kind);

/** One of the two texts again, with as many lines as were skipped. */
function textOf(lines: readonly DifferenceLine[], side: "removed" | "added", whole: readonly string[]): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    if (line.kind === "skipped") texts.push(...whole.slice(texts.length, texts.length + line.lines));
    else if (line.kind === "changed")
      texts.push(
        line.changes.map((change) => (change.kind === "same" || change.kind === side ? (change as { text: string }).text : "")).join(""),
      );
    else if (line.kind !== "cut" && (line.kind === "same" || line.kind === side)) texts.push(line.text);
  }
  return texts;
}

describe("the difference of two documents", () => {
  test("has both of them in it", () => {
    const text = fc.array(fc.constantFrom("a b", "a c", "b", "{", "}", ""), { maxLength: 30 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = documentDifference(before, after);
        if (before === after) {
          expect(lines).toEqual([]);
          return;
        }
        expect(textOf(lines, "removed", before.split("\n"))).toEqual(before.split("\n"));
        expect(textOf(lines, "added", after.split("\n"))).toEqual(after.split("\n"));
      }),
    );
  });

  test("shows a changed number in its line, with two lines around it", () => {
    const table = (speed: number) =>
      printDocument({ version: 3, models: [1, 2, 3, 4].map((n) => ({ id: `m${n}`, more: { speed: n === 3 ? speed : n } })) });
    const lines = documentDifference(table(0.5), table(0.7));
    expect(kinds(lines)).toEqual(["skipped", "same", "same", "changed", "same", "same", "skipped"]);
    expect(lines[3]).toEqual({
      kind: "changed",
      changes: [
        { kind: "same", text: '      "more": { "speed": ' },
        { kind: "removed", text: "0.5" },
        { kind: "added", text: "0.7" },
        { kind: "same", text: " }" },
      ],
    });
  });

  test("of documents that have nothing in common is bounded, in length and in time", () => {
    const numbers = (from: number) => Array.from({ length: 40_000 }, (_, i) => `line ${i * 2 + from}`).join("\n");
    const lines = documentDifference(numbers(0), numbers(1));
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toEqual({ kind: "cut", lines: 79_000 });
  });

  test("does not compare versions, which the gateway gives", () => {
    expect(documentDifference(printDocument({ version: 1, a: 1 }), printDocument({ version: 2, a: 1 }))).toEqual([]);
  });
});
