// The line that says what a notice is about, in English: for a subject, a header, a fallback text
// or a title.

import type { Gate } from "../../../model/gate.ts";
import type { Asking } from "../../../review/review-facts.ts";
import { clockTime, plural } from "./page-numbers-en.ts";

const noticeReply = "{model} answers {client}";

const noticeWhat: Readonly<Record<Asking, Readonly<Record<Gate, string>>>> = {
  sampling: { request: "{server} · {name} asks {model}", response: "{model} answers {server} · {name}" },
  text: { request: "{client} asks {model} for text", response: noticeReply },
  translation: { request: "{client} asks {model} for a translation", response: noticeReply },
  embedding: { request: "{client} asks {model} for vectors", response: noticeReply },
  functionChoice: { request: "{client} asks {model} to choose a function", response: noticeReply },
  multimodal: { request: "{client} asks {model} about images", response: noticeReply },
  toolCall: { request: "{client} runs {name} on {server}", response: "{name} on {server} answers {client}" },
  form: { request: "{server} asks for values", response: "An answer for {server}" },
};

/** The largest unit of a time span alone, rounded down, in short: "10 min". */
function shortSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

export const noticeEn = {
  what: noticeWhat,
  noModel: "a model",
  /** Unix milliseconds. `from`: when the request came; a deadline on another day has its date. */
  until: (at: number, from: number): string => `until ${clockTime(at, from)}`,
  /** Milliseconds. */
  left: shortSpan,
  passed: "deadline passed",
  warnings: (n: number): string => plural(n, "warning", "warnings"),
} as const;
