// One request of a client of 2026-07-28 at a server with sessions: what the server asks meanwhile,
// its answer, and the requests of the client that wait for it (legs).
//
// A request that is answered within a second and asks nothing is never written. From its first
// question, its second second, or the moment when no leg waits for it any more, each change is
// written before anybody is told of it.

import type { JsonObject } from "../../../shared/encoding.ts";
import type { InputRequest } from "../../../shared/relay/rounds.ts";
import { type RequestId, type RpcAnswer, idKey } from "../../../shared/wire/json-rpc.ts";
import type { BridgeLeg, BridgeState } from "../../stubs/bridge-calls.ts";
import type { BridgeTables, CallRow } from "./bridge-tables.ts";
import type { Session } from "./bridge-upstream.ts";

type Question = InputRequest & { readonly request: RequestId };

type Leg = { told: string[]; waiting: number; seenAt: number };

export type CallDeps = {
  readonly tables: BridgeTables;
  readonly now: () => number;
  /** Writes together. */
  readonly atomically: (write: () => void) => void;
};

const waitingMs = 24 * 3_600_000;
const endedMs = 10 * 60_000;
/** A leg that has not come back for so long has gone: between two waits it takes a moment. */
const legMs = 5_000;
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
  /** Of the log messages that its client wants; not stored: each leg says it. */
  logLevel: string | null = null;
  /** A reader of its response is there. */
  isRunning = false;
  answer: string | null = null;
  until: number;
  readonly #deps: CallDeps;
  readonly #questions = new Map<string, Question>();
  /** Answered, and perhaps not at the server: their keys. */
  readonly #answered = new Map<string, RequestId>();
  readonly #legs = new Map<BridgeLeg, Leg>();
  readonly #wakes = new Set<() => void>();
  #asked: number;
  #isKept: boolean;
  /** The client was given a state by which it may come back. */
  #isStated: boolean;
  #isTaken = false;
  /**
   * False from a reset until its stream is resumed: whether the server still waits for an answer is
   * not known.
   */
  #isAttached = true;
  #refused: Extract<BridgeState, { kind: "refused" }> | null = null;
  #eventWrittenAt = 0;

  private constructor(deps: CallDeps, row: Pick<CallRow, "call" | "bound" | "method">, session: Session, kept: CallRow | null) {
    this.#deps = deps;
    this.name = row.call;
    this.bound = row.bound;
    this.method = row.method;
    this.session = session;
    this.eventId = kept?.event_id ?? null;
    this.#asked = kept?.asked ?? 0;
    this.#isKept = kept !== null;
    this.#isStated = kept !== null;
    this.until = kept?.until ?? deps.now() + waitingMs;
  }

  static begun(deps: CallDeps, row: Pick<CallRow, "call" | "bound" | "method">, session: Session): BridgeCall {
    return new BridgeCall(deps, row, session, null);
  }

  /** The call as it is stored. */
  static stored(deps: CallDeps, row: CallRow): BridgeCall {
    const call = new BridgeCall(deps, row, { id: row.session, revision: row.revision }, row);
    call.#isAttached = false;
    if (row.ended > 0) call.answer = deps.tables.answerOf(row.call);
    call.#isTaken = row.ended === 2;
    for (const { key, request, method, answered } of deps.tables.questions(row.call)) {
      const id = JSON.parse(request) as RequestId; // written by `ask`
      if (answered === 1) call.#answered.set(key, id);
      else call.#questions.set(key, { key, request: id, method: method as InputRequest["method"], params: call.#textOf(key) });
    }
    return call;
  }

  get isOver(): boolean {
    return this.answer !== null || this.#refused !== null;
  }

  get isKept(): boolean {
    return this.#isKept;
  }

  /** The same request may find it: nobody waits for it, and nobody has its answer. */
  get isFree(): boolean {
    return !this.#isTaken && this.#refused === null && !this.#hasLeg();
  }

  /** Nobody will ask for it again. */
  get isDone(): boolean {
    const isTold = this.#refused !== null || (this.#isTaken && !this.#isStated);
    return isTold && !this.#hasLeg();
  }

  keep(): void {
    if (this.#isKept || this.isDone) return;
    this.#isKept = true;
    this.#deps.atomically(() => this.#write());
  }

  #write(): void {
    const { tables } = this.#deps;
    const { name: call, bound, method, session, eventId: event_id, until } = this;
    const ended = this.answer === null ? 0 : this.#isTaken ? 2 : 1;
    tables.keep({ call, bound, method, session: session.id, revision: session.revision, event_id, asked: this.#asked, ended, until });
    if (this.answer !== null) tables.end(call, this.answer);
    this.#eventWrittenAt = this.#deps.now();
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
    const ids = [...[...this.#questions.values()].map((each) => each.request), ...this.#answered.values()];
    return ids.some((each) => idKey(each) === idKey(request));
  }

  /** The server asks its client. False where it asked too often. */
  ask(request: RequestId, method: InputRequest["method"], params: JsonObject | null): boolean {
    if (this.#asked >= mostQuestions) return false;
    this.#asked += 1;
    const key = `input-${this.#asked}`;
    this.#questions.set(key, { key, request, method, params });
    this.#deps.atomically(() => {
      this.#isKept = true;
      this.#write();
      this.#deps.tables.ask({ call: this.name, key, request: JSON.stringify(request), method }, JSON.stringify(params));
    });
    this.#tell();
    return true;
  }

  /** Its stream is there. */
  attached(): void {
    this.#isAttached = true;
    this.#tell();
  }

  /** The server withdrew its request. */
  withdraw(request: RequestId): boolean {
    return this.withdrawOffer((id) => idKey(id) === idKey(request));
  }

  /** The same for the first request whose id is one of these. */
  withdrawOffer(isMeant: (request: RequestId) => boolean): boolean {
    const found = [...this.#questions.values()].find((each) => isMeant(each.request));
    if (found === undefined) return false;
    this.#questions.delete(found.key);
    this.#deps.atomically(() => this.#deps.tables.dropQuestion(this.name, found.key));
    this.#tell();
    return true;
  }

  /**
   * Commits the client's response; the server's request that it answers, or null where it is
   * answered or withdrawn.
   */
  respond(key: string, response: string): RequestId | null {
    const question = this.#questions.get(key);
    if (question === undefined || this.isOver) return null;
    let isFirst = false;
    this.#deps.atomically(() => (isFirst = this.#deps.tables.answer(this.name, key, response)));
    if (!isFirst) return null;
    this.#questions.delete(key);
    this.#answered.set(key, question.request);
    this.#tell();
    return question.request;
  }

  /** The responses that may not be at the server yet. */
  undelivered(): { readonly key: string; readonly request: RequestId; readonly response: string }[] {
    return [...this.#answered].map(([key, request]) => ({ key, request, response: this.#deps.tables.questionText(this.name, key) }));
  }

  delivered(key: string): void {
    this.#answered.delete(key);
    this.#deps.atomically(() => this.#deps.tables.dropQuestion(this.name, key));
  }

  /** The server's last word. */
  end(answer: RpcAnswer): void {
    if (this.isOver) return;
    this.answer = JSON.stringify(answer);
    this.until = this.#deps.now() + endedMs;
    this.#questions.clear();
    if (this.#isKept || !this.#hasLeg()) {
      this.#isKept = true;
      this.#deps.atomically(() => this.#write());
    }
    this.#tell();
  }

  /** The server did not take the request, and said so by HTTP. */
  refuse(state: Extract<BridgeState, { kind: "refused" }>): void {
    this.#refused = state;
    this.#tell();
  }

  /** A notification for the client. */
  notify(message: JsonObject): void {
    const text = JSON.stringify(message);
    for (const { told } of this.#legs.values()) if (told.length < mostTold) told.push(text);
    this.#tell();
  }

  async wait(name: BridgeLeg, ms: number): Promise<BridgeState> {
    const leg = this.#legs.get(name) ?? { told: [], waiting: 0, seenAt: 0 };
    this.#legs.set(name, leg);
    leg.waiting += 1;
    try {
      const until = Date.now() + ms;
      while (!this.#hasNews(leg) && this.#legs.has(name) && Date.now() < until) await this.#change(until - Date.now());
    } finally {
      leg.waiting -= 1;
      leg.seenAt = this.#deps.now();
    }
    return this.#take(name, leg);
  }

  left(name: BridgeLeg): void {
    this.#legs.delete(name);
    if (!this.isOver) {
      this.#isStated = true;
      this.keep();
    }
    this.#tell();
  }

  #take(name: BridgeLeg, leg: Leg): BridgeState {
    const told = leg.told.splice(0);
    if (this.#refused !== null) {
      this.#legs.delete(name);
      return this.#refused;
    }
    if (this.answer !== null) {
      this.#legs.delete(name);
      if (!this.#isTaken && this.#isKept && this.#isStated) this.#taken();
      this.#isTaken = true;
      return { kind: "answered", answer: this.answer, told };
    }
    const questions = this.#open().map(({ key, method, params }) => ({ key, method, params }));
    if (questions.length > 0) {
      this.#legs.delete(name);
      this.#isStated = true;
    }
    return { kind: "waiting", call: this.name, questions: JSON.stringify(questions), told };
  }

  /** The same request is another one from now on, also after a reset. */
  #taken(): void {
    this.#isTaken = true;
    this.#deps.atomically(() => this.#write());
  }

  #hasNews(leg: Leg): boolean {
    return this.isOver || this.#open().length > 0 || leg.told.length > 0;
  }

  #open(): Question[] {
    return this.#isAttached ? [...this.#questions.values()] : [];
  }

  #hasLeg(): boolean {
    return [...this.#legs.values()].some(({ waiting, seenAt }) => waiting > 0 || this.#deps.now() - seenAt < legMs);
  }

  #textOf(key: string): JsonObject | null {
    return JSON.parse(this.#deps.tables.questionText(this.name, key)) as JsonObject | null; // written by `ask`
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wakes.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(1, ms));
      this.#wakes.add(done);
    });
  }

  #tell(): void {
    for (const wake of this.#wakes) wake();
  }
}
