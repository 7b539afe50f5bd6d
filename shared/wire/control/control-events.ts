// The server-sent events of the control endpoint, as text. The pipeline decides when to send them
// and the comments that keep the line open. Source: the event stream format of the HTML Standard
// (server-sent events).

import type { JsonObject } from "../../encoding.ts";
import { type Identity, heading } from "./answer.ts";

/**
 * JSON has no line break outside its strings and escapes those inside, so that an event's data is
 * one line.
 */
const event = (name: "progress" | "delta" | "result" | "error", data: JsonObject): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Where the request is: `state` for programs, `message` one sentence for people. */
export const progressEvent = (identity: Identity, { state, message }: { readonly state: string; readonly message: string }): string =>
  event("progress", { ...heading(identity), state, message });

/**
 * The next piece of the text. The pieces together are the text of the result; where they differ,
 * the result counts.
 */
export const deltaEvent = (identity: Identity, text: string): string => event("delta", { ...heading(identity), text });

/**
 * The last event: `answer` as `controlAnswer` gives it. It is named `error` where the answer has
 * one, so that no broken stream looks whole.
 */
export const finalEvent = (answer: JsonObject): string => event(answer["error"] === undefined ? "result" : "error", answer);
