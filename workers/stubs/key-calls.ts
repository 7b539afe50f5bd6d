// The calls of a KeyObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { Limits, Refusal } from "../../shared/policy/limits.ts";
import type { Grant, GrantPass, GrantQuery } from "../../shared/policy/grant.ts";
import type { CallReport, CallShare } from "../../shared/policy/call-share.ts";
import type { Share, ShareReport } from "../../shared/policy/share.ts";

export type AdmitInput = {
  readonly run: string;
  readonly limits: Limits;
  /** How long the request counts as running where its end is not reported. */
  readonly leaseMs: number;
  /**
   * The object's id of the session that may begin with the request; null where it has none that is
   * counted.
   */
  readonly session: string | null;
  /** The digest by which an identical request of this key is known. */
  readonly identical: string;
  /** Runs that have ended since the last call. */
  readonly released: readonly string[];
  /** Shares that have ended since the last call. */
  readonly reports: readonly ShareReport[];
  /**
   * Asks for a share of the limits: how long a request that is admitted from it may run. Null: none
   * is wanted.
   */
  readonly shareFor: number | null;
  /** Where the policy closes a gate that a grant may open. */
  readonly grants?: {
    readonly query: JsonOf<GrantQuery>;
    /** `leaseMs`, where grants open every gate and no reviewer is asked. */
    readonly leaseMs: number;
  };
};

export type AdmitAnswer =
  | {
      readonly kind: "admitted";
      readonly identical: string | null;
      /** The gates that grants open for it. */
      readonly passes: readonly GrantPass[];
      readonly share: GivenToAdmit | null;
      /**
       * Until when the session may begin (`beginSession`); null where it may not, or none was
       * named.
       */
      readonly sessionPermitUntil: number | null;
      /** One more request would be admitted now, share or not. */
      readonly hasRoom: boolean;
    }
  /** `mayLook`: its session may be asked what it repeats. */
  | (OverLimit & { readonly mayLook: boolean })
  | { readonly kind: "revoked" };

/** A share of the key's limits. */
export type GivenToAdmit = {
  readonly share: Share;
  /** The digests of requests that have a run to adopt: these are not admitted from the share. */
  readonly indexed: readonly string[];
};

export type OverLimit = {
  readonly kind: "refused";
  readonly limit: Refusal["limit"];
  readonly max: number;
  readonly retryAfterMs: number;
};

export type CountInput = {
  readonly calls: number;
  readonly limits: Limits;
  /** A share that has ended since the last call. */
  readonly report: CallReport | null;
  /**
   * Asks for a share of `callsPerMinute`, for so many messages in two seconds; 0: none is wanted.
   */
  readonly wanted: number;
};

export type CountAnswer = { readonly kind: "counted"; readonly share: CallShare | null } | OverLimit | { readonly kind: "revoked" };

/** `until`: the session may begin until then, in Unix milliseconds. */
export type BeginAnswer = { readonly kind: "begun"; readonly until: number } | OverLimit | { readonly kind: "revoked" };

/** `run`: by the run's id. `cache`, `conversation`, `call`, `bridge`: by the object's own id. */
export type Dependent = { readonly kind: "run" | "cache" | "conversation" | "call" | "bridge"; readonly name: string };

/** The status that a window gets, and the code that closes it, where its key is revoked. */
export const revokedStatus = 403;

export const revokedCode = 4403;

/**
 * The status that one more open response gets where the key has as many as its limit `heldStreams`
 * allows.
 */
export const fullStatus = 429;

/** The code that closes an open response's window where its session has ended. */
export const sessionEndedCode = 4404;

/**
 * Headers of an open response's window: its session, which may be empty, and how many there may be;
 * absent: it was counted before.
 */
export const sessionHeader = "X-Session";

export const mostHeader = "X-Most";

/** `call`: equal for identical calls. `perHour`: null where the rule itself lets them pass. */
export type JurorCase = { readonly run: string; readonly rule: string; readonly call: string; readonly perHour: number | null };

/** `raisedBefore`: it had people asked about the identical call within the last hour. */
export type JurorCaseAnswer = "open" | "passesUsedUp" | "raisedBefore";

export interface KeyCalls extends Rpc.DurableObjectBranded {
  /**
   * Admits a request, with the gates that grants open for it; or says which limit it is over and
   * when to retry. Uses of a grant are committed before the answer, and only where the request is
   * admitted.
   */
  admit(admitInput: AdmitInput): AdmitAnswer;
  /** Counts so many messages of the key, of any kind, before anything is done for them. */
  count(countInput: CountInput): CountAnswer;
  /** Stores a reviewer's grant. Twice is the same as once. */
  giveGrant(grant: JsonOf<Grant>): void;
  /** Gives back a use of a grant, where the request adopted an earlier run instead. */
  giveBackGrants(identity: string, run: string): void;
  /**
   * Whether a rule's juror may be asked about a call now. `open`: the call counts as one that it
   * let pass, until `jurorRaised`.
   */
  openJurorCase(question: JurorCase): JurorCaseAnswer;
  /** It did not let the call of this run pass. */
  jurorRaised(run: string): void;
  /** Takes effect with the next request; false where the key has no grant of this id. */
  revokeGrant(id: string): boolean;
  /** Newest first. */
  grants(): JsonOf<readonly Grant[]>;
  /**
   * When a request was last counted, to two seconds, in Unix milliseconds; null where none ever
   * was.
   */
  lastUsedAt(): number | null;
  /** Ends the leases of these runs, and these shares. */
  release(runs: readonly string[], reports: readonly ShareReport[]): void;
  /**
   * Until when an identical request may find this run; null: no longer. A newer run with the same
   * digest replaces it.
   */
  indexRun(run: string, digest: string, expiresAt: number | null): void;
  /**
   * A run begins: `addDependent`, `indexRun` and its lease in one call. Twice is the same as once.
   * @param leaseMs How long it may take, with its reviews.
   */
  beginRun(run: string, digest: string, findableUntil: number | null, leaseMs: number): boolean;
  /**
   * The run has ended and was delivered: `release` and `indexRun` in one call, and it depends on
   * the key no more. Twice is the same as once.
   */
  endRun(run: string, digest: string, findableUntil: number | null): void;
  isRevoked(): boolean;
  /**
   * Adds what is about to depend on the key, and is to be ended when the key is revoked; false
   * where it is revoked already: then the dependent must not come to be.
   * @param until Unix milliseconds, when it expires by itself; null: until `endRun`.
   */
  addDependent(dependent: Dependent, until: number | null): boolean;
  /**
   * Revokes the key for good, and ends everything that depends on it: now, or by the alarm where
   * that fails. Answers when nothing can be admitted any more from a share that is out: within two
   * seconds.
   */
  revoke(): Promise<void>;
  /**
   * Counts a session that is about to begin, by its object's id, within the key's limit of
   * sessions. Twice is the same as once.
   */
  beginSession(session: string, limits: Limits): BeginAnswer;
  /** A session was ended, by its object's id: it counts no longer. */
  sessionEnded(session: string): void;
  /** Ends the open responses of this session. */
  endSession(session: string): void;
}
