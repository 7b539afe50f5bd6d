import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Price, comparePrices, priceLines } from "../../scripts/prices/compare.ts";
import { prices } from "../../scripts/prices/main.ts";
import { defaultRoutingTable } from "../../shared/routing/default-table.ts";
import { parseRoutingTable } from "../../shared/routing/table.ts";

const of = (provider: string, name: string, price: Price) => ({ id: name, name, provider, price });
/** Rows as the list has them. */
const list = {
  "claude-x": { mode: "chat", input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5, litellm_provider: "anthropic" },
  "gemini/flash-x": { mode: "chat", input_cost_per_token: 7.5e-8, output_cost_per_token: 3e-7 },
  "gpt-x": {
    mode: "chat",
    input_cost_per_token: 2e-6,
    output_cost_per_token: 1e-5,
    input_cost_per_token_above_272k_tokens: 4e-6,
    output_cost_per_token_above_272k_tokens: 1.5e-5,
  },
  "claude-y": {
    mode: "chat",
    input_cost_per_token: 2e-7,
    output_cost_per_token: 1e-6,
    cache_read_input_token_cost: 1e-8,
    cache_creation_input_token_cost: 2.5e-7,
    cache_creation_input_token_cost_above_1hr: 4e-7,
    input_cost_per_token_above_200k_tokens: 4e-7,
    output_cost_per_token_above_200k_tokens: 2e-6,
    cache_read_input_token_cost_above_200k_tokens: 2e-8,
  },
  "embed-x": { mode: "embedding", input_cost_per_token: 2e-8 },
  "image-x": { mode: "image_generation", output_cost_per_image: 0.06 },
};

/** Those of claude-y. */
const once = { inputPerMTok: 0.2, outputPerMTok: 1, cachedInputPerMTok: 0.01, cacheWritePerMTok: 0.25 };
const twice = { inputTokens: 200_000, inputPerMTok: 0.4, outputPerMTok: 2, cachedInputPerMTok: 0.02 };

describe("a model's price beside the list's", () => {
  test.each([
    ["same", of("anthropic", "claude-x", { inputPerMTok: 3, outputPerMTok: 15 })],
    ["changed", of("anthropic", "claude-x", { inputPerMTok: 2, outputPerMTok: 15 })],
    ["same", of("google", "flash-x", { inputPerMTok: 0.075, outputPerMTok: 0.3 })],
    ["notListed", of("openai", "flash-x", { inputPerMTok: 0.075, outputPerMTok: 0.3 })],
    [
      "same",
      of("openai", "gpt-x", { inputPerMTok: 2, outputPerMTok: 10, above: { inputTokens: 272_000, inputPerMTok: 4, outputPerMTok: 15 } }),
    ],
    ["changed", of("openai", "gpt-x", { inputPerMTok: 2, outputPerMTok: 10 })],
    ["changed", of("anthropic", "claude-y", { inputPerMTok: 0.2, outputPerMTok: 1, above: twice })],
    ["changed", of("anthropic", "claude-y", { ...once, above: { ...twice, cachedInputPerMTok: 0.01 } })],
    ["same", of("anthropic", "claude-y", { ...once, above: twice })],
    ["same", of("anthropic", "claude-y", { ...once, above: { ...twice, cacheWritePerMTok: 0.5 } })],
    ["same", of("openai", "embed-x", { inputPerMTok: 0.02, outputPerMTok: 0 })],
    ["notListed", of("openai", "image-x", { inputPerMTok: 1, outputPerMTok: 1 })],
    ["free", of("local", "claude-x", { inputPerMTok: 0, outputPerMTok: 0 })],
  ])("is %s: %j", (state, model) => {
    const [compared] = comparePrices([model], list);
    expect(compared?.state).toBe(state);
    expect(priceLines(compared === undefined ? [] : [compared])[0]).toContain(model.id);
  });
});

describe("the command", () => {
  const folder = mkdtempSync(join(tmpdir(), "prices-"));
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    return { code: await prices(args, (line) => lines.push(line)), lines };
  };
  const written = (value: unknown): string => {
    const file = join(folder, "list.json");
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
    return file;
  };

  test("says what changed, exits with 1, and writes a table with the new prices that the gateway takes", async () => {
    const file = written({
      "claude-sonnet-5-5": { input_cost_per_token: 9e-6, output_cost_per_token: 9e-5, cache_read_input_token_cost: 9e-7 },
    });
    const out = join(folder, "routing.json");
    const { code, lines } = await run("--built-in", "--from", file, "--write", out);
    expect([code, lines.filter((line) => line.startsWith("changed"))]).toEqual([
      1,
      [
        "changed     claude-sonnet-5-5: 2 / 10 (0.1 cached, 2.5 written to the cache) here, 9 / 90 (0.9 cached, 2.5 written to the cache) in the list",
      ],
    ]);
    const parsed = parseRoutingTable(JSON.parse(readFileSync(out, "utf8")));
    expect(parsed.ok && parsed.value.models.find(({ id }) => id === "claude-sonnet-5-5")?.price).toEqual({
      inputPerMTok: 9,
      outputPerMTok: 90,
      cachedInputPerMTok: 0.9,
      cacheWritePerMTok: 2.5,
    });
    expect(parsed.ok && parsed.value.models.length).toBe(defaultRoutingTable().models.length);
  });

  test("exits with 0 where nothing changed", async () => {
    expect((await run("--built-in", "--from", written({}))).code).toBe(0);
  });

  test.each([
    ["no file", "/no/such/file"],
    ["no JSON", "{"],
    ["no list of prices", { a: { input_cost_per_token: "much" } }],
  ])("exits with 2 and says what to do: %s", async (_, given) => {
    const { code, lines } = await run("--built-in", "--from", typeof given === "string" && given.startsWith("/") ? given : written(given));
    expect([code, lines.join()]).toEqual([2, expect.stringContaining("--from")]);
  });

  test("names an option that it does not have", async () => {
    const { code, lines } = await run("--surprise");
    expect([code, lines.join()]).toEqual([2, expect.stringContaining("usage: npm run prices")]);
  });
});
