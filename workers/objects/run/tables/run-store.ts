// The tables of one run, which RunObject reads and writes. It decides nothing. They are
// described in objects/schema/run-schema.ts.
//
// Each text of the content is read once while the object is awake, unless it is long, as the run's
// row and its record are. Where a transaction fails, all of it is read again.

import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { LinkRow } from "../../../channels/channel.ts";
import type { Outcome } from "../../../../shared/model/outcome.ts";
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
import { type RunColumns, RunRow } from "./run-row.ts";
import { ScheduleRows } from "./schedule-rows.ts";

/**
 * The input without the request, which is stored as the first version of the content, without the
 * message that it came in, and without what was masked in it and what a juror wrote of it.
 */
export type StoredInput = Omit<RunInput, "request" | "redacted" | "work"> & { readonly work: StoredWork };

type NewLink = Pick<LinkRow, "gate" | "reviewer" | "channel" | "expiresAtSeconds" | "receipt"> & {
  readonly random: Uint8Array;
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
  readonly [request: `request:${number}`]: RequestVersion;
  readonly [reply: `reply:${number}`]: SubjectReply;
  readonly [written: `written:${number}`]: SubjectReply;
} & { readonly [Name in `redaction:${Gate}`]: Redaction };

/** A longer text is parsed at each reading: it is not worth its place in memory. */
const longestKept = 100_000;

export class RunStore {
  readonly #storage: DurableObjectStorage;
  readonly #tables: ObjectTables;
  readonly #sql: SqlStorage;
  readonly #texts: LongTexts;
  readonly #row: RunRow;
  readonly outbox: OutboxRows;
  readonly schedule: ScheduleRows;
  readonly events: EventRows;

  #created: boolean;
  /** What was read of the content, by name; null: there is none of that name. */
  readonly #read = new Map<keyof Texts, unknown>();

  readonly #rolledBack: () => void;

  /** @param rolledBack Called where a transaction fails, or all is deleted. */
  constructor(storage: DurableObjectStorage, tables: ObjectTables, seal: ContentSeal, rolledBack: () => void) {
    this.#storage = storage;
    this.#tables = tables;
    this.#rolledBack = rolledBack;
    this.#sql = storage.sql;
    this.#texts = new LongTexts(this.#sql, "content", seal);
    this.#row = new RunRow(this.#sql, seal, () => this.#created);
    this.outbox = new OutboxRows(this.#row);
    this.schedule = new ScheduleRows(this.#row);
    this.events = new EventRows(this.#sql, this.#row);
    this.#created = this.#hasTables();
  }

  #forgetMemory(): void {
    this.#read.clear();
    this.#row.forget();
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

  /**
   * What `work` changes of the run's row is written once, at its end. One transaction inside
   * another is a part of it.
   */
  transaction<T>(work: () => T): T {
    if (this.#row.isHeld) return work();
    try {
      return this.#storage.transactionSync(() => {
        const done = this.#row.hold(work);
        this.#row.write();
        return done;
      });
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

  state(): RunState | null {
    return this.#row.get("state");
  }

  writeState(state: RunState): void {
    this.#row.set("state", state);
  }

  /** Writes what waits for the next write. */
  writeBehind(): void {
    this.#row.write();
  }

  /**
   * When the outcome was delivered, and to how many requestors; null while it may not be delivered.
   */
  delivery(): RunColumns["delivery"] {
    return this.#row.get("delivery");
  }

  markDelivered(at: number, to: number): void {
    if (this.delivery() === null) this.#row.set("delivery", { at, to });
  }

  /**
   * An outcome that no requestor received at its delivery has been received: it is no longer kept
   * for an identical request.
   */
  markReceived(): void {
    const delivery = this.delivery();
    if (delivery?.to === 0) this.#row.set("delivery", { ...delivery, to: 1 });
  }

  /** Whether the record has that no requestor waits. */
  isRequestorGone(): boolean {
    return this.#row.get("requestor_gone");
  }

  markRequestor(isRequestorGone: boolean): void {
    if (this.isRequestorGone() !== isRequestorGone) this.#row.set("requestor_gone", isRequestorGone);
  }

  // Content

  #text<Name extends keyof Texts>(name: Name): JsonOf<Texts[Name]> | undefined {
    return this.#texts.read(name) as JsonOf<Texts[Name]> | undefined; // what `#write` had, from a table that knows only text
  }

  #json<Name extends keyof Texts>(name: Name): Texts[Name] | null {
    const known = this.#read.get(name) as Texts[Name] | null | undefined; // set below
    if (known !== undefined || !this.#created) return known ?? null;
    const text = this.#text(name);
    const value = text === undefined ? null : readJsonOf(text);
    if ((text?.length ?? 0) <= longestKept) this.#read.set(name, value);
    return value;
  }

  #write<Name extends keyof Texts>(name: Name, text: JsonOf<Texts[Name]>, how?: { readonly isPlain: boolean }): void {
    this.#texts.write(name, text, how);
    this.#read.delete(name);
  }

  #delete(name: keyof Texts): void {
    // Mostly there is none.
    if (this.#read.get(name) === null) return;
    this.#texts.delete(name);
    this.#read.set(name, null);
  }

  input(): StoredInput | null {
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
    if (found === undefined) this.#delete("cached");
    else this.#write("cached", jsonOf(found));
  }

  requestVersion = (version: number): RequestVersion | null => this.#json(`request:${version}`);
  writeRequestVersion(version: number, content: RequestVersion, by: string | null, at: number): void {
    this.#write(`request:${version}`, jsonOf(content));
    this.#addVersion({ gate: "request", version, by, at });
  }

  /**
   * The reply that a reviewer wrote in the model's place, or the answer to a form: it is what that
   * version of the request gate's content is.
   */
  writtenReply = (version: number): SubjectReply | null => this.#json(`written:${version}`);
  writeWrittenReply = (version: number, reply: SubjectReply): void => this.#write(`written:${version}`, jsonOf(reply));

  /** Deletes every written reply: one of them was denied. */
  deleteWrittenReplies(): void {
    for (const { version } of this.versions("request")) this.#delete(`written:${version}`);
  }

  replyVersion = (version: number): SubjectReply | null => this.#json(`reply:${version}`);
  writeReplyVersion(version: number, content: SubjectReply, by: string | null, at: number): void {
    this.#write(`reply:${version}`, jsonOf(content));
    this.#addVersion({ gate: "response", version, by, at });
  }

  /**
   * What was masked at this gate, with its original; null where nothing was, and after it was
   * denied.
   */
  redaction = (gate: Gate): Redaction | null => this.#json(`redaction:${gate}`);
  writeRedaction = (gate: Gate, redaction: Redaction): void => this.#write(`redaction:${gate}`, jsonOf(redaction));

  /** Deletes a denied reply, also the copy that came from the cache. */
  deleteReplies(): void {
    for (const { version } of this.versions("response")) this.#delete(`reply:${version}`);
    this.#delete("redaction:response");
    this.deleteWrittenReplies();
    const input = this.input();
    if (input === null || cacheOf(input.work)?.found === undefined) return;
    this.writeInput({ ...input, work: withCached(input.work, null) });
  }

  versions(gate: Gate): ShownVersion[] {
    return this.#row.get("versions").flatMap(({ gate: of, ...version }) => (of === gate ? [version] : []));
  }

  #addVersion(added: RunColumns["versions"][number]): void {
    const others = this.#row.get("versions").filter(({ gate, version }) => gate !== added.gate || version !== added.version);
    this.#row.set("versions", [...others, added]);
  }

  /** The reply's candidate, usage and notes. */
  modelFacts = (): RunColumns["model"] => this.#row.get("model");
  writeModelFacts = (facts: NonNullable<RunColumns["model"]>): void => this.#row.set("model", facts);

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
    return this.#row.get("links").filter((link) => link.gate === gate && link.revokedAt === null);
  }

  /** A link by its id, revoked ones too. */
  link(id: string): LinkRow | null {
    return this.#row.get("links").find((link) => link.id === id) ?? null;
  }

  /**
   * Adds the one live link of a reviewer, gate and channel; null where there is one already, which
   * stays.
   */
  addLink({ random, ...link }: NewLink): LinkRow | null {
    if (this.links(link.gate).some(({ reviewer, channel }) => reviewer === link.reviewer && channel === link.channel)) return null;
    const added: LinkRow = { ...link, id: toBase64url(random), revokedAt: null, notice: "queued" };
    this.#row.set("links", [...this.#row.get("links"), added]);
    return added;
  }

  #changeLink(id: string, change: (link: LinkRow) => LinkRow): void {
    this.#row.set(
      "links",
      this.#row.get("links").map((link) => (link.id === id ? change(link) : link)),
    );
  }

  revokeLink(id: string, at: number): void {
    this.#changeLink(id, (link) => ({ ...link, revokedAt: link.revokedAt ?? at }));
  }

  /** How many links of a reviewer on a channel were replaced since then. */
  revokedSince({ gate, reviewer, channel }: Pick<LinkRow, "gate" | "reviewer" | "channel">, since: number): number {
    const isOf = (link: LinkRow): boolean => link.gate === gate && link.reviewer === reviewer && link.channel === channel;
    return this.#row.get("links").filter((link) => isOf(link) && (link.revokedAt ?? 0) > since).length;
  }

  /**
   * Stores whether a link's notice was sent. A later failure does not undo an earlier success; a
   * receipt stays until the next one.
   */
  markNotice(id: string, notice: "sent" | "failed", receipt: string | null): void {
    this.#changeLink(id, (link) => ({
      ...link,
      notice: link.notice === "sent" ? "sent" : notice,
      receipt: receipt ?? link.receipt,
    }));
  }

  /** The digest of the form that used this nonce, or null where it is unused. */
  usedNonce(nonce: string): string | null {
    const id = nonceKey(nonce);
    return this.#row.get("nonces").find(([used]) => used === id)?.[1] ?? null;
  }

  useNonce(nonce: string, form: string): void {
    this.#row.set("nonces", [...this.#row.get("nonces"), [nonceKey(nonce), form]]);
  }

  // Requests that the run answers

  /**
   * A request that no session knows is in no list: nobody withdraws it, and nobody is told of its
   * end.
   */
  addRequestRef(ref: RequestRef): void {
    const { session } = ref;
    if (session === null || this.requestRefs().some(isSame(ref))) return;
    this.#row.set("refs", [...this.requestRefs(), { ...ref, session }]);
  }

  removeRequestRef(ref: RequestRef): void {
    this.#row.set(
      "refs",
      this.requestRefs().filter((each) => !isSame(ref)(each)),
    );
  }

  requestRefs(): RunColumns["refs"] {
    return this.#row.get("refs");
  }
}

const isSame =
  (ref: RequestRef) =>
  ({ session, originating, request }: RequestRef): boolean =>
    session === ref.session && originating === ref.originating && request === ref.request;

const nonceKey = (nonce: string): string => digestOf("countersign/used-nonce/v1", nonce);
