// The durable life of one request: it stores the content, and owns notices, deadlines, the call of
// a model or a tool, and delivery.
//
// The object reads its state, asks shared/run/lifecycle.ts, commits, then performs effects. Every
// effect is a row in the outbox before it is attempted and may run twice. The caller's connection
// is a hibernating WebSocket: it never keeps this object awake, and its loss changes nothing. This
// file has the calls of the Worker, run-transitions.ts commits events; the folders are the steps:
//
//   begin     opens a run; which requests it answers; whether its caller is still there
//   review    the pages, what reviewers see, edit and decide, and their links
//   notices   who hears of a review, and through which channel
//   act       calls the model or the tool, or takes the cached reply
//   outbox    attempts and retries effects; timers
//   deliver   the outcome, to callers at windows and to servers that wait
//   record    the ledger, spans and data points
//   tables    the rows, which decide nothing

import type { Took } from "../../../shared/model/call.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { Env } from "../../platform/env.ts";
import {
  type RunCalls,
  type Adoption,
  type Claim,
  type Returned,
  type UnsentWhy,
  type CallTask,
  type RunSnapshot,
  type RunLine,
  type RunReceipt,
  type ExpiredLink,
  type PressTarget,
  type RenewAnswer,
  type TellInput,
  type DecideInput,
  type DecideAnswer,
  type AskInput,
  type AskAnswer,
  type WaitingReview,
  type ViewAsked,
  windowHeader,
  callerLeft,
} from "../../stubs/run-calls.ts";
import { ContentSeal } from "../content-seal.ts";
import { RunStore } from "./tables/run-store.ts";
import { RunTransitions } from "./run-transitions.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { runSchema } from "../schema/run-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { RunOutbox } from "./outbox/run-outbox.ts";
import { type RunDeps, type CurrentRun, cancelRun } from "./run-deps.ts";
import { RunWindows, progressMessage, endedMessage } from "./deliver/run-windows.ts";
import { NoticeQueue } from "./notices/notice-queue.ts";
import { NoticeSender } from "./notices/notice-sender.ts";
import { RunReviewers } from "./review/run-reviewers.ts";
import { RunViews } from "./review/run-views.ts";
import { ReviewContinuation } from "./review/review-continuation.ts";
import { RunPages } from "./review/run-pages.ts";
import { RunDeciding } from "./review/run-deciding.ts";
import { RunAsking } from "./review/run-asking.ts";
import { RunCall } from "./act/run-call.ts";
import { isStoppedBy } from "./act/tool-stop.ts";
import { RunRelease } from "./act/run-release.ts";
import { RunTask } from "./act/run-task.ts";
import { RunRequestor } from "./begin/run-requestor.ts";
import { RunAdoption } from "./begin/run-adoption.ts";
import { ParkedRequest } from "./tables/parked-request.ts";
import { RunClock } from "./outbox/run-clock.ts";
import { RunDelivery } from "./deliver/run-delivery.ts";
import { RunInboxes } from "./notices/run-inboxes.ts";
import { RunLedger } from "./record/run-ledger.ts";
import { RunEffects } from "./outbox/run-effects.ts";
import { logEvent, errorClass } from "../../platform/log.ts";
import { startRun, storeEndedRun } from "./begin/run-start.ts";
import { isCalling } from "../../../shared/run/lifecycle.ts";
import type { RunInput, RequestRef } from "../../../shared/run/run-input.ts";
import type { CancelCause, Outcome, WithdrawCause } from "../../../shared/model/outcome.ts";
import type { Operator, RecordEvent } from "../../../shared/record/record.ts";
import { callTaskOf, snapshotOf, lineOf, receiptIn, sentOf } from "./deliver/run-account.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { ToolStop } from "../../../shared/policy/stops.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import type { DigestEntry } from "../../../shared/channels/digest-content.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import type { ModelFacts } from "../../../shared/run/present.ts";
import type { ConversationEdits } from "../../../shared/wire/control/turns.ts";
import type { LinkChannel } from "../../../shared/notice-channels.ts";

export class RunObject extends StoredObject implements RunCalls {
  readonly #store: RunStore;
  readonly #transitions: RunTransitions;
  readonly #alarm: ObjectAlarm;
  readonly #outbox: RunOutbox;
  readonly #deps: RunDeps;
  readonly #windows: RunWindows;
  readonly #views: RunViews;
  readonly #notices: NoticeQueue;
  readonly #pages: RunPages;
  readonly #deciding: RunDeciding;
  readonly #asking: RunAsking;
  readonly #call: RunCall;
  readonly #release: RunRelease;
  readonly #task: RunTask;
  readonly #requestor: RunRequestor;
  readonly #adoption: RunAdoption;
  readonly #parked: ParkedRequest;
  readonly #clock: RunClock;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, runSchema);
    const seal = new ContentSeal(env, ctx.id.toString());
    this.#store = new RunStore(ctx.storage, this.tables, seal, () => this.#alarm.forget());
    this.#windows = new RunWindows(ctx);
    this.#parked = new ParkedRequest(ctx.storage, this.tables, seal);
    this.#transitions = new RunTransitions({
      env,
      store: this.#store,
      notices: () => this.#notices,
      arm: () => this.#alarm.arm(),
      flush: () => this.#flush(),
    });
    const current = (): CurrentRun | null => this.#transitions.current();
    this.#deps = {
      env,
      store: this.#store,
      ...this.clock,
      current,
      reviewers: new RunReviewers({ env, store: this.#store, current }),
      apply: (event, now, facts) => this.#transitions.apply(event, now, facts),
      commit: (next, now, facts) => this.#transitions.commit(next, now, facts),
      record: (now, facts) => this.#transitions.record(now, facts),
      arm: () => this.#alarm.arm(),
      flush: () => this.#flush(),
      drain: () => this.#outbox.drain(),
      waitUntil: (work) => ctx.waitUntil(work),
    };
    const continuation = new ReviewContinuation(this.#deps, this.#windows);
    this.#views = new RunViews(this.#deps);
    this.#notices = new NoticeQueue(this.#deps);
    this.#pages = new RunPages(this.#deps, this.#views, this.#windows, continuation);
    this.#deciding = new RunDeciding(this.#deps);
    this.#asking = new RunAsking(this.#deps, this.#notices);
    this.#call = new RunCall(this.#deps);
    this.#release = new RunRelease(this.#deps);
    this.#task = new RunTask(this.#deps, this.#release, this.#windows);
    this.#requestor = new RunRequestor(this.#deps, this.#windows, () => this.#release.lost());
    this.#adoption = new RunAdoption(this.#deps, this.#windows, () => this.#release.lost());
    const ledger = new RunLedger(this.#deps, () => this.#clock.nextDue());
    const delivery = new RunDelivery(this.#deps, this.#windows, ledger);
    const effects = new RunEffects({
      deps: this.#deps,
      sender: new NoticeSender({ deps: this.#deps, views: this.#views, queue: this.#notices, continuation }),
      call: this.#call,
      task: this.#task,
      delivery,
      ledger,
      inboxes: new RunInboxes(this.#deps, this.#views),
    });
    this.#outbox = new RunOutbox(this.#deps, (row) => effects.perform(row));
    this.#clock = new RunClock({
      deps: this.#deps,
      outbox: this.#outbox,
      notices: this.#notices,
      requestor: this.#requestor,
      release: this.#release,
      parked: this.#parked,
    });
    this.#alarm = this.alarmFor({ nextDue: () => this.#clock.nextDue(), earlyMs: 10_000, failed: "run.alarmFailed" });
    this.#wake();
  }

  /**
   * Continues what the object's last instance left. Never throws: an object whose constructor
   * throws cannot run its alarm either.
   */
  #wake(): void {
    try {
      this.#requestor.watch();
      if (this.#store.isUnreadable()) this.#endUnreadable();
      const state = this.#store.state();
      if (state !== null && isCalling(state)) {
        // A call of the last instance is lost with it.
        this.#store.outbox.runNow("call", this.now());
        this.#alarm.arm();
      }
    } catch (error) {
      logEvent("run.unreadable", { error: errorClass(error) });
    }
    void this.#alarm.restore();
  }

  /** The key of the run's content is not set: the run ends, and what cannot be read is deleted. */
  #endUnreadable(): void {
    logEvent("run.unreadable", { error: "ContentUnreadable" });
    this.#store.transaction(() => {
      this.#store.deleteUnreadable();
      if (this.#deps.apply({ kind: "unreadable" }, this.now(), [{ kind: "contentUnreadable" }])) return;
      // It has ended: whoever asks for its outcome is told that there is none any more.
      const current = this.#transitions.current();
      if (current === null || this.#store.outcome() !== undefined) return;
      this.#store.writeOutcome(jsonOf({ kind: "broken", quote: current.input.id }));
      this.#deps.record(this.now(), [{ kind: "contentUnreadable" }]);
    });
  }

  // Requests

  async open(input: JsonOf<RunInput>): Promise<void> {
    if (this.#store.state() !== null) return;
    startRun(this.#deps, readJsonOf(input));
    await this.#outbox.attempt("begin");
    this.#flush();
  }

  storeEnded(input: JsonOf<RunInput>, outcome: JsonOf<Outcome>, model: JsonOf<ModelFacts>, events: JsonOf<readonly RecordEvent[]>): void {
    if (this.#store.state() !== null) return;
    storeEndedRun(this.#deps, readJsonOf(input), { outcome, model, events });
    this.#flush();
  }

  park(request: string): void {
    if (this.#store.state() === null) this.#parked.park(request, this.now());
  }

  async takeParked(): Promise<string | null> {
    return this.#store.state() === null ? this.#parked.take() : null;
  }

  adopt(adoption: Adoption): "refused" | "adopted" | "posts" {
    return this.#adoption.adopt(adoption);
  }

  abandon(): boolean {
    return this.#adoption.abandon();
  }

  withdraw(cause: WithdrawCause, requestRef: RequestRef): "unknown" | "over" | "kept" | "cancelled" {
    return this.#adoption.withdraw(cause, requestRef);
  }

  cancel(cause: CancelCause, by: Operator | null = null, only: JsonOf<ToolStop> | null = null): boolean {
    const current = only === null ? null : this.#transitions.current();
    if (only !== null && (current === null || !isStoppedBy(readJsonOf(only), this.#store, current.input, this.now()))) return false;
    return cancelRun(this.#deps, cause, by);
  }

  claim(requestRef: RequestRef, brings = false): Promise<JsonOf<Claim>> {
    return this.#release.claim(requestRef, brings);
  }

  unsent(call: number, took: JsonOf<Took>, why: UnsentWhy): void {
    this.#release.unsent(call, readJsonOf(took), why);
  }

  returned(call: number | null, returned: JsonOf<Returned>): Promise<void> {
    return this.#release.returned(call, returned);
  }

  callTask(): JsonOf<CallTask> | null {
    this.#restoreAlarm();
    const current = this.#transitions.current();
    if (current === null) return null;
    const sending = { asks: this.#task.asks(), mayResume: this.#task.mayResume(current.state) };
    return asText(callTaskOf(this.#store, current, sending, settingsOf(this.env).retentionMs));
  }

  resumeTask(authorization: string | null): void {
    this.#task.resume(authorization);
  }

  answerTask(responses: JsonOf<JsonObject>): void {
    this.#task.answer(readJsonOf(responses));
  }

  // How the run stands

  snapshot(): RunSnapshot | null {
    this.#restoreAlarm();
    const current = this.#transitions.current();
    return current === null ? null : snapshotOf(this.#store, current.input, current.state, settingsOf(this.env).retentionMs);
  }

  receipt(): JsonOf<RunReceipt> | null {
    const current = this.#transitions.current();
    return current === null ? null : asText(receiptIn(this.#store, current.input, current.state));
  }

  line(): JsonOf<RunLine> | null {
    const current = this.#transitions.current();
    return current === null ? null : jsonOf(lineOf(this.#store, current.input, current.state));
  }

  sent(): { readonly prompt: string; readonly edits: JsonOf<ConversationEdits> } | null {
    const current = this.#transitions.current();
    return current === null ? null : sentOf(this.#store, current.state, current.input);
  }

  // Reviews

  place(gate: Gate, reviewer: string, email: string): number | null {
    this.#restoreAlarm();
    return this.#pages.place(gate, reviewer, email);
  }

  view(asked: ViewAsked): JsonOf<ReviewView> | null {
    this.#restoreAlarm();
    return asText(this.#pages.view(asked));
  }

  ownersGate(): Gate | null {
    return this.#deps.reviewers.ownersGate();
  }

  expiredLink(gate: Gate, reviewer: number, link: string): JsonOf<ExpiredLink> | null {
    this.#restoreAlarm();
    return asText(this.#views.expired(gate, reviewer, link));
  }

  renewLink(gate: Gate, reviewer: number, link: string): RenewAnswer {
    const answer = this.#notices.renew(gate, reviewer, link);
    if (answer.kind === "sent") this.#flush();
    return answer;
  }

  waiting(): JsonOf<WaitingReview> | null {
    return asText(this.#asking.waiting());
  }

  ask(input: AskInput): AskAnswer {
    return this.#asking.ask(input);
  }

  digestEntry(link: string): JsonOf<DigestEntry> | null {
    return asText(this.#views.digestEntry(link));
  }

  pressTarget(channel: LinkChannel, gate: Gate, link: string): JsonOf<PressTarget> | null {
    return asText(this.#views.pressTarget(channel, gate, link));
  }

  tell(input: TellInput): void {
    this.#notices.tell(input);
    this.#flush();
  }

  decide(input: DecideInput): DecideAnswer {
    return this.#deciding.decide(input);
  }

  // Windows and time

  /**
   * Opens a window on the run: a caller's, which gets each phase and the end, or a page's, which
   * gets its review's state.
   */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("Upgrade") !== "websocket") return new Response(null, { status: 426 });
    this.#restoreAlarm();
    const state = this.#store.state();
    if (state === null) return new Response(null, { status: 404 });
    if (request.headers.get(windowHeader) === "page") return this.#pages.openWindow(new URL(request.url).searchParams);
    const delivery = this.#store.delivery();
    const response = this.#windows.acceptCaller(delivery === null ? progressMessage(state) : endedMessage(this.#store.outcome()));
    this.#requestor.welcome(delivery);
    for (const event of this.#task.unheard()) this.#windows.passOn(event);
    return response;
  }

  override webSocketMessage(): void {
    // Callers only listen.
  }

  override webSocketClose(socket: WebSocket, _code: number, reason: string): void {
    if (this.#windows.isPage(socket)) return;
    // A caller that says that it leaves is gone; one whose connection broke may come back.
    if (reason === callerLeft && this.#windows.callers() === 0) this.#requestor.notice(this.now());
    else this.#requestor.watch();
  }

  override webSocketError(socket: WebSocket): void {
    if (!this.#windows.isPage(socket)) this.#requestor.watch();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(() => this.#clock.ring());
  }

  async sweep(): Promise<number | null> {
    await this.alarm();
    return this.#store.exists() ? this.#clock.nextDue() : null;
  }

  /** For calls that only read: sets a lost alarm again. Writes nothing where there is no run. */
  #restoreAlarm(): void {
    if (this.#store.exists()) this.ctx.waitUntil(this.#alarm.restore());
  }

  /** Performs what is due now, outside the caller's request; the alarm performs what is lost. */
  #flush(): void {
    this.#alarm.arm();
    // Only after the commit of a transaction inside which this is called.
    this.ctx.waitUntil(
      Promise.resolve().then(() => {
        const state = this.#store.state();
        if (state !== null && state.end !== null) {
          this.#call.stop();
          this.#task.stop();
        }
        // What the caller waits for is begun first.
        const drained = this.#outbox.drain();
        if (state?.end === null) this.#windows.tellCallers(progressMessage(state));
        if (state !== null) this.#windows.tellPages((page) => this.#pages.message(page));
        return drained;
      }),
    );
  }
}

/** RPC values are flat: an object is sent as JSON. */
const asText = <T>(value: T | null): JsonOf<T> | null => (value === null ? null : jsonOf(value));
