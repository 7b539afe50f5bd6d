// A reply that comes in pieces: what each provider's events are read into, and what of its text may be handed on while it comes.
//
// No network: the events' data are handed in. What has come is put together to the very answer that the API gives without a stream,
// so that one translation judges both.

import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import type { ProviderError, Usage } from "../model/call.ts";
import { textOfReply } from "./json-reply.ts";
import { estimatedUsage, firstStop } from "./reply.ts";

/** One provider's stream. Nothing here throws. */
export type StreamReader = {
  /** Takes the data of one event. `end`: nothing more is needed. A fault: nothing more is wanted. */
  readonly take: (data: string) => "more" | "end" | ProviderError;
  /** Whether the reply is all there, as the API says it at its end. */
  readonly isWhole: () => boolean;
  /** The answer as the API gives it without a stream. */
  readonly response: () => unknown;
  /** What the provider has counted so far. */
  readonly usage: () => Usage | undefined;
  /** How many characters the model has made so far, its thinking and its tools' arguments among them. */
  readonly characters: () => number;
};

/** More text blocks or tool calls than any reply has; a server that sends no end of empty ones must not fill the memory. */
export const mostBlocks = 1_000;

/**
 * What a stream that broke off has cost so far, or undefined where nothing came of it: what the provider counted until then, which may be
 * no more than the input, and for the output at least four characters to a token of what did come.
 */
export function usageSoFar(request: SamplingRequest, stream: Pick<StreamReader, "usage" | "characters">): Usage | undefined {
  const counted = stream.usage();
  const characters = stream.characters();
  if (characters === 0) return counted;
  const estimate = estimatedUsage(request, characters);
  if (counted === undefined) return estimate;
  return counted.outputTokens >= estimate.outputTokens ? counted : { ...estimate, inputTokens: counted.inputTokens };
}

/**
 * The text of a reply on its way to whoever waits for it. What is handed on is exactly the text of the reply that `finishReply` makes
 * of the whole: held back is whatever could still be the beginning of a stop sequence, half of a character, and, where JSON was asked
 * for, all of a text that does not begin like JSON: a fence is taken off at the end, and anything else can still be asked of another model.
 */
export class TextDeltas {
  readonly #handOn: (text: string) => void;
  readonly #sequences: readonly string[];
  #said = "";
  /** The first half of a character whose second half is yet to come. */
  #half = "";
  /** What could be, or hold, the beginning of a stop sequence. */
  #held = "";
  #stopped = false;
  /** With JSON to come: what came before its first character. Null where nothing is kept back for that. */
  #beginning: string | null;

  constructor(request: SamplingRequest, handOn: (text: string) => void) {
    this.#handOn = handOn;
    this.#sequences = (request.stopSequences ?? []).filter((sequence) => sequence !== "");
    this.#beginning = request.responseFormat === undefined ? null : "";
  }

  /** Whether anything was handed on, which cannot be unsaid. */
  get any(): boolean {
    return this.#said !== "";
  }

  /** The next piece of the text block that is under way. */
  add(piece: string): void {
    const text = this.#half + piece;
    this.#half = /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
    this.#hold((this.#half === "" ? text : text.slice(0, -1)).toWellFormed());
  }

  /** No stop sequence goes from one block into the next, and no character. */
  endBlock(): void {
    this.#hold(this.#half.toWellFormed());
    this.#half = "";
    if (!this.#stopped) {
      // A whole sequence may have been held back for a longer one that began before it and did not come.
      const found = firstStop(this.#held, this.#sequences);
      this.#stopped = found !== undefined;
      this.#say(this.#held.slice(0, found));
    }
    this.#held = "";
  }

  /**
   * Hands on the rest of the reply's text. False where that does not begin with what was handed on already, and the reply is therefore
   * not the one that was told.
   */
  finish(reply: Pick<SamplingReply, "content">): boolean {
    const text = textOfReply(reply);
    if (!text.startsWith(this.#said)) return false;
    this.#pass(text.slice(this.#said.length));
    return true;
  }

  #hold(text: string): void {
    if (this.#stopped) return;
    this.#held += text;
    const begins = beginOf(this.#held, this.#sequences);
    const found = firstStop(this.#held, this.#sequences) ?? Infinity;
    this.#stopped = found <= begins;
    const safe = Math.min(found, begins);
    this.#say(this.#held.slice(0, safe));
    this.#held = this.#held.slice(safe);
  }

  #say(text: string): void {
    if (this.#beginning === null) {
      this.#pass(text);
      return;
    }
    this.#beginning += text;
    if (!beginsLikeJson.test(this.#beginning)) return;
    const beginning = this.#beginning;
    this.#beginning = null;
    this.#pass(beginning);
  }

  #pass(text: string): void {
    if (text === "") return;
    this.#said += text;
    this.#handOn(text);
  }
}

const beginsLikeJson = /^[ \t\r\n]*[[{"\-\dtfn]/;

/** Where the earliest end of the text begins that could be the beginning of a sequence; the text's length where there is none. */
function beginOf(text: string, sequences: readonly string[]): number {
  let longest = 0;
  for (const sequence of sequences)
    for (let length = Math.min(sequence.length - 1, text.length); length > longest; length -= 1)
      if (sequence[length - 1] === text.at(-1) && text.endsWith(sequence.slice(0, length))) longest = length;
  return text.length - longest;
}
