// Streams of providers for tests: bytes cut anywhere, read as the sender reads them.

import type { ModelCall } from "../../../shared/provider/model-call.ts";
import * as fc from "fast-check";
import { fromAnthropic } from "../../../shared/provider/anthropic/anthropic-translation.ts";
import { readAnthropic } from "../../../shared/provider/anthropic/anthropic-stream.ts";
import type { ModelReply, ProviderError } from "../../../shared/model/call.ts";
import { fromOpenAI } from "../../../shared/provider/openai/openai-translation.ts";
import { readOpenAI } from "../../../shared/provider/openai/openai-stream.ts";
import { TextDeltas, type StreamReader } from "../../../shared/provider/text-deltas.ts";
import type { Result } from "../../../shared/result.ts";
import { readEvents } from "../../../workers/providers/provider-exchange.ts";

export type Kind = "anthropic" | "openai";
export const readerOf = { anthropic: readAnthropic, openai: readOpenAI } as const;
export const fromOf = { anthropic: fromAnthropic, openai: fromOpenAI } as const;

export type Streamed = {
  readonly deltas: readonly string[];
  /** False where the reply is not the one that was told. */
  readonly agrees: boolean;
  readonly result: Result<ModelReply, ProviderError>;
  readonly stream: StreamReader;
};

/**
 * Reads the bytes, cut at `cuts` (places in them, in any order), and translates what they come to.
 */
export async function streamed(kind: Kind, call: ModelCall, bytes: Uint8Array, cuts: readonly number[] = []): Promise<Streamed> {
  const deltas: string[] = [];
  const text = new TextDeltas(call.request, (piece) => deltas.push(piece));
  const stream = readerOf[kind](text);
  const answer = await readEvents(new Response(inChunks(bytes, cuts)), stream);
  const result = answer.ok ? fromOf[kind](answer.value, { ...call, streamed: true }) : answer;
  const agrees = !result.ok || text.finish(result.value.reply);
  return { deltas, agrees, result, stream };
}

export const bytesOf = (events: readonly string[]): Uint8Array => new TextEncoder().encode(events.join(""));

function inChunks(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const places = new Set([...cuts.filter((cut) => cut > 0 && cut < bytes.length), bytes.length].toSorted((a, b) => a - b));
  return new ReadableStream({
    start: (controller) => {
      let from = 0;
      for (const to of places) {
        if (to > from) controller.enqueue(bytes.slice(from, to));
        from = to;
      }
      controller.close();
    },
  });
}

/**
 * Texts of which parts are stop sequences, characters of several bytes or units, or halves of such.
 */
export const anyText = fc
  .array(
    fc.oneof(fc.constantFrom("a", "b", "ab", "abc", "END", "EN", "é", "😀", "\uD83D", "\n\n", "data: ", "`"), fc.string({ maxLength: 4 })),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(""));

export const anyStops = fc.array(fc.oneof(fc.constantFrom("b", "abc", "END", "😀", "bcE", ""), fc.string({ maxLength: 3 })), {
  maxLength: 4,
});

/** How a text is cut into the pieces of a stream: again and again these many UTF-16 units. */
export const anyCut = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }).map((sizes) => (text: string): string[] => {
  const pieces: string[] = [];
  for (let from = 0, at = 0; from < text.length; at += 1) {
    const size = sizes[at % sizes.length] ?? 1;
    pieces.push(text.slice(from, from + size));
    from += size;
  }
  return pieces;
});

/** Where bytes are cut; now and then everywhere, in the middle of every character and line end. */
export const anyCuts = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.nat({ max: 6_000 }), { maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant(Array.from({ length: 12_000 }, (_, at) => at)) },
);
