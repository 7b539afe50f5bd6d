// One request of a client of 2026-07-28 at a server with sessions: what the server asks meanwhile,
// its answer, and the response streams of the client that wait for it. It hosts
// shared/relay/call.ts.
//
// A request that is answered within a second and asks nothing is never written. From its first
// question, its second second, or the moment when no stream waits for it any more, each change is
// written before anybody is told of it.

import { Changes } from "../changes.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { type JsonOf, jsonOf } from "../../../shared/json/json-of.ts";
import {
  type CallEffect,
  type CallEvent,
  type CallState,
  type Question,
  knows,
  newCall,
  openQuestions,
  step,
} from "../../../shared/relay/call.ts";
import type { InputRequest } from "../../../shared/relay/rounds.ts";
import { type RequestId, type RpcAnswer, idKey } from "../../../shared/wire/json-rpc.ts";
import type { BridgeStream, BridgeState } from "../../stubs/bridge-calls.ts";
import type { BridgeTables, CallRow } from "./bridge-tables.ts";
import type { Session } from "./bridge-upstream.ts";

type Stream = { told: JsonOf<JsonObject>[]; waiting: number; seenAt: number };

export type CallDeps = {
  readonly tables: BridgeTables;
  readonly now: () => number;
  /** Writes together. */
  readonly atomically: (write: () => void) => void;
};

const waitingMs = 24 * 3_600_000;
const endedMs = 10 * 60_000;
/** A response stream that has not come back for so long has gone: two waits are a moment apart. */
const streamMs = 5_000;
const mostTold = 200;
export const mostQuestions = 100;
/** The last event's id is written at most once in this time, unless something depends on it. */
const eventMs = 1_000;

export class BridgeCall {
  readonly name: string;
  readonly bound: string;
  readonly method: string;
  session: Session;
  eventId: string | null;
  /** Of the log messages that its client wants; not stored: each of its requests says it. */
  logLevel: string | null = null;
  /** A reader of its response is there. */
  isRunning = false;
  answer: JsonOf<RpcAnswer> | null;
  until: number;
  readonly #deps: CallDeps;
  #state: CallState;
  readonly #streams = new Map<BridgeStream, Stream>();
  readonly #changes = new Changes();
  #isKept: boolean;
  /** The client was given a state by which it may come back. */
  #isStated: boolean;
  #isTaken: boolean;
  /**
   * False from a reset until its stream is resumed: whether the server still waits for an answer is
   * not known.
   */
  #isAttached: boolean;
  #refused: Extract<BridgeState, { kind: "refused" }> | null = null;
  #eventWrittenAt = 0;

  private constructor(deps: CallDeps, row: Pick<CallRow, "call" | "bound" | "method">, session: Session, kept: CallRow | null) {
    this.#deps = deps;
    this.name = row.call;
    this.bound = row.bound;
    this.method = row.method;
    this.session = session;
    this.eventId = kept?.event_id ?? null;
    this.#state = kept?.state ?? newCall({ server: "session", mostAsked: mostQuestions, ours: [] });
    this.answer = kept === null || kept.state.end === null ? null : (deps.tables.text(row.call, "answer") as JsonOf<RpcAnswer>); // written by `#last`
    this.#isTaken = kept?.isTaken ?? false;
    this.#isKept = this.#isStated = kept !== null;
    this.#isAttached = kept === null;
    this.until = kept?.until ?? deps.now() + waitingMs;
  }

  static begun(deps: CallDeps, row: Pick<CallRow, "call" | "bound" | "method">, session: Session): BridgeCall {
    return new BridgeCall(deps, row, session, null);
  }

  static stored(deps: CallDeps, row: CallRow): BridgeCall {
    return new BridgeCall(deps, row, { id: row.session, revision: row.revision }, row);
  }

  get isOver(): boolean {
    return this.#state.end !== null || this.#refused !== null;
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  /** The same request may find it: nobody waits for it, and nobody has its answer. */
  get isFree(): boolean {
    return !this.#isTaken && this.#refused === null && !this.#hasStream();
  }

  /** Nobody will ask for it again. */
  get isDone(): boolean {
    const isTold = this.#refused !== null || (this.#isTaken && !this.#isStated);
    return isTold && !this.#hasStream();
  }

  keep(): void {
    if (this.#isKept || this.isDone) return;
    this.#isKept = true;
    this.#deps.atomically(() => this.#write());
  }

  #write(): void {
    const { name: call, bound, method, session, eventId: event_id, until } = this;
    const [state, isTaken] = [this.#state, this.#isTaken];
    this.#deps.tables.keep({ call, bound, method, session: session.id, revision: session.revision, event_id, state, isTaken, until });
    this.#eventWrittenAt = this.#deps.now();
  }

  /** Deletes it where it is written. */
  forget(): void {
    const keys = this.#state.questions.map(({ key }) => key);
    if (this.#isKept) this.#deps.atomically(() => this.#deps.tables.delete(this.name, ["answer", ...keys]));
    this.#isKept = false;
  }

  /**
   * Takes a step, and commits it with the text that came with the event, by its name. Nothing comes
   * of an event that no longer applies.
   */
  #take(event: CallEvent, written?: { readonly what: string; readonly text: string }): readonly CallEffect[] {
    const { questions } = this.#state;
    const { state, effects } = step(this.#state, event);
    if (state === this.#state) return [];
    this.#state = state;
    const isEnd = state.end !== null;
    if (isEnd) this.until = this.#deps.now() + endedMs;
    // Nobody waits for its answer: the client may come back for it.
    if (event.kind === "asked" || (isEnd && !this.#hasStream())) this.#isKept = true;
    if (this.#isKept)
      this.#deps.atomically(() => {
        this.#write();
        const { tables } = this.#deps;
        for (const { key } of questions) if (!state.questions.some((each) => each.key === key)) tables.deleteText(this.name, key);
        if (written !== undefined) tables.writeText(this.name, written.what, written.text);
      });
    this.#changes.tell();
    return effects;
  }

  /** An event of its stream came; `matters`: what it brought is not to come again. */
  passed(eventId: string, matters: boolean): void {
    this.eventId = eventId;
    if (!this.#isKept || (!matters && this.#deps.now() - this.#eventWrittenAt < eventMs)) return;
    this.#deps.tables.passed(this.name, eventId);
    this.#eventWrittenAt = this.#deps.now();
  }

  /** Whether the server's request is one that this call has already, open or answered. */
  knows(request: RequestId): boolean {
    return knows(this.#state, request);
  }

  /** The server asks its client. False where it asked too often. */
  ask(request: RequestId, method: InputRequest["method"], params: JsonObject | null): boolean {
    const key = `input-${this.#state.asked + 1}`;
    return this.#take({ kind: "asked", questions: [{ key, method, request }] }, { what: key, text: jsonOf(params) }).length > 0;
  }

  /** Its stream is there. */
  attached(): void {
    this.#isAttached = true;
    this.#changes.tell();
  }

  /** The server withdrew its request. */
  withdraw(request: RequestId): boolean {
    return this.withdrawOffer((id) => idKey(id) === idKey(request));
  }

  /** The same for the first request whose id is one of these. */
  withdrawOffer(isMeant: (request: RequestId) => boolean): boolean {
    const found = openQuestions(this.#state).find((each) => each.request !== null && isMeant(each.request));
    return found !== undefined && this.#take({ kind: "withdrawn", key: found.key }).length > 0;
  }

  /** Commits the client's response. False where the question is answered or withdrawn. */
  respond(key: string, response: string): boolean {
    return this.#take({ kind: "answered", key, by: "client" }, { what: key, text: response }).some(({ kind }) => kind === "deliver");
  }

  /** The responses that may not be at the server yet. */
  undelivered(): { readonly key: string; readonly request: RequestId | null; readonly response: string }[] {
    const answered = this.#state.questions.filter(({ isAnswered }) => isAnswered);
    return answered.map(({ key, request }) => ({ key, request, response: this.#deps.tables.text(this.name, key) }));
  }

  delivered(key: string): void {
    this.#take({ kind: "delivered", key });
  }

  /** Its last word: the server's, or the gateway's where nobody will hear of the server's. */
  end(answer: RpcAnswer, kind: "responded" | "lost" = "responded"): void {
    this.#last({ kind }, answer);
  }

  /** The client did not come back. True where the server is to be told. */
  expire(answer: RpcAnswer): boolean {
    return this.#last({ kind: "cancelled" }, answer).some(({ kind }) => kind === "stop");
  }

  #last(event: CallEvent, answer: RpcAnswer): readonly CallEffect[] {
    if (this.isOver) return [];
    this.answer = jsonOf(answer);
    return this.#take(event, { what: "answer", text: this.answer });
  }

  /** The server did not take the request, and said so by HTTP. */
  refuse(state: Extract<BridgeState, { kind: "refused" }>): void {
    this.#refused = state;
    this.#changes.tell();
  }

  /** A notification for the client. */
  notify(message: JsonObject): void {
    const text = jsonOf(message);
    for (const { told } of this.#streams.values()) if (told.length < mostTold) told.push(text);
    this.#changes.tell();
  }

  async wait(name: BridgeStream, ms: number): Promise<BridgeState> {
    const stream = this.#streams.get(name) ?? { told: [], waiting: 0, seenAt: 0 };
    this.#streams.set(name, stream);
    stream.waiting += 1;
    try {
      const until = Date.now() + ms;
      while (!this.#hasNews(stream) && this.#streams.has(name) && Date.now() < until)
        await this.#changes.next(Math.max(1, until - Date.now()));
    } finally {
      stream.waiting -= 1;
      stream.seenAt = this.#deps.now();
    }
    return this.#told(name, stream);
  }

  left(name: BridgeStream): void {
    this.#streams.delete(name);
    if (!this.isOver) {
      this.#isStated = true;
      this.keep();
    }
    this.#changes.tell();
  }

  #told(name: BridgeStream, stream: Stream): BridgeState {
    const told = stream.told.splice(0);
    if (this.#refused !== null) {
      this.#streams.delete(name);
      return this.#refused;
    }
    if (this.answer !== null) {
      this.#streams.delete(name);
      if (!this.#isTaken && this.#isKept && this.#isStated) this.#taken();
      this.#isTaken = true;
      return { kind: "answered", answer: this.answer, told, ...(this.#state.end === "lost" ? { failure: "lost" } : {}) };
    }
    const questions = this.#open().map(({ key, method }) => ({
      key,
      method,
      params: JSON.parse(this.#deps.tables.text(this.name, key)) as JsonObject | null,
    })); // written by `ask`
    if (questions.length > 0) {
      this.#streams.delete(name);
      this.#isStated = true;
    }
    return { kind: "waiting", call: this.name, questions: jsonOf(questions), told };
  }

  /** The same request is another one from now on, also after a reset. */
  #taken(): void {
    this.#isTaken = true;
    this.#deps.atomically(() => this.#write());
  }

  #hasNews(stream: Stream): boolean {
    return this.isOver || this.#open().length > 0 || stream.told.length > 0;
  }

  #open(): readonly Question[] {
    return this.#isAttached ? openQuestions(this.#state) : [];
  }

  #hasStream(): boolean {
    return [...this.#streams.values()].some(({ waiting, seenAt }) => waiting > 0 || this.#deps.now() - seenAt < streamMs);
  }
}
