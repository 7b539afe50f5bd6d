// The tables of one run, which RunObject reads and writes. It decides nothing. They are
// described in objects/schema/run-schema.ts.
//
// What nearly every step reads is read once while the object is awake and kept in memory, as it is
// in the tables: the state, the input, the outbox, the schedule and the record. Each change is
// written first, and where a transaction fails, all of it is read again.

import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { LinkRow } from "../../../channels/channel.ts";
import type { Attempt } from "../../../../shared/model/call.ts";
import type { Outcome } from "../../../../shared/model/outcome.ts";
import type { ModelFacts } from "../../../../shared/run/present.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { digestOf, toBase64url } from "../../../../shared/encoding.ts";
import type { Redaction } from "../../../../shared/redaction/redact.ts";
import type { ShownVersion } from "../../../../shared/review/view.ts";
import type { RunState } from "../../../../shared/run/lifecycle.ts";
import type { RequestRef, RunInput } from "../../../../shared/run/run-input.ts";
import { type CachedReply, type RelayedRequest, type StoredWork, cacheOf, withCached } from "../../../../shared/run/work.ts";
import type { RequestVersion, SubjectReply } from "../../../../shared/model/subject/subject.ts";
import type { ToolCall } from "../../../../shared/model/subject/tool-call.ts";
import type { KeptRound } from "../../../stubs/inside-relay.ts";
import type { ContentSeal } from "../../content-seal.ts";
import { LongTexts } from "../../long-text.ts";
import type { ObjectTables } from "../../object-tables.ts";
import { runTables } from "../../schema/run-schema.ts";
import { EventRows } from "./event-rows.ts";
import { OutboxRows } from "./outbox-rows.ts";
import { ScheduleRows } from "./schedule-rows.ts";

/**
 * The input without the request, which is stored as the first version of the content, without the
 * message that it came in, and without what was masked in it and what a juror wrote of it.
 */
export type StoredInput = Omit<RunInput, "request" | "redacted" | "work"> & { readonly work: StoredWork };

type NewLink = Pick<LinkRow, "gate" | "reviewer" | "channel" | "expiresAtSeconds" | "receipt"> & {
  readonly random: Uint8Array;
  readonly createdAt: number;
};

/** The content by name: each text is the JSON of such a value. */
type Texts = {
  readonly input: StoredInput;
  readonly cached: CachedReply;
  readonly outcome: Outcome;
  readonly lastCall: ToolCall;
  readonly jurorReason: string;
  readonly relayed: RelayedRequest;
  readonly passed: string;
  readonly round: KeptRound;
  readonly model: ModelFacts & { readonly attempts?: readonly Attempt[] };
  readonly [request: `request:${number}`]: RequestVersion;
  readonly [reply: `reply:${number}`]: SubjectReply;
  readonly [written: `written:${number}`]: SubjectReply;
} & { readonly [Name in `redaction:${Gate}`]: Redaction };

type Delivery = { readonly at: number; readonly to: number };
type RunRow = { readonly state: RunState; readonly delivery: Delivery | null; readonly isRequestorGone: boolean };
type StoredRunRow = { state: string; delivered_at: number | null; delivered_to: number | null; requestor_gone: number };

export class RunStore {
  readonly #storage: DurableObjectStorage;
  readonly #tables: ObjectTables;
  readonly #sql: SqlStorage;
  readonly #texts: LongTexts;
  readonly #seal: ContentSeal;
  readonly outbox: OutboxRows;
  readonly schedule: ScheduleRows;
  readonly events: EventRows;

  #created: boolean;
  // In memory; undefined: to be read.
  #run: RunRow | null | undefined;
  #input: StoredInput | null | undefined;

  readonly #rolledBack: () => void;

  /** @param rolledBack Called where a transaction fails, or all is deleted. */
  constructor(storage: DurableObjectStorage, tables: ObjectTables, seal: ContentSeal, rolledBack: () => void) {
    this.#storage = storage;
    this.#tables = tables;
    this.#seal = seal;
    this.#rolledBack = rolledBack;
    this.#sql = storage.sql;
    this.#texts = new LongTexts(this.#sql, "content", seal);
    this.outbox = new OutboxRows(this.#sql, () => this.#created);
    this.schedule = new ScheduleRows(this.#sql, () => this.#created);
    this.events = new EventRows(this.#sql);
    this.#created = this.#hasTables();
  }

  #forgetMemory(): void {
    this.#run = undefined;
    this.#input = undefined;
    this.outbox.forget();
    this.schedule.forget();
    this.events.forget();
    this.#rolledBack();
  }

  #hasTables(): boolean {
    // Not where it is one that keeps a parked request.
    return this.#tables.exist && this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run'").toArray().length > 0;
  }

  /** The tables are created with the run: asking for an unknown run writes nothing. */
  createTables(): void {
    this.#tables.create(runTables);
    this.#created = true;
  }

  async deleteAll(): Promise<void> {
    try {
      const deleted = this.#tables.deleteAll();
      this.#created = false;
      this.#forgetMemory();
      await deleted;
    } catch (error) {
      this.#created = this.#hasTables();
      throw error;
    }
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work);
    } catch (error) {
      // What was written inside is rolled back, tables that were created too.
      this.#tables.lookAgain();
      this.#created = this.#hasTables();
      this.#forgetMemory();
      throw error;
    }
  }

  // The run itself

  /** Whether there is a run, readable or not. */
  exists(): boolean {
    return this.#created;
  }

  /**
   * Whether there is content whose key is not set: nothing of this run can be shown, sent or
   * delivered any more.
   */
  isUnreadable(): boolean {
    return this.#created && this.#texts.unreadable().length > 0;
  }

  /** Deletes what cannot be read. */
  deleteUnreadable(): void {
    for (const name of this.#texts.unreadable()) this.#texts.delete(name);
  }

  #row(): RunRow | null {
    if (!this.#created) return null;
    if (this.#run === undefined) {
      const [row] = this.#sql.exec<StoredRunRow>("SELECT state, delivered_at, delivered_to, requestor_gone FROM run").toArray();
      this.#run = row === undefined ? null : readRunRow(row, this.#seal);
    }
    return this.#run;
  }

  state(): RunState | null {
    return this.#row()?.state ?? null;
  }

  writeState(state: RunState): void {
    const before = this.#row();
    this.#sql.exec(
      "INSERT INTO run (one, state) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET state = excluded.state",
      JSON.stringify(state, (name, value: unknown) => (isWord(name, value) ? this.#seal.sealText(value, stateWords) : value)),
    );
    this.#run = { delivery: null, isRequestorGone: false, ...before, state };
  }

  /**
   * When the outcome was delivered, and to how many requestors; null while it may not be delivered.
   */
  delivery(): Delivery | null {
    return this.#row()?.delivery ?? null;
  }

  markDelivered(at: number, to: number): void {
    const run = this.#row();
    if (run === null || run.delivery !== null) return;
    this.#sql.exec("UPDATE run SET delivered_at = ?, delivered_to = ?", at, to);
    this.#run = { ...run, delivery: { at, to } };
  }

  /**
   * An outcome that no requestor received at its delivery has been received: it is no longer kept
   * for an identical request.
   */
  markReceived(): void {
    const run = this.#row();
    if (run?.delivery?.to !== 0) return;
    this.#sql.exec("UPDATE run SET delivered_to = 1");
    this.#run = { ...run, delivery: { ...run.delivery, to: 1 } };
  }

  /** Whether the record has that no requestor waits. */
  isRequestorGone(): boolean {
    return this.#row()?.isRequestorGone === true;
  }

  markRequestor(isRequestorGone: boolean): void {
    const run = this.#row();
    if (run === null || run.isRequestorGone === isRequestorGone) return;
    this.#sql.exec("UPDATE run SET requestor_gone = ?", isRequestorGone ? 1 : 0);
    this.#run = { ...run, isRequestorGone };
  }

  // Content

  #text<Name extends keyof Texts>(name: Name): JsonOf<Texts[Name]> | undefined {
    return this.#texts.read(name) as JsonOf<Texts[Name]> | undefined; // what `#write` had, from a table that knows only text
  }

  #json<Name extends keyof Texts>(name: Name): Texts[Name] | null {
    const text = this.#text(name);
    return text === undefined ? null : readJsonOf(text);
  }

  #write<Name extends keyof Texts>(name: Name, text: JsonOf<Texts[Name]>, how?: { readonly isPlain: boolean }): void {
    this.#texts.write(name, text, how);
  }

  input(): StoredInput | null {
    if (!this.#created) return null;
    if (this.#input === undefined) this.#input = this.#readInput();
    return this.#input;
  }

  #readInput(): StoredInput | null {
    const input = this.#json("input");
    const found = input === null || cacheOf(input.work) === undefined ? null : this.#json("cached");
    return input === null || found === null ? input : { ...input, work: withCached(input.work, found) };
  }

  /**
   * A cached reply in it is content, and the rest is none: what a run is about can be told where
   * its content cannot be read.
   */
  writeInput(input: StoredInput): void {
    this.#write("input", jsonOf({ ...input, work: withCached(input.work, null) }), { isPlain: true });
    const found = cacheOf(input.work)?.found;
    if (found === undefined) this.#texts.delete("cached");
    else this.#write("cached", jsonOf(found));
    this.#input = input;
  }

  requestVersion = (version: number): RequestVersion | null => this.#json(`request:${version}`);
  writeRequestVersion(version: number, content: RequestVersion, by: string | null, at: number): void {
    this.#write(`request:${version}`, jsonOf(content));
    this.#sql.exec("INSERT OR REPLACE INTO version (gate, version, by, at) VALUES ('request', ?, ?, ?)", version, by, at);
  }

  /**
   * The reply that a reviewer wrote in the model's place, or the answer to a form: it is what that
   * version of the request gate's content is.
   */
  writtenReply = (version: number): SubjectReply | null => this.#json(`written:${version}`);
  writeWrittenReply = (version: number, reply: SubjectReply): void => this.#write(`written:${version}`, jsonOf(reply));

  /** Deletes every written reply: one of them was denied. */
  deleteWrittenReplies(): void {
    for (const { version } of this.versions("request")) this.#texts.delete(`written:${version}`);
  }

  replyVersion = (version: number): SubjectReply | null => this.#json(`reply:${version}`);
  writeReplyVersion(version: number, content: SubjectReply, by: string | null, at: number): void {
    this.#write(`reply:${version}`, jsonOf(content));
    this.#sql.exec("INSERT OR REPLACE INTO version (gate, version, by, at) VALUES ('response', ?, ?, ?)", version, by, at);
  }

  /**
   * What was masked at this gate, with its original; null where nothing was, and after it was
   * denied.
   */
  redaction = (gate: Gate): Redaction | null => this.#json(`redaction:${gate}`);
  writeRedaction = (gate: Gate, redaction: Redaction): void => this.#write(`redaction:${gate}`, jsonOf(redaction));

  /** Deletes a denied reply, also the copy that came from the cache. */
  deleteReplies(): void {
    for (const { version } of this.versions("response")) this.#texts.delete(`reply:${version}`);
    this.#texts.delete("redaction:response");
    this.deleteWrittenReplies();
    const input = this.input();
    if (input === null || cacheOf(input.work)?.found === undefined) return;
    this.writeInput({ ...input, work: withCached(input.work, null) });
  }

  versions(gate: Gate): ShownVersion[] {
    return this.#sql.exec<ShownVersion>("SELECT version, by, at FROM version WHERE gate = ? ORDER BY version", gate).toArray();
  }

  /** The reply's candidate, usage and notes. */
  modelFacts = (): Texts["model"] | null => this.#json("model");
  writeModelFacts = (facts: Texts["model"]): void => this.#write("model", jsonOf(facts), { isPlain: true });

  /** Why the rule's juror had people asked, in its words. */
  jurorReason = (): string | null => this.#json("jurorReason");
  writeJurorReason = (reason: string): void => this.#write("jurorReason", jsonOf(reason));

  /** The call of the tool that the same people approved last, when this one's review began. */
  lastCall = (): ToolCall | null => this.#json("lastCall");
  writeLastCall = (call: JsonOf<ToolCall>): void => this.#write("lastCall", call);

  /** The message of a call that is a task: the run sends it. */
  relayed = (): RelayedRequest | null => this.#json("relayed");
  writeRelayed = (relayed: RelayedRequest): void => this.#write("relayed", jsonOf(relayed));

  /** The server's response to that message, byte for byte, where nobody reviews it. */
  passed = (): string | null => this.#json("passed");
  writePassed = (response: string): void => this.#write("passed", jsonOf(response));

  /** The round at which a call is that this run sends; null where there was none yet. */
  callRound = (): KeptRound | null => (this.#created ? this.#json("round") : null);
  writeCallRound = (round: KeptRound): void => this.#write("round", jsonOf(round));

  outcome = (): JsonOf<Outcome> | undefined => this.#text("outcome");
  writeOutcome = (outcome: JsonOf<Outcome>): void => this.#write("outcome", outcome);

  // Links and nonces

  /** The links of a gate that are not revoked. */
  links(gate: Gate): LinkRow[] {
    return this.#sql.exec<LinkRow>(`${selectLink} WHERE gate = ? AND revoked_at IS NULL`, gate).toArray();
  }

  /** A link by its id, revoked ones too. */
  link(id: string): LinkRow | null {
    return this.#sql.exec<LinkRow>(`${selectLink} WHERE id = ?`, id).toArray()[0] ?? null;
  }

  /**
   * Adds the one live link of a reviewer, gate and channel; null where there is one already, which
   * stays.
   */
  addLink(link: NewLink): LinkRow | null {
    const id = toBase64url(link.random);
    const added = this.#sql.exec(
      "INSERT OR IGNORE INTO link (id, gate, reviewer, channel, created_at, expires_at, revoked_at, notice, receipt) VALUES (?, ?, ?, ?, ?, ?, NULL, 'queued', ?) RETURNING id",
      id,
      link.gate,
      link.reviewer,
      link.channel,
      link.createdAt,
      link.expiresAtSeconds,
      link.receipt,
    );
    return added.toArray().length === 0 ? null : this.link(id);
  }

  revokeLink(id: string, at: number): void {
    this.#sql.exec("UPDATE link SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id);
  }

  /** How many links of a reviewer on a channel were replaced since then. */
  revokedSince({ gate, reviewer, channel }: Pick<LinkRow, "gate" | "reviewer" | "channel">, since: number): number {
    return this.#sql
      .exec<{
        n: number;
      }>(
        "SELECT COUNT(*) AS n FROM link WHERE gate = ? AND reviewer = ? AND channel = ? AND revoked_at > ?",
        gate,
        reviewer,
        channel,
        since,
      )
      .one().n;
  }

  /**
   * Stores whether a link's notice was sent. A later failure does not undo an earlier success; a
   * receipt stays until the next one.
   */
  markNotice(link: string, notice: "sent" | "failed", receipt: string | null): void {
    this.#sql.exec(
      "UPDATE link SET notice = CASE WHEN notice = 'sent' THEN 'sent' ELSE ? END, receipt = COALESCE(?, receipt) WHERE id = ?",
      notice,
      receipt,
      link,
    );
  }

  /** The digest of the form that used this nonce, or null where it is unused. */
  usedNonce(nonce: string): string | null {
    return this.#sql.exec<{ form: string }>("SELECT form FROM nonce WHERE id = ?", nonceKey(nonce)).toArray()[0]?.form ?? null;
  }

  useNonce(nonce: string, form: string, at: number): void {
    this.#sql.exec("INSERT INTO nonce (id, form, used_at) VALUES (?, ?, ?)", nonceKey(nonce), form, at);
  }

  // Requests that the run answers

  /**
   * A request that no session knows is in no list: nobody withdraws it, and nobody is told of its
   * end.
   */
  addRequestRef({ session, originating, request }: RequestRef): void {
    if (session === null) return;
    this.#sql.exec("INSERT OR IGNORE INTO request_ref (session, originating, request) VALUES (?, ?, ?)", session, originating, request);
  }

  removeRequestRef({ session, originating, request }: RequestRef): void {
    this.#sql.exec("DELETE FROM request_ref WHERE session = ? AND originating = ? AND request = ?", session, originating, request);
  }

  requestRefs(): (RequestRef & { session: string })[] {
    return this.#sql.exec<RequestRef & { session: string }>("SELECT session, originating, request FROM request_ref").toArray();
  }
}

/** What reviewers wrote in a state: the reason of a denial, the note of a hand-over. */
const isWord = (name: string, value: unknown): value is string => (name === "reason" || name === "note") && typeof value === "string";
const stateWords = "run\0state";

const readRunRow = ({ state, delivered_at: at, delivered_to: to, requestor_gone: gone }: StoredRunRow, seal: ContentSeal): RunRow => ({
  // written by writeState
  state: JSON.parse(state, (name, value: unknown) => (isWord(name, value) ? seal.openText(value, stateWords) : value)) as RunState,
  delivery: at === null ? null : { at, to: to ?? 0 },
  isRequestorGone: gone === 1,
});

const selectLink = "SELECT id, gate, reviewer, channel, expires_at AS expiresAtSeconds, revoked_at AS revokedAt, notice, receipt FROM link";

const nonceKey = (nonce: string): string => digestOf("countersign/used-nonce/v1", nonce);
