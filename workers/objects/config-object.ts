// The one writer of configuration: documents with their last versions, and API keys. KV has the
// published copies.
//
// KV has no compare-and-set, so nothing is written there first: a version is committed here, then
// published, and the alarm retries what could not be published. Others may be able to write to KV:
// each copy carries a MAC.

import {
  type ConfigCalls,
  type ConsoleSession,
  type GivenLink,
  publishedKeyPrefix,
  documentNames,
  type DocumentName,
  type StoredDiagnosis,
  type StoredDocument,
  type StoredVersion,
  type Writer,
  type WriteAnswer,
  type MadeKey,
  type StoredKey,
  type ChangeKeyAnswer,
  keyVersion,
  type Latest,
  type PushAuthorization,
  type StoredReceiptKey,
  type StoredRecordKey,
  publishedKeyName,
} from "../stubs/config-calls.ts";
import { backoffMs } from "../../shared/backoff.ts";
import { sha256Hex } from "../../shared/encoding.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { KeyChange } from "../../shared/budget/key-request.ts";
import type { ActsEnd, KeyEnder, Operator, OperatorFact } from "../../shared/record/record.ts";
import { publishedCopy, publishingMark } from "../../shared/published.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { settingsOf } from "../platform/settings.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { ConsoleSessions } from "./console-sessions.ts";
import { GivenLinks } from "./given-links.ts";
import { OperatorRecord } from "./operator-record.ts";
import { PushKey } from "./push-key.ts";
import { ReceiptKeys } from "./receipt-keys.ts";
import { RecordKey } from "./record-key.ts";
import { configSchema } from "./schema/config-schema.ts";
import { versionOf } from "./schema/schema.ts";
import { StoredObject } from "./stored-object.ts";

/** Of those that operators wrote, and of those that people wrote in their inbox. */
const versionsKept = 20;
const publishRetry = { firstMs: 2_000, mostMs: 60_000 };
/** Puts of one pass, so that a document's write does not wait for the copies of all keys. */
const mostPublishedAtOnce = 100;
/**
 * Every isolate that reads a damaged copy reports it; the copy is written again once in so long.
 */
const repairEveryMs = 60_000;

/** A key's copy has a version more than its record when it is revoked. */
const publishedKey = ({ record, revokedAt }: Pick<StoredKey, "record" | "revokedAt">): { version: number; text: string } => ({
  version: keyVersion(readJsonOf(record)) + (revokedAt === null ? 0 : 1),
  text: JSON.stringify({ record: readJsonOf(record), revokedAt }),
});

/**
 * Published where no operator has written it: without a copy in KV nothing would be sent while this
 * object cannot be reached.
 */
const builtIn: Partial<Record<DocumentName, { readonly version: number; readonly text: string }>> = {
  budgets: { version: 0, text: JSON.stringify({ version: 0, budgets: {} }) },
};

/** The sum of the documents' versions: no write lowers it. */
const versionsIn = (documents: StoredDiagnosis["documents"]): number =>
  Object.values(readJsonOf(documents)).reduce((sum, version) => sum + version, 0);

export class ConfigObject extends StoredObject implements ConfigCalls {
  readonly #alarm: ObjectAlarm;
  readonly #acts: OperatorRecord;
  readonly #recordKey: RecordKey;
  readonly #receiptKeys: ReceiptKeys;
  readonly #pushKey: PushKey;
  readonly #sessions: ConsoleSessions;
  readonly #givenLinks: GivenLinks;
  #publishing: Promise<void> = Promise.resolve();
  readonly #repairedAt = new Map<string, number>();
  /** `Latest.keys`; null: to be read. */
  #changedKeys: Latest["keys"] | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, configSchema);
    this.tables.create();
    this.#recordKey = new RecordKey(env, this.sql, ctx.id.toString());
    this.#receiptKeys = new ReceiptKeys(env, this.sql, ctx.id.toString());
    this.#pushKey = new PushKey(env, this.sql, ctx.id.toString());
    this.#acts = new OperatorRecord(env, this.sql, () => this.random());
    this.#sessions = new ConsoleSessions(this.sql);
    this.#givenLinks = new GivenLinks(this.sql);
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "config.alarmFailed" });
    void this.#alarm.restore();
    try {
      this.#publishAgainIfOutdated();
    } catch (error) {
      // An unreadable row must not stop the object; the next wake tries again.
      logEvent("config.publishFailed", { error: errorClass(error) });
    }
  }

  latest(): Latest {
    const of = (name: DocumentName): { version: number; at: number } => {
      const { version = 0, at = 0 } = this.current(name) ?? {};
      return { version, at };
    };
    const documents = {
      routing: of("routing"),
      policy: of("policy"),
      servers: of("servers"),
      issuers: of("issuers"),
      budgets: of("budgets"),
    };
    this.#changedKeys ??= Object.fromEntries(
      this.keys().flatMap(({ hash, record, revokedAt }) => {
        const version = keyVersion(readJsonOf(record));
        return version === 1 || revokedAt !== null ? [] : [[hash, version]];
      }),
    );
    return { ...documents, keys: this.#changedKeys };
  }

  current(name: DocumentName): StoredDocument | null {
    return (
      this.sql
        .exec<StoredDocument>("SELECT version, at, text FROM document WHERE name = ? ORDER BY version DESC LIMIT 1", name)
        .toArray()[0] ?? null
    );
  }

  async write(name: DocumentName, expectedVersion: number, document: string, { by, restored }: Writer): Promise<WriteAnswer> {
    const now = this.now();
    const written = this.ctx.storage.transactionSync((): WriteAnswer => {
      const current = this.current(name);
      if ((current?.version ?? 0) !== expectedVersion) {
        return { kind: "conflict", current: current ?? { version: 0, at: now, text: "null" } };
      }
      const version = expectedVersion + 1;
      const text = JSON.stringify({ ...(JSON.parse(document) as object), version });
      const writer = jsonOf<Writer>({ by, restored });
      const row = [name, version, now, text, writer];
      this.sql.exec("INSERT INTO document (name, version, at, text, writer) VALUES (?, ?, ?, ?, ?)", ...row);
      // A person's holidays push out no version that an operator may want back.
      const isOwn = `(json_extract(writer, '$.by.kind') = 'inbox')`;
      const own = by.kind === "inbox" ? 1 : 0;
      this.sql.exec(
        `DELETE FROM document WHERE name = ?1 AND ${isOwn} = ?2 AND version NOT IN
           (SELECT version FROM document WHERE name = ?1 AND ${isOwn} = ?2 ORDER BY version DESC LIMIT ?3)`,
        name,
        own,
        versionsKept,
      );
      this.#queue(name, { version, text }, now);
      const digestBefore = current === null ? null : sha256Hex(current.text);
      this.#acts.append(now, {
        kind: "documentWritten",
        by,
        document: name,
        version,
        restored,
        digestBefore,
        digestAfter: sha256Hex(text),
      });
      return { kind: "written", version };
    });
    await this.#flush();
    return written;
  }

  versions(name: DocumentName): StoredVersion[] {
    return this.sql
      .exec<{ version: number; at: number; writer: JsonOf<Writer> }>(
        "SELECT version, at, writer FROM document WHERE name = ? ORDER BY version DESC",
        name,
      )
      .toArray()
      .map(({ version, at, writer }) => ({ version, at, ...readJsonOf(writer) }));
  }

  version(name: DocumentName, version: number): StoredDocument | null {
    return (
      this.sql.exec<StoredDocument>("SELECT version, at, text FROM document WHERE name = ? AND version = ?", name, version).toArray()[0] ??
      null
    );
  }

  async addKey(id: string, hash: string, record: JsonOf<MadeKey>, by: Operator): Promise<string | null> {
    const now = this.now();
    const { name, owner = null, scopes, once } = readJsonOf(record);
    const made = this.ctx.storage.transactionSync((): string | null => {
      const [earlier] =
        once === undefined
          ? []
          : this.sql.exec<{ id: string }>("SELECT id FROM key WHERE json_extract(record, '$.once') = ?", once).toArray();
      if (earlier !== undefined) return earlier.id;
      this.sql.exec("INSERT INTO key (id, hash, record, created_at, revoked_at) VALUES (?, ?, ?, ?, NULL)", id, hash, record, now);
      this.#queue(publishedKeyName(hash), publishedKey({ record, revokedAt: null }), now);
      this.#acts.append(now, { kind: "keyMade", by, key: id, name, owner, scopes, digestAfter: sha256Hex(record) });
      return null;
    });
    await this.#flush();
    return made;
  }

  async changeKey(id: string, expectedVersion: number, change: JsonOf<KeyChange>, by: Operator): Promise<ChangeKeyAnswer> {
    const now = this.now();
    const answer = this.ctx.storage.transactionSync((): ChangeKeyAnswer => {
      const before = this.keyOfId(id);
      if (before === null) return { kind: "noSuchKey" };
      if (before.revokedAt !== null) return { kind: "revoked" };
      const was = readJsonOf(before.record);
      if (keyVersion(was) !== expectedVersion) return { kind: "conflict", record: before.record };
      const { owner, scopes, once, expiresAt, createdAt, oauthClient } = was;
      const made: MadeKey = { id, ...readJsonOf(change), owner, scopes, once, expiresAt, createdAt, oauthClient, changes: expectedVersion };
      const record = jsonOf(made);
      this.sql.exec("UPDATE key SET record = ? WHERE id = ?", record, id);
      this.#queue(publishedKeyName(before.hash), publishedKey({ record, revokedAt: null }), now);
      const [digestBefore, digestAfter] = [sha256Hex(before.record), sha256Hex(record)];
      this.#acts.append(now, { kind: "keyChanged", by, key: id, version: keyVersion(made), digestBefore, digestAfter });
      return { kind: "changed", record };
    });
    this.#changedKeys = null;
    await this.#flush();
    return answer;
  }

  keys(): StoredKey[] {
    return this.sql.exec<StoredKey>("SELECT id, hash, record, revoked_at AS revokedAt FROM key ORDER BY created_at").toArray();
  }

  findKey(hash: string): StoredKey | null {
    return this.sql.exec<StoredKey>("SELECT id, hash, record, revoked_at AS revokedAt FROM key WHERE hash = ?", hash).toArray()[0] ?? null;
  }

  keyOfId(id: string): StoredKey | null {
    return this.sql.exec<StoredKey>("SELECT id, hash, record, revoked_at AS revokedAt FROM key WHERE id = ?", id).toArray()[0] ?? null;
  }

  async revokeKey(id: string, by: KeyEnder): Promise<boolean> {
    const now = this.now();
    const found = this.ctx.storage.transactionSync(() => {
      const before = this.keyOfId(id);
      const [row] = this.sql
        .exec<StoredKey>(
          "UPDATE key SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ? RETURNING id, hash, record, revoked_at AS revokedAt",
          now,
          id,
        )
        .toArray();
      if (row === undefined) return false;
      this.#changedKeys = null;
      this.#queue(publishedKeyName(row.hash), publishedKey(row), now);
      if (before?.revokedAt === null) this.#acts.append(now, { kind: "keyRevoked", by, key: id, digestBefore: sha256Hex(row.record) });
      return true;
    });
    await this.#flush();
    return found;
  }

  async record(fact: OperatorFact): Promise<void> {
    await this.#recordWith(() => [fact]);
  }

  async giveLinks(links: readonly GivenLink[], by: Operator): Promise<void> {
    await this.#recordWith((now) => this.#givenLinks.give(links, by, now));
  }

  lastAct(): ActsEnd | null {
    return this.#acts.lastSent();
  }

  recordKey(): Promise<StoredRecordKey | null> {
    return this.#recordKey.get();
  }

  receiptKeys(): Promise<StoredReceiptKey[]> {
    return this.#receiptKeys.list(this.now());
  }

  async addReceiptKey(by: Operator): Promise<Pick<StoredReceiptKey, "kid" | "signsAt">> {
    const made = await this.#receiptKeys.add(this.now());
    await this.#recordWith(() => [{ kind: "receiptKeyMade", by, key: made.kid }]);
    return made;
  }

  async revokeReceiptKey(key: string, by: Operator): Promise<boolean> {
    if (!this.#receiptKeys.revoke(key, this.now())) return false;
    await this.#recordWith(() => [{ kind: "receiptKeyRevoked", by, key }]);
    return true;
  }

  hasPushKey(): boolean {
    return this.#pushKey.exists();
  }

  pushKey(): Promise<string> {
    return this.#pushKey.publicKey();
  }

  pushAuthorization(audience: string): Promise<PushAuthorization> {
    return this.#pushKey.authorization(audience, this.now());
  }

  async openConsoleSession(session: ConsoleSession, by: Operator): Promise<void> {
    await this.#recordWith((now) => {
      this.#sessions.open(session, now);
      return [{ kind: "signedIn", by, until: new Date(session.until).toISOString() }];
    });
  }

  consoleSession(id: string): ConsoleSession | null {
    return this.#sessions.find(id, this.now());
  }

  async endConsoleSessions(id: string | null, by: Operator): Promise<void> {
    await this.#recordWith(() => (this.#sessions.end(id) === 0 ? [] : [{ kind: "signedOut", by, everywhere: id === null }]));
  }

  keepDiagnosis(documents: StoredDiagnosis["documents"], checks: StoredDiagnosis["checks"]): void {
    // Two visits may overlap, and the earlier one end last.
    const known = this.diagnosis();
    if (known !== null && versionsIn(known.documents) > versionsIn(documents)) return;
    const statement = "INSERT OR REPLACE INTO doctor_report (one, at, documents, checks) VALUES (1, ?, ?, ?)";
    this.sql.exec(statement, this.now(), documents, checks);
  }

  diagnosis(): StoredDiagnosis | null {
    return this.sql.exec<StoredDiagnosis>("SELECT at, documents, checks FROM doctor_report").toArray()[0] ?? null;
  }

  /** What changes the tables of this object, and its events, in one commit. */
  async #recordWith(change: (now: number) => readonly OperatorFact[]): Promise<void> {
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      const facts = change(now);
      if (facts.length === 0) return;
      for (const fact of facts) this.#acts.append(now, fact);
      void this.ctx.storage.setAlarm(now + publishRetry.firstMs);
    });
    await this.#acts.send(() => this.now());
    this.#alarm.arm();
  }

  async repair(kvKey: string): Promise<void> {
    const now = this.now();
    if (now - (this.#repairedAt.get(kvKey) ?? -repairEveryMs) < repairEveryMs) return;
    const known = this.#published(kvKey);
    if (known === null) return;
    this.#repairedAt.set(kvKey, now);
    this.#queue(kvKey, known, now);
    await this.#publish();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(() => this.#flush());
  }

  async sweep(): Promise<void> {
    await this.alarm();
  }

  /**
   * Publishes everything anew after a change of LINK_KEY or of the version, which may have changed
   * what is published.
   */
  #publishAgainIfOutdated(): void {
    const mark = `${publishingMark(settingsOf(this.env).keys)} ${versionOf(configSchema)}`;
    this.ctx.storage.transactionSync(() => {
      const [row] = this.sql.exec<{ mark: string }>("SELECT mark FROM published_with").toArray();
      if (row?.mark === mark) return;
      this.sql.exec("INSERT OR REPLACE INTO published_with (one, mark) VALUES (1, ?)", mark);
      const names = [...documentNames, ...this.keys().map(({ hash }) => publishedKeyName(hash))];
      for (const name of names) {
        const known = this.#published(name);
        if (known !== null) this.#queue(name, known, this.now());
      }
    });
  }

  /** The version that KV is to have under this name; null where there is none. */
  #published(kvKey: string): { version: number; text: string } | null {
    const name = documentNames.find((each) => each === kvKey);
    if (name !== undefined) return this.current(name) ?? builtIn[name] ?? null;
    const key = kvKey.startsWith(publishedKeyPrefix) ? this.findKey(kvKey.slice(publishedKeyPrefix.length)) : null;
    return key === null ? null : publishedKey(key);
  }

  #queue(kvKey: string, published: { version: number; text: string }, now: number): void {
    const value = publishedCopy(settingsOf(this.env).keys, kvKey, published);
    this.sql.exec("INSERT OR REPLACE INTO unpublished (kv_key, value, attempts, due_at) VALUES (?, ?, 0, ?)", kvKey, value, now);
    // In the same commit, so that a version is published even after a crash before the first
    // attempt.
    void this.ctx.storage.setAlarm(now + publishRetry.firstMs);
  }

  /** Sends what was committed to KV and to the ledger. */
  async #flush(): Promise<void> {
    await Promise.all([this.#publish(), this.#acts.send(() => this.now())]);
    this.#alarm.arm();
  }

  /** One at a time: of two concurrent writes of one name, KV keeps either. */
  #publish(): Promise<void> {
    const next = this.#publishing.catch(() => {}).then(() => this.#publishDue());
    this.#publishing = next;
    return next;
  }

  async #publishDue(): Promise<void> {
    const rows = this.sql
      .exec<{ kv_key: string; value: string; attempts: number }>(
        // Documents first: a gate may depend on them, and a key that KV does not show yet is found
        // here.
        "SELECT kv_key, value, attempts FROM unpublished WHERE due_at <= ? ORDER BY kv_key LIKE 'key:%', due_at LIMIT ?",
        this.now(),
        mostPublishedAtOnce,
      )
      .toArray();
    for (const { kv_key: kvKey, value, attempts } of rows) {
      try {
        await this.env.CONFIG.put(kvKey, value);
        this.sql.exec("DELETE FROM unpublished WHERE kv_key = ? AND value = ?", kvKey, value);
      } catch (error) {
        logEvent("config.publishFailed", { attempt: attempts, error: errorClass(error) });
        const wait = backoffMs(publishRetry, attempts, this.random());
        this.sql.exec("UPDATE unpublished SET attempts = attempts + 1, due_at = ? WHERE kv_key = ?", this.now() + wait, kvKey);
      }
    }
    this.#alarm.arm();
  }

  #nextDue(): number | null {
    const { at } = this.sql.exec<{ at: number | null }>("SELECT MIN(due_at) AS at FROM unpublished").one();
    const act = this.#acts.nextDue();
    return at === null || act === null ? (at ?? act) : Math.min(at, act);
  }
}
