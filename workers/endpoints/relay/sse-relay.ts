// A server's event stream on its way to the client. Events pass as they came, their ids marked; requests that are ours are taken
// out and answered to the server, and the client hears what is waited for.

import { parseJson } from "../../../shared/json/values.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { type RequestId, idKey } from "../../../shared/wire/json-rpc.ts";
import { isOurs, mayFallBack } from "../../../shared/relay/capability-2025.ts";
import { EventSplitter, dataOf, eventOf, looseDatasOf, withData, withEventId } from "../../../shared/relay/event-stream.ts";
import { type FromServer, type JsonRpcMessage, fromServer, samplingMethod } from "../../../shared/relay/messages.ts";
import { eventPrefix } from "../../../shared/relay/session-id.ts";
import { describeRefusal } from "../../../shared/wire/describe.ts";
import type { RunProgress } from "../../../shared/review/view.ts";
import { featuresOf } from "../../../shared/wire/mcp-features.ts";
import { progressMessages } from "../../http/keep-alive.ts";
import { type HeldWatch, type WatchEnd, watchEndRefusal, watchOpen } from "../../pipeline/key-watch.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { Originating } from "../../../shared/association/relay-association.ts";
import type { InFlight } from "./relayed-requests.ts";
import {
  type SamplingParts,
  abandonTaken,
  answerTaken,
  associationSession,
  cancelTaken,
  endOriginating,
  park,
  isImpatience,
  isOurTask,
  keepTask,
  takeHeld,
} from "./relay-sampling.ts";

/** In characters: one event of a server. What is longer ends the stream with an error. */
export const longestEvent = 10_000_000;

/**
 * Before the request in the seal of an event id of our own: its server gives none, and a stream of it cannot be resumed. With the second
 * the client has been told so.
 */
export const lostMark = "lost ";
export const toldMark = "told ";

/** Requests of a server that are seen to at once on one stream, over those that its key lets wait: what comes then waits unread. */
const spareRoom = 32;

export type StreamParts = Omit<SamplingParts, "onProgress" | "isOver" | "isBrief" | "gaveUp"> & {
  /** A stream that goes on from where another one broke off, or belongs to no request: what was asked before was not seen here. */
  readonly isResumed: boolean;
  /** On the stream of `tasks/result`: the request that the server's task runs for. */
  readonly serves: Originating | null;
  /** The requests that this stream answers, where it has to be known that they are in flight. */
  readonly inFlight: InFlight | null;
  /** Where the stream has one of its key's places already. */
  readonly watch: HeldWatch | null;
  /** The token by which the client wants to hear of its request's progress. */
  readonly progressToken: RequestId | undefined;
};

/**
 * The stream that the client gets. It ends with the server's, or with an error for the request where the server sends what nobody
 * could take. When the client leaves, the server's stream is let go; what is under way goes on.
 */
export function relayStream(upstream: ReadableStream<Uint8Array>, parts: StreamParts): ReadableStream<Uint8Array> {
  const passage = new SseRelay(upstream, parts);
  parts.ctx.waitUntil(passage.run());
  return passage.readable;
}

/** What of a client's request is carried in event ids: never its arguments. */
const named = ({ id, method, name, asTask }: Originating): Originating => ({ id, method, name, ...(asTask === true ? { asTask } : {}) });

class SseRelay {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #upstream: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #splitter = new EventSplitter(longestEvent);
  readonly #parts: StreamParts;
  readonly #prefix: string;
  /** Stands on our own events, of a stream whose server gives no ids. */
  readonly #ownId: string;
  #hasIds: boolean;
  /** Ids of requests that were taken and may still be given up by the server. */
  readonly #intercepted = new Set<string>();
  /** Those among them that the server did give up. */
  readonly #gaveUp = new Set<string>();
  /** Those that went on to the client, and are kept for the case that it declines. */
  readonly #passedThrough = new Map<string, RequestId>();
  /** The last event that passed without being looked into and may be the response: looked into where something follows. */
  #unread: string | null = null;
  /** The request has its response: nothing can be sampled for it any more. */
  #isOver = false;
  /** The response says that a task goes on with the request. */
  #goesOn = false;
  readonly #tasksOfOurs = new Set<Promise<void>>();
  /** The highest progress that the client has been told for its token. */
  #progress = 0;
  #ended = false;
  #isBeating = false;
  #hasFailed = false;

  constructor(upstream: ReadableStream<Uint8Array>, parts: StreamParts) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#upstream = upstream.getReader();
    this.#parts = parts;
    const { originating, session, env } = parts;
    this.#hasIds = parts.isResumed;
    const { keys } = settingsOf(env);
    const request = originating === null ? "" : JSON.stringify(named(originating));
    this.#prefix = eventPrefix(keys, session.name, request);
    this.#ownId = `${eventPrefix(keys, session.name, `${lostMark}${request}`)}0`;
  }

  async run(): Promise<void> {
    // As every client of event streams does: a byte order mark is not part of the first line.
    const decoder = new TextDecoder();
    // The line is never idle: that a client has gone shows where something is written, and nowhere else.
    const timer = setInterval(() => this.#beat(), settingsOf(this.#parts.env).heartbeatMs);
    this.#writer.closed.catch(() => this.#letGoOfServer());
    const { env, key, session } = this.#parts;
    const watch = this.#parts.watch ?? watchOpen(env, key, associationSession(session));
    const ended = watch.ended.then((end) => this.#endWith(end)).catch(() => {});
    let isWhole = false;
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
      if (this.#hasFailed) return await ended;
      await this.#write(this.#lastWords(this.#splitter.rest()));
      isWhole = !this.#ended;
      this.#ended = true;
      await this.#writer.close();
    } catch {
      // The client has left, or the server broke off: the other side is let go.
      this.#letGoOfServer();
      this.#writer.abort().catch(() => {});
    } finally {
      watch.done();
      clearInterval(timer);
      await this.#parts.inFlight?.streamEnded(isWhole && this.#hasIds);
      await Promise.allSettled(this.#tasksOfOurs);
    }
  }

  #letGoOfServer(): void {
    this.#ended = true;
    this.#upstream.cancel().catch(() => {});
  }

  /** Nothing more passes in the name of a key or a session that ended, and nothing that is more than the key may hold open. */
  async #endWith(end: WatchEnd): Promise<void> {
    this.#hasFailed = true;
    if (end === "sessionEnded") return this.#fail("The session has ended", -32600);
    const { code, message } = describeRefusal(watchEndRefusal(end, this.#parts.key));
    await this.#fail(message, code);
  }

  async #pass(raw: string): Promise<void> {
    const marked = withEventId(raw, this.#prefix);
    const hadIds = this.#hasIds;
    if (marked !== raw) this.#hasIds = true;
    if (this.#unread !== null) await this.#lookBack(this.#unread);
    this.#unread = null;
    if (!this.#mayConcern(raw)) {
      if (/"(?:result|error)"/.test(raw)) this.#unread = raw;
      return this.#write(marked);
    }
    const data = dataOf(raw);
    if (data === null) return this.#write(this.#withoutHidden(marked));
    const seen = fromServer(data, (message) => this.#takes(message));
    const { originating } = this.#parts;
    // Before the client can ask for the task's result.
    if (originating?.asTask === true && seen.answered.some((id) => id === originating.id))
      this.#goesOn = await keepTask(this.#parts, parseJson(data), originating).catch(() => false);
    await this.#act(seen);
    if (seen.rest === undefined) return this.#write(this.#withoutHidden(marked));
    // A client that can resume from an earlier event gets this one's request once more then, for whatever of it was lost.
    const left = seen.rest === null ? withoutData(marked, hadIds, this.#parts.session.revision) : withData(marked, seen.rest);
    return this.#write(this.#withoutHidden(left));
  }

  async #act(seen: FromServer): Promise<void> {
    const { roundsPerOriginatingRequest } = this.#parts.key.limits ?? defaultLimits;
    for (const { token, progress } of seen.progress)
      if (token === this.#parts.progressToken) this.#progress = Math.max(this.#progress, progress);
    for (const intercepted of seen.intercepted) {
      await this.#room();
      if (this.#intercepted.size === 0 && this.#isWithoutIds())
        await this.#write(placeEvent(`id: ${this.#ownId}`, this.#parts.session.revision));
      this.#intercepted.add(idKey(intercepted.id));
      this.#goOn(answerTaken({ ...this.#samplingParts(), onProgress: (state) => this.#tellProgress(state) }, intercepted));
    }
    for (const passedThrough of seen.passedThrough) {
      if (!this.#mayFallBack() || this.#isOver || this.#passedThrough.size >= roundsPerOriginatingRequest) continue;
      this.#passedThrough.set(idKey(passedThrough.id), passedThrough.id);
      // Before the client can have declined it. Where it cannot be kept, the client's answer is the last word.
      await park(this.#samplingParts(), passedThrough).catch(() => {});
    }
    for (const { id, reason } of seen.cancelled) {
      if (this.#passedThrough.delete(idKey(id))) this.#goOn(this.#letGo(id));
      // On a stream of which the beginning was not seen here, it may be about any of them.
      const mayBeOurs = this.#parts.isResumed && (this.#isOurs() || this.#mayFallBack());
      if (!this.#intercepted.has(idKey(id)) && !mayBeOurs) continue;
      // Once is enough.
      if (this.#gaveUp.has(idKey(id))) continue;
      if (isImpatience(reason)) {
        // Before the response that comes next ends the request, and all that is asked for it.
        await abandonTaken(this.#samplingParts(), id).catch(() => {});
        continue;
      }
      this.#gaveUp.add(idKey(id));
      this.#goOn(cancelTaken(this.#samplingParts(), id));
    }
    await this.#endIfAnswered(seen);
  }

  async #endIfAnswered(seen: FromServer): Promise<void> {
    const { originating, isResumed, inFlight } = this.#parts;
    // Before the client has the answer: what it asks next is in flight without this one.
    await inFlight?.answered(seen.answered, this.#goesOn);
    if (originating === null || !seen.answered.some((id) => id === originating.id)) return;
    this.#isOver = true;
    for (const id of this.#passedThrough.values()) this.#goOn(takeHeld(this.#parts, id).then(() => {}));
    const served = this.#parts.serves ?? originating;
    const wasSampled = this.#intercepted.size > 0 || this.#passedThrough.size > 0 || isResumed;
    if (wasSampled && !this.#goesOn) this.#goOn(endOriginating(this.#parts, [served.id]));
  }

  /** The server does not want what the client was asked: it may be with the client, or ours already. */
  async #letGo(id: RequestId): Promise<void> {
    await takeHeld(this.#parts, id);
    await cancelTaken(this.#samplingParts(), id);
  }

  /** An event that passed before this one. */
  async #lookBack(raw: string): Promise<void> {
    const data = dataOf(raw);
    if (data !== null) await this.#endIfAnswered(fromServer(data, () => false));
  }

  #samplingParts(): SamplingParts {
    return {
      ...this.#parts,
      originating: this.#parts.serves ?? this.#parts.originating,
      onProgress: () => {},
      isOver: this.#isOver,
      isBrief: false,
      gaveUp: (id) => this.#gaveUp.has(idKey(id)),
    };
  }

  /** Nothing, in place of what only some clients would read a request of ours in. */
  #withoutHidden(raw: string): string {
    return looseDatasOf(raw).some((data) => this.#asks(data)) ? "" : raw;
  }

  /** What is left at the end is no event, and passes as such; but some clients take it for one. */
  #lastWords(rest: string): string {
    const data = dataOf(rest);
    return data !== null && this.#asks(data) ? "" : this.#withoutHidden(rest);
  }

  #asks(data: string): boolean {
    return fromServer(data, (message) => this.#takes(message)).intercepted.length > 0;
  }

  /** Whether a client whose connection breaks could only come back with an id of ours: there is nothing to resume then. */
  #isWithoutIds(): boolean {
    return !this.#hasIds && !this.#isOver && this.#parts.originating !== null && !this.#parts.isResumed;
  }

  async #room(): Promise<void> {
    const { concurrent } = this.#parts.key.limits ?? defaultLimits;
    while (this.#tasksOfOurs.size >= concurrent + spareRoom) await Promise.race(this.#tasksOfOurs);
  }

  /** Whether an event has to be looked into. An escape may hide any word. */
  #mayConcern(raw: string): boolean {
    if (this.#parts.inFlight !== null || this.#parts.isResumed) return true;
    if (raw.includes("createMessage") || raw.includes("task") || raw.includes("\\u")) return true;
    return this.#intercepted.size + this.#passedThrough.size > 0 || (this.#parts.progressToken !== undefined && raw.includes("progress"));
  }

  #isOurs(): boolean {
    return isOurs(this.#parts.server.mode, this.#parts.session.clientSamples);
  }

  #mayFallBack(): boolean {
    return mayFallBack(this.#parts.server.mode, this.#parts.session.clientSamples);
  }

  #takes(message: JsonRpcMessage): boolean {
    const { env } = this.#parts;
    if (message.kind === "request") {
      if (message.method === samplingMethod) return this.#isOurs();
      return message.method.startsWith("tasks/") && isOurTask(env, message.params);
    }
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") return false;
    const id = message.params?.["requestId"];
    return (typeof id === "string" || typeof id === "number") && this.#intercepted.has(idKey(id));
  }

  #goOn(work: Promise<void>): void {
    const held = work.catch(() => {}).finally(() => this.#tasksOfOurs.delete(held));
    this.#tasksOfOurs.add(held);
  }

  /** Our progress stands just above the server's own: it must never go backwards, and the server's next is higher still. */
  #tellProgress(state: RunProgress): void {
    const { progressToken } = this.#parts;
    if (progressToken === undefined || this.#ended || this.#isOver) return;
    this.#progress += 1e-6;
    const params = { progressToken, progress: this.#progress, message: progressMessages[state] };
    const id = this.#isWithoutIds() ? `id: ${this.#ownId}\n` : "";
    void this.#write(id + eventOf({ jsonrpc: "2.0", method: "notifications/progress", params })).catch(() => {});
  }

  #beat(): void {
    if (this.#ended || this.#isBeating) return;
    this.#isBeating = true;
    // A client that reads slowly gets one of them at a time.
    void this.#write(": waiting\n\n").then(
      () => (this.#isBeating = false),
      () => {},
    );
  }

  async #write(text: string): Promise<void> {
    if (text !== "" && !this.#hasFailed) await this.#writer.write(this.#encoder.encode(text));
  }

  async #fail(message: string, code = -32603): Promise<void> {
    this.#letGoOfServer();
    const { originating } = this.#parts;
    if (originating !== null && !this.#isOver)
      await this.#writer.write(this.#encoder.encode(eventOf({ jsonrpc: "2.0", id: originating.id, error: { code, message } })));
    await this.#writer.close();
  }
}

/**
 * An event that says where the stream is, and nothing else. Clients of older revisions do not know one without a message:
 * by another name they let it pass.
 */
const placeEvent = (lines: string, revision: string): string =>
  `${lines}\n${featuresOf(revision).emptyEvents ? "" : "event: place\n"}data: \n\n`;

function withoutData(raw: string, hadIds: boolean, revision: string): string {
  const lines = raw.split(/\r\n|\n|\r/);
  const retry = lines.filter((line) => line.startsWith("retry:"));
  const ids = hadIds ? [] : lines.filter((line) => line.startsWith("id:"));
  if (ids.length > 0) return placeEvent([...retry, ...ids].join("\n"), revision);
  return retry.length === 0 ? "" : `${retry.join("\n")}\n\n`;
}
