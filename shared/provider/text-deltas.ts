// A streamed reply: what each provider's events are read into, and what of its text may be
// delivered while it comes.
//
// No network: the data of events are passed in. They are assembled into the answer that the API
// gives without a stream, so that one translation reads both.

import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import type { ProviderError, Usage } from "../model/call.ts";
import { textOfReply } from "./json-reply.ts";
import { estimatedUsage, firstStop } from "./reply.ts";

/** One provider's stream. Never throws. */
export type StreamReader = {
  /**
   * Reads the data of one event. `end`: the rest of the stream is not needed. An error: it is not
   * read.
   */
  readonly take: (data: string) => "more" | "end" | ProviderError;
  /** Whether the API has said that the reply is complete. */
  readonly isWhole: () => boolean;
  /** The answer as the API gives it without a stream. */
  readonly response: () => unknown;
  /** What the provider has counted so far. */
  readonly usage: () => Usage | undefined;
  /** How many characters the model has made so far, also in thinking and tools' arguments. */
  readonly characters: () => number;
};

/**
 * More text blocks or tool calls than any reply has, so that a server that sends empty ones without
 * end does not fill the memory.
 */
export const mostBlocks = 1_000;

/**
 * The usage of a stream that broke off, or undefined where nothing came: as the provider counted
 * until then, which may be the input alone, and for the output at least one token for four
 * characters that came.
 */
export function usageSoFar(request: SamplingRequest, stream: Pick<StreamReader, "usage" | "characters">): Usage | undefined {
  const counted = stream.usage();
  const characters = stream.characters();
  if (characters === 0) return counted;
  const estimate = estimatedUsage(request, characters);
  if (counted === undefined) return estimate;
  return counted.outputTokens >= estimate.outputTokens ? counted : { ...counted, outputTokens: estimate.outputTokens, estimated: true };
}

/**
 * Delivers the text of a reply while it comes: exactly the text of the reply that `finishReply`
 * makes of the whole. It buffers what could still be the beginning of a stop sequence, half of a
 * character, and, where JSON was asked for, all of a text that does not begin like JSON: a fence is
 * removed at the end, and for anything else another model can still be asked.
 */
export class TextDeltas {
  readonly #onText: (text: string) => void;
  readonly #sequences: readonly string[];
  #delivered = "";
  /** The first half of a character whose second half is yet to come. */
  #half = "";
  /** Text in which a stop sequence could begin. */
  #buffered = "";
  #stopped = false;
  /**
   * Where JSON is expected: the text before it begins like JSON. Null where none is buffered for
   * that.
   */
  #beginning: string | null;

  constructor(request: SamplingRequest, onText: (text: string) => void) {
    this.#onText = onText;
    this.#sequences = (request.stopSequences ?? []).filter((sequence) => sequence !== "");
    this.#beginning = request.responseFormat === undefined ? null : "";
  }

  /** Whether any text was delivered, which cannot be withdrawn. */
  get any(): boolean {
    return this.#delivered !== "";
  }

  /** The next piece of the current text block. */
  add(piece: string): void {
    const text = this.#half + piece;
    this.#half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
    this.#buffer((this.#half === "" ? text : text.slice(0, -1)).toWellFormed());
  }

  /** Ends a text block: no stop sequence and no character continues in the next. */
  endBlock(): void {
    this.#buffer(this.#half.toWellFormed());
    this.#half = "";
    if (!this.#stopped) {
      // A whole sequence may be buffered for a longer one that began before it and did not come.
      const found = firstStop(this.#buffered, this.#sequences);
      this.#stopped = found !== undefined;
      this.#release(this.#buffered.slice(0, found));
    }
    this.#buffered = "";
  }

  /**
   * Delivers the rest of the reply's text. False where the reply's text does not begin with what
   * was delivered.
   */
  finish(reply: Pick<SamplingReply, "content">): boolean {
    const text = textOfReply(reply);
    if (!text.startsWith(this.#delivered)) return false;
    this.#deliver(text.slice(this.#delivered.length));
    return true;
  }

  #buffer(text: string): void {
    if (this.#stopped) return;
    this.#buffered += text;
    const begins = beginOf(this.#buffered, this.#sequences);
    const found = firstStop(this.#buffered, this.#sequences) ?? Infinity;
    this.#stopped = found <= begins;
    const safe = Math.min(found, begins);
    this.#release(this.#buffered.slice(0, safe));
    this.#buffered = this.#buffered.slice(safe);
  }

  #release(text: string): void {
    if (this.#beginning === null) {
      this.#deliver(text);
      return;
    }
    this.#beginning += text;
    if (!beginsLikeJson.test(this.#beginning)) return;
    const beginning = this.#beginning;
    this.#beginning = null;
    this.#deliver(beginning);
  }

  #deliver(text: string): void {
    if (text === "") return;
    this.#delivered += text;
    this.#onText(text);
  }
}

const beginsLikeJson = /^[ \t\r\n]*[[{"\-\dtfn]/;

/**
 * Where the longest end of the text begins that could be the beginning of a sequence; the text's
 * length where there is none.
 */
function beginOf(text: string, sequences: readonly string[]): number {
  let longest = 0;
  for (const sequence of sequences)
    for (let length = Math.min(sequence.length - 1, text.length); length > longest; length -= 1)
      if (sequence[length - 1] === text.at(-1) && text.endsWith(sequence.slice(0, length))) longest = length;
  return text.length - longest;
}
