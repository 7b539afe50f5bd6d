import * as fc from "fast-check";
import { expect, test } from "vitest";
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
