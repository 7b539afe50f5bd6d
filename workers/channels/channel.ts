// What every channel of notices can do; registry.ts has the channels.
//
// A channel sends messages to reviewers and decides nothing. The RunObject calls it from its
// outbox, one notice at a time, stores what came of it, and calls again where the result says so.

import type { Gate } from "../../shared/model/gate.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";
import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import type { PlainInput } from "../../shared/channels/plain-message.ts";
import type { LinkChannel, NoticeError } from "../../shared/notice-channels.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { AskWhy } from "../../shared/run/lifecycle.ts";
import type { Env } from "../platform/env.ts";
import type { PressWords } from "../../shared/channels/press-words.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";

/** Why a reviewer hears of a review, the first time or again. */
export type NoticeWhy = AskWhy | "reminder" | "changed" | "voted" | "newLink";

/** Whether a channel whose messages cannot change posts one for it. */
export const isPosted = (why: NoticeWhy): boolean => why !== "changed" && why !== "voted";

/** One review, for one reviewer. */
export type Notice = {
  readonly run: string;
  readonly link: LinkRow;
  /** The reviewer's personal link, computed for this attempt and stored nowhere. */
  readonly url: string;
  /** The link is the review in the reviewer's inbox, and nothing is decided but there. */
  readonly mustSignIn: boolean;
  readonly reviewer: Reviewer;
  readonly why: NoticeWhy;
  /**
   * Everything that the reviewer's page would show now. `excerpt` says how much of the content a
   * notice may have.
   */
  readonly view: ReviewView;
  /** `none`: nothing of the content. `start`: its beginning. */
  readonly excerpt: "none" | "start";
  /** The channel's receipt for the first notice of this link (`Sent.receipt`), or null. */
  readonly receipt: string | null;
  /** The same for every attempt at this notice. */
  readonly idempotencyKey: string;
};

export type DeliveryResult =
  /** `receipt`: what the channel needs to change its message later; null keeps the one before. */
  | { readonly kind: "sent"; readonly receipt: string | null }
  /**
   * Worth another attempt, after `afterMs` where the service named a time (which does not count as
   * a failure).
   */
  | { readonly kind: "again"; readonly why: NoticeError; readonly afterMs?: number }
  /** No attempt can succeed: the reviewer's next channel is used at once. */
  | { readonly kind: "failed"; readonly why: NoticeError };

/** About no review, for one reviewer. The key is the same for every attempt. */
export type PlainMessage = { readonly reviewer: Reviewer; readonly said: PlainInput; readonly idempotencyKey: string };

export type Channel = {
  readonly name: LinkChannel;
  /** Whether this channel has an address of the reviewer. */
  reaches(reviewer: Reviewer): boolean;
  /** May be called twice for one notice. A rejection counts as a failed attempt. */
  send(notice: Notice): Promise<DeliveryResult>;
  /**
   * The review is over, or no longer this reviewer's: the message is changed to say so, where it
   * can be.
   */
  ended(notice: Notice): Promise<DeliveryResult>;
  /** Sends a message about no review. May be called twice for one message. */
  say(message: PlainMessage): Promise<DeliveryResult>;
  /** For channels that join many messages in a short time into one. */
  readonly digest?: {
    /** Reviews in one message. */
    readonly most: number;
    /** The address of this reviewer, to count messages by; never shown. */
    address(reviewer: Reviewer): string;
    /** Whether this notice is a new message, not a change of an earlier one. */
    counts(notice: Notice, what: "send" | "ended"): boolean;
    /**
     * One message about several reviews, to the reviewer of the first. The key is the same for
     * every attempt.
     */
    send(entries: readonly DigestEntry[], idempotencyKey: string): Promise<DeliveryResult>;
  };
  /**
   * Sends a private message to one member, where members press buttons. `url`: the member's own
   * link, where they are a reviewer.
   */
  tell?(saying: {
    readonly user: string;
    readonly words: PressWords;
    readonly url: string | null;
    readonly notice: Notice;
  }): Promise<DeliveryResult>;
};

/** What a channel's folder gives the registry. */
export type ChannelAdapter = {
  /** The channel as it is configured; undefined where it is not. */
  readonly open: (env: Env) => Channel | undefined;
  /**
   * What is wrong with its configuration, and what to do, each a clause. Empty where nothing of it
   * is set.
   */
  readonly issues: (env: Env) => readonly DoctorPhrase[];
  readonly doctor: ChannelDoctor;
};

/** `says`: one or more sentences. */
export type ChannelFinding = { readonly ok: boolean; readonly says: DoctorPhrase };

/** What the doctor says of a channel. No text has an address or a secret. */
type ChannelDoctor = {
  /** The name of its check. */
  readonly check: string;
  /** For a channel that needs no setup: whether anybody uses it. */
  readonly isUsed?: (env: Env) => Promise<boolean>;
  /** Asks its service whether the setup works. It sends no notice. */
  readonly ask: (env: Env) => Promise<ChannelFinding>;
  /** What a reviewer with this address has, and what to set up for it, as a clause. */
  readonly remedy: (address: string) => DoctorPhrase;
  /**
   * For channels with variables for each address: those of this address where none is set;
   * otherwise null.
   */
  readonly unset?: (env: Env, address: string) => { readonly check: string; readonly variables: readonly string[] } | null;
};

export type LinkRow = {
  readonly id: string;
  readonly gate: Gate;
  readonly reviewer: number;
  readonly channel: LinkChannel;
  readonly expiresAtSeconds: number;
  readonly revokedAt: number | null;
  /** Whether its first notice was sent. */
  readonly notice: "queued" | "sent" | "failed";
  /** As in `Sent`. */
  readonly receipt: string | null;
};
