// The prices of a routing table beside those of a price list that others maintain.
//
// The list has the format of LiteLLM's model_prices_and_context_window.json: by model, dollars for
// one token of input and of output, of input that is read from and written to the provider's cache,
// and for calls with more input than a number of thousands of tokens.

import { z } from "zod";
import type { Model } from "../../shared/routing/table.ts";

export type Price = Model["price"];

const entrySchema = z
  .object({
    mode: z.string().optional(),
    input_cost_per_token: z.number().nonnegative().optional(),
    output_cost_per_token: z.number().nonnegative().optional(),
  })
  .catchall(z.unknown());
export const priceListSchema = z.record(z.string(), entrySchema);
export type PriceList = z.infer<typeof priceListSchema>;

/** Our names of providers, and what the list puts before a model's name for each. */
const prefixes: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["", "anthropic/"],
  openai: ["", "openai/"],
  google: ["gemini/", ""],
  "workers-ai": ["cloudflare/"],
};

export type Compared = {
  readonly model: string;
  readonly ours: Price;
  /** Null where the list does not have the model. */
  readonly theirs: Price | null;
  readonly state: "same" | "changed" | "notListed" | "free";
};

/**
 * One line for each model. A model with a price of 0 (a local server, the demo) is not looked for.
 */
export function comparePrices(models: readonly Pick<Model, "id" | "name" | "provider" | "price">[], list: PriceList): Compared[] {
  return models.map(({ id, name, provider, price }) => {
    const free = price.inputPerMTok === 0 && price.outputPerMTok === 0 && price.above === undefined;
    const entry = (prefixes[provider] ?? ["", `${provider}/`]).map((prefix) => list[prefix + name]).find((each) => each !== undefined);
    const theirs = free || entry === undefined ? null : priceOf(entry, price);
    if (theirs === null) return { model: id, ours: price, theirs, state: free ? "free" : "notListed" };
    return { model: id, ours: price, theirs, state: isSame(price, theirs) ? "same" : "changed" };
  });
}

/**
 * Per million tokens; a price of a token has rounding errors in the list, which ten digits remove.
 */
const perMTok = (perToken: number): number => Number((perToken * 1_000_000).toPrecision(10));

const aboveName = /^input_cost_per_token_above_(\d+)k_tokens$/;

/**
 * Null where the entry has no price for input. Output without a price is free, as with embeddings.
 * Where it has none for the provider's cache, ours stays.
 */
function priceOf(entry: PriceList[string], ours: Price): Price | null {
  const { input_cost_per_token: input, output_cost_per_token: output = 0 } = entry;
  if (input === undefined) return null;
  const price = { inputPerMTok: perMTok(input), outputPerMTok: perMTok(output), ...cachePrices(entry, "", ours) };
  const [name, thousands] =
    Object.keys(entry)
      .flatMap((key) => [aboveName.exec(key) ?? []])
      .find((match) => match.length > 0) ?? [];
  if (name === undefined || thousands === undefined) return price;
  const suffix = `_above_${thousands}k_tokens`;
  const [more, out] = [entry[name], entry[`output_cost_per_token${suffix}`]];
  if (typeof more !== "number" || typeof out !== "number") return price;
  const rates = { inputPerMTok: perMTok(more), outputPerMTok: perMTok(out), ...cachePrices(entry, suffix, ours.above) };
  return { ...price, above: { inputTokens: Number(thousands) * 1_000, ...rates } };
}

type CachePrices = Pick<Price, "cachedInputPerMTok" | "cacheWritePerMTok">;

function cachePrices(entry: PriceList[string], suffix: string, ours: CachePrices | undefined): CachePrices {
  const of = (name: string): number | undefined => {
    const value = entry[name + suffix];
    return typeof value === "number" ? perMTok(value) : undefined;
  };
  const cached = of("cache_read_input_token_cost") ?? ours?.cachedInputPerMTok;
  const written = of("cache_creation_input_token_cost") ?? ours?.cacheWritePerMTok;
  return {
    ...(cached === undefined ? {} : { cachedInputPerMTok: cached }),
    ...(written === undefined ? {} : { cacheWritePerMTok: written }),
  };
}

type Rates = Omit<Price, "above">;

const haveSameRates = (a: Rates, b: Rates): boolean =>
  a.inputPerMTok === b.inputPerMTok &&
  a.outputPerMTok === b.outputPerMTok &&
  a.cachedInputPerMTok === b.cachedInputPerMTok &&
  a.cacheWritePerMTok === b.cacheWritePerMTok;

function isSame(a: Price, b: Price): boolean {
  if (!haveSameRates(a, b)) return false;
  if (a.above === undefined || b.above === undefined) return a.above === b.above;
  return a.above.inputTokens === b.above.inputTokens && haveSameRates(a.above, b.above);
}

const shown = ({ above, ...rates }: Price): string =>
  `${shownRates(rates)}${above === undefined ? "" : `, above ${above.inputTokens} tokens ${shownRates(above)}`}`;

function shownRates({ inputPerMTok, outputPerMTok, cachedInputPerMTok: cached, cacheWritePerMTok: written }: Rates): string {
  const cache = [
    ...(cached === undefined ? [] : [`${cached} cached`]),
    ...(written === undefined ? [] : [`${written} written to the cache`]),
  ];
  return `${inputPerMTok} / ${outputPerMTok}${cache.length === 0 ? "" : ` (${cache.join(", ")})`}`;
}

/** The lines for a terminal, in dollars for a million tokens, input / output. */
export function priceLines(compared: readonly Compared[]): string[] {
  return compared.map(({ model, ours, theirs, state }) => {
    switch (state) {
      case "same":
        return `same        ${model}: ${shown(ours)}`;
      case "changed":
        return `changed     ${model}: ${shown(ours)} here, ${theirs === null ? "" : shown(theirs)} in the list`;
      case "notListed":
        return `not listed  ${model}: ${shown(ours)} here; compare it with the provider's own page`;
      case "free":
        return `free        ${model}`;
      default:
        return state satisfies never;
    }
  });
}
