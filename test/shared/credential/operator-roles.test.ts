// Who is an operator through Cloudflare Access: only whom OPERATORS names, with the most particular
// entry.

import { describe, expect, test } from "vitest";
import { allows, parseOperators, roleOf } from "../../../shared/credential/operator-roles.ts";

const entriesOf = (text: string) => {
  const parsed = parseOperators(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

describe("OPERATORS", () => {
  test("gives an address the role of its own entry, else that of its domain, whatever the order and the case", () => {
    const entries = entriesOf("*@example.com see, Ann@Example.com change,bo@example.com  decide ,");
    expect(["ann@example.com", " ANN@EXAMPLE.COM ", "bo@example.com", "cy@example.com"].map((email) => roleOf(entries, email))).toEqual([
      "change",
      "change",
      "decide",
      "see",
    ]);
  });

  test.each([
    "cy@other.com",
    "cy@sub.example.com",
    "cy@notexample.com",
    "example.com",
    "",
    "*@example.com@evil.com",
    "cy@example.com.evil",
  ])("gives %j no role", (email) => {
    expect(roleOf(entriesOf("*@example.com change"), email)).toBeNull();
  });

  test("that is empty names nobody", () => {
    expect(entriesOf("")).toEqual([]);
    expect(roleOf([], "ann@example.com")).toBeNull();
  });

  test.each([
    "ann@example.com",
    "ann@example.com owner",
    "* change",
    "*@ change",
    "ann change",
    "a@b change see",
    "*@*.com see",
    "a*@b.com see",
  ])("refuses %j, and says which entry it is", (text) => {
    const parsed = parseOperators(`bo@example.com see, ${text}`);
    expect(parsed).toMatchObject({ ok: false, error: text });
  });
});

test("each role may do what those before it may, and nothing of those after", () => {
  expect(allows("see", "see")).toBe(true);
  expect(allows("decide", "see")).toBe(true);
  expect(allows("change", "decide")).toBe(true);
  expect(allows("see", "decide")).toBe(false);
  expect(allows("decide", "change")).toBe(false);
});
