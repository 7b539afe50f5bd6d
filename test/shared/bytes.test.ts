import { expect, test } from "vitest";
import { joinBytes } from "../../shared/bytes.ts";

test("bytes that drip in are joined, however many parts they come in", () => {
  const parts = Array.from({ length: 1_000_000 }, (_, index) => Uint8Array.of(index % 251));
  const whole = joinBytes(parts);
  expect(whole.length).toBe(1_000_000);
  expect([whole[0], whole[250], whole[251], whole[999_999]]).toEqual([0, 250, 0, 999_999 % 251]);
  expect(joinBytes([])).toEqual(new Uint8Array());
});
