import { expect, test } from "vitest";
import { foldCase } from "../../../shared/routing/fold-case.ts";

test.each([
  ["straße", "STRASSE", true],
  ["ΣΊΣΥΦΟΣ", "σίσυφος", true],
  ["e\u0301", "É", true],
  ["ſonnet", "Sonnet", true],
  ["İ", "i", false],
  ["ı", "i", true],
])("%s and %s are the same but for case: %s", (a, b, same) => {
  expect(foldCase(a) === foldCase(b)).toBe(same);
});
