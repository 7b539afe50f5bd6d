// Relays a server's event stream to the client. Events pass unchanged except for their ids;
// requests that are ours are intercepted and answered to the server, and the client gets progress
// meanwhile.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { parseJson } from "../../../../shared/json/values.ts";
import { defaultLimits } from "../../../../shared/policy/limits.ts";
import { type RequestId, idKey } from "../../../../shared/wire/json-rpc.ts";
import { answeredHere } from "../../../../shared/relay/answered-here.ts";
import { mayFallBack } from "../../../../shared/relay/capability-2025.ts";
import type { InputMethod } from "../../../../shared/relay/rounds.ts";
import { dataOf, eventOf, looseDatasOf, withData, withEventId } from "../../../../shared/relay/event-stream.ts";
import { type FromServer, type JsonRpcMessage, fromServer } from "../../../../shared/relay/messages.ts";
import { elicitationMethod, elicitsOurs, isNamedAsOurs, withoutOurs } from "../../../../shared/relay/url-elicitation.ts";
import { eventPrefix } from "../../../../shared/relay/session-id.ts";
import { describeRefusal } from "../../../../shared/wire/describe.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { featuresOf } from "../../../../shared/wire/mcp-features.ts";
import { eventsIn, isTooLong } from "../../../http/events-in.ts";
import { progressMessages } from "../../../http/keep-alive.ts";
import { type OpenResponseWatch, type WatchEnd, watchEndRefusal, watchOpenResponse } from "../../../pipeline/wait/key-watch.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { type Originating, countsInFlight } from "../../../../shared/association/relay-association.ts";
import type { InFlight } from "./relayed-requests.ts";
import {
  type SamplingContext,
  abandonSampling,
  answerIntercepted,
  associationSession,
  cancelSampling,
  endOriginating,
  isOurTask,
  isTimeout,
  keepTask,
  noStream,
  park,
  takeParked,
} from "../sampling/relay-sampling.ts";

/** In characters. A longer event of a server ends the stream with an error. */
export const longestEvent = 10_000_000;

/**
 * Begin what is sealed in an event id of our own, before the request. `lostMark`: the server gives
 * no event ids, so the stream cannot be resumed. `toldMark`: the client has been told so.
 */
export const lostMark = "lost ";
export const toldMark = "told ";

/**
 * A stream to which its client cannot come back is closed at the server so soon after the client
 * has left: some servers take no other client before. Only a write shows everywhere that a client
 * has gone.
 */
export const unreadMs = 2_000;

/**
 * A call that takes longer gives its client a place to come back to, where its server gives none:
 * what is sampled for it may be asked on the stand-alone stream, of which this stream hears
 * nothing. Shorter calls pass unchanged.
 */
const markMs = 100;

/**
 * Requests of a server that one stream answers at once, beyond the key's own limit. Above that the
 * stream is not read further.
 */
const spareTasks = 32;

export type StreamContext = Omit<SamplingContext, "onProgress" | "toClient" | "isOver" | "isBrief" | "isAbandoned"> & {
  /**
   * The stream resumes another one or belongs to no request: earlier requests of the server were
   * not seen here.
   */
  readonly isResumed: boolean;
  /** On the stream of `tasks/result`: the request that the server's task runs for. */
  readonly serves: Originating | null;
  /** The client came with an event id of this stream. */
  readonly hasEventId: boolean;
  /** Aborts where the platform sees that the client has left. */
  readonly left: AbortSignal;
  /**
   * The requests that this stream answers, where the session has to know that they are in flight.
   */
  readonly inFlight: InFlight | null;
  /** Where the stream already counts among those that its key may have open. */
  readonly watch: OpenResponseWatch | null;
  /** The token by which the client wants to hear of its request's progress. */
  readonly progressToken: RequestId | undefined;
};

/**
 * The stream that the client gets. It ends with the server's, or with an error for the request
 * where the server sends an event over the limit. When the client leaves, the server's stream is
 * cancelled; answers that are under way go on.
 */
export function relayStream(upstream: ReadableStream<Uint8Array>, context: StreamContext): ReadableStream<Uint8Array> {
  const relay = new SseRelay(upstream, context);
  context.ctx.waitUntil(relay.run());
  return relay.readable;
}

/** A client's request as event ids carry it: without its arguments. */
const named = ({ id, method, name, asTask }: Originating): Originating => ({ id, method, name, ...(asTask === true ? { asTask } : {}) });

class SseRelay {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #upstream: ReadableStream<Uint8Array>;
  readonly #left = new AbortController();
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #context: StreamContext;
  readonly #prefix: string;
  /** The id of our own events, where the server gives none. */
  readonly #ownId: string;
  #hasIds: boolean;
  /**
   * The client has an id that the server gave, and may come back for what its request misses: that
   * stays in flight until it does. On the stand-alone stream nothing is in flight, and a server may
   * refuse it anew while the old one is open.
   */
  #mayComeBack: boolean;
  /** Ids of requests that were intercepted and that the server may still cancel. */
  readonly #intercepted = new Set<string>();
  /** Those among them that the server cancelled. */
  readonly #isAbandoned = new Set<string>();
  /** Those that passed through to the client, and are parked in case it declines. */
  readonly #passedThrough = new Map<string, RequestId>();
  /**
   * The last event that passed unparsed and may be the response: it is parsed where something
   * follows.
   */
  #skipped: string | null = null;
  /** The client's request has its response: nothing can be sampled for it any more. */
  #isOver = false;
  /** The response says that a task continues the request. */
  #hasTask = false;
  readonly #pending = new Set<Promise<void>>();
  /** The highest progress that the client has been told for its token. */
  #progress = 0;
  #ended = false;
  #isBeating = false;
  #hasFailed = false;
  #isMarked = false;

  constructor(upstream: ReadableStream<Uint8Array>, context: StreamContext) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#upstream = upstream;
    this.#context = context;
    const { originating, session, env } = context;
    this.#mayComeBack = context.hasEventId && originating !== null;
    this.#hasIds = context.isResumed;
    const { keys } = settingsOf(env);
    const request = originating === null ? "" : JSON.stringify(named(originating));
    this.#prefix = eventPrefix(keys, session.name, request);
    this.#ownId = `${eventPrefix(keys, session.name, `${lostMark}${request}`)}0`;
  }

  async run(): Promise<void> {
    // Heartbeats: only a write shows that the client has gone.
    const timers = [
      setInterval(() => this.#beat(), settingsOf(this.#context.env).heartbeatMs),
      setInterval(() => this.#mayComeBack || this.#beat(), unreadMs),
    ];
    const marking = setTimeout(() => this.#context.inFlight !== null && void this.#mark().catch(() => {}), markMs);
    this.#context.left.addEventListener("abort", () => this.#mayComeBack || this.#cancelUpstream());
    this.#writer.closed.catch(() => this.#cancelUpstream());
    const { env, key, session } = this.#context;
    const watch = this.#context.watch ?? watchOpenResponse(env, key, associationSession(session));
    const ended = watch.ended.then((end) => this.#endWith(end)).catch(() => {});
    let isWhole = false;
    let last = "";
    try {
      for await (const { events, rest } of eventsIn(this.#upstream, longestEvent, this.#left.signal)) {
        for (const raw of events) await this.#pass(raw);
        last = rest;
      }
      if (this.#hasFailed) return await ended;
      await this.#write(this.#trailing(last));
      isWhole = !this.#ended;
      this.#ended = true;
      await this.#writer.close();
    } catch (error) {
      if (isTooLong(error)) await this.#fail(`The MCP server sent a message of more than ${longestEvent} characters`).catch(() => {});
      // The client has left, or the server's stream broke: the other side is closed too.
      this.#cancelUpstream();
      this.#writer.abort().catch(() => {});
    } finally {
      watch.done();
      for (const timer of timers) clearInterval(timer);
      clearTimeout(marking);
      await this.#context.inFlight?.streamEnded(isWhole && this.#hasIds);
      await Promise.allSettled(this.#pending);
    }
  }

  #cancelUpstream(): void {
    this.#ended = true;
    this.#left.abort();
  }

  /** Ends the stream where its key or session ended, or where the key has too many open. */
  async #endWith(end: WatchEnd): Promise<void> {
    this.#hasFailed = true;
    if (end === "sessionEnded") return this.#fail("The session has ended", -32600);
    const { code, message } = describeRefusal(watchEndRefusal(end, this.#context.key));
    await this.#fail(message, code);
  }

  async #pass(raw: string): Promise<void> {
    const marked = withEventId(raw, this.#prefix);
    const hadIds = this.#hasIds;
    if (marked !== raw) {
      this.#hasIds = true;
      this.#mayComeBack = this.#context.originating !== null;
    }
    if (this.#skipped !== null) await this.#readSkipped(this.#skipped);
    this.#skipped = null;
    if (!this.#mayConcern(raw)) {
      if (/"(?:result|error)"/.test(raw)) this.#skipped = raw;
      return this.#write(marked);
    }
    const data = dataOf(raw);
    if (data === null) return this.#write(this.#withoutHidden(marked));
    const { publicUrl } = settingsOf(this.#context.env);
    const seen = fromServer(
      data,
      (message) => this.#takes(message),
      (value) => (publicUrl === undefined ? undefined : withoutOurs(value, publicUrl)),
    );
    const { originating } = this.#context;
    // Before the client can ask for the task's result.
    if (originating?.asTask === true && seen.answered.some((id) => id === originating.id))
      this.#hasTask = await keepTask(this.#context, parseJson(data), originating).catch(() => false);
    await this.#act(seen);
    if (seen.rest === undefined) return this.#write(this.#withoutHidden(marked));
    // After an earlier id this event's is dropped: a client that resumes there has the request sent
    // again, in case it was lost.
    const left = seen.rest === null ? withoutData(marked, hadIds, this.#context.session.revision) : withData(marked, seen.rest);
    return this.#write(this.#withoutHidden(left));
  }

  async #act(seen: FromServer): Promise<void> {
    const { roundsPerOriginatingRequest } = this.#context.key.limits ?? defaultLimits;
    for (const { token, progress } of seen.progress)
      if (token === this.#context.progressToken) this.#progress = Math.max(this.#progress, progress);
    for (const intercepted of seen.intercepted) {
      await this.#waitForRoom();
      await this.#mark();
      this.#intercepted.add(idKey(intercepted.id));
      this.#track(
        answerIntercepted(
          { ...this.#samplingContext(), onProgress: (state) => this.#tellProgress(state), toClient: (message) => this.#tell(message) },
          intercepted,
        ),
      );
    }
    for (const passedThrough of seen.passedThrough) {
      if (!this.#mayFallBack() || this.#isOver || this.#passedThrough.size >= roundsPerOriginatingRequest) continue;
      this.#passedThrough.set(idKey(passedThrough.id), passedThrough.id);
      // Before the client can have declined it. Where it cannot be parked, the client's answer is
      // final.
      await park(this.#samplingContext(), passedThrough).catch(() => {});
    }
    for (const { id, reason } of seen.cancelled) {
      if (this.#passedThrough.delete(idKey(id))) this.#track(this.#cancelPassedThrough(id));
      // A resumed stream may cancel a request that was not seen here.
      const mayBeOurs = this.#context.isResumed && (this.#ours().length > 0 || this.#mayFallBack());
      if (!this.#intercepted.has(idKey(id)) && !mayBeOurs) continue;
      if (this.#isAbandoned.has(idKey(id))) continue;
      if (isTimeout(reason)) {
        // Before the server's response ends the client's request and every sampling request for it.
        await abandonSampling(this.#samplingContext(), id).catch(() => {});
        continue;
      }
      this.#isAbandoned.add(idKey(id));
      this.#track(cancelSampling(this.#samplingContext(), id));
    }
    await this.#endIfAnswered(seen);
  }

  async #endIfAnswered(seen: FromServer): Promise<void> {
    const { originating, isResumed, inFlight } = this.#context;
    // Before the client has the answer: its next request must not find this one in flight.
    await inFlight?.answered(seen.answered, this.#hasTask);
    if (originating === null || !seen.answered.some((id) => id === originating.id)) return;
    this.#isOver = true;
    for (const id of this.#passedThrough.values()) this.#track(takeParked(this.#context, id).then(() => {}));
    const served = this.#context.serves ?? originating;
    const wasSampled = this.#intercepted.size > 0 || this.#passedThrough.size > 0 || isResumed;
    if (wasSampled && !this.#hasTask) this.#track(endOriginating(this.#context, [served.id]));
  }

  /**
   * Cancels a request that passed through: the client may still have it, or it may be ours already.
   */
  async #cancelPassedThrough(id: RequestId): Promise<void> {
    await takeParked(this.#context, id);
    await cancelSampling(this.#samplingContext(), id);
  }

  /** Parses an event that passed before this one. */
  async #readSkipped(raw: string): Promise<void> {
    const data = dataOf(raw);
    if (data !== null) await this.#endIfAnswered(fromServer(data, () => false));
  }

  #samplingContext(): SamplingContext {
    const originating = this.#context.serves ?? this.#context.originating;
    // Some servers send again on a resumed stream what they sent on any: that is not for a list
    // whose stream it is.
    const isElsewhere = this.#context.isResumed && originating !== null && !countsInFlight(originating);
    return {
      ...this.#context,
      originating,
      ...noStream,
      isOver: this.#isOver || isElsewhere,
      isAbandoned: (id) => this.#isAbandoned.has(idKey(id)),
    };
  }

  /**
   * Empty where a lenient client would read a request of ours in the event, which this parser does
   * not.
   */
  #withoutHidden(raw: string): string {
    return looseDatasOf(raw).some((data) => this.#asks(data)) ? "" : raw;
  }

  /** The rest after the last whole event. It is no event, but some clients read it as one. */
  #trailing(rest: string): string {
    const data = dataOf(rest);
    return data !== null && this.#asks(data) ? "" : this.#withoutHidden(rest);
  }

  #asks(data: string): boolean {
    return fromServer(data, (message) => this.#takes(message)).intercepted.length > 0;
  }

  /**
   * Whether a client that reconnects could only send an id of ours, and would have nothing to
   * resume.
   */
  #isWithoutIds(): boolean {
    return !this.#hasIds && !this.#isOver && this.#context.originating !== null && !this.#context.isResumed;
  }

  /** Gives the client a place to come back to, once: there it hears that the outcome is unknown. */
  async #mark(): Promise<void> {
    if (this.#isMarked || this.#ended || !this.#isWithoutIds()) return;
    this.#isMarked = true;
    await this.#write(idEvent(`id: ${this.#ownId}`, this.#context.session.revision));
  }

  async #waitForRoom(): Promise<void> {
    const { concurrent } = this.#context.key.limits ?? defaultLimits;
    while (this.#pending.size >= concurrent + spareTasks) await Promise.race(this.#pending);
  }

  /** Whether an event has to be parsed. An escape may hide any word. */
  #mayConcern(raw: string): boolean {
    if (this.#context.inFlight !== null || this.#context.isResumed) return true;
    if (/createMessage|task|licitation|roots|\\u/.test(raw)) return true;
    return this.#intercepted.size + this.#passedThrough.size > 0 || (this.#context.progressToken !== undefined && raw.includes("progress"));
  }

  #ours(): readonly InputMethod[] {
    return answeredHere(this.#context.server, this.#context.session);
  }

  #mayFallBack(): boolean {
    return mayFallBack(this.#context.server.mode, this.#context.session.clientSamples);
  }

  #takes(message: JsonRpcMessage): boolean {
    const { env } = this.#context;
    if (message.kind === "request") {
      if (this.#ours().some((each) => each === message.method)) return true;
      if (message.method === elicitationMethod) return isNamedAsOurs(message.id) || this.#elicitsOurs(message.params);
      return message.method.startsWith("tasks/") && isOurTask(env, message.params);
    }
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") return false;
    const id = message.params?.["requestId"];
    return (typeof id === "string" || typeof id === "number") && this.#intercepted.has(idKey(id));
  }

  #elicitsOurs(params: JsonObject | null): boolean {
    const { publicUrl } = settingsOf(this.#context.env);
    return publicUrl !== undefined && elicitsOurs(params, publicUrl);
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch(() => {}).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  /**
   * Our progress is just above the server's last: it must increase (utilities/progress), and the
   * server's next is higher still.
   */
  #tellProgress(state: RunProgress): void {
    const { progressToken } = this.#context;
    if (progressToken === undefined || this.#ended || this.#isOver) return;
    this.#progress += 1e-6;
    this.#tell({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress: this.#progress, message: progressMessages[state] },
    });
  }

  /** A message of ours, while the client's request has no response. */
  #tell(message: JsonObject): void {
    if (this.#ended || this.#isOver) return;
    const id = this.#isWithoutIds() ? `id: ${this.#ownId}\n` : "";
    void this.#write(id + eventOf(message)).catch(() => {});
  }

  #beat(): void {
    if (this.#ended || this.#isBeating) return;
    this.#isBeating = true;
    // At most one unread heartbeat waits for a slow client.
    void this.#write(": waiting\n\n").then(
      () => (this.#isBeating = false),
      () => {},
    );
  }

  async #write(text: string): Promise<void> {
    if (text !== "" && !this.#hasFailed) await this.#writer.write(this.#encoder.encode(text));
  }

  async #fail(message: string, code = -32603): Promise<void> {
    this.#cancelUpstream();
    const { originating } = this.#context;
    if (originating !== null && !this.#isOver)
      await this.#writer.write(this.#encoder.encode(eventOf({ jsonrpc: "2.0", id: originating.id, error: { code, message } })));
    await this.#writer.close();
  }
}

/**
 * An event with an id and no message. Clients of older revisions would parse its empty data, so for
 * them it has another name.
 */
export const idEvent = (lines: string, revision: string): string =>
  `${lines}\n${featuresOf(revision).emptyEvents ? "" : "event: place\n"}data: \n\n`;

function withoutData(raw: string, hadIds: boolean, revision: string): string {
  const lines = raw.split(/\r\n|\n|\r/);
  const retry = lines.filter((line) => line.startsWith("retry:"));
  const ids = hadIds ? [] : lines.filter((line) => line.startsWith("id:"));
  if (ids.length > 0) return idEvent([...retry, ...ids].join("\n"), revision);
  return retry.length === 0 ? "" : `${retry.join("\n")}\n\n`;
}
