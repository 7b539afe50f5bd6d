// The calls of an InboxObject and their values. Types that cross the RPC boundary are flat: nested
// values go as JSON text. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { NoticeError } from "../../shared/notice-channels.ts";
import type { InboxEntry } from "../../shared/review/inbox-facts.ts";
import type { InboxList, InboxQuery } from "../../shared/review/inbox-list.ts";
import type { SignInWay } from "../../shared/receipt/known.ts";

/** How a run's review stands for this reviewer, as their run tells. */
export type ToldInput = {
  readonly run: string;
  /** Ascending in each run: an older telling changes nothing. */
  readonly seq: number;
  /** `addressDigest` of the reviewer's address in the run's plan. */
  readonly address: string;
  /** Null where the review does not wait for them, or no longer. */
  readonly entry: JsonOf<InboxEntry> | null;
};

export type AskInput = {
  /** The object's own name, which its alarm is not told. */
  readonly inbox: string;
  /** The reviewer's address as the policy has it now. */
  readonly email: string;
  readonly language: string | null;
  /** `secretDigest` of the asking browser's cookie. */
  readonly browser: string;
  /** The review to show afterwards (`reviewKey`), or null for the inbox. */
  readonly to: string | null;
};

export type SignInInput = {
  readonly id: string;
  /** `secretDigest` of the browser's cookie; null without one. */
  readonly browser: string | null;
  /**
   * When that browser last asked for a link to this address, Unix milliseconds; null where it did
   * not.
   */
  readonly askedAt: number | null;
  /** `addressDigest` of the reviewer's address as the policy has it now. */
  readonly address: string;
};

export type SignInAnswer =
  | { readonly kind: "signedIn"; /** The session's secret, stored nowhere. */ readonly secret: string; readonly to: string | null }
  /** `over`: used, too old, or of an address that the policy no longer has. */
  | { readonly kind: "over" | "otherBrowser" };

/** Who looks: with a session of this inbox, or identified by Cloudflare Access. */
export type Visitor = {
  /** `addressDigest` of the reviewer's address as the policy has it now. */
  readonly address: string;
  /** `secretDigest` of the session's secret; null for Access. */
  readonly session: string | null;
};

/**
 * `count`: of the reviews that wait. `way` and `since` (Unix milliseconds): null for Access, which
 * the Worker judges itself. `passkeys`: how many the reviewer has.
 */
export type InboxSession = {
  readonly count: number;
  readonly way: JsonOf<SignInWay> | null;
  readonly since: number | null;
  readonly passkeys: number;
};

/** A new passkey, whose registration was checked. `publicKey`: a COSE key as base64url. */
type AddedKey = {
  readonly id: string;
  readonly name: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  /** Its maker keeps copies of it on several devices. */
  readonly isSynced: boolean;
};

/** Times are Unix milliseconds. */
export type StoredPasskey = AddedKey & { readonly createdAt: number; readonly usedAt: number | null };

/** What an operator sees of an inbox. `waiting`: how many reviews. */
export type InboxOverview = { readonly waiting: number; readonly passkeys: readonly StoredPasskey[] };

/** `counter`: of an assertion that was checked. `address`: as `Visitor.address`. */
export type UsedPasskey = { readonly address: string; readonly id: string; readonly counter: number };

export type AddPasskeyInput = {
  readonly address: string;
  /** Adds one passkey. */
  readonly nonce: string;
  readonly passkey: AddedKey;
  /** The passkey that confirmed it; null where there was none. */
  readonly confirmed: Omit<UsedPasskey, "address"> | null;
};

export type AddedPasskey = "added" | "usedBefore" | "tooMany" | "notConfirmed";

/** The header of a live window's request: who looks, and until when. */
export const visitorHeader = "X-Countersign-Visitor";

/** JSON of it is the value of `visitorHeader`. `until`: Unix milliseconds. */
export type WindowVisitor = Visitor & { readonly until: number };

/** A browser's push subscription, and whose it is. */
export type DeviceInput = {
  readonly label: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** `secretDigest` of the browser's own secret. */
  readonly secret: string;
  /** The gateway's public key that it was made for. */
  readonly key: string;
};

export type Device = { readonly id: string; readonly label: string; readonly madeAt: number; readonly usedAt: number | null };

/** One message to every device of a person. */
export type PushInput = {
  /** `addressDigest` of the reviewer's address: devices of another address are forgotten. */
  readonly address: string;
  /** The same for every attempt. */
  readonly id: string;
  /** A device shows the newest message of a topic alone. */
  readonly topic: string;
  /** How long a device that is off may get it later. */
  readonly ttlSeconds: number;
  /** Until when it is remembered which devices have it, Unix milliseconds. */
  readonly until: number;
  /** The JSON that the service worker reads. */
  readonly text: string;
  /** What is sent where a push service says that it is too large; null: nothing else. */
  readonly brief: string | null;
  /** Goes to devices that may show a message of this topic, and to no other. */
  readonly withdraws: boolean;
};

export type PushAnswer =
  | { readonly kind: "sent" }
  | { readonly kind: "again"; readonly why: NoticeError; readonly afterMs?: number }
  | { readonly kind: "failed"; readonly why: NoticeError };

export interface InboxCalls extends Rpc.DurableObjectBranded {
  /** A run tells how its review stands. May come twice and out of order. */
  tell(told: ToldInput): void;
  /**
   * Queues an email with a link that signs in, unless three of the last hour are unused. Nothing
   * comes back that whoever asked could learn from.
   */
  ask(input: AskInput): void;
  /**
   * Uses a sign-in link: once, in time, in the browser that asked, or in one whose email it
   * stopped.
   */
  signIn(input: SignInInput): SignInAnswer;
  /**
   * Begins a session for whom an issuer vouched, by the Worker's own check. `address`:
   * `addressDigest` of the reviewer's address. Returns the session's secret, stored nowhere.
   */
  beginSession(address: string, way: JsonOf<SignInWay>): string;
  /** Null where the session is not, or no longer, good. */
  session(visitor: Visitor): InboxSession | null;
  /**
   * How many reviews wait for the reviewer with this `addressDigest`, and their passkeys: for the
   * operator, who sees no more of them than that.
   */
  overview(address: string): JsonOf<InboxOverview>;
  /** Those of the reviewer with this `addressDigest`, the oldest first. */
  passkeys(address: string): JsonOf<readonly StoredPasskey[]>;
  addPasskey(input: JsonOf<AddPasskeyInput>): AddedPasskey;
  /**
   * A passkey signed, as the Worker checked. False where it is not this reviewer's any more, or its
   * counter did not go on since it was read: then nothing is decided.
   */
  usePasskey(used: UsedPasskey): boolean;
  /** False where there was none of this id. */
  removePasskey(id: string): boolean;
  /** Null as for `session`. */
  list(visitor: Visitor, query: InboxQuery): JsonOf<InboxList> | null;
  /** The devices that notices are turned on for, the newest first; null as for `count`. */
  devices(visitor: Visitor): JsonOf<readonly Device[]> | null;
  /** Turns a device on. `full`: there are as many as there may be. Null as for `count`. */
  addDevice(visitor: Visitor, device: DeviceInput): "added" | "full" | null;
  /** Turns a device off; returns how many are left. Null as for `count`. */
  removeDevice(visitor: Visitor, id: string): number | null;
  /**
   * Replaces the subscription of the device with this secret, turned on under this `addressDigest`.
   * False where there is none.
   */
  renewDevice(address: string, device: DeviceInput): boolean;
  /** Sends a message to the person's devices. Twice is the same as once. */
  push(message: PushInput): Promise<PushAnswer>;
  /**
   * Ends one session, or with null all of them, links that were not used yet, and every device.
   * Returns how many sessions ended.
   */
  signOut(session: string | null): number;
}
