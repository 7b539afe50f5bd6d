import { assert, double, integer, nat, property } from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "../../shared/backoff.ts";

test("the wait is between half of the doubled bound and the whole, never above the most, and never nothing", () => {
  assert(
    property(
      integer({ min: 1, max: 10_000 }),
      integer({ min: 1, max: 600_000 }),
      nat(2_000),
      double({ min: 0, max: 1, noNaN: true }),
      (firstMs, mostMs, failures, random) => {
        const bound = Math.min(mostMs, firstMs * 2 ** failures);
        const wait = backoffMs({ firstMs, mostMs }, failures, random);
        expect(wait).toBeGreaterThanOrEqual(Math.max(1, Math.floor(bound / 2)));
        expect(wait).toBeLessThanOrEqual(Math.max(1, bound));
      },
    ),
  );
});
