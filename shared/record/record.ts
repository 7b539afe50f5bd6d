// The content-free account of a run: what was asked, decided, sent, spent and delivered, each event chained to the one before; and of what
// was refused, and what operators did.
//
// Never a prompt, a reply, a reviewer's words, a token or a key: ids, names, digests, numbers.

import type { Gate } from "../model/gate.ts";
import { type JsonObject, digestOf } from "../encoding.ts";
import type { ImageDigests } from "../image/image-digests.ts";
import type { Attempt, Note, Usage } from "../model/call.ts";
import type { Cause } from "./cause.ts";
import type { Refusal } from "../model/outcome.ts";
import type { RefusalFact } from "./refusal-fact.ts";

/** Who acted as the operator. `fingerprint`: which admin token it was, without telling the token. */
export type Operator =
  | { readonly kind: "adminToken"; readonly fingerprint: string }
  /** Signed in by Cloudflare Access. */
  | { readonly kind: "access"; readonly email: string };

/** What an operator did. Digests are of the documents and keys as they are stored. */
export type OperatorFact =
  | {
      readonly kind: "documentWritten";
      readonly by: Operator;
      readonly document: string;
      readonly version: number;
      /** The version that was written again, where an old one was restored. */
      readonly restored: number | null;
      /** Null where the built-in document served before. */
      readonly digestBefore: string | null;
      readonly digestAfter: string;
    }
  | {
      readonly kind: "keyMade";
      readonly by: Operator;
      readonly key: string;
      readonly name: string;
      readonly owner: string | null;
      readonly scopes: readonly string[];
      readonly digestAfter: string;
    }
  | { readonly kind: "keyRevoked"; readonly by: Operator; readonly key: string; readonly digestBefore: string }
  /** Written before it is carried out. */
  | { readonly kind: "grantRevoked"; readonly by: Operator; readonly key: string; readonly grant: string }
  /** `run`: of which one alone; null: the whole record. */
  | { readonly kind: "recordExported"; readonly by: Operator; readonly run: string | null }
  | { readonly kind: "doctorAsked"; readonly by: Operator };

/** By which endpoint a request came. */
export type Endpoint = "sampling" | "relay" | "control";

export type RecordFact =
  | OperatorFact
  /** The first event of a month of the operators' chain: where the month before ended. */
  | { readonly kind: "continued"; readonly chain: string; readonly seq: number; readonly hash: string }
  /** A request of a known key that was refused: the whole of its record. What could not be read of it is null. */
  | {
      readonly kind: "refused";
      readonly key: string;
      readonly endpoint: Endpoint;
      readonly server: string | null;
      readonly method: string | null;
      readonly name: string | null;
      /** The id that the requestor gave its request. */
      readonly requestId?: string;
      readonly reason: RefusalFact;
    }
  /** More refusals of one key for one reason within a minute than are written one by one: how many more. */
  | {
      readonly kind: "refusedMany";
      readonly key: string;
      readonly endpoint: Endpoint;
      readonly reason: Refusal["kind"];
      /** ISO 8601. */
      readonly since: string;
      readonly until: string;
      readonly count: number;
    }
  /** A reviewer's link was opened for the first time while the review waited: by the reviewer, or by a program that reads their mail. */
  | { readonly kind: "opened"; readonly gate: Gate; readonly reviewer: string; readonly channel: string; readonly version: number }
  | {
      readonly kind: "received";
      readonly key: string;
      readonly server: string;
      readonly method: string;
      readonly name: string;
      readonly provenance: string;
      /** At the relay: how it was found which request is served, in words. */
      readonly association?: string;
      readonly endpoint: string;
      /** The id that the requestor gave its request. */
      readonly requestId?: string;
      readonly requestDigest: string;
      readonly rule: string;
      readonly requestGate: string;
      readonly responseGate: string;
      /** The lowest risk of the reply at which the response gate closes; absent where the rule asks for none. */
      readonly replyRisk?: string;
      readonly models: readonly string[];
      readonly risks: readonly string[];
      readonly contextIgnored: string | null;
      /** An earlier holder of the same request vanished and may have paid for a model call. */
      readonly takenOver: boolean;
      /** The images of the request, in its order; absent where it has none. */
      readonly images?: readonly ImageDigests[];
    }
  | {
      readonly kind: "reviewOpened";
      readonly gate: Gate;
      readonly version: number;
      readonly digest: string;
      readonly reviewers: readonly string[];
      /** ISO 8601, as every time in a fact. */
      readonly deadlineAt: string;
    }
  | {
      readonly kind: "noticed";
      readonly gate: Gate;
      readonly channel: string;
      readonly reviewer: string;
      readonly why: string;
      /** `sent`, or what stood against it. */
      readonly state: string;
    }
  /** More people are asked: it was handed to them, or took too long. */
  | { readonly kind: "askedAlso"; readonly gate: Gate; readonly reviewers: readonly string[]; readonly why: string }
  | { readonly kind: "handedOver"; readonly gate: Gate; readonly by: string; readonly channel: string; readonly to: string }
  | { readonly kind: "declined"; readonly gate: Gate; readonly by: string; readonly channel: string }
  | { readonly kind: "linkRenewed"; readonly gate: Gate; readonly channel: string; readonly reviewer: string }
  | {
      readonly kind: "edited";
      readonly gate: Gate;
      readonly by: string;
      readonly channel: string;
      readonly version: number;
      readonly digestBefore: string;
      readonly digestAfter: string;
    }
  | {
      readonly kind: "voted" | "approved" | "denied";
      readonly gate: Gate;
      readonly by: string;
      readonly channel: string;
      readonly version: number;
      readonly digest: string;
      readonly reasonGiven: boolean;
      /** The channel's member who pressed, where the reviewer is a room such as a Slack channel. */
      readonly member?: string;
    }
  /** A reviewer allowed more than this run: the grant goes by that id from now on. */
  | {
      readonly kind: "granted";
      readonly gate: Gate;
      readonly grant: string;
      readonly by: string;
      readonly scope: string;
      readonly what: string;
      readonly uses: number;
      readonly expiresAt: string;
    }
  /** The policy closes the gate, and a grant that this reviewer gave earlier let the request through. */
  | { readonly kind: "grantUsed"; readonly gate: Gate; readonly grant: string; readonly by: string }
  | { readonly kind: "expired" | "undeliverable"; readonly gate: Gate }
  /** `by`: the operator, where it was one. */
  | { readonly kind: "cancelled"; readonly cause: string; readonly by?: Operator }
  | { readonly kind: "called"; readonly call: number; readonly models: readonly string[]; readonly digest: string; readonly again: boolean }
  | {
      readonly kind: "answered";
      readonly call: number;
      readonly model: string;
      readonly realModel: string;
      readonly stopReason: string;
      readonly usage: Usage;
      readonly costUsd: number;
      readonly digest: string;
      readonly notes: readonly Note[];
      /** Kinds of what was found in the reply; absent where nobody looked: no person, rule or grant asked for it. */
      readonly risks?: readonly string[];
      readonly attempts: readonly Attempt[];
      /** The images of the reply, in its order; absent where it has none. */
      readonly images?: readonly ImageDigests[];
    }
  /** An identical request of the key was answered before: no model was called. */
  | {
      readonly kind: "fromCache";
      readonly model: string;
      readonly digest: string;
      readonly cachedAt: string;
      readonly risks?: readonly string[];
    }
  /** A function call was validated and given back to whoever asked: nothing was sent. */
  | { readonly kind: "handedBack"; readonly key: string; readonly requestId: string }
  | { readonly kind: "callFailed"; readonly call: number; readonly attempts: readonly Attempt[] }
  | { readonly kind: "requestorLeft" | "requestorBack" }
  /** An identical request, whose caller waits, took this run over or took its kept reply. */
  | {
      readonly kind: "adopted";
      readonly server: string;
      readonly method: string;
      readonly name: string;
      readonly provenance: string;
      readonly endpoint: Endpoint;
      /** A digest of the session, the originating request and the request's own id. */
      readonly request: string;
    }
  | { readonly kind: "finished"; readonly outcome: string };

export type RecordEvent = {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly fact: RecordFact;
  readonly hash: string;
};

/**
 * What a provider calls its model, or why it stopped, as the record keeps it. A provider may put anything there, the prompt
 * among it, and a row has a size: what is not one word of at most 128 characters is replaced, so that the record says so.
 */
export const providersWord = (word: string): string => (/^[\w.:/@+-]{0,128}$/.test(word) ? word : "(not a name)");

/** A requestor's own id as the record keeps it: the same rule, and one that breaks it is known by its digest. */
export const idWord = (id: string): string => (providersWord(id) === id ? id : digestOf("countersign/request-id/v1", id));

/** An event as an exported record has it: its fact may be of a kind that this version does not know, and is hashed all the same. */
export type ReadEvent = Omit<RecordEvent, "fact"> & { readonly fact: RecordFact | JsonObject };

const domain = "countersign/record/v1";

/** The hash that chains an event to the one before it; `previous` is "" for a run's first event. */
export const eventHash = (previous: string, run: string, seq: number, at: number, fact: RecordFact | JsonObject): string =>
  digestOf(domain, { previous, run, seq, at, fact });

/** Chains facts onto what a run has already. */
export function chainEvents(
  run: string,
  last: { readonly seq: number; readonly hash: string } | null,
  at: number,
  facts: readonly RecordFact[],
): RecordEvent[] {
  let seq = last?.seq ?? 0;
  let hash = last?.hash ?? "";
  return facts.map((fact) => {
    seq += 1;
    hash = eventHash(hash, run, seq, at, fact);
    return { run, seq, at, fact, hash };
  });
}

/** Where a run's events, in order, first fail to follow from one another: the number of that event, or null where all do. */
export function firstBrokenEvent(events: readonly ReadEvent[]): number | null {
  let previous = "";
  for (const [index, event] of events.entries()) {
    const { run, seq, at, fact, hash } = event;
    if (seq !== index + 1 || hash !== eventHash(previous, run, seq, at, fact)) return index + 1;
    previous = hash;
  }
  return null;
}

/** An event's line in an export. The time is text there; its hash is over the milliseconds, which the text gives back. */
export const exportLine = ({ run, seq, at, fact, hash }: RecordEvent): string =>
  `${JSON.stringify({ run, seq, at: new Date(at).toISOString(), fact, hash })}\n`;

/** Whether a run's record ends with it; a refusal, and a call that was handed back, are whole with their one event. */
export const endsRecord = ({ kind }: RecordFact | JsonObject): boolean =>
  kind === "finished" || kind === "refused" || kind === "refusedMany" || kind === "handedBack";

/** What a request's line says of it: what is waited for while it is open, its outcome when it has ended. */
export const openStates = ["waiting", "generating", "responseReview"] as const;
export const endStates = ["completed", "rejected", "expired", "undeliverable", "cancelled", "failed", "refused"] as const;
export type LineState = (typeof openStates)[number] | (typeof endStates)[number];

/** One line for each request: what lists and usage are made of. */
export type RunSummary = {
  readonly run: string;
  readonly key: string;
  /** Null where a refused request could not be read as far as that. */
  readonly server: string | null;
  readonly name: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly state: LineState;
  /** Why there is no reply; null while it is open, and where there is one. */
  readonly cause: Cause | null;
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
};
