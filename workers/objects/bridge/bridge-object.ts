// A session at a server of the 2025 revisions, for clients of 2026-07-28: one for each API key,
// server and what its client declares.
//
// It is a client of the relay, which answers the server's sampling for it as for every other. What
// only the client has waits here until the client comes for it, and the server's request goes on
// waiting meanwhile. Each request is sent once. A stream that breaks, with the gateway or by
// itself, is resumed where the server can; else its call ends, and says that nobody knows what
// became of it.

import { toBase64url } from "../../../shared/encoding.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { type BridgedClient, bridgedAnswer, bridgedMeta } from "../../../shared/relay/bridging.ts";
import { type ListenFilter, isEmptyFilter, supportedPart } from "../../../shared/relay/listening.ts";
import { attemptOf } from "../../../shared/relay/rounds.ts";
import { objectOf } from "../../../shared/json/values.ts";
import type { RpcAnswer } from "../../../shared/wire/json-rpc.ts";
import type { Env } from "../../platform/env.ts";
import { serverEntry } from "../../stores/documents.ts";
import type { KeyRecord } from "../../stores/keys.ts";
import type {
  BridgeCalls,
  BridgeHeard,
  BridgeStream,
  BridgeListening,
  BridgeRequest,
  BridgeState,
  BridgeVisit,
} from "../../stubs/bridge-calls.ts";
import { OfKey } from "../../stubs/of-key.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { bridgeSchema } from "../schema/bridge-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { BridgeCall, type CallDeps } from "./bridge-call.ts";
import { BridgeListener } from "./bridge-listener.ts";
import { BridgeListens } from "./bridge-listens.ts";
import { BridgeQuestions } from "./bridge-questions.ts";
import { BridgeRunner, unknown } from "./bridge-runner.ts";
import { BridgeSession } from "./bridge-session.ts";
import { ContentSeal } from "../content-seal.ts";
import { BridgeTables, type SessionRow } from "./bridge-tables.ts";
import { BridgeUpstream, type Session, answerIn, arrivalsOf } from "./bridge-upstream.ts";

/** Whether each call that is open has its reader: looked at so often. */
const watchMs = 20_000;
/** Everything is forgotten by then, unless it is used. */
const dependentMs = 25 * 3_600_000;
/** A call that takes longer is written down. */
const youngMs = 1_000;
const mostCalls = 100;
const nameLength = 16;

const tooMany: BridgeState = {
  kind: "refused",
  status: 429,
  headers: [["Retry-After", "5"]],
  body: "Too many requests wait at this MCP server",
};

export class BridgeObject extends StoredObject implements BridgeCalls {
  readonly #tables: BridgeTables;
  readonly #ofKey: OfKey;
  readonly #alarm: ObjectAlarm;
  readonly #over = new AbortController();
  readonly #upstream: BridgeUpstream;
  readonly #session: BridgeSession;
  readonly #listener: BridgeListener;
  readonly #listens: BridgeListens;
  readonly #questions: BridgeQuestions;
  readonly #runner: BridgeRunner;
  readonly #calls = new Map<string, BridgeCall>();
  readonly #callParts: CallDeps;
  #dependentUntil = 0;
  #visit: BridgeVisit | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, bridgeSchema);
    const tables = (this.#tables = new BridgeTables(this.sql, this.tables, new ContentSeal(env, ctx.id.toString())));
    this.#ofKey = new OfKey(env, "bridge", ctx.id);
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), earlyMs: watchMs, failed: "bridge.failed" });
    const over = this.#over.signal;
    const atomically = (write: () => void): void => {
      // The key was revoked: nothing is kept any more.
      if (over.aborted) return;
      ctx.storage.transactionSync(write);
      this.#alarm.arm();
    };
    const upstream = (this.#upstream = new BridgeUpstream({ env, ctx, over }));
    this.#session = new BridgeSession({ upstream, tables, now: () => this.now(), over, atomically });
    this.#questions = new BridgeQuestions({
      upstream,
      client: () => this.#client(),
      inFlight: () => this.#inFlight(),
      association: () => this.#association(),
      onChange: (change) => this.#listens.tell(change),
    });
    this.#listens = new BridgeListens({
      subscribe: (method, uri) => this.#subscribe(method, uri),
      onRest: () => this.#rest(),
    });
    this.#listener = new BridgeListener({
      upstream,
      tables,
      onArrival: ({ messages }, session) => {
        for (const message of messages) this.#questions.onStray(session, message);
      },
      onEnd: () => this.#listens.endAll(),
    });
    this.#runner = new BridgeRunner({
      upstream,
      over,
      renewed: (lost) => this.#renewed(lost),
      onMessage: (call, message) => this.#questions.onMessage(call, message),
    });
    this.#callParts = { tables, now: () => this.now(), atomically };
    for (const row of tables.calls()) this.#calls.set(row.call, BridgeCall.stored(this.#callParts, row));
    void this.#alarm.restore();
  }

  async discover(visit: BridgeVisit): Promise<BridgeState> {
    const session = await this.#begun(visit);
    return "kind" in session ? session : answered({ result: readJsonOf(this.#tables.initialized()) });
  }

  async ask(visit: BridgeVisit, request: BridgeRequest): Promise<BridgeState> {
    const session = await this.#begun(visit);
    if ("kind" in session) return session;
    const id = newName();
    return this.#exchange(session, id, request.method, requestText(id, request));
  }

  /** The session for a client that comes; or what it is told in place of that. */
  async #begun(visit: BridgeVisit): Promise<SessionRow | BridgeState> {
    return (await this.#enter(visit)) ? this.#session.begun(visit) : { kind: "gone" };
  }

  /** Sends a request that has no rounds, and waits for its answer. */
  async #exchange(session: Session, id: string, method: string, text: string): Promise<BridgeState> {
    const sent = await this.#runner.send(session, text);
    if (!("response" in sent)) return sent.answer === null ? sent.state : answered(sent.answer);
    try {
      for await (const { messages } of arrivalsOf(sent.response, this.#over.signal))
        for (const message of messages) {
          const answer = answerIn(message, id);
          if (answer !== null) return answered(bridgedAnswer(method, answer));
          this.#questions.onStray(sent.session, message);
        }
    } catch {
      // The connection broke.
    }
    return answered(unknown);
  }

  async open(visit: BridgeVisit, request: BridgeRequest, stream: BridgeStream, finds: boolean, ms: number): Promise<BridgeState> {
    if (!(await this.#enter(visit))) return { kind: "gone" };
    const found = [...this.#calls.values()].findLast((call) => call.bound === request.bound && call.isFree);
    if (found !== undefined) return this.#wait(found, stream, ms);
    if (finds) return { kind: "gone" };
    if (this.#inFlight().length >= mostCalls) return tooMany;
    const session = await this.#session.begun(visit);
    if ("kind" in session) return session;
    await this.#listener.open(session);
    await this.#session.setLevel(request.logLevel);
    const call = BridgeCall.begun(this.#callParts, { call: newName(), bound: request.bound, method: request.method }, session);
    call.logLevel = request.logLevel;
    this.#calls.set(call.name, call);
    setTimeout(() => {
      if (!call.isOver) call.keep();
    }, youngMs);
    this.ctx.waitUntil(this.#followed(call, this.#runner.run(call, requestText(call.name, request))));
    this.#questions.began(call);
    return this.#wait(call, stream, ms);
  }

  async changed(visit: BridgeVisit, name: string, stream: BridgeStream, ms: number): Promise<BridgeState> {
    if (!(await this.#enter(visit))) return { kind: "gone" };
    const call = this.#calls.get(name);
    return call === undefined ? { kind: "gone" } : this.#wait(call, stream, ms);
  }

  async answer(visit: BridgeVisit, name: string, key: string, response: string): Promise<boolean> {
    if (!(await this.#enter(visit))) return false;
    const call = this.#calls.get(name);
    if (call === undefined || !call.respond(key, response)) return false;
    this.ctx.waitUntil(this.#deliver(call));
    return true;
  }

  left(name: string, stream: BridgeStream): void {
    const call = this.#calls.get(name);
    call?.left(stream);
    this.#tidy();
  }

  async listen(visit: BridgeVisit, stream: BridgeStream, filter: JsonOf<ListenFilter>): Promise<BridgeListening> {
    const session = await this.#streaming(visit);
    if ("kind" in session) return session;
    if (this.#listens.isFull) return tooMany;
    const initialized = this.#tables.initialized();
    const capabilities = objectOf(readJsonOf(initialized)["capabilities"]) ?? {};
    const supported = supportedPart(session.hasStream ? readJsonOf(filter) : { lists: [], uris: [] }, capabilities);
    const agreed = isEmptyFilter(supported) ? supported : await this.#listens.begin(stream, supported);
    if (isEmptyFilter(agreed)) this.#listens.end(stream);
    return { kind: "listening", filter: jsonOf(agreed), initialized };
  }

  async heard(visit: BridgeVisit, stream: BridgeStream, ms: number): Promise<BridgeHeard> {
    if (!(await this.#enter(visit))) return { kind: "gone" };
    this.#session.touch();
    return this.#listens.hear(stream, ms);
  }

  unlisten(stream: BridgeStream): void {
    this.#listens.end(stream);
  }

  /**
   * The session, with its stream open where the server has one; a session that the server does not
   * know is begun anew, once.
   */
  async #streaming(visit: BridgeVisit): Promise<(SessionRow & { readonly hasStream: boolean }) | BridgeState> {
    const session = await this.#begun(visit);
    if ("kind" in session) return session;
    const opened = await this.#listener.open(session, true);
    if (opened !== "lost") return { ...session, hasStream: opened !== "none" };
    const next = await this.#renewed(session);
    if ("kind" in next) return next;
    const again = await this.#listener.open(next, true);
    return { ...next, hasStream: again === "open" || again === null };
  }

  async #subscribe(method: string, uri: string): Promise<boolean> {
    const { row } = this.#session;
    if (row === null || !this.#hasVisitor()) return false;
    const id = newName();
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params: { uri } });
    const state = await this.#exchange(row, id, method, text).catch(() => null);
    return state?.kind === "answered" && "result" in readJsonOf(state.answer);
  }

  async keyRevoked(): Promise<void> {
    this.#ofKey.revoked();
    this.#over.abort();
    this.#listens.endAll();
    this.#listener.close();
    this.#calls.clear();
    await this.deleteAll(this.#alarm);
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      const now = this.now();
      for (const call of this.#calls.values()) if (call.until <= now) await this.#expire(call);
      this.#revive();
      const idleAt = this.#session.idleAt();
      if (idleAt !== null && idleAt <= now && this.#inFlight().length === 0 && this.#listens.isEmpty) {
        this.#hasVisitor();
        this.#listener.close();
        await this.#session.end();
      }
      if (this.#nextDue() === null) await this.deleteAll(this.#alarm);
      else this.#alarm.arm();
    });
  }

  /** False where the key is revoked. */
  async #enter(visit: BridgeVisit): Promise<boolean> {
    const { id } = JSON.parse(visit.key) as KeyRecord; // by the caller's contract
    if (this.#over.signal.aborted) return false;
    if (this.#dependentUntil - this.now() < dependentMs / 2) {
      const until = this.now() + dependentMs;
      if (!(await this.#ofKey.mayWrite(id, until))) return false;
      this.#dependentUntil = until;
    }
    this.#visit = visit;
    this.#upstream.visitor = visitorOf(visit);
    this.#revive();
    return !this.#over.signal.aborted;
  }

  async #wait(call: BridgeCall, stream: BridgeStream, ms: number): Promise<BridgeState> {
    const state = await call.wait(stream, ms);
    this.#tidy();
    return state;
  }

  #renewed(lost: Session): ReturnType<BridgeSession["renewed"]> {
    if (this.#visit === null) return Promise.resolve({ kind: "gone" });
    return this.#session.renewed(lost, this.#visit).then(async (session) => {
      if (!("kind" in session)) await this.#listener.open(session);
      return session;
    });
  }

  /**
   * The calls that are open get their readers, and the server the responses that it may not have.
   */
  #revive(): void {
    if (!this.#hasVisitor()) return;
    for (const call of this.#inFlight()) {
      if (!call.isRunning) this.ctx.waitUntil(this.#followed(call, this.#runner.revive(call)));
      this.ctx.waitUntil(this.#deliver(call));
    }
    const { row } = this.#session;
    if (row !== null && this.#inFlight().some(({ session }) => session.id === row.id)) void this.#listener.open(row);
  }

  /**
   * After a reset the last client is taken, unless it came with a credential of its own: that one
   * has to come again.
   */
  #hasVisitor(): boolean {
    if (this.#upstream.visitor !== null) return true;
    const { row } = this.#session;
    if (row === null || row.own_credential === 1) return false;
    const { key, server, client } = row;
    this.#visit = { key, server, client, authorization: null };
    this.#upstream.visitor = visitorOf(this.#visit);
    return true;
  }

  async #followed(call: BridgeCall, running: Promise<void>): Promise<void> {
    await running;
    if (this.#over.signal.aborted) return;
    if (!call.isOver) call.end(unknown, "lost");
    this.#rest();
    this.#tidy();
    this.#alarm.arm();
  }

  /** Nothing needs the stream that belongs to no request. */
  #rest(): void {
    if (this.#inFlight().length === 0 && this.#listens.isEmpty) this.#listener.leave();
  }

  readonly #delivering = new Set<string>();

  /**
   * Posts the client's responses; a response that is posted twice is the same to the byte, and the
   * server knows it by its id.
   */
  async #deliver(call: BridgeCall): Promise<void> {
    await Promise.all(
      call.undelivered().map(async ({ key, request, response }) => {
        const name = `${call.name} ${key}`;
        if (this.#delivering.has(name)) return;
        this.#delivering.add(name);
        const isDone = await this.#upstream.tell(call.session, `{"jsonrpc":"2.0","id":${JSON.stringify(request)},"result":${response}}`);
        this.#delivering.delete(name);
        if (isDone) call.delivered(key);
      }),
    );
  }

  /** Nobody came for it within a day, or its answer was kept long enough. */
  async #expire(call: BridgeCall): Promise<void> {
    const { name, session } = call;
    this.#calls.delete(name);
    const isStopped = call.expire({ error: { code: -32_603, message: "The time for this request is over" } });
    call.forget();
    if (!isStopped || !this.#hasVisitor()) return;
    const params = { requestId: name, reason: "The client did not come back" };
    await this.#upstream.tell(session, { jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #tidy(): void {
    for (const [name, call] of this.#calls) {
      if (!call.isDone) continue;
      this.#calls.delete(name);
      call.forget();
    }
  }

  #inFlight(): BridgeCall[] {
    return [...this.#calls.values()].filter(({ isOver }) => !isOver).reverse();
  }

  #client(): BridgedClient {
    return this.#visit === null ? { capabilities: {}, clientInfo: null } : readJsonOf(this.#visit.client);
  }

  async #association() {
    const server = await serverEntry(this.env, this.#visit?.server ?? "", this.now(), (work) => this.ctx.waitUntil(work));
    return server?.association ?? "strict";
  }

  #nextDue(): number | null {
    const kept = [...this.#calls.values()].filter(({ isKept }) => isKept);
    const dues = kept.map(({ until }) => until);
    if (kept.some(({ isOver }) => !isOver)) dues.push(this.now() + watchMs);
    const idleAt = this.#session.idleAt();
    if (idleAt !== null) dues.push(idleAt);
    return dues.length === 0 ? null : Math.min(...dues);
  }
}

const newName = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(nameLength)));

const visitorOf = ({ key, server, authorization }: BridgeVisit) => ({ key: JSON.parse(key) as KeyRecord, server, authorization }); // by contract

const answered = (answer: RpcAnswer): BridgeState => ({ kind: "answered", answer: jsonOf(answer), told: [] });

/**
 * The request as the server gets it. Its progress token is its id, which the client's own may
 * collide with.
 */
function requestText(id: string, { method, rest, meta, wantsProgress }: BridgeRequest): string {
  const sent = bridgedMeta(readJsonOf(meta), wantsProgress ? id : null);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${attemptOf(rest, sent, null, null)}}`;
}
