// A server's event stream on its way to the client. Events pass as they came, their ids marked; requests that are ours are taken
// out and answered to the server, and the client hears what is waited for.

import { type RequestId, idKey } from "../../shared/protocol/json-rpc.ts";
import { isOurs } from "../../shared/relay/capability-2025.ts";
import { EventSplitter, dataOf, eventOf, withData, withEventId } from "../../shared/relay/event-stream.ts";
import { type Passing, fromServer } from "../../shared/relay/messages.ts";
import { eventPrefix } from "../../shared/relay/session-id.ts";
import type { RunProgress } from "../../shared/review/view.ts";
import { progressMessages } from "../pipeline/hold.ts";
import { settingsOf } from "../settings.ts";
import { type SamplingParts, answerTaken, cancelTaken, closeInFlight, endOriginating, isOurTask } from "./sampling.ts";

/** In characters: one event of a server. What is longer ends the stream with an error. */
export const longestEvent = 10_000_000;

export type StreamParts = Omit<SamplingParts, "onProgress"> & {
  /** The token by which the client wants to hear of its request's progress. */
  readonly progressToken: RequestId | undefined;
};

/**
 * The stream that the client gets. It ends with the server's, or with an error for the request where the server sends what nobody
 * could take. When the client leaves, the server's stream is let go; what is under way goes on.
 */
export function relayStream(upstream: ReadableStream<Uint8Array>, parts: StreamParts): ReadableStream<Uint8Array> {
  const passage = new Passage(upstream, parts);
  parts.ctx.waitUntil(passage.run());
  return passage.readable;
}

class Passage {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #upstream: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #splitter = new EventSplitter(longestEvent);
  readonly #parts: StreamParts;
  readonly #prefix: string;
  /** Ids of requests that were taken and may still be given up by the server. */
  readonly #taken = new Set<string>();
  readonly #tasksOfOurs = new Set<Promise<void>>();
  /** The highest progress that the client has been told for its token. */
  #progress = 0;
  #ended = false;

  constructor(upstream: ReadableStream<Uint8Array>, parts: StreamParts) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#upstream = upstream.getReader();
    this.#parts = parts;
    const { originating, session, env } = parts;
    this.#prefix = eventPrefix(settingsOf(env).keys, session.name, originating === null ? "" : JSON.stringify(originating));
  }

  async run(): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
    // While something is waited for, the line is not idle.
    const timer = setInterval(() => this.#beat(), settingsOf(this.#parts.env).heartbeatMs);
    try {
      for (;;) {
        const { done, value } = await this.#upstream.read();
        if (done) break;
        const events = this.#splitter.push(decoder.decode(value, { stream: true }));
        if (events === "tooLong") {
          await this.#fail(`The MCP server sent a message of more than ${longestEvent} characters`);
          return;
        }
        for (const raw of events) await this.#pass(raw);
      }
      await this.#write(this.#splitter.rest());
      this.#ended = true;
      await this.#writer.close();
    } catch {
      // The client has left, or the server broke off: the other side is let go.
      this.#ended = true;
      this.#upstream.cancel().catch(() => {});
      this.#writer.abort().catch(() => {});
    } finally {
      clearInterval(timer);
      await Promise.allSettled(this.#tasksOfOurs);
    }
  }

  async #pass(raw: string): Promise<void> {
    const marked = withEventId(raw, this.#prefix);
    if (!this.#mayConcern(raw)) return this.#write(marked);
    const data = dataOf(raw);
    if (data === null) return this.#write(marked);
    const seen = fromServer(data, (passing) => this.#takes(passing));
    for (const { token, progress } of seen.progress)
      if (token === this.#parts.progressToken) this.#progress = Math.max(this.#progress, progress);
    for (const taken of seen.taken) {
      this.#taken.add(idKey(taken.id));
      this.#goOn(answerTaken({ ...this.#parts, onProgress: (state) => this.#tellProgress(state) }, taken));
    }
    for (const { params } of seen.notifications) {
      const id = params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") this.#goOn(cancelTaken({ ...this.#parts, onProgress: () => {} }, id));
    }
    const { originating } = this.#parts;
    if (originating !== null && seen.answered.some((id) => id === originating.id)) {
      if (this.#taken.size > 0) this.#goOn(endOriginating(this.#parts, originating.id));
      this.#goOn(closeInFlight(this.#parts, originating.id));
    }
    if (seen.rest === undefined) return this.#write(marked);
    // An event without its message keeps its id: the client may resume from there.
    return this.#write(seen.rest === null ? withoutData(marked) : withData(marked, seen.rest));
  }

  /** Whether an event has to be looked into. An escape may hide any word. */
  #mayConcern(raw: string): boolean {
    if (this.#parts.server.association === "inFlight") return true;
    if (raw.includes("createMessage") || raw.includes("tasks") || raw.includes("\\u")) return true;
    return this.#taken.size > 0 || (this.#parts.progressToken !== undefined && raw.includes("progress"));
  }

  #takes(passing: Passing): boolean {
    const { env, server, session } = this.#parts;
    if (passing.kind === "request") {
      if (passing.method === "sampling/createMessage") return isOurs(server.mode, session.clientSamples);
      return passing.method.startsWith("tasks/") && isOurTask(env, passing.params);
    }
    if (passing.kind !== "notification" || passing.method !== "notifications/cancelled") return false;
    const id = passing.params?.["requestId"];
    return (typeof id === "string" || typeof id === "number") && this.#taken.has(idKey(id));
  }

  #goOn(work: Promise<void>): void {
    const held = work.catch(() => {}).finally(() => this.#tasksOfOurs.delete(held));
    this.#tasksOfOurs.add(held);
  }

  /** Our progress stands just above the server's own: it must never go backwards, and the server's next is higher still. */
  #tellProgress(state: RunProgress): void {
    const { progressToken } = this.#parts;
    if (progressToken === undefined || this.#ended) return;
    this.#progress += 1e-6;
    const params = { progressToken, progress: this.#progress, message: progressMessages[state] };
    void this.#write(eventOf({ jsonrpc: "2.0", method: "notifications/progress", params })).catch(() => {});
  }

  #beat(): void {
    if (!this.#ended && this.#tasksOfOurs.size > 0) void this.#write(": waiting\n\n").catch(() => {});
  }

  async #write(text: string): Promise<void> {
    if (text !== "") await this.#writer.write(this.#encoder.encode(text));
  }

  async #fail(message: string): Promise<void> {
    this.#ended = true;
    this.#upstream.cancel().catch(() => {});
    const { originating } = this.#parts;
    if (originating !== null) await this.#write(eventOf({ jsonrpc: "2.0", id: originating.id, error: { code: -32603, message } }));
    await this.#writer.close();
  }
}

const withoutData = (raw: string): string => {
  const kept = raw.split(/\r\n|\n|\r/).filter((line) => /^(?:id|retry):/.test(line));
  return kept.length === 0 ? "" : `${kept.join("\n")}\n\n`;
};
