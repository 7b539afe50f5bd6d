// The durable life of one sampling request: it holds the content, owns notices, deadline, model call and delivery.
//
// The class reads state, asks shared/run/lifecycle.ts, commits, then performs effects. Every effect is a row in the
// outbox before it is attempted and may run twice. The caller's connection is a hibernating WebSocket: a window on the
// run, which never keeps this object awake and whose loss changes nothing.

import { DurableObject } from "cloudflare:workers";
import { sha256Hex } from "../../shared/encoding.ts";
import { type RecordEvent, type RecordFact, providersWord } from "../../shared/outcome/record.ts";
import type { SamplingReply } from "../../shared/protocol/sampling.ts";
import type { Attempt } from "../../shared/provider/call.ts";
import type { Verdict } from "../../shared/review/decision.ts";
import type { EditFault } from "../../shared/review/edit.ts";
import { parseDecisionForm } from "../../shared/review/form.ts";
import { linkRandomLength } from "../../shared/review/link.ts";
import type { Gate } from "../../shared/review/view.ts";
import type { Answer } from "../../shared/run/answer.ts";
import {
  type CancelCause,
  type Effect,
  type RunEvent,
  type RunState,
  type Step,
  newRun,
  openGate,
  step,
} from "../../shared/run/lifecycle.ts";
import {
  type Attachment,
  type RequestVersion,
  type RunOpening,
  inOrder,
  receivedFact,
  replyDigest,
  requestDigest,
} from "../../shared/run/opening.ts";
import { type ModelFacts, progressOf } from "../../shared/run/present.ts";
import { openChannels } from "../channels/channel.ts";
import { costUsd } from "../../shared/routing/price.ts";
import type { Env } from "../env.ts";
import { errorClass, logEvent } from "../log.ts";
import { callModels } from "../providers/model-call.ts";
import { settingsOf } from "../settings.ts";
import { keyStub, ledgerShardOf, ledgerStub } from "./names.ts";
import { answerOf, currentRequest, lastChange, shownState, summaryOf, viewOf } from "./run-account.ts";
import { editedContent } from "./run-edit.ts";
import { RunOutbox, alarmWaitMs } from "./run-outbox.ts";
import { type OutboxRow, RunStore, type StoredOpening } from "./run-store.ts";
import type { SessionObject } from "./session.ts";

/** An alarm that failed comes again after this. */
const alarmRetryMs = 1_000;
/** How often an attempt at a notice is repeated before its channel counts as failed. */
const noticeAttempts = 8;
/** A caller who comes back within this time (an object reset, a dropped connection) never was gone. */
const askerGraceMs = 3_000;
/** The reply to an asker who gave up is kept this long for an identical request. */
const keptReplyMs = 3_600_000;

/** What a window says when it is closed because its caller has left. */
export const callerLeft = "the caller left";

export type RunSnapshot = {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly mode: RunOpening["mode"];
  readonly ttlMs: number | null;
  readonly server: string;
  readonly name: string;
  /** The answer, once it may be delivered: JSON of `Answer`. */
  readonly answer: string | null;
};

export type DecideInput = { readonly gate: Gate; readonly reviewer: number; readonly link: string; readonly form: string };

/** What became of a reviewer's form. */
export type DecideAnswer =
  | { readonly kind: "decided" | "repeated" }
  | { readonly kind: "verdict"; readonly verdict: Extract<Verdict, { kind: "closed" | "stale" | "late" | "notAllowed" }> }
  | { readonly kind: "invalidEdit"; readonly faults: readonly EditFault[] }
  | { readonly kind: "nonceUsed" | "badForm" | "noSuchLink" };

type CallResult = {
  readonly call: number;
  readonly reply: SamplingReply;
  readonly facts: ModelFacts;
  readonly attempts: readonly Attempt[];
};

export class RunObject extends DurableObject<Env> {
  now = (): number => Date.now();
  readonly #store: RunStore;
  readonly #calls = new Set<number>();
  readonly #outbox: RunOutbox;
  #opening: StoredOpening | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new RunStore(ctx.storage);
    this.#outbox = new RunOutbox({
      store: this.#store,
      setAlarm: (at) => void ctx.storage.setAlarm(at),
      now: () => this.now(),
      perform: (row) => this.#perform(row),
    });
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    const state = this.#store.state();
    if (state === null) return;
    this.#watchAsker();
    if (state.phase !== "generating") return;
    // A call that was made by the object's last instance is lost with it.
    this.#store.hasten("call", this.now());
    this.#outbox.arm();
  }

  // What the Worker calls

  /** Begins the run. Doing it twice is doing it once. `opening` is JSON of `RunOpening`. */
  open(opening: string): void {
    if (this.#store.state() !== null) return;
    const { request, ...stored } = JSON.parse(opening) as RunOpening; // written by the Worker's pipeline
    const now = this.now();
    const content: RequestVersion = { request, models: stored.candidates.map(({ model }) => model.id) };
    const { plan } = stored;
    const initial = newRun(
      { request: plan.request === "review", response: plan.response === "review" },
      {
        reviewers: plan.reviewers.map(({ name }) => name),
        quorum: plan.quorum,
        owner: stored.key.owner,
        selfApproval: plan.selfApproval,
        deadlineSeconds: plan.deadlineSeconds,
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
      if (stored.mode === "wait") this.#store.schedule("asker", now + askerGraceMs);
      this.#commit(step(initial, { kind: "received" }, now), now, [receivedFact(stored, initial.requestDigest)]);
    });
    this.#kick();
  }

  /** Keeps the answer to an asker who left while the Worker itself was calling the model: a run that is over from the start. */
  keep(opening: string, answer: string, model: string, events: string): void {
    if (this.#store.state() !== null) return;
    const { request, ...stored } = JSON.parse(opening) as RunOpening; // written by the Worker's pipeline
    const now = this.now();
    const begun = newRun(
      { request: false, response: false },
      { reviewers: [], quorum: 1, owner: null, selfApproval: true, deadlineSeconds: 0 },
      requestDigest({ request, models: [] }, []),
    );
    this.#opening = stored;
    this.#store.transaction(() => {
      this.#store.createTables();
      this.#store.writeOpening(stored);
      this.#store.writeState({
        ...begun,
        phase: "ended",
        end: { kind: "result" in (JSON.parse(answer) as Answer) ? "completed" : "failed" },
      });
      this.#store.writeAnswer(answer);
      this.#store.writeModelFacts(JSON.parse(model));
      this.#store.continueEvents(JSON.parse(events) as RecordEvent[]); // as the fast path wrote them
      this.#store.markDelivered(now, 0);
      // The fast path sends them too: whichever comes first, the ledger takes each once.
      this.#store.queue("record", "answer", null, now);
      this.#store.queue("index", "index", null, now);
      this.#store.schedule("forget", now + settingsOf(this.env).retentionMs);
    });
    this.#kick();
  }

  /** The run as its owner may see it, or null where there is none (any more). */
  snapshot(): RunSnapshot | null {
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
      server: opening.asker.server,
      name: opening.asker.name,
      answer: this.#store.delivery() === null ? null : (this.#store.answer() ?? null),
    };
  }

  /**
   * A request of another session that is identical to this run's takes the run over, if its asker is gone and there is,
   * or may still be, a reply.
   */
  adopt(attachment: Attachment, gates: RunState["gates"]): boolean {
    const state = this.#store.state();
    const opening = this.#loadOpening();
    if (state === null || opening === null || opening.mode !== "wait" || this.#windows().length > 0) return false;
    // Where the policy changed since, the new request is asked about by the new policy.
    if (state.gates.request !== gates.request || state.gates.response !== gates.response) return false;
    // An asker who is yet to open a window, or to open it again after a reset, is not gone.
    if (state.end === null && !this.#store.isAskerGone()) return false;
    if (state.end !== null && (state.end.kind !== "completed" || (this.#store.delivery()?.to ?? 0) > 0)) return false;
    const now = this.now();
    this.#store.transaction(() => {
      this.#store.attach(attachment);
      this.#record(now, [{ kind: "adopted" }]);
      if (state.end === null) {
        this.#store.markAsker(false);
        this.#store.schedule("asker", now + askerGraceMs);
        this.#store.queue("claim", "settle", { ...attachment }, now);
      } else {
        this.#store.markTaken();
        this.#store.queue("index", "index", null, now);
        this.#store.queue("settle", "settle", null, now);
      }
    });
    this.#kick();
    return true;
  }

  /** Cancels the run, whoever else waits for it. False where it is over or unknown. */
  cancel(cause: CancelCause): boolean {
    return this.#apply({ kind: "cancelled", cause }, this.now(), [{ kind: "cancelled", cause }]);
  }

  /**
   * Gives up one request's claim on the run, and cancels the run where it was the last: another request that adopted it
   * keeps it alive.
   */
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

  /** The page of a link, as JSON of `ReviewView`; null where there is no such link. Writes nothing. */
  view(gate: Gate, reviewer: number, link: string): string | null {
    const state = this.#store.state();
    const opening = this.#loadOpening();
    if (state === null || opening === null) return null;
    const row = this.#store.link(link);
    if (row === null || row.revokedAt !== null || row.gate !== gate || row.reviewer !== reviewer) return null;
    const view = viewOf(this.#store, opening, state, gate, { reviewer, now: this.now() });
    return view === null ? null : JSON.stringify(view);
  }

  /** Carries out what a reviewer's form asks for. Synchronous from the first read to the last write. */
  decide({ gate, reviewer, link, form: body }: DecideInput): DecideAnswer {
    const state = this.#store.state();
    const opening = this.#loadOpening();
    const row = state === null ? null : this.#store.link(link);
    if (row === null || row.revokedAt !== null || row.gate !== gate || row.reviewer !== reviewer || state === null || opening === null) {
      return { kind: "noSuchLink" };
    }
    const parsed = parseDecisionForm(new URLSearchParams(body));
    if (!parsed.ok || parsed.value.act === "preview") return { kind: "badForm" };
    const form = parsed.value;
    const used = this.#store.usedNonce(form.nonce);
    // The very same form again, as a double click sends it, is the same answer.
    if (used !== null) return { kind: used === sha256Hex(body) ? "repeated" : "nonceUsed" };
    const reviewerName = opening.plan.reviewers[reviewer]?.name;
    if (reviewerName === undefined) return { kind: "noSuchLink" };

    const edit = editedContent(this.#store, opening, state, gate, form);
    if (edit.kind === "invalid") return { kind: "invalidEdit", faults: edit.faults };
    const now = this.now();
    const { act, version, digest, reason } = form;
    const answer = {
      act: act === "approve" ? ("approve" as const) : ("deny" as const),
      reviewer: reviewerName,
      channel: row.channel,
      version,
      digest,
      ...(edit.kind === "edited" ? { editedDigest: edit.digest } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
    const next = step(state, { kind: "answered", gate, answer }, now);
    const { verdict } = next;
    if (verdict === null) throw new Error("an answer without a verdict");
    switch (verdict.kind) {
      case "repeated":
        return { kind: "repeated" };
      case "closed":
      case "stale":
      case "late":
      case "notAllowed":
        return { kind: "verdict", verdict };
      case "voted":
      case "approved":
      case "denied": {
        const by = { gate, by: reviewerName, channel: row.channel };
        const facts: RecordFact[] = [];
        const review = verdict.review;
        this.#store.transaction(() => {
          this.#store.useNonce(form.nonce, sha256Hex(body), now);
          if (verdict.kind !== "denied" && verdict.edited && edit.kind === "edited") {
            edit.write(review.version, reviewerName, now);
            facts.push({ kind: "edited", ...by, version: review.version, digestBefore: digest, digestAfter: review.digest });
          }
          facts.push({ kind: verdict.kind, ...by, version: review.version, digest: review.digest, reasonGiven: reason !== undefined });
          if (verdict.kind === "denied" && gate === "response") this.#store.deleteReplies();
          this.#commit(next, now, facts);
        });
        this.#kick();
        return { kind: "decided" };
      }
      default:
        return verdict satisfies never;
    }
  }

  /** A caller's window: a WebSocket that hears of each phase and of the end. */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("Upgrade") !== "websocket") return new Response(null, { status: 426 });
    const state = this.#store.state();
    if (state === null) return new Response(null, { status: 404 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    const delivery = this.#store.delivery();
    server.send(delivery === null ? progressMessage(state) : endedMessage);
    this.#welcomeAsker(delivery);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(): void {
    // Callers only listen.
  }

  override webSocketClose(_socket: WebSocket, _code: number, reason: string): void {
    // Whoever says that they leave is gone; a connection that broke may be coming back.
    if (reason === callerLeft && this.#windows().length === 0) this.#noticeAsker(this.now());
    else this.#watchAsker();
  }

  override webSocketError(): void {
    this.#watchAsker();
  }

  override async alarm(): Promise<void> {
    try {
      // A late alarm of a run that was deleted.
      if (this.#store.state() === null) return;
      if (this.#store.dueForget(this.now())) {
        await this.#store.deleteAll();
        this.#opening = null;
        return;
      }
      this.#runSchedule();
      await atMost(alarmWaitMs, this.#outbox.drain());
      this.#outbox.arm();
    } catch (error) {
      // An alarm that keeps throwing is dropped by the platform: nothing may leave here.
      logEvent("run.alarmFailed", { error: errorClass(error) });
      await this.ctx.storage.setAlarm(this.now() + alarmRetryMs);
    }
  }

  // State and commit

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
    this.#kick();
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
    this.#outbox.arm();
  }

  #queueEffect(effect: Effect, state: RunState, opening: StoredOpening, now: number): RecordFact[] {
    switch (effect.kind) {
      case "ask":
        return this.#queueAsk(effect.gate, state, opening, now);
      case "withdraw":
        this.#store.unschedule(`deadline:${effect.gate}`);
        this.#store.dropQueued("notice");
        for (const link of this.#store.links(effect.gate)) this.#store.queue("noticeEnded", `notice:${link.id}`, { link: link.id }, now);
        return [];
      case "callModel": {
        const content = currentRequest(this.#store, state);
        this.#store.queue("call", "call", { call: effect.call }, now);
        return [{ kind: "called", call: effect.call, models: content?.models ?? [], digest: state.requestDigest, again: effect.again }];
      }
      case "finish": {
        this.#store.writeAnswer(JSON.stringify(answerOf(this.#store, state, opening)));
        this.#store.dropQueued("call");
        this.#store.queue("record", "answer", null, now);
        this.#store.queue("deliver", "answer", null, now);
        this.#store.queue("settle", "settle", null, now);
        this.#store.schedule("forget", now + settingsOf(this.env).retentionMs);
        return [{ kind: "finished", outcome: state.end?.kind ?? "failed" }];
      }
      default:
        return effect satisfies never;
    }
  }

  #queueAsk(gate: Gate, state: RunState, opening: StoredOpening, now: number): RecordFact[] {
    const review = state.reviews[gate];
    if (review === null) throw new Error("asking without a review");
    this.#store.schedule(`deadline:${gate}`, review.deadlineAt);
    // The page says what became of it for as long as the run is kept.
    const expiresAtSeconds = Math.ceil((review.deadlineAt + settingsOf(this.env).retentionMs) / 1000);
    const channels = openChannels(this.env);
    for (const [index, reviewer] of opening.plan.reviewers.entries()) {
      for (const channel of channels.filter((each) => each.reaches(reviewer))) {
        const random = crypto.getRandomValues(new Uint8Array(linkRandomLength));
        const link = this.#store.addLink({ gate, reviewer: index, channel: channel.name, expiresAtSeconds, random });
        this.#store.queue("notice", `notice:${link.id}`, { link: link.id }, now);
      }
    }
    if (this.#store.links(gate).length === 0) this.#store.queue("unreachable", "unreachable", { gate }, now);
    return [
      {
        kind: "reviewOpened",
        gate,
        version: review.version,
        digest: review.digest,
        reviewers: review.reviewers,
        deadlineAt: review.deadlineAt,
      },
    ];
  }

  // Time

  #runSchedule(): void {
    const now = this.now();
    for (const kind of this.#store.dueSchedule(now)) {
      switch (kind) {
        case "deadline:request":
        case "deadline:response": {
          const gate: Gate = kind === "deadline:request" ? "request" : "response";
          this.#apply({ kind: "deadline", gate }, now, [{ kind: "expired", gate }]);
          this.#store.unschedule(kind);
          break;
        }
        case "asker":
          this.#store.unschedule("asker");
          this.#noticeAsker(now);
          break;
        case "forget":
          break;
        default:
          kind satisfies never;
      }
    }
  }

  /** Looks in a moment whether the caller is still there, where nobody is and it is not known yet. */
  #watchAsker(): void {
    const state = this.#store.state();
    if (state === null || state.phase === "ended" || this.#loadOpening()?.mode !== "wait") return;
    if (this.#windows().length > 0 || this.#store.isAskerGone()) return;
    this.#store.schedule("asker", this.now() + askerGraceMs);
    this.#outbox.arm();
  }

  #noticeAsker(now: number): void {
    const state = this.#store.state();
    if (state === null || state.phase === "ended" || this.#loadOpening()?.mode !== "wait") return;
    if (this.#windows().length > 0 || this.#store.isAskerGone()) return;
    this.#store.transaction(() => {
      this.#store.markAsker(true);
      this.#record(now, [{ kind: "askerLeft" }]);
    });
    this.#kick();
  }

  /** Somebody waits: again, where they were gone; or for an answer that nobody had taken. */
  #welcomeAsker(delivery: { readonly to: number } | null): void {
    if (this.#loadOpening()?.mode !== "wait") return;
    const now = this.now();
    this.#store.unschedule("asker");
    const back = delivery === null && this.#store.isAskerGone();
    if (!back && delivery?.to !== 0) return;
    this.#store.transaction(() => {
      if (back) {
        this.#store.markAsker(false);
        this.#record(now, [{ kind: "askerBack" }]);
      } else {
        this.#store.markTaken();
        this.#store.queue("index", "index", null, now);
      }
    });
    this.#kick();
  }

  // Effects

  /** Performs what is due, now and not inside the caller's request; the alarm is behind it for whatever is lost. */
  #kick(): void {
    this.#outbox.arm();
    // Not before the transaction that this may be called in has been committed.
    this.ctx.waitUntil(
      Promise.resolve().then(() => {
        const state = this.#store.state();
        if (state !== null && state.phase !== "ended") this.#tellWindows(progressMessage(state));
        return this.#outbox.drain();
      }),
    );
  }

  async #perform(row: OutboxRow): Promise<boolean> {
    const opening = this.#loadOpening();
    const state = this.#store.state();
    if (opening === null || state === null) return true;
    switch (row.kind) {
      case "record":
        await this.#shipRecord(opening, state);
        return true;
      case "deliver":
        this.#store.markDelivered(this.now(), this.#windows().length);
        // Whether the reply is kept for another depends on who was there to take it.
        this.#store.queue("index", "index", null, this.now());
        this.#tellWindows(endedMessage);
        return true;
      case "notice":
        return this.#sendNotice(row, opening, state);
      case "noticeEnded":
        return this.#endNotice(row, opening, state);
      case "unreachable":
        this.#unreachable(gateOf(row), this.now());
        return true;
      case "call":
        return this.#watchCall(row, opening, state);
      case "claim":
        await this.#claim(row, opening);
        return true;
      case "settle":
        await this.#settle(opening, state);
        return true;
      case "index":
        await keyStub(this.env, opening.key.id).indexRun(opening.id, opening.identicalDigest, this.#indexExpiry(state, opening));
        return true;
      default:
        return row.kind satisfies never;
    }
  }

  async #shipRecord(opening: StoredOpening, state: RunState): Promise<void> {
    const events = this.#store.unshippedEvents(opening.id);
    const last = events.at(-1);
    if (last === undefined) return;
    await ledgerStub(this.env, ledgerShardOf(opening.id)).append(
      JSON.stringify([{ events, summary: summaryOf(this.#store, opening, state) }]),
    );
    this.#store.markShipped(last.seq);
  }

  async #sendNotice(row: OutboxRow, opening: StoredOpening, state: RunState): Promise<boolean> {
    const link = this.#linkOf(row);
    if (link === null || openGate(state) !== link.gate) return true;
    const channel = openChannels(this.env).find(({ name }) => name === link.channel);
    const reviewer = opening.plan.reviewers[link.reviewer];
    if (channel === undefined || reviewer === undefined) return true;
    const sent = await channel.send({ run: opening.id, link, reviewer, at: this.now() }).catch(() => false);
    if (!sent && row.attempts + 1 < noticeAttempts) return false;
    const now = this.now();
    const notice = sent ? "sent" : "failed";
    this.#store.transaction(() => {
      this.#store.markNotice(link.id, notice);
      this.#record(now, [{ kind: "noticed", gate: link.gate, channel: link.channel, reviewer: reviewer.name, state: notice }]);
      if (this.#store.links(link.gate).every((each) => each.notice === "failed"))
        this.#store.queue("unreachable", "unreachable", { gate: link.gate }, now);
    });
    return true;
  }

  async #endNotice(row: OutboxRow, opening: StoredOpening, state: RunState): Promise<boolean> {
    const link = this.#linkOf(row);
    const reviewer = link === null ? undefined : opening.plan.reviewers[link.reviewer];
    if (link === null || reviewer === undefined || openGate(state) === link.gate) return true;
    const channel = openChannels(this.env).find(({ name }) => name === link.channel);
    const how = state.reviews[link.gate]?.closing?.how ?? "cancelled";
    await channel?.ended({ run: opening.id, link, reviewer, at: this.now() }, how);
    return true;
  }

  /** No channel reached anybody: the review ends now, and not at its deadline. */
  #unreachable(gate: Gate | null, now: number): void {
    if (gate !== null) this.#apply({ kind: "undeliverable", gate }, now, [{ kind: "undeliverable", gate }]);
  }

  #linkOf({ detail }: OutboxRow): ReturnType<RunStore["link"]> {
    return typeof detail === "object" && detail !== null && !Array.isArray(detail) && typeof detail["link"] === "string"
      ? this.#store.link(detail["link"])
      : null;
  }

  /** Starts a call that was not started, leaves one alone that is under way, and gives up one whose object is gone. */
  #watchCall(row: OutboxRow, opening: StoredOpening, state: RunState): boolean {
    const call = state.call?.number;
    if (state.phase !== "generating" || call === undefined) return true;
    if (this.#calls.has(call)) return false;
    if (row.attempts > 0) {
      this.#store.done(row.id);
      const facts: RecordFact[] = [{ kind: "callFailed", call, attempts: [] }];
      this.#apply({ kind: "callLost", call }, this.now(), facts);
      return true;
    }
    this.#calls.add(call);
    const under = this.#call(call, opening, state).finally(() => this.#calls.delete(call));
    this.ctx.waitUntil(under);
    return false;
  }

  async #call(call: number, opening: StoredOpening, state: RunState): Promise<void> {
    const content = currentRequest(this.#store, state);
    // What is executed is what was approved, or nothing.
    if (content === null || requestDigest(content, opening.candidates) !== state.requestDigest) {
      this.#failCall(call, []);
      return;
    }
    const answered = await callModels(this.env, content.request, inOrder(opening.candidates, content.models));
    if (!answered.ok) {
      this.#failCall(call, answered.error);
      return;
    }
    const { reply, usage, notes } = answered.value.reply;
    const facts: ModelFacts = { candidate: answered.value.candidate.model.id, usage, notes };
    this.#generated(
      { call, reply, facts, attempts: answered.value.attempts },
      answered.value.candidate.model.id,
      costUsd(answered.value.candidate.model, usage),
    );
  }

  #generated({ call, reply, facts, attempts }: CallResult, model: string, cost: number): void {
    const now = this.now();
    const digest = replyDigest(reply);
    const state = this.#store.state();
    if (state === null) return;
    const fact: RecordFact = {
      kind: "answered",
      call,
      model,
      realModel: providersWord(reply.model),
      stopReason: providersWord(reply.stopReason ?? ""),
      usage: facts.usage,
      costUsd: cost,
      digest,
      notes: facts.notes,
      attempts,
    };
    if (state.phase !== "generating" || state.call?.number !== call) {
      // Cancelled meanwhile: the reply goes nowhere, and what it cost is in the record all the same.
      this.#record(now, [fact]);
      this.#kick();
      return;
    }
    this.#store.transaction(() => {
      this.#store.writeReplyVersion(1, reply, null, now);
      this.#store.writeModelFacts({ ...facts, attempts });
      this.#store.dropQueued("call");
      this.#apply({ kind: "generated", call, replyDigest: digest }, now, [fact]);
    });
  }

  #failCall(call: number, attempts: readonly Attempt[]): void {
    const now = this.now();
    const state = this.#store.state();
    if (state?.phase !== "generating" || state.call?.number !== call) return;
    this.#store.transaction(() => {
      this.#store.writeModelFacts({ candidate: "", usage: { inputTokens: 0, outputTokens: 0 }, notes: [], attempts });
      this.#apply({ kind: "callFailed", call }, now, [{ kind: "callFailed", call, attempts }]);
    });
  }

  async #settle(opening: StoredOpening, state: RunState): Promise<void> {
    if (state.phase !== "ended") return;
    await keyStub(this.env, opening.key.id).release([opening.id]);
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
    if (opening.mode !== "wait") return null;
    if (state.end === null) return this.now() + settingsOf(this.env).retentionMs;
    return state.end.kind === "completed" && this.#store.delivery()?.to === 0 ? this.now() + keptReplyMs : null;
  }

  #windows(): WebSocket[] {
    return this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }

  #tellWindows(message: string): void {
    for (const socket of this.#windows()) {
      try {
        socket.send(message);
      } catch {
        // A window that closes in this moment loses nothing: its caller asks again.
      }
    }
  }
}

const sessionById = (env: Env, id: string): DurableObjectStub<SessionObject> => env.SESSION.get(env.SESSION.idFromString(id));

/** Waits for work that goes on by itself, but not for longer than this. */
async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    }),
  ]);
  clearTimeout(timer);
}

const endedMessage = JSON.stringify({ kind: "ended" });
const progressMessage = (state: RunState): string => JSON.stringify({ kind: "progress", state: progressOf(state) });

function gateOf({ detail }: OutboxRow): Gate | null {
  const gate = typeof detail === "object" && detail !== null && !Array.isArray(detail) ? detail["gate"] : null;
  return gate === "request" || gate === "response" ? gate : null;
}
