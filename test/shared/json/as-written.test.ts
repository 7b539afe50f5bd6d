import { expect, test } from "vitest";
import { canonicalJson } from "../../../shared/encoding.ts";
import { valueAsWritten } from "../../../shared/json/as-written.ts";

const digested = (json: string): string => canonicalJson(valueAsWritten(json));

test.each([
  ['{"a":1,"b":[2,"x"]}', ' { "b" : [ 2 , "\\u0078" ], "a" : 1 } '],
  ['{"a":12345678901234567890}', '{ "a": 12345678901234567890 }'],
])("%s is the same as %s", (one, other) => {
  expect(digested(one)).toBe(digested(other));
});

test.each([
  ['{"a":12345678901234567890}', '{"a":12345678901234567891}'],
  ['{"a":12345678901234567890}', '{"a":12345678901234567000}'],
  ['{"a":12345678901234567890}', '{"a":"12345678901234567890"}'],
  ['{"a":1e400}', '{"a":1e500}'],
  ['{"a":1e400}', '{"a":null}'],
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":1.0}', '{"a":"1.0"}'],
  ['{"a":"\\ud800"}', '{"a":"\\ud801"}'],
  ['{"\\ud800":1}', '{"\\ud801":1}'],
  ["[1,2]", "[2,1]"],
])("%s is another value than %s", (one, other) => {
  expect(digested(one)).not.toBe(digested(other));
});
