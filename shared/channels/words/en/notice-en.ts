// The line that says what a notice is about, in English: for a subject, a header, a fallback text
// or a title.

import type { Gate } from "../../../model/gate.ts";
import type { RequestKind } from "../../../review/review-facts.ts";

const noticeReply = "{model} answers {client}";

const noticeWhat: Readonly<Record<RequestKind, Readonly<Record<Gate, string>>>> = {
  sampling: { request: "{server} · {name} asks {model}", response: "{model} answers {server} · {name}" },
  text: { request: "{client} asks {model} for text", response: noticeReply },
  translation: { request: "{client} asks {model} for a translation", response: noticeReply },
  embedding: { request: "{client} asks {model} for vectors", response: noticeReply },
  functionChoice: { request: "{client} asks {model} to choose a function", response: noticeReply },
  multimodal: { request: "{client} asks {model} about images", response: noticeReply },
  toolCall: { request: "{client} wants to run {name} on {server}", response: "{name} on {server} answers {client}" },
  form: { request: "{server} · {name} asks you", response: "An answer for {server}" },
  address: { request: "{server} · {name} asks you to open an address", response: "An answer for {server}" },
};

export const noticeEn = {
  what: noticeWhat,
  noModel: "a model",
  until: "until {time}",
  /** How much time is left, in its largest unit. */
  left: { second: "{n} s", minute: "{n} min", hour: "{n} h", day: "{n} days" },
  passed: "deadline passed",
  warnings: "{n, # warning/# warnings}",
} as const;
