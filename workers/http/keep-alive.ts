// Keeps a response alive whose answer may take minutes: its body starts at once and is never idle.
//
// As JSON the body carries white space before its one value; as server-sent events it carries
// comments, and progress where the caller gave a token. Losing the connection ends the wait and
// nothing else.

import type { RunProgress } from "../../shared/review/view.ts";
import { type SlowTimer, later, slowAfterMs } from "../platform/slow-timer.ts";
import { errorClass, logEvent } from "../platform/log.ts";

export type KeptAlive<T> = {
  /**
   * Resolves to what is sent; must not reject. `say` sends a piece of the reply's text, in streams
   * that have an event for it.
   */
  readonly work: (onProgress: (state: RunProgress) => void, say: (text: string) => void) => Promise<T>;
  readonly encode: (value: T) => string;
  readonly heartbeatMs: number;
  /** Called when the caller leaves before the end. */
  readonly onLeave: () => void;
};

export type KeptAliveWork<T> = Pick<KeptAlive<T>, "encode" | "heartbeatMs"> & {
  /** `left` aborts when the caller has left. */
  readonly work: (onProgress: (state: RunProgress) => void, left: AbortSignal) => Promise<T>;
  /**
   * What is sent where `work` rejects. The id to quote is in the log, unless the caller has left.
   */
  readonly broken: (quote: string) => T;
};

/**
 * A kept-alive response whose work may reject, and ends when the caller leaves: by closing the
 * body, or before that by `signal`.
 */
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

/** The same response; `done` is called when it has ended, and when its caller has left. */
export const endingWith = <T>(response: KeptAlive<T>, done: () => void): KeptAlive<T> => ({
  ...response,
  work: (onProgress, say) => response.work(onProgress, say).finally(done),
  onLeave: () => {
    done();
    response.onLeave();
  },
});

/**
 * The answer where it comes before the response has to be kept alive, else null; also null where it
 * rejects. It is then sent whole, with its status and length. `slow`: of the work for it.
 */
export const beforeKeepAlive = <T>(answer: Promise<T>, slow?: SlowTimer): Promise<T | null> =>
  slow === undefined ? within(answer, slowAfterMs) : Promise.race([answer.catch(() => null), slow.passed.then(() => null)]);

/**
 * The answer where it comes within `milliseconds`, else null; also null where it rejects, which its
 * next `await` sees. `slow`: of the work for it, which nobody cancels before.
 */
export function within<T>(answer: Promise<T>, milliseconds: number, slow?: SlowTimer): Promise<T | null> {
  return new Promise((resolve) => {
    const stop = later(milliseconds, slow, () => resolve(null));
    const done = (value: T | null): void => {
      stop();
      resolve(value);
    };
    answer.then(done, () => done(null));
  });
}

/**
 * On the way JSON is compressed for a client that accepts it, as SDKs do, and a compressor keeps
 * white space back until there is more: nothing may compress this. Cloudflare goes by
 * `no-transform`, and a local server by the encoding.
 */
const uncompressed = { "Cache-Control": "no-store, no-transform", "Content-Encoding": "identity" };

/** White space, then the value. */
export function keepAliveJson<T>(response: KeptAlive<T>): Response {
  return streamed({ "Content-Type": "application/json", ...uncompressed }, response, {
    beat: () => " ",
    progress: () => null,
    end: (value) => response.encode(value),
    first: " ",
  });
}

/** Comments, `notifications/progress` where there is a token, then the response. */
export function keepAliveEvents<T>(response: KeptAlive<T>, progressToken: string | number | undefined): Response {
  let count = 0;
  let last: RunProgress | null = null;
  const tell = (state: RunProgress): string | null => {
    last = state;
    if (progressToken === undefined) return null;
    count += 1;
    const params = { progressToken, progress: count, message: progressMessages[state] };
    return event(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params }));
  };
  return streamed(asEvents, response, {
    // Progress is repeated, because it resets the timeout of a server that asked for it.
    beat: () => (last === null ? null : tell(last)) ?? ": waiting\n\n",
    progress: tell,
    end: (value) => event(response.encode(value)),
    first: ": open\n\n",
  });
}

/** An endpoint's own events: those that open the stream, of progress, and of pieces of the text. */
type EventWords = {
  readonly open?: string;
  readonly progress: (state: RunProgress) => string;
  readonly delta: (text: string) => string;
};

/**
 * Comments and the endpoint's events, then what `response.encode` makes, which is a whole event.
 */
export function keepAliveEndpointEvents<T>(response: KeptAlive<T>, { open = "", progress, delta }: EventWords): Response {
  return streamed(asEvents, response, {
    first: `: open\n\n${open}`,
    beat: () => ": waiting\n\n",
    progress,
    delta,
    end: (value) => response.encode(value),
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

const asEvents = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };

function streamed<T>(headers: Readonly<Record<string, string>>, { work, heartbeatMs, onLeave }: KeptAlive<T>, words: Words<T>): Response {
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
      open = false;
      clearInterval(timer);
      onLeave();
    },
  });
  return new Response(stream, { headers: { ...headers, "X-Content-Type-Options": "nosniff" } });
}
