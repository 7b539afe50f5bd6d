// A server's event stream as its client gets it, each event as `change` makes it.

import { EventSplitter } from "../../../shared/relay/event-stream.ts";
import { errorMessages } from "./relay-request.ts";
import { longestEvent } from "./sessions/sse-relay.ts";

/** `change` gives an event's text, or an empty one for none. */
export function changedEvents(
  body: ReadableStream<Uint8Array>,
  change: (raw: string) => Promise<string> | string,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const splitter = new EventSplitter(longestEvent);
  return new ReadableStream({
    pull: async (controller) => {
      for (;;) {
        const { done, value } = await reader.read();
        const events = done ? [splitter.rest()] : splitter.push(decoder.decode(value, { stream: true }));
        if (events === "tooLong") throw new Error(errorMessages.tooLong);
        let text = "";
        for (const event of events) text += await change(event);
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (done) return controller.close();
        if (text !== "") return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
