import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Priced,
  costUsd,
  estimateInputTokens,
  leastInputTokens,
  sizeOf,
  utf8Length,
  worstCostUsd,
} from "../../../shared/routing/price.ts";
import type { Model } from "../../../shared/routing/table.ts";
import { requestOf, tableOf } from "./examples.ts";

const [plain, stepped, cached] = tableOf([
  { id: "plain", price: { inputPerMTok: 2, outputPerMTok: 10 } },
  {
    id: "stepped",
    imageTokens: 1000,
    price: { inputPerMTok: 2, outputPerMTok: 10, above: { inputTokens: 1000, inputPerMTok: 4, outputPerMTok: 15 } },
  },
  {
    id: "cached",
    price: {
      inputPerMTok: 2,
      outputPerMTok: 10,
      cachedInputPerMTok: 0.5,
      cacheWritePerMTok: 3,
      above: { inputTokens: 1000, inputPerMTok: 4, outputPerMTok: 15, cachedInputPerMTok: 1, cacheWritePerMTok: 6 },
    },
  },
]).models;
if (plain === undefined || stepped === undefined || cached === undefined) throw new Error("no models");

const of = (model: Model, kind: "openai" | "anthropic" = "openai"): Priced => ({ model, provider: { kind } });

test("the length in UTF-8 is counted without making the bytes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => utf8Length(text) === new TextEncoder().encode(text).length));
  expect(utf8Length("a\uD800b")).toBe(new TextEncoder().encode("a\uD800b").length);
});

test("everything that is sent is counted", () => {
  const base = estimateInputTokens(requestOf());
  const longer = [
    requestOf({ systemPrompt: "Be brief and kind." }),
    requestOf({ tools: [{ name: "look", description: "Looks something up", inputSchema: { type: "object" } }] }),
    requestOf({
      messages: [...requestOf().messages, { role: "assistant", content: [{ type: "tool_use", id: "1", name: "look", input: { q: "x" } }] }],
    }),
    requestOf({
      messages: [
        ...requestOf().messages,
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              toolUseId: "1",
              structuredContent: { a: 1 },
              content: [{ type: "resource", resource: { uri: "file:///a", text: "text" } }],
            },
          ],
        },
      ],
    }),
    requestOf({ messages: [...requestOf().messages, { role: "user", content: [{ type: "pdf", data: "AAAA", name: "a".repeat(40) }] }] }),
    requestOf({
      messages: [...requestOf().messages, { role: "user", content: [{ type: "audio", data: "A".repeat(4000), mimeType: "audio/wav" }] }],
    }),
  ];
  for (const request of longer) expect(estimateInputTokens(request)).toBeGreaterThan(base + 8);
});

test("an image costs what the table says, or the most that is known", () => {
  const request = requestOf({ messages: [{ role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }] });
  expect(estimateInputTokens(request) - estimateInputTokens(request, 1000)).toBe(14_000);
  expect(worstCostUsd(of(stepped), sizeOf(request), 0)).toBeCloseTo((1024 * 4) / 1e6, 12);
});

test("the low estimate is never above the high one", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(5), fc.nat(9000), (text, images, audio) => {
      const size = sizeOf(
        requestOf({
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text },
                ...Array.from({ length: images }, () => ({ type: "image" as const, data: "AA==", mimeType: "image/png" })),
                { type: "audio", data: "A".repeat(audio), mimeType: "audio/wav" },
                { type: "pdf", data: "A".repeat(audio * 20) },
              ],
            },
          ],
        }),
      );
      expect(leastInputTokens(size)).toBeLessThanOrEqual(estimateInputTokens(size, 64));
    }),
  );
});

test("a price above a length of input applies to the whole call, from the first token beyond it", () => {
  expect(costUsd(of(stepped), { inputTokens: 1000, outputTokens: 100 })).toBeCloseTo(0.003, 12);
  expect(costUsd(of(stepped), { inputTokens: 1001, outputTokens: 100 })).toBeCloseTo((1001 * 4 + 100 * 15) / 1e6, 12);
  expect(costUsd(of(plain), { inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(12);
});

describe("what was read from or written to the provider's cache costs", () => {
  const usage = { inputTokens: 900, outputTokens: 100, cachedInputTokens: 500, cacheWriteTokens: 300 };
  const rest = 100 * 2 + 100 * 10;

  test.each([
    ["the table's price", of(cached), usage, rest + 500 * 0.5 + 300 * 3],
    ["the table's price above a length of input", of(cached), { ...usage, inputTokens: 1100 }, 300 * 4 + 500 * 1 + 300 * 6 + 100 * 15],
    ["the table's price, whoever the provider is", of(cached, "anthropic"), usage, rest + 500 * 0.5 + 300 * 3],
    ["a tenth and five quarters of the input price at Anthropic", of(plain, "anthropic"), usage, rest + 500 * 0.2 + 300 * 2.5],
    [
      "the same shares of the price above a length of input",
      of(stepped, "anthropic"),
      { ...usage, inputTokens: 1100 },
      300 * 4 + 500 * 0.4 + 300 * 5 + 100 * 15,
    ],
    ["the input price where no other is known", of(plain), usage, 900 * 2 + 100 * 10],
  ])("%s", (_, priced, used, millionths) => {
    expect(costUsd(priced, used)).toBeCloseTo(millionths / 1e6, 12);
  });
});

test("the worst case of a model that is cheaper above a length of input is not the cheaper price: the input may be shorter than estimated", () => {
  const above = { inputTokens: 10, inputPerMTok: 1, outputPerMTok: 20 };
  const [model] = tableOf([{ id: "cheaper", price: { inputPerMTok: 4, outputPerMTok: 10, above } }]).models;
  if (model === undefined) throw new Error("no model");
  const size = sizeOf(requestOf());
  const tokens = estimateInputTokens(size);
  expect(worstCostUsd(of(model), size, 0)).toBeCloseTo((tokens * 4) / 1e6, 12);
  expect(worstCostUsd(of(model), size, 1_000)).toBeCloseTo((tokens + 1_000 * 20) / 1e6, 12);
});

test("the worst case has all input at the dearest of its prices", () => {
  const size = sizeOf(requestOf());
  const tokens = estimateInputTokens(size);
  expect(worstCostUsd(of(plain), size, 7)).toBeCloseTo((tokens * 2 + 7 * 10) / 1e6, 12);
  expect(worstCostUsd(of(plain, "anthropic"), size, 7)).toBeCloseTo((tokens * 2.5 + 7 * 10) / 1e6, 12);
  expect(worstCostUsd(of(cached), size, 7)).toBeCloseTo((tokens * 3 + 7 * 10) / 1e6, 12);
});
