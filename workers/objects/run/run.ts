// The durable life of one sampling request: it holds the content, owns notices, deadline, model call and delivery.
//
// The class reads state, asks shared/run/lifecycle.ts, commits, then performs effects. Every effect is a row in the
// outbox before it is attempted and may run twice. The caller's connection is a hibernating WebSocket: a window on the
// run, which never keeps this object awake and whose loss changes nothing.

import type { ScheduleKind } from "../../stubs/run-calls.ts";
import type { LinkChannel } from "../../../shared/notice-channels.ts";
import type { LinkRow } from "../../channels/channel.ts";
import {
  type RunCalls,
  callerLeft,
  windowHeader,
  type Adoption,
  type DecideAnswer,
  type DecideInput,
  type RenewAnswer,
  type RunLine,
  type RunSnapshot,
  type TellInput,
} from "../../stubs/run-calls.ts";
import type { LedgerEntry } from "../../stubs/ledger-calls.ts";
import type { Outcome } from "../../../shared/model/outcome.ts";
import type { Gate, KeyEnd } from "../../../shared/model/gate.ts";
import { DurableObject } from "cloudflare:workers";
import { backoffMs } from "../../../shared/backoff.ts";
import { conversationEdits } from "../../../shared/wire/control/conversation.ts";
import type { CancelCause } from "../../../shared/model/outcome.ts";
import type { Operator, RecordEvent, RecordFact } from "../../../shared/record/record.ts";
import { type SeenRisk, findReplyRisks, highestRisk } from "../../../shared/policy/risk.ts";
import type { Review } from "../../../shared/review/decision.ts";
import { responseOf } from "../../../shared/wire/json-rpc.ts";
import { mcpCodec } from "../../../shared/wire/mcp-codecs.ts";
import {
  type Effect,
  type RunEvent,
  type RunState,
  type RunGates,
  type Step,
  isEdited,
  isReplyAsked,
  newRun,
  openGate,
  openGates,
  step,
  withheld,
} from "../../../shared/run/lifecycle.ts";
import {
  type Attachment,
  type RequestVersion,
  type RunOpening,
  type WaitingServer,
  adoptedFact,
  decidersDigest,
  gatesOf,
  openingFacts,
  requestDigest,
} from "../../../shared/run/opening.ts";
import { type ModelFacts, progressOf, reviewState } from "../../../shared/run/present.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { settingsOf } from "../../platform/settings.ts";
import { serversOf } from "../../stores/documents.ts";
import { postToServer } from "../../mcp-client/answer-server.ts";
import { ObjectAlarm } from "../alarm.ts";
import { atMost } from "../at-most.ts";
import { keyStub, ledgerShardOf, ledgerStub } from "../../stubs/stubs.ts";
import { RunRequestor, requestorGraceMs } from "./run-requestor.ts";
import { outcomeOf, currentRequest, lastChange, shownState, summaryOf } from "./run-account.ts";
import { cacheEnded, cachedFor } from "./run-cache.ts";
import { RunCall } from "./run-call.ts";
import { RunDeciding } from "./run-deciding.ts";
import { RunHeld } from "./run-held.ts";
import { RunNotices } from "./run-notices.ts";
import { keyEndOf } from "./run-key.ts";
import { type RunParts, type Standing, linkedAt } from "./run-parts.ts";
import { RunOutbox, alarmWaitMs } from "./run-outbox.ts";
import { type OutboxRow, RunStore, type StoredOpening } from "./run-store.ts";
import { type PageWindow, RunWindows } from "./run-windows.ts";
import type { SessionCalls } from "../../stubs/session-calls.ts";

/** A row of the schedule that failed is tried again after this. */
const strikeRetry = { firstMs: 1_000, mostMs: 5 * 60_000 };
/** How often the answer is posted to an MCP server that does not take it: about four minutes. */
const postAttempts = 10;
/** The reply to a requestor who gave up is kept this long for an identical request. */
const keptReplyMs = 3_600_000;

export class RunObject extends DurableObject<Env> implements RunCalls {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #store: RunStore;
  readonly #alarm: ObjectAlarm;
  readonly #outbox: RunOutbox;
  readonly #parts: RunParts;
  readonly #windows: RunWindows;
  readonly #notices: RunNotices;
  readonly #deciding: RunDeciding;
  readonly #call: RunCall;
  readonly #requestor: RunRequestor;
  readonly #held: RunHeld;
  #opening: StoredOpening | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new RunStore(ctx.storage);
    this.#outbox = new RunOutbox({
      store: this.#store,
      arm: () => this.#alarm.arm(),
      now: () => this.now(),
      random: () => this.random(),
      perform: (row) => this.#perform(row),
    });
    this.#parts = {
      env,
      store: this.#store,
      now: () => this.now(),
      standing: () => this.#standing(),
      apply: (event, now, facts) => this.#apply(event, now, facts),
      commit: (next, now, facts) => this.#commit(next, now, facts),
      record: (now, facts) => this.#record(now, facts),
      flush: () => this.#flush(),
      waitUntil: (work) => ctx.waitUntil(work),
    };
    this.#windows = new RunWindows(ctx);
    this.#notices = new RunNotices(this.#parts);
    this.#deciding = new RunDeciding(this.#parts, this.#notices);
    this.#call = new RunCall(this.#parts);
    this.#requestor = new RunRequestor(this.#parts, this.#windows, () => this.#alarm.arm());
    this.#held = new RunHeld(ctx.storage);
    this.#alarm = new ObjectAlarm({
      storage: ctx.storage,
      now: () => this.now(),
      random: () => this.random(),
      nextDue: () => this.#nextDue(),
      failed: "run.alarmFailed",
    });
    this.#wake();
  }

  /** What the object's last instance left behind. It never throws: an object whose constructor does is dead for its alarm too. */
  #wake(): void {
    try {
      this.#requestor.watch();
      if (this.#store.state()?.phase === "generating") {
        // A call that was made by the object's last instance is lost with it.
        this.#store.hasten("call", this.now());
        this.#alarm.arm();
      }
    } catch (error) {
      logEvent("run.unreadable", { error: errorClass(error) });
    }
    void this.#alarm.restore();
  }

  // What the Worker calls

  async open(opening: string): Promise<void> {
    if (this.#store.state() !== null) return;
    const { request, ...stored } = JSON.parse(opening) as RunOpening; // written by the Worker's pipeline
    const now = this.now();
    const content: RequestVersion = { request, models: stored.candidates.map(({ model }) => model.id) };
    const { plan } = stored;
    const initial = newRun(
      gatesOf(stored),
      {
        reviewers: plan.reviewers.map(({ name }) => name),
        escalateTo: plan.escalate?.to.map(({ name }) => name) ?? [],
        quorum: plan.quorum,
        owner: plan.owner,
        selfApproval: plan.selfApproval,
        deadlineSeconds: plan.deadlineSeconds,
        ...(stored.endsAt === undefined ? {} : { endsAt: stored.endsAt }),
        ...(request.task === "function" || stored.call?.once === true ? { once: true } : {}),
      },
      requestDigest(content, stored.candidates),
    );
    this.#opening = stored;
    this.#store.transaction(() => {
      this.#store.createTables();
      this.#store.writeOpening(stored);
      this.#store.writeRequestVersion(1, content, null, now);
      this.#store.attach(stored.attachment);
      this.#store.queue("index", "index", null, now);
      // Of the same chain as what tells the key that it is over: that can never come first.
      this.#store.queue("begin", "settle", null, now);
      if (stored.key.expiresAt !== undefined) this.#store.schedule("keyExpires", stored.key.expiresAt);
      if (stored.mode === "sync") this.#store.schedule("requestor", now + requestorGraceMs);
      this.#commit({ state: initial, effects: [], verdict: null }, now, openingFacts(stored, initial.requestDigest));
    });
    await this.#outbox.attempt("begin");
    this.#flush();
  }

  /** The key hears of the run, and the run begins where the key may still be used. */
  async #begin({ key, id }: StoredOpening): Promise<void> {
    if (this.#store.state()?.phase !== "received") return;
    const isHeld = await keyStub(this.env, key.id).hold({ kind: "run", name: id }, null);
    if (isHeld) this.#apply({ kind: "received" }, this.now(), []);
    else this.cancel("keyRevoked");
  }

  keep(opening: string, outcome: string, model: string, events: string): void {
    if (this.#store.state() !== null) return;
    const { request, ...stored } = JSON.parse(opening) as RunOpening; // written by the Worker's pipeline
    const now = this.now();
    const begun = newRun(
      openGates,
      { reviewers: [], escalateTo: [], quorum: 1, owner: null, selfApproval: true, deadlineSeconds: 0 },
      requestDigest({ request, models: [] }, []),
    );
    this.#opening = stored;
    this.#store.transaction(() => {
      this.#store.createTables();
      this.#store.writeOpening(stored);
      this.#store.writeState({
        ...begun,
        phase: "ended",
        end: { kind: (JSON.parse(outcome) as Outcome).kind === "completed" ? "completed" : "failed" }, // as the fast path wrote it
      });
      this.#store.writeOutcome(outcome);
      this.#store.writeModelFacts(JSON.parse(model));
      this.#store.continueEvents(JSON.parse(events) as RecordEvent[]); // as the fast path wrote them
      this.#store.markDelivered(now, 0);
      // The fast path sends them too: whichever comes first, the ledger takes each once.
      this.#store.queue("record", "answer", null, now);
      this.#store.queue("index", "index", null, now);
      this.#store.schedule("forget", now + settingsOf(this.env).retentionMs);
    });
    this.#flush();
  }

  hold(request: string): void {
    if (this.#store.state() === null) this.#held.keep(request, this.now());
  }

  async takeHeld(): Promise<string | null> {
    return this.#store.state() === null ? this.#held.take() : null;
  }

  snapshot(): RunSnapshot | null {
    this.#seen();
    const state = this.#store.state();
    const opening = this.#loadOpening();
    if (state === null || opening === null) return null;
    return {
      id: opening.id,
      key: opening.key.id,
      state: shownState(this.#store, state),
      createdAt: opening.createdAt,
      updatedAt: lastChange(opening, state),
      mode: opening.mode,
      // How long it is kept in truth, once it is over: no longer than anything is.
      ttlMs: Math.min(opening.ttlMs ?? Number.POSITIVE_INFINITY, settingsOf(this.env).retentionMs),
      server: opening.requestor.server,
      name: opening.requestor.name,
      outcome: this.#store.delivery() === null ? null : (this.#store.outcome() ?? null),
    };
  }

  line(): string | null {
    const standing = this.#standing();
    if (standing === null) return null;
    const { opening, state } = standing;
    const line: RunLine = {
      ...summaryOf(this.#store, opening, state),
      updatedAt: lastChange(opening, state),
      answered: this.#store.delivery() !== null && this.#store.outcome() !== undefined,
    };
    return JSON.stringify(line);
  }

  sent(): { readonly prompt: string; readonly edits: string } | null {
    const state = this.#store.state();
    const asked = this.#store.requestVersion(1);
    const current = state === null ? null : currentRequest(this.#store, state);
    if (asked === null || current === null) return null;
    const { prompt, edits } = conversationEdits(asked.request, current.request);
    return { prompt, edits: JSON.stringify(edits) };
  }

  adopt({ attachment, requestor, endpoint, gates, deciders, waiting }: Adoption): "refused" | "adopted" | "posts" {
    const state = this.#store.state();
    const opening = this.#loadOpening();
    if (state === null || opening === null || opening.mode === "task") return "refused";
    if (opening.mode === "sync" && this.#windows.callers() > 0) return "refused";
    // The run is about to tell the MCP server that waits.
    if (opening.mode === "callback" && state.end !== null && this.#store.delivery() === null) return "refused";
    // Where the policy or the grants changed since, the new request is asked about as they are now: unless people have seen as much.
    const ifEdited = ({ response, responseIfEdited }: RunGates): boolean => response || responseIfEdited;
    const asItIsNow =
      state.gates.request === gates.request &&
      state.gates.response === gates.response &&
      state.gates.responseIfRisk === gates.responseIfRisk &&
      ifEdited(state.gates) === ifEdited(gates);
    const risk = state.end === null ? "high" : this.#replyRisk(state); // what is not there yet may be of any
    const closed = { request: gates.request, response: isReplyAsked(gates, isEdited(state), risk) };
    const seen = (gate: Gate): boolean => !closed[gate] || state.reviews[gate] !== null;
    if (state.end === null ? !asItIsNow : !seen("request") || !seen("response")) return "refused";
    // What people saw counts where the same ones would be asked now.
    if ((closed.request || closed.response) && deciders !== decidersDigest(opening.plan)) return "refused";
    // A requestor who is yet to open a window, or to open it again after a reset, is not gone.
    if (state.end === null && !this.#store.isRequestorGone()) return "refused";
    if (state.end !== null && (state.end.kind !== "completed" || (this.#store.delivery()?.to ?? 0) > 0)) return "refused";
    const now = this.now();
    this.#store.transaction(() => {
      this.#store.attach(attachment);
      this.#record(now, [adoptedFact(requestor, endpoint, attachment)]);
      if (state.end === null) {
        this.#answerTo(opening, waiting, now);
        this.#store.queue("claim", "settle", { ...attachment }, now);
      } else {
        this.#store.markTaken();
        this.#store.queue("index", "index", null, now);
        this.#store.queue("settle", "settle", null, now);
      }
    });
    this.#flush();
    return state.end === null && waiting !== null ? "posts" : "adopted";
  }

  /** The highest risk of the reply as it would be delivered. What is not known is the highest there is. */
  #replyRisk(state: RunState): SeenRisk {
    const reply = this.#store.replyVersion(state.reviews.response?.version ?? 1);
    return reply === null ? (this.#store.modelFacts<ModelFacts>()?.replyRisk ?? "high") : highestRisk(findReplyRisks(reply));
  }

  /** From now on somebody else waits, in their own way. */
  #answerTo({ waiting: _before, ...opening }: StoredOpening, waiting: WaitingServer | null, now: number): void {
    this.#opening = waiting === null ? { ...opening, mode: "sync" } : { ...opening, mode: "callback", waiting };
    this.#store.writeOpening(this.#opening);
    this.#store.markRequestor(false);
    if (waiting === null) this.#store.schedule("requestor", now + requestorGraceMs);
  }

  abandon(): boolean {
    const state = this.#store.state();
    if (state === null || this.#loadOpening()?.mode !== "callback") return false;
    if (state.end !== null || this.#store.isRequestorGone()) return true;
    this.#store.transaction(() => {
      this.#store.markRequestor(true);
      this.#record(this.now(), [{ kind: "requestorLeft" }]);
    });
    this.#flush();
    return true;
  }

  cancel(cause: CancelCause, by: Operator | null = null): boolean {
    return this.#apply({ kind: "cancelled", cause }, this.now(), [{ kind: "cancelled", cause, ...(by === null ? {} : { by }) }]);
  }

  withdraw(cause: CancelCause, attachment: Attachment): "unknown" | "over" | "kept" | "cancelled" {
    const state = this.#store.state();
    if (state === null) return "unknown";
    if (state.phase === "ended") return "over";
    return this.#store.transaction(() => {
      this.#store.detach(attachment);
      if (this.#store.attachments().length > 0) return "kept";
      this.cancel(cause);
      return "cancelled";
    });
  }

  view(gate: Gate, reviewer: number, link: string, isOpening: boolean): string | null {
    this.#seen();
    const found = linkedAt(this.#parts, gate, reviewer, link);
    if (found !== null && isOpening) this.#markOpened(found, gate, reviewer);
    const view = found === null ? null : this.#notices.view(found, found.link);
    return view === null ? null : JSON.stringify(view);
  }

  #markOpened({ opening, state, link: { channel } }: Standing & { readonly link: LinkRow }, gate: Gate, place: number): void {
    const reviewer = this.#notices.people(opening)[place]?.name;
    if (reviewer === undefined || openGate(state) !== gate || this.#store.wasOpened(gate, reviewer, channel)) return;
    const { version } = reviewAt(state, gate);
    this.#store.transaction(() => this.#record(this.now(), [{ kind: "opened", gate, reviewer, channel, version }]));
    // Nothing changed of which a caller or an open page would have to hear.
    this.ctx.waitUntil(this.#outbox.drain());
  }

  expiredLink(gate: Gate, reviewer: number, link: string): string | null {
    this.#seen();
    const expired = this.#notices.expired(gate, reviewer, link);
    return expired === null ? null : JSON.stringify(expired);
  }

  renewLink(gate: Gate, reviewer: number, link: string): RenewAnswer {
    const answer = this.#notices.renew(gate, reviewer, link);
    if (answer.kind === "sent") this.#flush();
    return answer;
  }

  /** What a press on a message's button is judged by, as JSON of `PressTarget`; null where there is no such link. Writes nothing. */
  digestEntry(link: string): string | null {
    const entry = this.#notices.digestEntry(link);
    return entry === null ? null : JSON.stringify(entry);
  }

  pressTarget(channel: LinkChannel, gate: Gate, link: string): string | null {
    const target = this.#notices.pressTarget(channel, gate, link);
    return target === null ? null : JSON.stringify(target);
  }

  tell(input: TellInput): void {
    this.#notices.tell(input);
    this.#flush();
  }

  decide(input: DecideInput): DecideAnswer {
    return this.#deciding.decide(input);
  }

  /** A window on the run: a caller's, which hears of each phase and of the end, or a page's, which hears how its review stands. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("Upgrade") !== "websocket") return new Response(null, { status: 426 });
    this.#seen();
    const state = this.#store.state();
    if (state === null) return new Response(null, { status: 404 });
    if (request.headers.get(windowHeader) === "page") return this.#openPage(new URL(request.url).searchParams);
    const delivery = this.#store.delivery();
    const response = this.#windows.acceptCaller(delivery === null ? progressMessage(state) : endedMessage);
    this.#requestor.welcome(delivery);
    return response;
  }

  #openPage(query: URLSearchParams): Response {
    const gate = query.get("gate") === "response" ? "response" : "request";
    const page: PageWindow = { gate, reviewer: Number(query.get("reviewer")), link: query.get("link") ?? "" };
    const first = linkedAt(this.#parts, page.gate, page.reviewer, page.link) === null ? null : this.#pageMessage(page);
    return first === null ? new Response(null, { status: 404 }) : this.#windows.acceptPage(page, first);
  }

  /** How a page's review stands now, without content. */
  #pageMessage({ gate, reviewer }: PageWindow): string | null {
    const standing = this.#standing();
    const review = standing?.state.reviews[gate] ?? null;
    if (standing === null || review === null) return null;
    const name = this.#notices.people(standing.opening)[reviewer]?.name ?? "";
    return JSON.stringify({
      kind: "review",
      state: reviewState(review, standing.state.end).kind,
      version: review.version,
      digest: review.digest,
      votes: review.votes.length,
      left: review.left.some((each) => each.reviewer === name),
    });
  }

  override webSocketMessage(): void {
    // Callers only listen.
  }

  override webSocketClose(socket: WebSocket, _code: number, reason: string): void {
    if (this.#windows.isPage(socket)) return;
    // Whoever says that they leave is gone; a connection that broke may be coming back.
    if (reason === callerLeft && this.#windows.callers() === 0) this.#requestor.notice(this.now());
    else this.#requestor.watch();
  }

  override webSocketError(socket: WebSocket): void {
    if (!this.#windows.isPage(socket)) this.#requestor.watch();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      if (!this.#store.exists()) return this.#forgetHeld();
      if (await this.#forget()) return;
      this.#runSchedule();
      await atMost(alarmWaitMs, this.#outbox.drain());
      this.#alarm.arm();
    });
  }

  async sweep(): Promise<number | null> {
    await this.alarm();
    return this.#store.exists() ? this.#nextDue() : null;
  }

  /** Somebody looks: an alarm that was lost is set again. A run that is not there stays so. */
  #seen(): void {
    if (this.#store.exists()) this.ctx.waitUntil(this.#alarm.restore());
  }

  /** The earliest thing that the alarm is for: the schedule to the millisecond, the outbox, or forgetting what is held. */
  #nextDue(): number | null {
    if (!this.#store.exists()) return this.#held.forgetAt();
    const times = [this.#store.nextScheduled(), this.#outbox.nextDue()].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** A late alarm of a run that was deleted, or of a request that was held and never asked for. */
  async #forgetHeld(): Promise<void> {
    const forgetAt = this.#held.forgetAt();
    if (forgetAt !== null && forgetAt > this.now()) this.#alarm.arm();
    else await this.#held.forget();
  }

  /** Deletes the run where its time is over; false where it goes on. */
  async #forget(): Promise<boolean> {
    const now = this.now();
    let isOpen = false;
    try {
      isOpen = this.#standing()?.state.end === null;
    } catch (error) {
      // It can never end any more, and its content must not stay for that.
      if (!this.#store.isScheduled("forget")) this.#store.schedule("forget", now + settingsOf(this.env).retentionMs);
      if (!this.#store.dueForget(now)) throw error;
    }
    if (!this.#store.dueForget(now)) return false;
    if (isOpen) {
      // It could not be read for a while, and can be again.
      this.#store.unschedule("forget");
      return false;
    }
    const id = this.#opening?.id;
    await this.#store.deleteAll();
    this.#opening = null;
    if (id !== undefined) await this.#tellForgotten(id);
    return true;
  }

  /** Where the ledger does not hear of it, the sweep asks once, and finds nothing. */
  async #tellForgotten(run: string): Promise<void> {
    try {
      await this.#toLedger(run, { events: [], summary: null, expected: { run, dueAt: null } });
    } catch (error) {
      logEvent("run.effectFailed", { effect: "record", error: errorClass(error) });
    }
  }

  // State and commit

  #standing(): Standing | null {
    const state = this.#store.state();
    const opening = this.#loadOpening();
    return state === null || opening === null ? null : { opening, state };
  }

  #loadOpening(): StoredOpening | null {
    if (this.#store.state() === null) return this.#opening;
    this.#opening ??= this.#store.opening();
    return this.#opening;
  }

  /** Takes one event: commits the next state and everything to be done for it. No effect runs inside. */
  #apply(event: RunEvent, now: number, facts: readonly RecordFact[]): boolean {
    const state = this.#store.state();
    if (state === null) return false;
    const next = step(state, event, now);
    if (next.state === state) return false;
    this.#store.transaction(() => this.#commit(next, now, facts));
    this.#flush();
    return true;
  }

  /** Inside a transaction: the state, its events, and a row for each effect. */
  #commit({ state, effects }: Step, now: number, facts: readonly RecordFact[]): void {
    const opening = this.#loadOpening();
    if (opening === null) throw new Error("a run without its opening");
    this.#store.writeState(state);
    const more = effects.flatMap((effect) => this.#queueEffect(effect, state, opening, now));
    this.#record(now, [...facts, ...more]);
  }

  #record(now: number, facts: readonly RecordFact[]): void {
    const opening = this.#loadOpening();
    if (opening === null) return;
    this.#store.appendEvents(opening.id, now, facts);
    this.#store.queue("record", "answer", null, now);
    this.#alarm.arm();
  }

  #queueEffect(effect: Effect, state: RunState, opening: StoredOpening, now: number): RecordFact[] {
    switch (effect.kind) {
      case "open":
        return this.#openGate(reviewAt(state, effect.gate), opening);
      case "ask": {
        const review = reviewAt(state, effect.gate);
        this.#notices.ask(opening, review, effect.reviewers, effect.why, now);
        return effect.why === "asked" ? [] : [{ kind: "askedAlso", gate: effect.gate, reviewers: effect.reviewers, why: effect.why }];
      }
      case "tellAgain":
        this.#notices.tellAgain(opening, reviewAt(state, effect.gate), effect.why, now);
        return [];
      case "release":
        this.#notices.release(opening, effect.gate, effect.reviewers, now);
        return [];
      case "withdraw":
        this.#store.unscheduleGate(effect.gate);
        this.#notices.withdraw(effect.gate, now);
        return [];
      case "callModel": {
        const content = currentRequest(this.#store, state);
        this.#store.queue("call", "call", { call: effect.call }, now);
        return cachedFor(opening, state) !== null
          ? []
          : [{ kind: "called", call: effect.call, models: content?.models ?? [], digest: state.requestDigest, again: effect.again }];
      }
      case "finish": {
        this.#store.writeOutcome(JSON.stringify(outcomeOf(this.#store, state, opening)));
        this.#store.dropQueued("call");
        this.#store.unschedule("keyExpires");
        this.#store.queue("record", "answer", null, now);
        this.#store.queue("deliver", "answer", null, now);
        this.#store.queue("settle", "settle", null, now);
        if (opening.cache !== undefined) this.#store.queue("cache", "cache", null, now);
        this.#store.schedule("forget", now + settingsOf(this.env).retentionMs);
        return [{ kind: "finished", outcome: state.end?.kind ?? "failed" }];
      }
      default:
        return effect satisfies never;
    }
  }

  /** Starts a gate's clock: its deadline, its reminders, its escalation. */
  #openGate(review: Review, { plan }: StoredOpening): RecordFact[] {
    const { gate, version, digest, reviewers, deadlineAt, openedAt } = review;
    this.#store.schedule(`deadline:${gate}`, deadlineAt);
    for (const [index, seconds] of plan.remindAtSeconds.entries())
      this.#store.schedule(`remind${index}:${gate}`, openedAt + seconds * 1000);
    if (plan.escalate !== null) this.#store.schedule(`escalate:${gate}`, openedAt + plan.escalate.afterSeconds * 1000);
    return [{ kind: "reviewOpened", gate, version, digest, reviewers, deadlineAt: new Date(deadlineAt).toISOString() }];
  }

  // Time

  #runSchedule(): void {
    const now = this.now();
    for (const { kind, attempts } of this.#store.dueSchedule(now)) {
      // What struck before it may have stopped it.
      if (!this.#store.isScheduled(kind)) continue;
      try {
        this.#onTimer(kind, now);
      } catch (error) {
        // Each by itself: a row that cannot be done holds back no other.
        logEvent("run.scheduleFailed", { clock: kind, attempt: attempts, error: errorClass(error) });
        this.#store.postponeSchedule(kind, now + backoffMs(strikeRetry, attempts, this.random()));
      }
    }
  }

  /** A row of the schedule is due. Of several reminders that are overdue at once, one is sent. */
  #onTimer(kind: ScheduleKind, now: number): void {
    if (kind === "forget") return;
    if (kind === "requestor") {
      this.#store.transaction(() => {
        this.#store.unschedule("requestor");
        this.#requestor.notice(now);
      });
      return;
    }
    if (kind === "keyExpires") {
      this.#store.transaction(() => {
        this.#store.unschedule("keyExpires");
        this.cancel("keyExpired");
      });
      return;
    }
    const gate: Gate = kind.endsWith(":request") ? "request" : "response";
    if (kind.startsWith("deadline")) {
      this.#store.transaction(() => {
        this.#store.unschedule(kind);
        this.#apply({ kind: "deadline", gate }, now, [{ kind: "expired", gate }]);
      });
    } else if (kind.startsWith("escalate")) {
      this.#store.transaction(() => {
        this.#store.unschedule(kind);
        this.#apply({ kind: "escalate", gate }, now, []);
      });
    } else {
      this.#store.transaction(() => {
        for (const { kind: due } of this.#store.dueSchedule(now))
          if (due.startsWith("remind") && due.endsWith(`:${gate}`)) this.#store.unschedule(due);
        const standing = this.#standing();
        if (standing === null || openGate(standing.state) !== gate) return;
        this.#notices.tellAgain(standing.opening, reviewAt(standing.state, gate), "reminder", now);
      });
      this.#flush();
    }
  }

  // Effects

  /** Performs what is due, now and not inside the caller's request; the alarm is behind it for whatever is lost. */
  #flush(): void {
    this.#alarm.arm();
    // Not before the transaction that this may be called in has been committed.
    this.ctx.waitUntil(
      Promise.resolve().then(() => {
        const state = this.#store.state();
        if (state !== null && state.phase !== "ended") this.#windows.tellCallers(progressMessage(state));
        if (state?.phase === "ended") this.#call.stop();
        if (state !== null) this.#windows.tellPages((page) => this.#pageMessage(page));
        return this.#outbox.drain();
      }),
    );
  }

  async #perform(row: OutboxRow): Promise<boolean | number> {
    const opening = this.#loadOpening();
    const state = this.#store.state();
    if (opening === null || state === null) return true;
    switch (row.kind) {
      case "record":
        await this.#shipRecord(opening, state);
        return true;
      case "deliver":
        return this.#deliver(row, opening, state);
      case "notice":
        return this.#notices.send(row);
      case "noticeEnded":
        return this.#notices.end(row);
      case "noticeListed":
        return this.#notices.list(row);
      case "tell":
        return this.#notices.say(row);
      case "grant":
        await keyStub(this.env, opening.key.id).giveGrant(JSON.stringify(row.detail));
        return true;
      case "unreachable":
        this.#unreachable(gateOf(row), { opening, state }, this.now());
        return true;
      case "call":
        return this.#call.watch(row, opening, state);
      case "begin":
        await this.#begin(opening);
        return true;
      case "claim":
        await this.#claim(row, opening);
        return true;
      case "settle":
        await this.#settle(opening, state);
        return true;
      case "cache":
        await cacheEnded(this.env, this.#store, opening, state);
        return true;
      case "index":
        await keyStub(this.env, opening.key.id).indexRun(opening.id, opening.identicalDigest, this.#indexExpiry(state, opening));
        return true;
      default:
        return row.kind satisfies never;
    }
  }

  /** Lets the answer out: to whoever waits at a window, and to the MCP server that waits for it. */
  async #deliver(row: OutboxRow, opening: StoredOpening, before: RunState): Promise<boolean> {
    const { mode, waiting } = opening;
    const keyEnd = before.end?.kind === "completed" ? await keyEndOf(this.env, opening, this.now()) : null;
    const state = keyEnd === null ? before : this.#withhold(opening, before, keyEnd);
    // Windows on a run that a server waits for only tell its client how it goes.
    let takers = mode === "callback" ? 0 : this.#windows.callers();
    if (waiting !== undefined && !this.#store.isRequestorGone()) {
      const posted = await this.#post(waiting, state);
      if (posted === "failed" && row.attempts + 1 < postAttempts) return false;
      takers = posted === "taken" ? 1 : 0;
    }
    this.#store.markDelivered(this.now(), takers);
    // Whether the reply is kept for another depends on who was there to take it.
    this.#store.queue("index", "index", null, this.now());
    this.#windows.tellCallers(endedMessage);
    return true;
  }

  /** The key ended between the last decision and the delivery: what would be let out says so in place of the reply. */
  #withhold(opening: StoredOpening, state: RunState, cause: KeyEnd): RunState {
    const held = withheld(state, cause);
    this.#store.transaction(() => {
      this.#store.writeState(held);
      this.#store.writeOutcome(JSON.stringify(outcomeOf(this.#store, held, opening)));
      this.#record(this.now(), [{ kind: "cancelled", cause }]);
    });
    return held;
  }

  /** Posts the answer to the server; whoever withdrew a request is told nothing of it. */
  async #post({ server: name, session, revision, id }: WaitingServer, { end }: RunState): Promise<"taken" | "refused" | "failed"> {
    const text = this.#store.outcome();
    if (text === undefined || (end?.kind === "cancelled" && withdrawn.has(end.cause))) return "refused";
    const { servers } = await serversOf(this.env, this.now(), (work) => this.ctx.waitUntil(work));
    const server = servers[name];
    if (server === undefined) return "refused";
    const outcome = JSON.parse(text) as Outcome; // written by `finish`
    return postToServer(this.env, { server, session, revision, authorization: null }, responseOf(id, mcpCodec(revision).encode(outcome)));
  }

  async #shipRecord(opening: StoredOpening, state: RunState): Promise<void> {
    const events = this.#store.unshippedEvents(opening.id);
    const last = events.at(-1);
    if (last === undefined) return;
    const dueAt = this.#nextDue();
    await this.#toLedger(opening.id, {
      events,
      summary: summaryOf(this.#store, opening, state),
      ...(dueAt === null ? {} : { expected: { run: opening.id, dueAt } }),
    });
    this.#store.markShipped(last.seq);
  }

  async #toLedger(run: string, entry: LedgerEntry): Promise<void> {
    await ledgerStub(this.env, ledgerShardOf(run)).append(JSON.stringify([entry]));
  }

  /** Where no channel reaches anybody who is asked, the review does not wait for its deadline. */
  #unreachable(gate: Gate | null, { opening, state }: Standing, now: number): void {
    const review = gate === null ? null : state.reviews[gate];
    if (gate === null || review === null) return;
    const reviewers = this.#notices.unreached(opening, review);
    this.#apply({ kind: "undeliverable", gate, reviewers }, now, [{ kind: "undeliverable", gate }]);
  }

  async #settle(opening: StoredOpening, state: RunState): Promise<void> {
    if (state.phase !== "ended") return;
    const key = keyStub(this.env, opening.key.id);
    await Promise.all([key.release([opening.id]), key.drop({ kind: "run", name: opening.id })]);
    const bySession = Map.groupBy(this.#store.attachments(), ({ session }) => session);
    await Promise.all([...bySession].map(([session, claims]) => sessionById(this.env, session).runEnded(opening.id, claims)));
  }

  /** The session of a request that adopted this run knows it, even where the Worker that saw to it is gone. */
  async #claim({ detail }: OutboxRow, opening: StoredOpening): Promise<void> {
    const { session, originating, request } = detail as Attachment; // written by `adopt`
    await sessionById(this.env, session).adopted(originating, request, opening.id);
  }

  /** Until when an identical request may find this run: while it is open, and for an hour with a reply nobody took. Null: not at all. */
  #indexExpiry(state: RunState, opening: StoredOpening): number | null {
    if (opening.mode === "task") return null;
    if (state.end === null) return this.now() + settingsOf(this.env).retentionMs;
    return state.end.kind === "completed" && this.#store.delivery()?.to === 0 ? this.now() + keptReplyMs : null;
  }
}

/** Causes that come from the side that waits. */
const withdrawn: ReadonlySet<CancelCause> = new Set(["caller", "originatingRequest", "session"]);

const sessionById = (env: Env, id: string): DurableObjectStub<SessionCalls> => env.SESSION.get(env.SESSION.idFromString(id));

function reviewAt(state: RunState, gate: Gate): Review {
  const review = state.reviews[gate];
  if (review === null) throw new Error("a gate without its review");
  return review;
}

const endedMessage = JSON.stringify({ kind: "ended" });
const progressMessage = (state: RunState): string => JSON.stringify({ kind: "progress", state: progressOf(state) });

function gateOf({ detail }: OutboxRow): Gate | null {
  const gate = typeof detail === "object" && detail !== null && !Array.isArray(detail) ? detail["gate"] : null;
  return gate === "request" || gate === "response" ? gate : null;
}
