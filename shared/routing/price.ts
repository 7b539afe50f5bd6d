// How large a request is and what it may cost. It counts bytes and pictures; it has no tokenizer,
// no clock, no network.
//
// Two estimates, because they serve opposite purposes. The one for cost must not be too low: it
// decides budgets, rules with `costOverUsd`, and the figure a reviewer sees. The one for
// eligibility must not be too high: it would refuse a request that fits. Between the two the
// provider itself decides.

import type { Tokens } from "../model/call.ts";
import type { SamplingRequest } from "../model/sampling.ts";
import { type ProviderKind, cacheSharesOf } from "./provider-kinds.ts";
import type { Model, Provider } from "./table.ts";

/** What a request is made of, as far as its length in tokens goes. */
export type RequestSize = {
  /**
   * UTF-8 bytes of everything that is sent as text: prompts, tool definitions, tool uses and
   * results.
   */
  readonly textBytes: number;
  readonly images: number;
  /** Bytes of audio, decoded. */
  readonly audioBytes: number;
  readonly pdfs: number;
  /** Bytes of all PDFs, decoded. */
  readonly pdfBytes: number;
  /** Messages, content blocks and tools: each costs a few tokens of framing. */
  readonly parts: number;
  readonly tools: number;
};

/**
 * Tokens of one image where the table does not say (`imageTokens`): a 12-megapixel photograph at
 * the default detail of the dearest provider known (14,364 tokens, read in November 2026), rounded
 * up.
 */
const imageTokensUnlessSaid = 15_000;

/**
 * UTF-8 length without making the bytes. A lone surrogate counts as the three bytes of its
 * replacement.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 2;
      i += 1;
    } else bytes += 2;
  }
  return bytes;
}

const decodedBytes = (base64: string): number => Math.ceil((base64.length * 3) / 4);

/** Measures a request once; every estimate starts from this. Linear in the size of the request. */
export function sizeOf(request: SamplingRequest): RequestSize {
  let textBytes = utf8Length(request.systemPrompt ?? "");
  let images = 0;
  let audioBytes = 0;
  let pdfs = 0;
  let pdfBytes = 0;
  let parts = 1;
  const json = (value: unknown): number => utf8Length(JSON.stringify(value) ?? "");
  for (const message of request.messages) {
    parts += 1;
    for (const block of message.content) {
      parts += 1;
      const pieces = block.type === "tool_result" ? block.content : [block];
      if (block.type === "tool_result")
        textBytes += block.toolUseId.length + (block.structuredContent === undefined ? 0 : json(block.structuredContent));
      for (const piece of pieces) {
        switch (piece.type) {
          case "text":
            textBytes += utf8Length(piece.text);
            break;
          case "image":
            images += 1;
            break;
          case "audio":
            audioBytes += decodedBytes(piece.data);
            break;
          case "pdf":
            pdfs += 1;
            pdfBytes += decodedBytes(piece.data);
            textBytes += utf8Length(piece.name ?? "");
            break;
          default:
            parts += 1;
            textBytes += json(piece);
        }
      }
    }
  }
  for (const tool of request.tools ?? []) textBytes += json(tool);
  // Some providers get it beside the prompt.
  if (request.responseFormat?.schema !== undefined) textBytes += json(request.responseFormat.schema);
  return { textBytes, images, audioBytes, pdfs, pdfBytes, parts, tools: request.tools?.length ?? 0 };
}

/**
 * Input tokens, estimated high: one token for 2 bytes of text (source code under the densest
 * tokenizer in use comes near that; English needs half), `imageTokens` for an image, one token for
 * 100 bytes of audio (32 tokens a second, at the 3 kB a second of speech-quality MP3), one for 3
 * bytes of a PDF and `imageTokens` for its first page (a page is up to 3,000 tokens of text and an
 * image, and has 10 kB or more unless it is nearly empty), 8 for each message, block or tool, 500
 * for having tools at all.
 */
export const estimateInputTokens = (request: SamplingRequest | RequestSize, imageTokens: number = imageTokensUnlessSaid): number => {
  const size = "messages" in request ? sizeOf(request) : request;
  return (
    Math.ceil(size.textBytes / 2) +
    (size.images + size.pdfs) * imageTokens +
    Math.ceil(size.audioBytes / 100) +
    Math.ceil(size.pdfBytes / 3) +
    (size.parts + size.tools) * 8 +
    (size.tools > 0 ? 500 : 0)
  );
};

/**
 * Input tokens, estimated low: one for 5 bytes of text, 64 for an image, one for 4,000 bytes of
 * audio and for 20,000 of a PDF (a scanned page), nothing for framing. What does not fit by this
 * estimate does not fit.
 */
export const leastInputTokens = (size: RequestSize): number =>
  Math.floor(size.textBytes / 5) + size.images * 64 + Math.floor(size.audioBytes / 4000) + Math.floor(size.pdfBytes / 20_000);

/** A model with its prices, and who sets them. */
export type Priced = { readonly model: Pick<Model, "price" | "imageTokens">; readonly provider: Pick<Provider, "kind"> };

/** US dollars for a million tokens. */
type Rates = { readonly input: number; readonly cached: number; readonly written: number; readonly output: number };

/**
 * US dollars for so many tokens of one call. Prices above a length of input apply to the whole
 * call, as providers bill it. What was read from or written to the provider's cache has the table's
 * price for it, else the usual share of the input price for that kind of provider.
 */
export function costUsd({ model: { price }, provider }: Priced, usage: Tokens): number {
  const { inputTokens, outputTokens, cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage;
  const { above } = price;
  const rates = ratesOf(above !== undefined && inputTokens > above.inputTokens ? above : price, provider.kind);
  const rest = Math.max(0, inputTokens - cached - written);
  return (rest * rates.input + cached * rates.cached + written * rates.written + outputTokens * rates.output) / million;
}

/**
 * Worst case in US dollars: the input as estimated high, each token at the dearest price that it
 * may have (a write to the cache may cost more than plain input), and `maxTokens` of output (none
 * for embeddings).
 */
export function worstCostUsd({ model, provider }: Priced, size: RequestSize, maxTokens: number): number {
  const inputTokens = estimateInputTokens(size, model.imageTokens);
  const { above } = model.price;
  const possible = above !== undefined && inputTokens > above.inputTokens ? [model.price, above] : [model.price];
  const costs = possible.map((price) => {
    const { input, cached, written, output } = ratesOf(price, provider.kind);
    return inputTokens * Math.max(input, cached, written) + maxTokens * output;
  });
  return Math.max(...costs) / million;
}

const million = 1_000_000;

function ratesOf(price: Omit<Model["price"], "above">, kind: ProviderKind): Rates {
  const { inputPerMTok: input, outputPerMTok: output, cachedInputPerMTok, cacheWritePerMTok } = price;
  const { read, written } = cacheSharesOf(kind);
  return { input, output, cached: cachedInputPerMTok ?? input * read, written: cacheWritePerMTok ?? input * written };
}
