// The record: what was asked, decided, sent, spent and delivered in a run, what was refused, and
// what operators did. Each event is chained to the one before. It has ids, names, digests and
// numbers, never a prompt, a reply, a reviewer's words, a token or a key.

import type { Gate } from "../model/gate.ts";
import type { KnownBy } from "../receipt/known.ts";
import type { PasskeyProof } from "../receipt/passkey-proof.ts";
import { type JsonObject, digestOf } from "../encoding.ts";
import type { LoginAccount } from "../credential/login-account.ts";
import type { JudgedNames, JudgedRecord } from "../model/judged-request.ts";
import type { ImageDigests } from "../image/image-digests.ts";
import type { BudgetLimit } from "../budget/budgets.ts";
import type { StandIn } from "../policy/evaluate.ts";
import type { JurorVerdict } from "../policy/juror.ts";
import type { StopReach } from "../policy/stops.ts";
import type { Attempt, Note, StopScope, Took, Usage } from "../model/call.ts";
import type { Refusal } from "../model/outcome.ts";
import type { RefusalFact } from "./refusal-fact.ts";

/** `fingerprint` tells admin tokens apart and does not reveal one. */
export type Operator =
  | { readonly kind: "adminToken"; readonly fingerprint: string }
  /** Signed in by Cloudflare Access. */
  | { readonly kind: "access"; readonly email: string }
  /** Signed in at an issuer of the issuers document, which has this name there. */
  | { readonly kind: "issuer"; readonly issuer: string; readonly email: string }
  /** A reviewer, signed in to their inbox: for what is their own. */
  | { readonly kind: "inbox"; readonly email: string };

/** Who ends a key. `connection`: its client or its tokens, of a key that came of OAuth. */
export type KeyEnder = Operator | { readonly kind: "connection" };

/** What an operator did. Digests are of documents and keys as stored. */
export type OperatorFact =
  | {
      readonly kind: "documentWritten";
      readonly by: Operator;
      readonly document: string;
      readonly version: number;
      /** The old version that was restored, if one was. */
      readonly restored: number | null;
      /** Null where the built-in document was in force. */
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
  /** `version`: of its record, from 1 when it was made. */
  | {
      readonly kind: "keyChanged";
      readonly by: Operator;
      readonly key: string;
      readonly version: number;
      readonly digestBefore: string;
      readonly digestAfter: string;
    }
  | { readonly kind: "keyRevoked"; readonly by: KeyEnder; readonly key: string; readonly digestBefore: string }
  /**
   * Written before any of it counts. `server`: null for every server. `tool`: absent for each of
   * its tools. `reason`: the operator's words. `until`: ISO 8601.
   */
  | {
      readonly kind: "bypassGiven";
      readonly by: Operator;
      readonly key: string;
      readonly server: string | null;
      readonly tool?: string;
      readonly reason?: string;
      readonly grant: string;
      readonly until: string;
    }
  /** Written before the grant is revoked. */
  | { readonly kind: "grantRevoked"; readonly by: Operator; readonly key: string; readonly grant: string }
  /** Written before the sessions end. */
  | { readonly kind: "inboxSessionsEnded"; readonly by: Operator; readonly reviewer: string }
  /**
   * A reviewer added one to their inbox. Written before it counts. `publicKey`: a COSE key, by
   * which its assertions can be checked.
   */
  | {
      readonly kind: "passkeyAdded";
      readonly by: Operator;
      readonly reviewer: string;
      readonly passkey: string;
      readonly publicKey: string;
    }
  /** Written before it counts no more. */
  | { readonly kind: "passkeyRemoved"; readonly by: Operator; readonly reviewer: string; readonly passkey: string }
  /** `run`: null for the whole record. */
  | { readonly kind: "recordExported"; readonly by: Operator; readonly run: string | null }
  | { readonly kind: "doctorAsked"; readonly by: Operator }
  /** A test message to a reviewer. `state`: `sent`, or the kind of error. */
  | { readonly kind: "channelTested"; readonly by: Operator; readonly reviewer: string; readonly channel: string; readonly state: string }
  /** They read a reviewer's link at GET /admin/notices, for the first time. */
  | { readonly kind: "linkGiven"; readonly by: Operator; readonly run: string; readonly gate: Gate; readonly reviewer: string }
  /** To the console, by the admin token. `until`: ISO 8601. */
  | { readonly kind: "signedIn"; readonly by: Operator; readonly until: string }
  | { readonly kind: "signedOut"; readonly by: Operator; readonly everywhere: boolean }
  /**
   * Written before it takes effect. `of`: the server's name or the key's id; null for everything.
   */
  | { readonly kind: "stopped" | "resumed"; readonly by: Operator; readonly scope: StopScope; readonly of: string | null }
  /** An operator's word on one definition of a server's tool. Written before it takes effect. */
  | {
      readonly kind: "toolAccepted" | "toolHidden";
      readonly by: Operator;
      readonly server: string;
      readonly tool: string;
      readonly digest: string;
    }
  | { readonly kind: "receiptKeyMade" | "receiptKeyRevoked"; readonly by: Operator; readonly key: string }
  /**
   * A server listed new definitions of its tools: `count` of them, of which `tools` names the
   * first. `isHeld`: clients do not see them until an operator accepts them.
   */
  | {
      readonly kind: "toolsChanged";
      readonly server: string;
      readonly tools: readonly string[];
      readonly count: number;
      readonly isHeld: boolean;
    }
  /**
   * So much of a budget is used. Nobody did that: it stands among what operators did because it is
   * theirs.
   */
  | (BudgetLimit & {
      readonly kind: "budgetReached";
      /** The beginning of the day or month: ISO 8601. */
      readonly since: string;
      readonly percent: number;
    });

/** A kind that is missing here does not compile. */
const ofOperators: Readonly<Record<OperatorFact["kind"], true>> = {
  documentWritten: true,
  keyMade: true,
  keyChanged: true,
  keyRevoked: true,
  bypassGiven: true,
  grantRevoked: true,
  inboxSessionsEnded: true,
  passkeyAdded: true,
  passkeyRemoved: true,
  recordExported: true,
  doctorAsked: true,
  channelTested: true,
  linkGiven: true,
  signedIn: true,
  signedOut: true,
  stopped: true,
  resumed: true,
  toolAccepted: true,
  toolHidden: true,
  receiptKeyMade: true,
  receiptKeyRevoked: true,
  toolsChanged: true,
  budgetReached: true,
};

/** Every kind of what operators do: what lists filter by. */
export const actKinds = Object.keys(ofOperators) as readonly OperatorFact["kind"][]; // its own names

export type Endpoint = "sampling" | "relay" | "control" | "v1" | "approvals";

/** What a reviewer did at a gate. */
type ByReviewer = { readonly gate: Gate; readonly by: string; readonly channel: string };
type ByEdit = ByReviewer & { readonly version: number; readonly digestBefore: string; readonly digestAfter: string };

/** The client request that is served, and how that is known. */
type Serving = { readonly server: string; readonly method: string; readonly name: string; readonly provenance: string };

/** A log's tree: how many entries it has, and its root as base64url. */
export type TreeHead = { readonly size: number; readonly root: string };

/**
 * The end of a month's acts, and the tree of their log when it had them; null where that is not
 * known yet.
 */
export type ActsEnd = { readonly run: string; readonly seq: number; readonly tree: TreeHead | null };

/** What is known of a request from its beginning, where nothing more is. */
export type BegunFacts = {
  /** The API key's id. */
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly server: string;
  readonly method: string;
  readonly name: string;
  /** The requestor's id of the request. */
  readonly requestId?: string;
};

/** Those of the reviewers who are asked in place of somebody on holiday. */
type WithStandIns = { readonly standIns?: readonly StandIn[] };

export type RecordFact =
  | OperatorFact
  /** The first event of a month of operators' acts: the end of the month before. */
  | ({ readonly kind: "continued" } & ActsEnd)
  /** The whole record of a refused request of a known key. What could not be read is null. */
  | {
      readonly kind: "refused";
      readonly key: string;
      readonly endpoint: Endpoint;
      readonly server: string | null;
      readonly method: string | null;
      readonly name: string | null;
      /** The requestor's id of the request. */
      readonly requestId?: string;
      readonly reason: RefusalFact;
      /** What the rules judged it by, where they refused it. */
      readonly judged?: JudgedRecord & JudgedNames;
    }
  /** A token for `/v1` was made: for one client request of a server, in the place of the key. */
  | (Serving & {
      readonly kind: "tokenMade";
      readonly token: string;
      readonly key: string;
      readonly endpoint: Endpoint;
      /** Null: every model that the key may use. */
      readonly models: readonly string[] | null;
      readonly maxUsd: number;
      /** ISO 8601. */
      readonly expiresAt: string;
    })
  /** Further refusals of one key for one reason within a minute, counted in one event. */
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
  /**
   * A reviewer's link was opened for the first time: by the reviewer, or by a program that reads
   * their email.
   */
  | { readonly kind: "opened"; readonly gate: Gate; readonly reviewer: string; readonly channel: string; readonly version: number }
  | (Serving & {
      readonly kind: "received";
      readonly key: string;
      /** At the relay: how the served request was found, in words. */
      readonly association?: string;
      /** Of a call that is sent with its owner's own login: whose account it is, and where. */
      readonly account?: LoginAccount;
      readonly endpoint: string;
      /** The requestor's id of the request. */
      readonly requestId?: string;
      readonly requestDigest: string;
      readonly rule: string;
      readonly requestGate: string;
      readonly responseGate: string;
      /**
       * The lowest risk of the reply that closes the response gate; absent where the rule has none.
       */
      readonly replyRisk?: string;
      /**
       * Who is asked where a gate is closed or the reply's risk may close one, and how many must
       * approve.
       */
      readonly asked?: { readonly reviewers: readonly string[]; readonly quorum: number };
      /** What a rule in shadow would have done. */
      readonly shadow?: {
        readonly rule: string;
        readonly request: string;
        readonly response: string;
        readonly reviewers: readonly string[];
        readonly quorum: number;
      };
      /** What the rules judged it by. */
      readonly judged: JudgedRecord;
      readonly models: readonly string[];
      readonly risks: readonly string[];
      readonly contextIgnored: string | null;
      /** An earlier attempt at the same request vanished and may have paid for a model call. */
      readonly takenOver: boolean;
      /** The images of the request, in its order; absent where it has none. */
      readonly images?: readonly ImageDigests[];
    })
  | (WithStandIns & {
      readonly kind: "reviewOpened";
      readonly gate: Gate;
      readonly version: number;
      readonly digest: string;
      readonly reviewers: readonly string[];
      /** ISO 8601, as every time in a fact. */
      readonly deadlineAt: string;
    })
  | {
      readonly kind: "noticed";
      readonly gate: Gate;
      readonly channel: string;
      readonly reviewer: string;
      readonly why: string;
      /** `sent`, or the kind of error. */
      readonly state: string;
    }
  /** More reviewers are asked: by a hand-over, an escalation, or an operator. */
  | (WithStandIns & {
      readonly kind: "askedAlso";
      readonly gate: Gate;
      readonly reviewers: readonly string[];
      readonly why: string;
      readonly by?: Operator;
    })
  /** An operator had this reviewer's notices sent again. */
  | { readonly kind: "sentAgain"; readonly gate: Gate; readonly reviewer: string; readonly by: Operator }
  /** A reviewer ended the grant that they had given. */
  | (ByReviewer & { readonly kind: "grantUndone"; readonly grant: string })
  /** With their denial they stopped the calls of its tool. `until`: ISO 8601. */
  | (ByReviewer & { readonly kind: "toolStopped"; readonly tool: string; readonly reach: StopReach; readonly until: string })
  /** They let them go on. */
  | (ByReviewer & { readonly kind: "toolResumed"; readonly tool: string })
  | (ByReviewer & { readonly kind: "handedOver"; readonly to: string })
  | (ByReviewer & { readonly kind: "declined" })
  | { readonly kind: "linkRenewed"; readonly gate: Gate; readonly channel: string; readonly reviewer: string }
  | (ByEdit & { readonly kind: "edited" })
  /**
   * Rules of the policy masked parts of the request or the reply: how often each, and what it took
   * them for.
   */
  | {
      readonly kind: "redacted";
      readonly gate: Gate;
      readonly rules: readonly { readonly rule: string; readonly label: string; readonly count: number }[];
    }
  /**
   * The key of the run's content is not set: the run ended, and what cannot be read was deleted.
   */
  | { readonly kind: "contentUnreadable" }
  /** A reviewer put back one part that a rule had masked. */
  | (ByEdit & { readonly kind: "redactionLifted"; readonly rule: string; readonly label: string })
  /**
   * A reviewer wrote a reply in the model's place. `reply`: its digest. `digestAfter` is what the
   * request gate then decides.
   */
  | (ByEdit & { readonly kind: "replyWritten"; readonly reply: string; readonly risks: readonly string[] })
  | (ByReviewer & {
      /** `dismissed`: a form was put away without an answer. */
      readonly kind: "voted" | "approved" | "denied" | "dismissed";
      /** How the gateway knew them; absent in older records. */
      readonly known?: KnownBy;
      /** What their passkey signed, where the rule wants one. */
      readonly passkey?: PasskeyProof;
      readonly version: number;
      readonly digest: string;
      readonly reasonGiven: boolean;
      /**
       * The member who pressed the button, where the reviewer is a room such as a Slack channel.
       */
      readonly member?: string;
      /**
       * Nobody pressed a button at this gate: the reviewer wrote the reply, and writing it was
       * their approval of it.
       */
      readonly byWriting?: true;
    })
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
  /** The juror of the rule let the call pass, or had people asked. */
  | ({ readonly kind: "jurorDecided" } & JurorVerdict)
  /** A grant that reviewer `by` gave earlier opened the gate. */
  /** `bypass`: an operator's. */
  | { readonly kind: "grantUsed"; readonly gate: Gate; readonly grant: string; readonly by: string; readonly bypass?: true }
  | { readonly kind: "expired" | "undeliverable"; readonly gate: Gate }
  /** `by`: the operator who cancelled it, if one did. */
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
      /** The kinds found in the reply; absent where no reviewer, rule or grant needed the check. */
      readonly risks?: readonly string[];
      /** The failed ones. */
      readonly attempts: readonly Attempt[];
      /** When the one that succeeded began, and how long it took. */
      readonly took: Took;
      /** The images of the reply, in its order; absent where it has none. */
      readonly images?: readonly ImageDigests[];
    }
  /** The reply came from the cache: no model was called. */
  | {
      readonly kind: "fromCache";
      readonly model: string;
      readonly digest: string;
      readonly cachedAt: string;
      readonly risks?: readonly string[];
    }
  /** A function call was validated and returned to the client: nothing was sent. */
  | { readonly kind: "handedBack"; readonly key: string; readonly requestId: string }
  | { readonly kind: "callFailed"; readonly call: number; readonly attempts: readonly Attempt[] }
  /**
   * The gateway was cut off before it wrote what became of the request: its caller may have its
   * answer, and a model may have been paid. `reservedAt`: when it came, in ISO 8601.
   */
  | (BegunFacts & { readonly kind: "outcomeUnknown"; readonly reservedAt: string })
  | { readonly kind: "requestorLeft" | "requestorBack" }
  /** An identical request, whose caller waits, took over this run or its stored reply. */
  | (Serving & {
      readonly kind: "adopted";
      readonly endpoint: Endpoint;
      /** A digest of the session, the originating request and the request's own id. */
      readonly request: string;
    })
  | { readonly kind: "finished"; readonly outcome: string };

export type RecordEvent = {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly fact: RecordFact;
};

/**
 * A provider's model name or finish reason for the record. A provider may put anything there, even
 * the prompt, and a row has a size: anything but one word of at most 128 characters is replaced by
 * "(not a name)".
 */
export const providersWord = (word: string): string => (/^[\w.:/@+-]{0,128}$/.test(word) ? word : "(not a name)");

/** A requestor's id for the record: by the same rule, and its digest where it breaks the rule. */
export const idWord = (id: string): string => (providersWord(id) === id ? id : digestOf("countersign/request-id/v1", id));

/** An event of an exported record, whose fact may be of a kind that this version does not know. */
export type ReadEvent = Omit<RecordEvent, "fact"> & { readonly fact: RecordFact | JsonObject };

/** The next events of a run. `last`: its last event, or null. */
export function numberEvents(run: string, last: Pick<RecordEvent, "seq"> | null, at: number, facts: readonly RecordFact[]): RecordEvent[] {
  const before = last?.seq ?? 0;
  return facts.map((fact, index) => ({ run, seq: before + 1 + index, at, fact }));
}

/**
 * The number (from 1) of the first event of a run that is not there or not in its place; null where
 * all are.
 */
export function firstGap(events: readonly Pick<RecordEvent, "run" | "seq">[]): number | null {
  const index = events.findIndex(({ run, seq }, place) => seq !== place + 1 || run !== events[0]?.run);
  return index < 0 ? null : index + 1;
}

/** An event as it leaves the gateway. Its time is ISO 8601. */
export const exportedEvent = <Fact extends ReadEvent["fact"]>({
  run,
  seq,
  at,
  fact,
}: Omit<ReadEvent, "fact"> & { readonly fact: Fact }) => ({ run, seq, at: new Date(at).toISOString(), fact });

export const exportLine = (event: ReadEvent): string => `${JSON.stringify(exportedEvent(event))}\n`;

/**
 * Whether a record ends with this fact. A refusal and a call that was handed back have one event.
 */
export const endsRecord = ({ kind }: RecordFact | JsonObject): boolean =>
  kind === "finished" || kind === "refused" || kind === "refusedMany" || kind === "handedBack" || kind === "outcomeUnknown";

export const openStates = ["waiting", "generating", "responseReview"] as const;
export const endStates = ["completed", "rejected", "expired", "undeliverable", "cancelled", "failed", "refused"] as const;
export type LineState = (typeof openStates)[number] | (typeof endStates)[number];
