// What is reserved before a call is never less than what the call can cost, however its provider
// caches.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { spentOf, worstOf } from "../../../shared/budget/cost.ts";
import type { Usage } from "../../../shared/model/call.ts";
import { brokenAnswer, connectionError, errorOfStatus, timeoutError } from "../../../shared/provider/provider-error.ts";
import { err, ok } from "../../../shared/result.ts";
import { type Priced, estimateInputTokens, sizeOf } from "../../../shared/routing/price.ts";
import { requestOf, tableOf } from "../routing/examples.ts";

const usd = fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1_000);
const rates = {
  inputPerMTok: usd,
  outputPerMTok: usd,
  cachedInputPerMTok: fc.option(usd, { nil: undefined }),
  cacheWritePerMTok: fc.option(usd, { nil: undefined }),
};
const above = fc.record({ inputTokens: fc.integer({ min: 1, max: 3_000 }), ...rates });
const priced = fc
  .record({
    kind: fc.constantFrom("anthropic" as const, "openai" as const, "demo" as const),
    price: fc.record({ ...rates, above: fc.option(above, { nil: undefined }) }),
  })
  .map(({ kind, price }): Priced => {
    const [model] = tableOf([{ id: "m", price: JSON.parse(JSON.stringify(price)) }]).models;
    if (model === undefined) throw new Error("no model");
    return { model, provider: { kind } };
  });

/**
 * How much of what may be used was used: of the input, of that what was read from the cache, of the
 * rest what was written to it; of the output.
 */
const shares = fc.record({ input: share(), cached: share(), written: share(), output: share() });
function share(): fc.Arbitrary<number> {
  return fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
}

test("a call whose provider counts no more tokens than were estimated costs no more than was reserved for it", () => {
  fc.assert(
    fc.property(
      priced,
      shares,
      fc.integer({ min: 0, max: 6_000 }),
      fc.integer({ min: 1, max: 4_000 }),
      (model, used, length, maxTokens) => {
        const request = requestOf({ systemPrompt: "x".repeat(length), maxTokens });
        const size = sizeOf(request);
        const inputTokens = Math.floor(estimateInputTokens(size) * used.input);
        const cachedInputTokens = Math.floor(inputTokens * used.cached);
        const cacheWriteTokens = Math.floor((inputTokens - cachedInputTokens) * used.written);
        const usage: Usage = { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens: Math.floor(maxTokens * used.output) };
        for (const unit of ["usd", "tokens"] as const) {
          const worst = worstOf(unit, model, size, request);
          const { spent, unaccounted } = spentOf(unit, model, ok(usage), worst);
          // Sums of fractions may differ in their last digit, which is rounded up to a billionth of
          // a dollar.
          expect(spent).toBeLessThanOrEqual(worst + 1);
          expect(unaccounted).toBe(0);
        }
      },
    ),
  );
});

test("a write to Anthropic's cache is reserved and settled at five quarters of the input's price", () => {
  const [model] = tableOf([{ id: "m", price: { inputPerMTok: 4, outputPerMTok: 0 } }]).models;
  if (model === undefined) throw new Error("no model");
  const at = (kind: "anthropic" | "openai"): Priced => ({ model, provider: { kind } });
  const request = requestOf();
  const tokens = estimateInputTokens(request);
  const written: Usage = { inputTokens: tokens, outputTokens: 0, cacheWriteTokens: tokens };
  for (const [kind, nanos] of [
    ["anthropic", tokens * 5_000],
    ["openai", tokens * 4_000],
  ] as const) {
    expect(worstOf("usd", at(kind), sizeOf(request), request)).toBe(nanos);
    expect(spentOf("usd", at(kind), ok(written), 0)).toEqual({ spent: nanos, unaccounted: 0 });
  }
});

test.each([
  ["a connection that broke", connectionError, { spent: 0, unaccounted: 1_000 }],
  ["silence", timeoutError, { spent: 0, unaccounted: 1_000 }],
  ["an answer that cannot be read", brokenAnswer("notJson"), { spent: 0, unaccounted: 1_000 }],
  [
    "a broken answer that says what was used",
    brokenAnswer("replyNotJson", { inputTokens: 30, outputTokens: 12 }),
    { spent: 42, unaccounted: 0 },
  ],
  ["status 400", errorOfStatus(400), { spent: 0, unaccounted: 0 }],
  ["status 408", errorOfStatus(408), { spent: 0, unaccounted: 0 }],
  ["status 500", errorOfStatus(500), { spent: 0, unaccounted: 0 }],
])("of an attempt that ends with %s, only what the provider may have been paid counts", (_end, error, spent) => {
  const [model] = tableOf([{ id: "m" }]).models;
  if (model === undefined) throw new Error("no model");
  expect(spentOf("tokens", { model, provider: { kind: "openai" } }, err(error), 1_000)).toEqual(spent);
});
