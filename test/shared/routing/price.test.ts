import * as fc from "fast-check";
import { expect, test } from "vitest";
import { costUsd, estimateInputTokens, leastInputTokens, sizeOf, utf8Length, worstCostUsd } from "../../../shared/routing/price.ts";
import { requestOf, tableOf } from "./examples.ts";

const [plain, stepped] = tableOf([
  { id: "plain", price: { inputPerMTok: 2, outputPerMTok: 10 } },
  {
    id: "stepped",
    imageTokens: 1000,
    price: { inputPerMTok: 2, outputPerMTok: 10, above: { inputTokens: 1000, inputPerMTok: 4, outputPerMTok: 15 } },
  },
]).models;
if (plain === undefined || stepped === undefined) throw new Error("no models");

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
    requestOf({
      messages: [...requestOf().messages, { role: "user", content: [{ type: "audio", data: "A".repeat(4000), mimeType: "audio/wav" }] }],
    }),
  ];
  for (const request of longer) expect(estimateInputTokens(request)).toBeGreaterThan(base + 8);
});

test("an image costs what the table says, or the most that is known", () => {
  const request = requestOf({ messages: [{ role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }] });
  expect(estimateInputTokens(request) - estimateInputTokens(request, 1000)).toBe(14_000);
  expect(worstCostUsd(stepped, sizeOf(request), 0)).toBeCloseTo((1024 * 4) / 1e6, 12);
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
  expect(costUsd(stepped, { inputTokens: 1000, outputTokens: 100 })).toBeCloseTo(0.003, 12);
  expect(costUsd(stepped, { inputTokens: 1001, outputTokens: 100 })).toBeCloseTo((1001 * 4 + 100 * 15) / 1e6, 12);
  expect(costUsd(plain, { inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(12);
});
