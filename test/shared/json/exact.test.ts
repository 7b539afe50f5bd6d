// What a text loses when it is parsed: found in every text that loses something, and in no other.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkExact } from "../../../shared/json/exact.ts";
import { IssueCollector } from "../../../shared/json/issue-collector.ts";

const lostIn = (json: string): string[] => {
  const issues = new IssueCollector();
  checkExact(json, issues);
  return issues.found.map(({ pointer }) => pointer);
};

describe("a number", () => {
  test.each([
    "0",
    "-0",
    "0.1",
    "1.0",
    "1.50e1",
    "1e3",
    "-12.340",
    "5e-324",
    "1.7976931348623157e308",
    "9007199254740992",
    "1E+2",
    "0.000e5",
  ])("%s is kept", (literal) => expect(lostIn(`{"n":${literal}}`)).toEqual([]));

  test.each([
    "9007199254740993",
    "0.1000000000000000055511151231257827",
    "123456789012345678901234567890",
    "1e400",
    "1e-400",
    "-1.00000000000000000001",
    `1.${"0".repeat(1_000_000)}1`,
  ])("%s is rounded", (literal) => expect(lostIn(`{"list":[1, ${literal} ]}`)).toEqual(["/list/1"]));
});

describe("a member", () => {
  test.each([
    ['{"a":1,"a":1}', ["/a"]],
    ['{"a":{"b":[{"c":1,"c":2}]}}', ["/a/b/0/c"]],
    ['{"\\u0061":1,"a":2}', ["/a"]],
    ['{"a/b":1,"a\\/b":2,"a~1b":3}', ["/a~1b"]],
    ['{"a":1,"b":{"a":1},"c":["a","a"]}', []],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', []],
  ])("of %s is given again at %j", (json, pointers) => expect(lostIn(json)).toEqual(pointers));
});

test("nothing is lost of what JavaScript wrote", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(lostIn(JSON.stringify(JSON.parse(json)))).toEqual([]);
    }),
  );
});
