// The event stream that answers one request of a client: the server's own events, comments that
// keep it alive, progress, and the response.

import type { AppContext } from "../../app-context.ts";
import type { JsonObject } from "../../../../shared/encoding.ts";
import { parseJson } from "../../../../shared/json/values.ts";
import { eventOf, onOneLine } from "../../../../shared/relay/event-stream.ts";
import { asksForSampling, messageOf } from "../../../../shared/relay/messages.ts";
import { isAmbiguous } from "../../../../shared/relay/rounds.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { responseMessage, type RequestId, type RpcError } from "../../../../shared/wire/json-rpc.ts";
import { describeRefusal } from "../../../../shared/wire/describe.ts";
import { progressMessages } from "../../../http/keep-alive.ts";
import { type OpenResponseWatch, watchEndRefusal, watchOpenResponse } from "../../../pipeline/wait/key-watch.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { pause } from "../../../platform/pause.ts";

type StreamRequest = {
  readonly id: RequestId;
  /** The token by which the client wants to hear of its request's progress. */
  readonly progressToken?: RequestId | undefined;
  /** The session that the stream ends with; absent: it ends with its key alone. */
  readonly session?: string;
  /** Aborts when the client leaves. Without it the next write sees that, such as a heartbeat. */
  readonly disconnected?: AbortSignal;
};

/** So long after a write a dropped connection is known; a person's decision took longer. */
const droppedMs = 300;

export class ResponseStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Aborts when the client leaves, or its key ends. */
  readonly left: AbortSignal;
  readonly #left = new AbortController();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #c: AppContext;
  readonly #request: StreamRequest;
  #progress = 0;
  #isOver = false;
  #isBeating = false;

  constructor(c: AppContext, request: StreamRequest) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.readable = readable;
    this.left = this.#left.signal;
    this.#writer = writable.getWriter();
    this.#c = c;
    this.#request = request;
    request.disconnected?.addEventListener("abort", () => this.#left.abort(), { once: true });
  }

  /**
   * Does the work, whose value is the response; null where it is written already. The stream goes
   * on until it is done, unless the client leaves or the key ends: then the work goes on without
   * it.
   */
  run(work: () => Promise<JsonObject | null>): void {
    const { env, executionCtx: ctx } = this.#c;
    const watch = watchOpenResponse(env, this.#c.var.key, this.#request.session ?? "");
    const timer = setInterval(() => this.#beat(), settingsOf(env).heartbeatMs);
    this.#writer.closed.catch(() => this.#left.abort());
    const response = work().catch((error: unknown) => this.#broken(error));
    const ended = watch.ended.then((end) => this.#end(this.#refusal(end)));
    const done = response.then((message) => this.#end(message)).catch(() => {});
    const over = Promise.race([
      done,
      ended.catch(() => {}),
      new Promise<void>((resolve) => this.left.addEventListener("abort", () => resolve())),
    ]);
    ctx.waitUntil(
      over.finally(() => {
        watch.done();
        clearInterval(timer);
      }),
    );
    ctx.waitUntil(done);
  }

  /** One event, or several, as text. */
  async write(events: string): Promise<void> {
    if (!this.#isOver) await this.#writer.write(this.#encoder.encode(events)).catch(() => this.#left.abort());
  }

  /** Whether the client is still there: a connection that it dropped is seen after a write. */
  async reachesClient(): Promise<boolean> {
    await this.write(": still there\n\n");
    await pause(droppedMs, this.left);
    return !this.left.aborted;
  }

  /** A notification of the server. */
  tell(message: string): void {
    const value = parseJson(message);
    const read = messageOf(value);
    if (read.kind !== "notification" || asksForSampling(value) || isAmbiguous(message)) return;
    if (read.method === "notifications/progress" && read.params?.["progressToken"] === this.#request.progressToken)
      this.sawProgress(read.params?.["progress"]);
    void this.write(`data: ${onOneLine(message)}\n\n`);
  }

  /** The server reported so much: ours is above it, for progress must increase. */
  sawProgress(progress: unknown): void {
    if (typeof progress === "number") this.#progress = Math.max(this.#progress, progress);
  }

  /** What the client's request waits for. */
  say(state: RunProgress, words: Readonly<Record<RunProgress, string>> = progressMessages): void {
    const { progressToken } = this.#request;
    if (progressToken === undefined) return;
    this.#progress += 1e-6;
    const params = { progressToken, progress: this.#progress, message: words[state] };
    this.send({ jsonrpc: "2.0", method: "notifications/progress", params });
  }

  send(message: JsonObject, id?: string): void {
    void this.write((id === undefined ? "" : `id: ${id}\n`) + eventOf(message));
  }

  async #end(message: JsonObject | null): Promise<void> {
    if (this.#isOver) return;
    if (message !== null) await this.write(eventOf(message));
    this.#isOver = true;
    this.#left.abort();
    await this.#writer.close().catch(() => {});
  }

  #refusal(end: Awaited<OpenResponseWatch["ended"]>): JsonObject {
    if (end === "sessionEnded") return this.#failed({ code: -32_600, message: "The session has ended" });
    const { code, message } = describeRefusal(watchEndRefusal(end, this.#c.var.key));
    return this.#failed({ code, message });
  }

  #broken(error: unknown): JsonObject {
    const quote = crypto.randomUUID();
    logEvent("request.failed", { quote, error: errorClass(error) });
    const { code, message, data } = describeRefusal({ kind: "broken", quote });
    return this.#failed({ code, message, ...(data === undefined ? {} : { data }) });
  }

  #failed(error: RpcError): JsonObject {
    return responseMessage(this.#request.id, { error });
  }

  #beat(): void {
    if (this.#isOver || this.#isBeating) return;
    this.#isBeating = true;
    // At most one unread heartbeat waits for a slow client.
    void this.write(": waiting\n\n").then(() => (this.#isBeating = false));
  }
}

/** The answer that carries the stream. */
export const eventResponse = (stream: ResponseStream, headers = new Headers()): Response => {
  headers.set("Content-Type", "text/event-stream");
  headers.set("Cache-Control", "no-store");
  headers.set("X-Content-Type-Options", "nosniff");
  return new Response(stream.readable, { headers });
};
