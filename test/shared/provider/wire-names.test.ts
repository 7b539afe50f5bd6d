import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { wireNames } from "../../../shared/provider/wire-names.ts";

test("names that an API takes stay as they are", () => {
  const names = wireNames(["weather", "a-b_C9"], 64);
  expect(names.to("weather")).toBe("weather");
});

test("any names become different names that an API takes, and come back as they were", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 100 }), { maxLength: 20 }), (list) => {
      const names = wireNames(list, 40);
      const wires = list.map(names.to);
      expect(new Set(wires).size).toBe(list.length);
      for (const wire of wires) expect(wire).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
      expect(wires.map(names.from)).toEqual(list);
    }),
  );
});

test("as many names as a body holds, all with one base, are numbered without looking through the numbers again for each", () => {
  let lookups = 0;
  const names = Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x4e00 + i));
  const has = Map.prototype.has;
  const counting = vi.spyOn(Map.prototype, "has").mockImplementation(function (this: Map<unknown, unknown>, key: unknown) {
    lookups += 1;
    return has.call(this, key);
  });
  const wires = wireNames(names, 64);
  counting.mockRestore();
  expect(new Set(names.map(wires.to)).size).toBe(names.length);
  expect(lookups).toBeLessThan(10 * names.length);
});
