// Wraps the fetch of a Streamable HTTP transport to see on which request's response stream a
// sampling request comes. It passes every byte unchanged.

import { idKey } from "../shared/wire/json-rpc.ts";
import { parseJson } from "../shared/json/values.ts";
import { EventReader } from "../shared/relay/event-stream.ts";
import { asRequest, type JsonRpcId } from "./rpc-messages.ts";

export type FetchLike = (input: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Streams that are never resumed leave their last event id behind; the oldest beyond this number
 * are forgotten.
 */
const MOST_EVENT_IDS = 1_000;

/** In characters, as in the relay. After a longer event the rest of its stream passes unread. */
const LONGEST_EVENT = 10_000_000;

export class ResponseStreams {
  /** A server's request id, with the client's request on whose stream it came. */
  readonly #cameOn = new Map<string, JsonRpcId>();
  /**
   * The last event id of each response stream: with it a GET resumes that stream (2025-11-25,
   * transports: resumability).
   */
  readonly #resumable = new Map<string, JsonRpcId>();

  /**
   * The client's request on whose response stream this request of the server came. Once: it is
   * removed.
   */
  take(serverRequest: JsonRpcId): JsonRpcId | undefined {
    const stream = this.#cameOn.get(idKey(serverRequest));
    this.#cameOn.delete(idKey(serverRequest));
    return stream;
  }

  clear(): void {
    this.#cameOn.clear();
    this.#resumable.clear();
  }

  wrap(base: FetchLike): FetchLike {
    return async (input, init) => {
      const stream = this.#streamOf(init);
      const response = await base(input, init);
      const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (stream === undefined || response.body === null || type !== "text/event-stream") return response;
      const watched = new Response(response.body.pipeThrough(this.#watch(stream)), response);
      // A constructed response has no url, which the transport compares when it follows redirects.
      Object.defineProperty(watched, "url", { value: response.url });
      return watched;
    };
  }

  #streamOf(init: RequestInit | undefined): JsonRpcId | undefined {
    if (init?.method === "POST" && typeof init.body === "string") {
      const body = parseJson(init.body);
      const requests = (Array.isArray(body) ? body : [body]).map(asRequest).filter((request) => request !== undefined);
      // A batch (2025-03-26) answers several requests on one stream, which then shows nothing.
      return requests.length === 1 ? requests[0]?.id : undefined;
    }
    const resumedFrom = new Headers(init?.headers).get("last-event-id");
    return resumedFrom === null ? undefined : this.#resumable.get(resumedFrom);
  }

  #watch(stream: JsonRpcId): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    const events = new EventReader(LONGEST_EVENT);
    let lastEventId: string | undefined;
    let isWatching = true;
    return new TransformStream({
      transform: (chunk, controller) => {
        const complete = isWatching ? events.push(decoder.decode(chunk, { stream: true })) : [];
        if (complete === "tooLong") isWatching = false;
        for (const { id, data } of complete === "tooLong" ? [] : complete) {
          if (id !== undefined) {
            if (lastEventId !== undefined) this.#resumable.delete(lastEventId);
            lastEventId = id;
            this.#resumable.set(id, stream);
            const oldest = this.#resumable.keys().next();
            if (this.#resumable.size > MOST_EVENT_IDS && oldest.done !== true) this.#resumable.delete(oldest.value);
          }
          // Only a message that names the method is parsed.
          if (data?.includes("sampling/createMessage") !== true) continue;
          const request = asRequest(parseJson(data));
          if (request?.method === "sampling/createMessage") this.#cameOn.set(idKey(request.id), stream);
        }
        controller.enqueue(chunk);
      },
    });
  }
}
