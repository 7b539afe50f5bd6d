// What every channel of notices can do. Which ones this gateway has is in registry.ts.
//
// A channel carries words to a reviewer and back to nobody: it decides nothing. The RunObject asks it from its outbox, one
// notice at a time, writes down what came of it, and asks again where it is told to.

import type { Gate } from "../../shared/model/gate.ts";
import type { Reviewer } from "../../shared/policy/evaluate.ts";
import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import type { LinkChannel } from "../../shared/notice-channels.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { AskWhy } from "../../shared/run/lifecycle.ts";
import type { Env } from "../platform/env.ts";
import type { PressWords } from "../stubs/run-calls.ts";

/** Why a reviewer hears of a review, the first time or again. */
export type NoticeWhy = AskWhy | "reminder" | "changed" | "voted" | "newLink";

/** One review that one reviewer is to hear of. */
export type Notice = {
  readonly run: string;
  readonly link: LinkRow;
  /** The reviewer's personal link, computed for this attempt and stored nowhere. */
  readonly url: string;
  readonly reviewer: Reviewer;
  readonly why: NoticeWhy;
  /** Everything that the reviewer's page would show now. What of the content may be in the notice is `excerpt`'s to say. */
  readonly view: ReviewView;
  /** `none`: nothing of the content. `start`: its beginning. */
  readonly excerpt: "none" | "start";
  /** What the channel said of the first notice of this link (`Sent.receipt`), or null. */
  readonly receipt: string | null;
  /** The same for every attempt at this very notice: for channels that can tell a repeat. */
  readonly idempotencyKey: string;
};

/** Why a notice did not go out, in words that may be shown to operators and stand in the record. */
export type NoticeError =
  | "rateLimited"
  | "dailyLimit"
  | "suppressed"
  | "notAllowed"
  | "notVerified"
  | "invalid"
  | "unauthorized"
  | "notFound"
  | "unavailable"
  | "notConfigured";

export type Sent =
  /** `receipt`: what the channel needs to change or follow what it sent; null where it keeps the one it had. */
  | { readonly kind: "sent"; readonly receipt: string | null }
  /** Worth another attempt, in `afterMs` where the other side named a time (such waits are no failures). */
  | { readonly kind: "again"; readonly why: NoticeError; readonly afterMs?: number }
  /** No attempt will ever do it: the reviewer's other channel is asked at once. */
  | { readonly kind: "failed"; readonly why: NoticeError };

export type Channel = {
  readonly name: LinkChannel;
  /** Whether this channel has an address of the reviewer. */
  reaches(reviewer: Reviewer): boolean;
  /** May be called twice for one notice. An error is an attempt that failed. */
  send(notice: Notice): Promise<Sent>;
  /** The review is over, or not this reviewer's any more: what was sent says so, where it can be changed. */
  ended(notice: Notice): Promise<Sent>;
  /** Where many messages in a short time become one. */
  readonly digest?: {
    /** Reviews in one message. */
    readonly most: number;
    /** Where the messages of this reviewer go: for counting, never shown. */
    address(reviewer: Reviewer): string;
    /** Whether this notice is one more message; a change of an earlier one is none. */
    counts(notice: Notice, what: "send" | "ended"): boolean;
    /** One message about several reviews, to the reviewer of the first. The key is the same for every attempt. */
    send(entries: readonly DigestEntry[], idempotencyKey: string): Promise<Sent>;
  };
  /** Says something to one member alone, where the channel has members who press buttons. `url`: their own link, where they are asked. */
  tell?(saying: { readonly user: string; readonly words: PressWords; readonly url: string | null; readonly notice: Notice }): Promise<Sent>;
};

/** What a channel's folder gives the registry. */
export type ChannelAdapter = {
  /** The channel as it is configured; undefined where it is not. */
  readonly open: (env: Env) => Channel | undefined;
  /** What is wrong with its configuration: a sentence each, which says what to do. Empty where nothing of it is set. */
  readonly issues: (env: Env) => readonly string[];
  /** What the doctor says of it. */
  readonly doctor: ChannelDoctor;
};

/** No text holds an address or a secret. */
export type ChannelDoctor = {
  /** The name of its check, and its name in a sentence. */
  readonly check: string;
  readonly title: string;
  /** The page of the documentation that says how it is set up. */
  readonly guide: string;
  /** Asks its service whether it is set up well. It sends no notice. */
  readonly ask: (env: Env) => Promise<{ readonly ok: boolean; readonly text: string }>;
  /** The member of a reviewer that is its address, with the article. */
  readonly address: string;
  /** What a reviewer has who has this address, and what is to be set up for it, as a clause. */
  readonly remedy: (address: string) => string;
  /** Where each address has variables of its own: those of this one, none of which is set; otherwise null. */
  readonly unset?: (env: Env, address: string) => { readonly check: string; readonly variables: readonly string[] } | null;
};

export type LinkRow = {
  readonly id: string;
  readonly gate: Gate;
  readonly reviewer: number;
  readonly channel: LinkChannel;
  readonly expiresAtSeconds: number;
  readonly revokedAt: number | null;
  /** Whether its first notice went out. */
  readonly notice: "queued" | "sent" | "failed";
  /** What its channel needs to change or follow what it sent. */
  readonly receipt: string | null;
};
