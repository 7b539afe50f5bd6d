// The calls of the ConfigObject and their values. It imports no object.

import type { KeyChange, KeyRequest } from "../../shared/budget/key-request.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";
import type { Gate } from "../../shared/model/gate.ts";
import type { ActsEnd, KeyEnder, Operator, OperatorFact } from "../../shared/record/record.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";

export const documentNames = ["routing", "policy", "servers", "issuers", "budgets"] as const;

export type DocumentName = (typeof documentNames)[number];

export type StoredDocument = { readonly version: number; readonly at: number; readonly text: string };

/** Who writes a document, and which old version it is, where one is restored. */
export type Writer = { readonly by: Operator; readonly restored: number | null };

/** A version without its text. */
export type StoredVersion = Writer & { readonly version: number; readonly at: number };

export type WriteAnswer =
  | { readonly kind: "written"; readonly version: number }
  | { readonly kind: "conflict"; readonly current: StoredDocument };

/**
 * A session of the console. `id` is a digest of its secret, `fingerprint` tells which admin token
 * opened it, `until` is Unix milliseconds.
 */
export type ConsoleSession = { readonly id: string; readonly fingerprint: string; readonly until: number };

/** A key as it was made. */
export type MadeKey = KeyRequest & {
  readonly id: string;
  readonly createdAt: number;
  /**
   * Made for a client that its owner let in by OAuth and that has the key's name. The key itself is
   * nobody's: an access token stands for it. `host`: where the client's metadata came from; null
   * for one that registered itself. `address`: the digest of its owner's address then; absent where
   * it was not kept.
   */
  readonly oauthClient?: { readonly host: string | null; readonly address?: string | undefined } | undefined;
  /** How often it was changed since; absent: never. */
  readonly changes?: number | undefined;
};

/** The version of a key's record: 1 as it was made. */
export const keyVersion = ({ changes = 0 }: Pick<MadeKey, "changes">): number => 1 + changes;

export type ChangeKeyAnswer =
  | { readonly kind: "changed"; readonly record: JsonOf<MadeKey> }
  | { readonly kind: "conflict"; readonly record: JsonOf<MadeKey> }
  | { readonly kind: "noSuchKey" | "revoked" };

export type StoredKey = { readonly id: string; readonly hash: string; readonly record: JsonOf<MadeKey>; readonly revokedAt: number | null };

/** `fix`: something does not work. `note`: it works, and an operator should know. */
export type Check = {
  readonly check: string;
  readonly state: "good" | "note" | "fix";
  readonly text: string;
  /** `check` before it is in English; absent where it is the name of a variable or a channel. */
  readonly title?: DoctorPhrase;
  readonly says: DoctorPhrase;
};

export type DocumentVersions = Readonly<Record<DocumentName, number>>;

/** What the doctor found of these documents, and when it was stored, in Unix milliseconds. */
export type StoredDiagnosis = {
  readonly at: number;
  readonly documents: JsonOf<DocumentVersions>;
  readonly checks: JsonOf<readonly Check[]>;
};

/** Version 0, written at 0, where none was ever written. */
export type Latest = Readonly<Record<DocumentName, { readonly version: number; readonly at: number }>> & {
  /** The versions of the accepted keys that were changed since they were made, by their hashes. */
  readonly keys: Readonly<Record<string, number>>;
};

/** The name in KV of a copy of a key's record: this, and the hash of the key. */
export const publishedKeyPrefix = "key:";

export const publishedKeyName = (hash: string): string => `${publishedKeyPrefix}${hash}`;

/** A reviewer's link by its id, and the review that it opens. */
export type GivenLink = { readonly id: string; readonly run: string; readonly gate: Gate; readonly reviewer: string };

/** As base64url: 32 bytes, and PKCS #8. */
export type StoredRecordKey = { readonly publicKey: string; readonly secret: string };

/**
 * A key of receipts. `secret`: PKCS #8; null where it is revoked, or CONTENT_KEY does not open it.
 */
export type StoredReceiptKey = {
  readonly kid: string;
  readonly x: string;
  readonly y: string;
  readonly secret: string | null;
  readonly madeAt: number;
  readonly signsAt: number;
  readonly revokedAt: number | null;
};

/** For one push service. `header`: the value of `Authorization`. `until`: Unix milliseconds. */
export type PushAuthorization = { readonly header: string; readonly publicKey: string; readonly until: number };

export interface ConfigCalls extends Rpc.DurableObjectBranded {
  /** The current version of each document, and when it was written. */
  latest(): Latest;
  /** The current version, or null where none was ever written. */
  current(name: DocumentName): StoredDocument | null;
  /**
   * Replaces a document whole, if `expectedVersion` is still the current one (0: there is none
   * yet).
   * @param document The document as it is to be served, without its version, which the object adds.
   */
  write(name: DocumentName, expectedVersion: number, document: string, writer: Writer): Promise<WriteAnswer>;
  /** The last versions, newest first. */
  versions(name: DocumentName): StoredVersion[];
  version(name: DocumentName, version: number): StoredDocument | null;
  /**
   * Adds a key. `hash` is the SHA-256 of the key, which is not stored. Where a key has the same
   * `once` already, nothing is added, and that key's id is returned.
   */
  addKey(id: string, hash: string, record: JsonOf<MadeKey>, by: Operator): Promise<string | null>;
  /**
   * Changes a key's record, if `expectedVersion` is still the current one.
   * @param change What can be changed, whole.
   */
  changeKey(id: string, expectedVersion: number, change: JsonOf<KeyChange>, by: Operator): Promise<ChangeKeyAnswer>;
  keys(): StoredKey[];
  /** For a key whose own MAC is genuine and that KV does not show yet. */
  findKey(hash: string): StoredKey | null;
  /** For a caller with an issuer's token, which stands for a key by its id. */
  keyOfId(id: string): StoredKey | null;
  /**
   * Revokes a key; false where there is none of this id. A key that is revoked already stays as it
   * is.
   */
  revokeKey(id: string, by: KeyEnder): Promise<boolean>;
  /**
   * Records an operator's action outside this object, done or about to be done. It is committed
   * when this returns.
   */
  record(fact: OperatorFact): Promise<void>;
  /**
   * Records which of these links this operator is given for the first time. It is committed when
   * this returns.
   */
  giveLinks(links: readonly GivenLink[], by: Operator): Promise<void>;
  /**
   * The last of operators' actions that the ledger has, and the log's tree then; null before the
   * first.
   */
  lastAct(): ActsEnd | null;
  /**
   * The key with which checkpoints of the record are signed; made when it is first asked for. Null
   * where CONTENT_KEY does not open it.
   */
  recordKey(): Promise<StoredRecordKey | null>;
  /** The keys of receipts, the newest first; one is made where none can sign. */
  receiptKeys(): Promise<StoredReceiptKey[]>;
  /** Makes the key that signs receipts next. */
  addReceiptKey(by: Operator): Promise<Pick<StoredReceiptKey, "kid" | "signsAt">>;
  /** Revokes a key of receipts; false where there is none of this id. */
  revokeReceiptKey(kid: string, by: Operator): Promise<boolean>;
  /** Whether the key of push messages was ever asked for. */
  hasPushKey(): boolean;
  /** The public key by which push services know the gateway; made when it is first asked for. */
  pushKey(): Promise<string>;
  /** Says to the push service of this origin that a message comes from the gateway (RFC 8292). */
  pushAuthorization(audience: string): Promise<PushAuthorization>;
  /** Signs somebody in to the console, and records it. */
  openConsoleSession(session: ConsoleSession, by: Operator): Promise<void>;
  /** The session while it lasts; null for any other. */
  consoleSession(id: string): ConsoleSession | null;
  /** Ends one session, or all of them (null), and records it where any ended. */
  endConsoleSessions(id: string | null, by: Operator): Promise<void>;
  /**
   * Stores what the doctor found, in place of what it found before, unless that is of later
   * versions of the documents.
   */
  keepDiagnosis(documents: StoredDiagnosis["documents"], checks: StoredDiagnosis["checks"]): void;
  /** What the doctor found last; null where it was never asked. */
  diagnosis(): StoredDiagnosis | null;
  /**
   * Publishes a document or key to KV again, where its copy was found missing, damaged or older; at
   * most once a minute each.
   */
  repair(kvKey: string): Promise<void>;
  /**
   * For the gateway's sweep: publishes and records what is still pending, even where the alarm was
   * lost.
   */
  sweep(): Promise<void>;
}
