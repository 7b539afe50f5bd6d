// Performs the rows of a run's outbox. Each may run twice; none decides anything but what it reports back as an event.

import { isObject } from "../../../shared/json/values.ts";
import { type RunParts, cancelRun, type Standing } from "./run-parts.ts";
import { RunNotices } from "./run-notices.ts";
import { RunCall } from "./run-call.ts";
import { RunDelivery } from "./run-delivery.ts";
import type { OutboxRow, StoredOpening } from "./run-store.ts";
import { keyStub, appendToLedger } from "../../stubs/stubs.ts";
import { cacheEnded } from "./run-cache.ts";
import type { RunState } from "../../../shared/run/lifecycle.ts";
import { summaryOf } from "./run-account.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import type { Attachment } from "../../../shared/run/run-input.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { Env } from "../../platform/env.ts";
import type { SessionCalls } from "../../stubs/session-calls.ts";

/** The reply to a requestor who gave up is kept this long for an identical request. */
const keptReplyMs = 3_600_000;

export type EffectParts = {
  readonly parts: RunParts;
  readonly notices: RunNotices;
  readonly call: RunCall;
  readonly delivery: RunDelivery;
  /** When the run has something to do next, in Unix milliseconds. */
  readonly nextDue: () => number | null;
};

export class RunEffects {
  readonly #parts: RunParts;
  readonly #notices: RunNotices;
  readonly #call: RunCall;
  readonly #delivery: RunDelivery;
  readonly #nextDue: () => number | null;

  constructor({ parts, notices, call, delivery, nextDue }: EffectParts) {
    this.#parts = parts;
    this.#notices = notices;
    this.#call = call;
    this.#delivery = delivery;
    this.#nextDue = nextDue;
  }

  /** True where the row is done; false to try it again, a number to try it again in so many milliseconds without counting it. */
  async perform(row: OutboxRow): Promise<boolean | number> {
    const standing = this.#parts.standing();
    if (standing === null) return true;
    const { opening, state } = standing;
    switch (row.kind) {
      case "record":
        await this.#shipRecord(opening, state);
        return true;
      case "deliver":
        return this.#delivery.deliver(row, standing);
      case "notice":
        return this.#notices.send(row);
      case "noticeEnded":
        return this.#notices.end(row);
      case "noticeListed":
        return this.#notices.list(row);
      case "tell":
        return this.#notices.say(row);
      case "grant":
        await keyStub(this.#parts.env, opening.key.id).giveGrant(JSON.stringify(row.detail));
        return true;
      case "unreachable":
        this.#unreachable(gateOf(row), standing);
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
        await cacheEnded(this.#parts.env, this.#parts.store, opening, state);
        return true;
      case "index":
        await keyStub(this.#parts.env, opening.key.id).indexRun(opening.id, opening.identicalDigest, this.#indexExpiry(state, opening));
        return true;
      default:
        return row.kind satisfies never;
    }
  }

  /** The key hears of the run, and the run begins where the key may still be used. */
  async #begin({ key, id }: StoredOpening): Promise<void> {
    if (this.#parts.store.state()?.phase !== "received") return;
    const isHeld = await keyStub(this.#parts.env, key.id).hold({ kind: "run", name: id }, null);
    if (isHeld) this.#parts.apply({ kind: "received" }, this.#parts.now(), []);
    else cancelRun(this.#parts, "keyRevoked");
  }

  async #shipRecord(opening: StoredOpening, state: RunState): Promise<void> {
    const events = this.#parts.store.unshippedEvents(opening.id);
    const last = events.at(-1);
    if (last === undefined) return;
    const dueAt = this.#nextDue();
    await appendToLedger(this.#parts.env, opening.id, {
      events,
      summary: summaryOf(this.#parts.store, opening, state),
      ...(dueAt === null ? {} : { expected: { run: opening.id, dueAt } }),
    });
    this.#parts.store.markShipped(last.seq);
  }

  /** Where no channel reaches anybody who is asked, the review does not wait for its deadline. */
  #unreachable(gate: Gate | null, { opening, state }: Standing): void {
    const review = gate === null ? null : state.reviews[gate];
    if (gate === null || review === null) return;
    const reviewers = this.#notices.unreached(opening, review);
    this.#parts.apply({ kind: "undeliverable", gate, reviewers }, this.#parts.now(), [{ kind: "undeliverable", gate }]);
  }

  async #settle(opening: StoredOpening, state: RunState): Promise<void> {
    if (state.phase !== "ended") return;
    const key = keyStub(this.#parts.env, opening.key.id);
    await Promise.all([key.release([opening.id]), key.drop({ kind: "run", name: opening.id })]);
    const bySession = Map.groupBy(this.#parts.store.attachments(), ({ session }) => session);
    await Promise.all([...bySession].map(([session, claims]) => sessionById(this.#parts.env, session).runEnded(opening.id, claims)));
  }

  /** The session of a request that adopted this run knows it, even where the Worker that saw to it is gone. */
  async #claim({ detail }: OutboxRow, opening: StoredOpening): Promise<void> {
    const { session, originating, request } = detail as Attachment; // written by `adopt`
    await sessionById(this.#parts.env, session).adopted(originating, request, opening.id);
  }

  /** Until when an identical request may find this run: while it is open, and for an hour with a reply nobody took. Null: not at all. */
  #indexExpiry(state: RunState, opening: StoredOpening): number | null {
    if (opening.mode === "task") return null;
    if (state.end === null) return this.#parts.now() + settingsOf(this.#parts.env).retentionMs;
    return state.end.kind === "completed" && this.#parts.store.delivery()?.to === 0 ? this.#parts.now() + keptReplyMs : null;
  }
}

const sessionById = (env: Env, id: string): DurableObjectStub<SessionCalls> => env.SESSION.get(env.SESSION.idFromString(id));

function gateOf({ detail }: OutboxRow): Gate | null {
  const gate = isObject(detail) ? detail["gate"] : null;
  return gate === "request" || gate === "response" ? gate : null;
}
