// Reads the server-sent events of another service's body, as they come.

import { EventSplitter } from "../../shared/relay/event-stream.ts";

/** The body broke off, or an event of it is longer than its reader takes. */
export class EventsError extends Error {
  override readonly name = "EventsError";
  readonly isTooLong: boolean;

  constructor(isTooLong: boolean, options?: ErrorOptions) {
    super(isTooLong ? "an event is too long" : "an event stream broke off", options);
    this.isTooLong = isTooLong;
  }
}

export const isTooLong = (error: unknown): boolean => error instanceof EventsError && error.isTooLong;

/**
 * The events of a body, as raw text: those that each piece of it completes. `rest`: what follows
 * the last of them, where the body has ended; empty before. The body is cancelled where its reader
 * stops, or `left` aborts.
 * @throws EventsError where the body breaks off, or an event is over `mostCharacters`.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array> | null,
  mostCharacters: number,
  left?: AbortSignal,
): AsyncGenerator<{ readonly events: readonly string[]; readonly rest: string }> {
  if (body === null) return;
  const reader = body.getReader();
  // Not awaited: a sender that does not stop may not answer the cancellation either.
  const cancel = (): void => void reader.cancel().catch(() => {});
  left?.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  const splitter = new EventSplitter(mostCharacters);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new EventsError(false, { cause });
      });
      const events = done ? [] : splitter.push(decoder.decode(value, { stream: true }));
      if (events === "tooLong") throw new EventsError(true);
      yield { events, rest: done ? splitter.rest() : "" };
      if (done) return;
    }
  } finally {
    left?.removeEventListener("abort", cancel);
    cancel();
  }
}
