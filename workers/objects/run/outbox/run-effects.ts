// Performs the rows of a run's outbox. Each may run twice; none decides anything but what it
// reports back as an event.

import { jsonOf } from "../../../../shared/json/json-of.ts";
import type { Grant } from "../../../../shared/policy/grant.ts";
import { isObject } from "../../../../shared/json/values.ts";
import { type RunDeps, cancelRun, type CurrentRun } from "../run-deps.ts";
import type { NoticeSender } from "../notices/notice-sender.ts";
import { RunCall } from "../act/run-call.ts";
import type { RunTask } from "../act/run-task.ts";
import { RunDelivery } from "../deliver/run-delivery.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import type { StoredInput } from "../tables/run-store.ts";
import { keyStub, sessionById } from "../../../stubs/stubs.ts";
import { keepLastCall, lastCallFor } from "../act/last-call.ts";
import { performStop } from "../act/tool-stop.ts";
import { cacheEnded } from "../act/run-cache.ts";
import { type End, type RunState, notBegun } from "../../../../shared/run/lifecycle.ts";
import { RunInboxes } from "../notices/run-inboxes.ts";
import { RunLedger } from "../record/run-ledger.ts";
import { exportRun } from "../record/run-telemetry.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import type { RequestRef } from "../../../../shared/run/run-input.ts";
import { callersAct } from "../../../../shared/run/work.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { isDenialOfCall, retriedMs } from "../begin/run-adoption.ts";

/** A reply that no requestor received is kept this long for an identical request. */
const keptReplyMs = 3_600_000;
/** What a run may take beside its reviews and its call. */
const leaseSlackMs = 10_000;

type EffectDeps = {
  readonly deps: RunDeps;
  readonly sender: NoticeSender;
  readonly call: RunCall;
  readonly task: RunTask;
  readonly delivery: RunDelivery;
  readonly ledger: RunLedger;
  readonly inboxes: RunInboxes;
};

export class RunEffects {
  readonly #deps: RunDeps;
  readonly #sender: NoticeSender;
  readonly #call: RunCall;
  readonly #task: RunTask;
  readonly #delivery: RunDelivery;
  readonly #ledger: RunLedger;
  readonly #inboxes: RunInboxes;

  constructor({ deps, sender, call, task, delivery, ledger, inboxes }: EffectDeps) {
    this.#deps = deps;
    this.#sender = sender;
    this.#call = call;
    this.#task = task;
    this.#delivery = delivery;
    this.#ledger = ledger;
    this.#inboxes = inboxes;
  }

  /** `Perform` of the outbox. */
  async perform(row: OutboxRow): Promise<boolean | number> {
    const current = this.#deps.current();
    if (current === null) return true;
    const { input, state } = current;
    switch (row.kind) {
      case "record":
      case "noticeListed":
        await this.#ledger.send(current);
        return true;
      case "deliver":
        return this.#delivery.deliver(row, current);
      case "notice":
        return this.#sender.send(row);
      case "noticeEnded":
        return this.#sender.end(row);
      case "tell":
        return this.#sender.tell(row);
      case "inbox":
        return this.#inboxes.tell(row, current);
      case "grant":
        await this.#giveGrant(input, row.detail as unknown as Grant); // written by RunDeciding
        return true;
      case "unreachable":
        this.#unreachable(gateOf(row), current);
        return true;
      case "call":
        return callersAct(input.work) === "release" ? this.#task.watch(state) : this.#call.watch(row, input, state);
      case "begin":
        await this.#begin(input, state);
        return true;
      case "adopted":
        await this.#tellAdopted(row, input);
        return true;
      case "settle":
        await this.#settle(input, state);
        return true;
      case "cache":
        await cacheEnded(this.#deps.env, this.#deps.store, input, state);
        return true;
      case "lastCall":
        await keepLastCall(this.#deps, row, input, state);
        return true;
      case "stop":
        await performStop(this.#deps.env, row.detail);
        return true;
      case "index": {
        const until = this.#indexExpiry(state, input);
        const key = keyStub(this.#deps.env, input.key.id);
        await Promise.all(digestsOf(input, state).map((digest) => key.indexRun(input.id, digest, until)));
        return true;
      }
      case "telemetry":
        return exportRun(this.#deps, row, current);
      default:
        return row.kind satisfies never;
    }
  }

  /**
   * Gives a grant to its key, or ends it there: the row of an end comes after that of its
   * beginning.
   */
  async #giveGrant({ key }: StoredInput, grant: Grant): Promise<void> {
    const stub = keyStub(this.#deps.env, key.id);
    if (grant.revokedAt === null) await stub.giveGrant(jsonOf(grant));
    else await stub.revokeGrant(grant.id);
  }

  /** Adds the run to its key, and begins it where the key may still be used. */
  async #begin(input: StoredInput, state: RunState): Promise<void> {
    if (state.at !== notBegun || state.end !== null) return;
    const { key, id, identicalDigest } = input;
    const [isAdded, lastCall] = await Promise.all([
      keyStub(this.#deps.env, key.id).beginRun(id, identicalDigest, this.#indexExpiry(state, input), this.#leaseMs(input)),
      lastCallFor(this.#deps, input),
    ]);
    if (isAdded && lastCall !== null) this.#deps.store.writeLastCall(lastCall);
    if (isAdded) this.#deps.apply({ kind: "received" }, this.#deps.now(), []);
    else cancelRun(this.#deps, "keyRevoked");
  }

  /** How long the run may take: the deadline of each of its reviews, and a model call. */
  #leaseMs({ gatePolicy }: StoredInput): number {
    return 2 * gatePolicy.deadlineSeconds * 1_000 + settingsOf(this.#deps.env).modelTimeoutMs + leaseSlackMs;
  }

  /** Ends a review of which no channel reaches any reviewer, without waiting for its deadline. */
  #unreachable(gate: Gate | null, { input, state }: CurrentRun): void {
    const review = gate === null ? null : state.reviews[gate];
    if (gate === null || review === null) return;
    const reviewers = this.#deps.reviewers.unreached(input, review);
    this.#deps.apply({ kind: "undeliverable", gate, reviewers }, this.#deps.now(), [{ kind: "undeliverable", gate }]);
  }

  /**
   * The run has ended: tells its key, with what an identical request may find of it, and the
   * sessions of its requests.
   */
  async #settle(input: StoredInput, state: RunState): Promise<void> {
    if (state.end === null) return;
    const { env, store } = this.#deps;
    const bySession = Map.groupBy(store.requestRefs(), ({ session }) => session);
    const until = this.#indexExpiry(state, input);
    const [digest = "", ...more] = digestsOf(input, state);
    const key = keyStub(env, input.key.id);
    await Promise.all([
      key.endRun(input.id, digest, until),
      ...more.map((each) => key.indexRun(input.id, each, until)),
      ...[...bySession].map(([session, requests]) => sessionById(env, session).runEnded(input.id, requests)),
    ]);
  }

  /**
   * Tells the session of a request that adopted this run, also where the Worker of that request was
   * cut off.
   */
  async #tellAdopted({ detail }: OutboxRow, input: StoredInput): Promise<void> {
    const { session, originating, request } = detail as RequestRef; // written by `adopt`
    if (session === null) return;
    await sessionById(this.#deps.env, session).adopted(originating, request, input.id);
  }

  /**
   * Until when an identical request may find this run: while it is open, for an hour with a reply
   * that no requestor received, or for a minute where its requestor may ask again without an id,
   * having left before the outcome came. Null: not at all.
   */
  #indexExpiry(state: RunState, input: StoredInput): number | null {
    if (input.mode === "task") return null;
    if (state.end === null) return this.#deps.now() + settingsOf(this.#deps.env).retentionMs;
    if (callersAct(input.work) === "release") return this.#releaseExpiry(state.end);
    const isKept = state.end.kind === "completed" || isDenialOfCall(input, state.end);
    if (isKept && this.#deps.store.delivery()?.to === 0) return this.#deps.now() + keptReplyMs;
    const mayBeAskedAgain = input.endpoint === "v1" && state.end.kind !== "cancelled" && state.end.kind !== "failed";
    return mayBeAskedAgain ? this.#deps.now() + retriedMs : null;
  }

  /** How a released call ended, where no caller heard of it; for a minute, that people said no. */
  #releaseExpiry({ kind }: End): number | null {
    const to = this.#deps.store.delivery()?.to;
    if (kind === "cancelled") return null;
    if (to === 0) return this.#deps.now() + keptReplyMs;
    return kind === "completed" || kind === "failed" ? null : this.#deps.now() + retriedMs;
  }
}

/**
 * The digests by which an identical request finds the run: of a call that was sent, also without
 * what went with one attempt at it alone. Asked again from the beginning, it has run all the same.
 */
const digestsOf = ({ identicalDigest, sentDigest }: StoredInput, { call }: RunState): readonly string[] => [
  identicalDigest,
  ...(sentDigest !== undefined && call?.startedAt != null ? [sentDigest] : []),
];

function gateOf({ detail }: OutboxRow): Gate | null {
  const gate = isObject(detail) ? detail["gate"] : null;
  return gate === "request" || gate === "response" ? gate : null;
}
