// Holding the line: an answer that may take minutes goes out over a body that starts at once and is never idle.
//
// As JSON the body carries white space before its one value; as server-sent events it carries comments, and progress for
// whoever gave a token. Losing the connection ends the wait and nothing else.

import type { RunProgress } from "../../shared/review/view.ts";
import { errorClass, logEvent } from "../platform/log.ts";

export type KeptAlive<T> = {
  /** Resolves to what is sent; must not reject. `say` sends the text of the reply as far as it is there, where the stream has room for it. */
  readonly work: (onProgress: (state: RunProgress) => void, say: (text: string) => void) => Promise<T>;
  readonly encode: (value: T) => string;
  readonly heartbeatMs: number;
  /** Called when the caller leaves before the end. */
  readonly onLeave: () => void;
};

export type KeptAliveWork<T> = Pick<KeptAlive<T>, "encode" | "heartbeatMs"> & {
  /** `left` aborts when nobody waits any more. */
  readonly work: (onProgress: (state: RunProgress) => void, left: AbortSignal) => Promise<T>;
  /** What a fault of ours comes to: the id to quote is in the log, except where the caller has left and nobody reads it. */
  readonly broken: (quote: string) => T;
};

/** A hold whose work may fail, and ends when its caller leaves: by closing the body, or, before that, by `signal`. */
export function keptAlive<T>(signal: AbortSignal, { work, broken, ...rest }: KeptAliveWork<T>): KeptAlive<T> {
  const left = new AbortController();
  signal.addEventListener("abort", () => left.abort(), { once: true });
  if (signal.aborted) left.abort();
  return {
    ...rest,
    work: async (onProgress) => {
      try {
        return await work(onProgress, left.signal);
      } catch (error) {
        const quote = crypto.randomUUID();
        if (!left.signal.aborted) logEvent("request.failed", { quote, error: errorClass(error) });
        return broken(quote);
      }
    },
    onLeave: () => left.abort(),
  };
}

/** The same hold, which says when it has ended or its caller has left. */
export const endingWith = <T>(hold: KeptAlive<T>, done: () => void): KeptAlive<T> => ({
  ...hold,
  work: (onProgress, say) => hold.work(onProgress, say).finally(done),
  onLeave: () => {
    done();
    hold.onLeave();
  },
});

/** An answer that is there this soon goes out whole, with its status and length. */
const keepAliveAfterMs = 250;

/** The answer if it is there before the line has to be held, else null; a fault is for whoever waits for it later. */
export const beforeKeepAlive = <T>(answer: Promise<T>): Promise<T | null> => within(answer, keepAliveAfterMs);

/** What comes within `milliseconds`, else null; a fault is for whoever waits for it later. */
export function within<T>(answer: Promise<T>, milliseconds: number): Promise<T | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), milliseconds);
    const done = (value: T | null): void => {
      clearTimeout(timer);
      resolve(value);
    };
    answer.then(done, () => done(null));
  });
}

/** `white space … value`. */
export function keepAliveJson<T>(hold: KeptAlive<T>): Response {
  return streamed("application/json", hold, {
    beat: () => " ",
    progress: () => null,
    end: (value) => hold.encode(value),
    first: " ",
  });
}

/** Comments, `notifications/progress` where there is a token, then the response. */
export function keepAliveEvents<T>(hold: KeptAlive<T>, progressToken: string | number | undefined): Response {
  let count = 0;
  let last: RunProgress | null = null;
  const tell = (state: RunProgress): string | null => {
    last = state;
    if (progressToken === undefined) return null;
    count += 1;
    const params = { progressToken, progress: count, message: progressMessages[state] };
    return event(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  };
  return streamed("text/event-stream", hold, {
    // Progress again and again: it is what resets the patience of a server that asked for it.
    beat: () => (last === null ? null : tell(last)) ?? ": waiting\n\n",
    progress: tell,
    end: (value) => event(hold.encode(value)),
    first: ": open\n\n",
  });
}

/** An endpoint's own events: how it goes, the text as it comes, and the end. */
export type EventWords = {
  readonly progress: (state: RunProgress) => string;
  readonly delta: (text: string) => string;
};

/** Comments and the endpoint's events, then the end that `hold.encode` makes, which is a whole event. */
export function keepAliveEndpointEvents<T>(hold: KeptAlive<T>, { progress, delta }: EventWords): Response {
  return streamed("text/event-stream", hold, {
    first: ": open\n\n",
    beat: () => ": waiting\n\n",
    progress,
    delta,
    end: (value) => hold.encode(value),
  });
}

/** What is waited for, in a sentence. */
export const progressMessages: Record<RunProgress, string> = {
  waiting: "Waiting for a person to review the request",
  generating: "Waiting for the model",
  responseReview: "Waiting for a person to review the reply",
  completed: "Delivering the reply",
  rejected: "Delivering the decision",
  expired: "Nobody decided in time",
  cancelled: "The request was cancelled",
  failed: "The request failed",
};

const event = (text: string): string => `event: message\ndata: ${text}\n\n`;

type Words<T> = {
  readonly first: string;
  readonly beat: () => string;
  readonly progress: (state: RunProgress) => string | null;
  readonly delta?: (text: string) => string;
  readonly end: (value: T) => string;
};

function streamed<T>(contentType: string, { work, heartbeatMs, onLeave }: KeptAlive<T>, words: Words<T>): Response {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setInterval> | undefined;
  let open = true;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string | null): void => {
        if (open && text !== null) controller.enqueue(encoder.encode(text));
      };
      send(words.first);
      timer = setInterval(() => send(words.beat()), heartbeatMs);
      const end = (text: string | null): void => {
        send(text);
        clearInterval(timer);
        if (!open) return;
        open = false;
        try {
          controller.close();
        } catch {
          // The caller left in this moment.
        }
      };
      // Not awaited: the stream is open from now on.
      work(
        (state) => send(words.progress(state)),
        (text) => send(words.delta?.(text) ?? null),
      ).then(
        (value) => end(words.end(value)),
        () => end(null),
      );
    },
    cancel() {
      // From here on the stream takes nothing: what is still to be told is told to nobody.
      open = false;
      clearInterval(timer);
      onLeave();
    },
  });
  return new Response(stream, {
    headers: { "Content-Type": contentType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}
