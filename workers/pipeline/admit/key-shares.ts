// The shares of keys' limits that this isolate holds: while it has one, it admits a key's requests
// without asking the KeyObject.
//
// Only a key that is used again within a second gets a share. A share is reported when it is over,
// or when no request came for a while, so that what is left of it is free for other isolates. The
// arithmetic is shared/policy/share.ts.

import { HeldShare, type ShareReport } from "../../../shared/policy/share.ts";
import { isolateState } from "../../platform/isolate.ts";
import type { AdmitAnswer } from "../../stubs/key-calls.ts";

/** A key that was asked for no longer ago than this gets a share. */
const busyMs = 1_000;
const mostKeys = 10_000;

type OfKey = {
  held: { readonly share: HeldShare; readonly indexed: Set<string> } | null;
  /** Unix milliseconds. */
  admittedAt: number;
  askedAt: number;
  /** A call that asks for a share is on its way. */
  isAsking: boolean;
  /** How many requests may ask another object before they are admitted. */
  looks: number;
};

function looksAfter(answer: AdmitAnswer): number {
  if (answer.kind !== "admitted") return 0;
  return answer.share?.share.requests ?? (answer.hasRoom ? 1 : 0);
}

type ShareRequest = {
  readonly isWanted: boolean;
  readonly answered: (answer: AdmitAnswer) => void;
  /** The call has ended, with an answer or without. */
  readonly over: () => void;
};

export class KeyShares {
  readonly #keys = new Map<string, OfKey>();
  /**
   * Requests that run while the report of their share is on its way, by their runs; true: it has
   * ended meanwhile.
   */
  readonly #reporting = new Map<string, boolean>();

  /**
   * Admits a request. False: the KeyObject has to be asked; always so where a run may answer the
   * identical request.
   */
  admit(keyId: string, run: string, identical: () => string, now: number): boolean {
    const ofKey = this.#keys.get(keyId);
    if (ofKey?.held == null) return false;
    const { share, indexed } = ofKey.held;
    if ((indexed.size > 0 && indexed.has(identical())) || !share.admit(run, now)) return false;
    ofKey.admittedAt = now;
    return true;
  }

  /**
   * Whether the key has room, so that another object may be asked before the request is admitted:
   * once after each request that the KeyObject admitted with room for one more, and once for each
   * request of a share; not where its last answer was a refusal.
   */
  mayLook(keyId: string): boolean {
    const ofKey = this.#keys.get(keyId);
    if (ofKey === undefined || ofKey.looks === 0) return false;
    ofKey.looks -= 1;
    return true;
  }

  /**
   * Before a call to the KeyObject: whether it is to ask for a share, which it does where this
   * isolate has none and the key is busy.
   */
  asking(keyId: string, askedAt: number, isUseful: boolean): ShareRequest {
    const ofKey = this.#ofKey(keyId);
    const isWanted = isUseful && ofKey.held === null && !ofKey.isAsking && askedAt - ofKey.askedAt < busyMs;
    ofKey.askedAt = askedAt;
    ofKey.isAsking ||= isWanted;
    return {
      isWanted,
      answered: (answer) => {
        const given = answer.kind === "admitted" ? answer.share : null;
        ofKey.looks = looksAfter(answer);
        if (given === null) return;
        ofKey.held = { share: new HeldShare(given.share, askedAt), indexed: new Set(given.indexed) };
        ofKey.admittedAt = askedAt;
      },
      over: () => {
        if (isWanted) ofKey.isAsking = false;
      },
    };
  }

  /**
   * A run of this isolate may answer identical requests from now on: they are not admitted from the
   * share.
   */
  index(keyId: string, identical: string): void {
    this.#keys.get(keyId)?.held?.indexed.add(identical);
  }

  /** Ends a request; false where no share admitted it, and the KeyObject has to be told. */
  release(keyId: string, run: string): boolean {
    if (this.#keys.get(keyId)?.held?.share.release(run) === true) return true;
    if (!this.#reporting.has(run)) return false;
    this.#reporting.set(run, true);
    return true;
  }

  /**
   * The key's share where it is over, or admitted nothing since `idleSince`. It is no longer held:
   * the report has to be sent.
   */
  end(keyId: string, now: number, idleSince: number): ShareReport[] {
    const ofKey = this.#keys.get(keyId);
    if (ofKey?.held == null || !(ofKey.held.share.isOver(now) || ofKey.admittedAt <= idleSince)) return [];
    const report = ofKey.held.share.report();
    ofKey.held = null;
    for (const run of report.running) this.#reporting.set(run, false);
    return [report];
  }

  /**
   * These reports have arrived, or are given up. What is returned has ended meanwhile, and is to be
   * released.
   */
  reported(reports: readonly ShareReport[]): string[] {
    return reports.flatMap(({ running }) =>
      running.filter((run) => {
        const hasEnded = this.#reporting.get(run) === true;
        this.#reporting.delete(run);
        return hasEnded;
      }),
    );
  }

  held(): string[] {
    return [...this.#keys].flatMap(([keyId, { held }]) => (held === null ? [] : [keyId]));
  }

  #ofKey(keyId: string): OfKey {
    let ofKey = this.#keys.get(keyId);
    if (ofKey === undefined) {
      if (this.#keys.size >= mostKeys)
        for (const [each, { held, isAsking }] of this.#keys) if (held === null && !isAsking) this.#keys.delete(each);
      ofKey = { held: null, admittedAt: 0, askedAt: Number.NEGATIVE_INFINITY, isAsking: false, looks: 0 };
      this.#keys.set(keyId, ofKey);
    }
    return ofKey;
  }
}

export const keySharesOf = isolateState(() => new KeyShares());
