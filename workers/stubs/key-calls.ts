// What may be asked of a KeyObject, and the values of those calls. It imports no object.

import type { Limits, Refusal } from "../../shared/policy/limits.ts";
import type { GrantPass } from "../../shared/policy/grant.ts";

export type AdmitInput = {
  readonly run: string;
  readonly limits: Limits;
  /** For how long the request may count as under way if nobody says that it ended. */
  readonly leaseMs: number;
  /** The digest by which an identical request of this key is known. */
  readonly identical: string;
  /** Runs that have ended since the last call. */
  readonly released: readonly string[];
  /** Where the policy closes a gate that a grant may open. */
  readonly grants?: {
    /** JSON of `GrantQuery`. */
    readonly query: string;
    /** `leaseMs`, where grants open every gate and nobody is asked. */
    readonly leaseMs: number;
  };
};

export type AdmitAnswer =
  /** `passes`: the gates that grants open for it. */
  (
    | { readonly kind: "admitted"; readonly identical: string | null; readonly passes: readonly GrantPass[] }
    /** `mayLook`: its session may be asked what it repeats. */
    | (OverLimit & { readonly mayLook: boolean })
    | { readonly kind: "revoked" }
  ) & {
    /** How many more requests there is room for. */
    readonly left: number;
  };

export type OverLimit = {
  readonly kind: "refused";
  readonly limit: Refusal["limit"];
  readonly max: number;
  readonly retryAfterMs: number;
};

export type CountAnswer = { readonly kind: "counted" } | OverLimit | { readonly kind: "revoked" };

/** `run`: by the run's id. `cache`, `conversation`: by the object's own id. */
export type Dependent = { readonly kind: "run" | "cache" | "conversation"; readonly name: string };

/** What a window is answered with, and closed with, where its key is revoked. */
export const revokedStatus = 403;

export const revokedCode = 4403;

/** What one more held response is answered with where the key holds as many as it may. */
export const fullStatus = 429;

/** What a held response is closed with where its session has ended. */
export const sessionEndedCode = 4404;

/** Headers of a window of a held response: its session, which may be empty, and how many there may be; absent: it was counted before. */
export const sessionHeader = "X-Session";

export const mostHeader = "X-Most";

export interface KeyCalls extends Rpc.DurableObjectBranded {
  /**
   * Lets a request in, or says which limit it is over and when to come again; and which gates it may pass without asking.
   * What it uses of a grant is counted for good before this answers, and only where the request is let in.
   */
  admit(admitInput: AdmitInput): AdmitAnswer;
  /** Counts so many messages of the key, whatever they ask for; the answer comes before any of it is done. */
  count(calls: number, limits: Limits): CountAnswer;
  /** Takes down what a reviewer gave: JSON of `Grant`. Doing it twice is doing it once. */
  giveGrant(grant: string): void;
  /** A request that was let through found an answer that is there already: its use is given back. */
  giveBackGrants(identity: string, run: string): void;
  /** Takes effect with the next request; false where the key has no grant of this id. */
  revokeGrant(id: string): boolean;
  /** JSON of `Grant[]`, newest first. */
  grants(): string;
  /** These requests are over: their places are free. */
  release(runs: readonly string[]): void;
  /** Until when an identical request may find this run; null: no longer. A newer run with the same digest takes the place. */
  indexRun(run: string, digest: string, expiresAt: number | null): void;
  isRevoked(): boolean;
  /**
   * Something of this key is about to be there: false where the key was revoked, so that it must not be. What is taken down here is ended
   * when the key is revoked.
   * @param until Unix milliseconds, after which it is gone by itself; null: until `drop`.
   */
  addDependent(dependent: Dependent, until: number | null): boolean;
  /** It is not there any more. Doing it twice is doing it once. */
  removeDependent(dependent: Dependent): void;
  /** For good: and with it ends everything that there is of the key, now, or by the alarm where that fails. */
  revoke(): Promise<void>;
  /** Held responses of this session end. */
  endSession(session: string): void;
}
