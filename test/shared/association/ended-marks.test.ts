// The marks of ended originating requests: each is found again, and those of two requests differ.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Marks, bytesOf, hasMark, markOf, marksIn, withMarks } from "../../../shared/association/ended-marks.ts";

test("whatever was added is found, also in what was stored, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.bigInt({ min: 0n, max: 40n }))),
      fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
      (parts, large) => {
        const marks = [...parts, large].reduce<Marks>((all, part) => withMarks(all, part), new BigUint64Array());
        const stored = marksIn(bytesOf(marks));
        const added = new Set([...parts.flat(), ...large]);
        expect(stored).toHaveLength(added.size);
        for (let mark = 0n; mark <= 40n; mark += 1n) expect(hasMark(stored, mark)).toBe(added.has(mark));
        for (const mark of large) expect(hasMark(stored, mark)).toBe(true);
      },
    ),
  );
});

test("an id's JSON type and its server are part of its mark", () => {
  const keys = [7, "7", 70].flatMap((id) => ["notes", "mail"].map((server) => JSON.stringify([server, id])));
  expect(new Set(keys.map(markOf)).size).toBe(keys.length);
});
