// The notices to one address of one channel: how many went out in the last minute, and those that
// wait for a digest.
//
// It never knows the address, nor anything of a review: when the digest is sent, each run gives its
// entry, or says that its reviewer is no longer asked. A run keeps its own row until this object
// says that its notice went out, so nothing is lost with this object.

import { readJsonOf } from "../../shared/json/json-of.ts";
import type { NoticeError } from "../../shared/notice-channels.ts";
import type { DigestCalls, TurnInput, Turn } from "../stubs/digest-calls.ts";
import { backoffMs } from "../../shared/backoff.ts";
import { sha256Hex } from "../../shared/encoding.ts";
import { digestDueAt, maySend, minuteMs } from "../../shared/channels/digest-content.ts";
import type { DeliveryResult } from "../channels/channel.ts";
import { openChannel } from "../channels/registry.ts";
import type { Env } from "../platform/env.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { digestSchema } from "./schema/digest-schema.ts";
import { StoredObject } from "./stored-object.ts";
import { runStub } from "../stubs/stubs.ts";

type ItemRow = {
  readonly id: string;
  readonly run: string;
  readonly link: string;
  readonly state: string;
};

const attemptsMost = 8;
const retry = { firstMs: 1_000, mostMs: 60_000 };
/** A run asks again this long after the digest is due. */
const askAfterMs = 2_000;
/** A run that has not asked again for so long is over. */
const itemKeptMs = 24 * 3_600_000;

export class DigestObject extends StoredObject implements DigestCalls {
  readonly #alarm: ObjectAlarm;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, digestSchema);
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "digest.alarmFailed" });
    void this.#alarm.restore();
  }

  turn(input: TurnInput): Turn {
    const now = this.now();
    this.#create();
    const [known] = this.sql.exec<ItemRow>("SELECT * FROM item WHERE id = ?", input.id).toArray();
    if (known !== undefined && known.state !== "waiting") return this.#verdict(known);
    if (known === undefined && !this.#isWaiting() && this.mayPass()) {
      this.#add(input, "now", now);
      return { kind: "now" };
    }
    if (known === undefined) this.#add(input, "waiting", now);
    const dueAt = this.#dueAt() ?? now;
    this.#alarm.arm();
    return { kind: "wait", afterMs: Math.max(0, dueAt - now) + askAfterMs };
  }

  mayPass(): boolean {
    const now = this.now();
    this.#create();
    const sentAt = this.sql.exec<{ at: number }>("SELECT at FROM passed WHERE at > ?", now - minuteMs).toArray();
    if (
      !maySend(
        sentAt.map(({ at }) => at),
        now,
      )
    )
      return false;
    this.sql.exec("INSERT INTO passed (at) VALUES (?)", now);
    this.#alarm.arm();
    return true;
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      const dueAt = this.#dueAt();
      if (dueAt !== null && dueAt <= this.now()) await this.#send();
      await this.#forget();
      this.#alarm.arm();
    });
  }

  #create(): void {
    if (this.tables.exist) return;
    this.ctx.storage.transactionSync(() => {
      this.tables.create();
      this.sql.exec("INSERT OR IGNORE INTO sending (one, last_at, attempts, not_before) VALUES (1, NULL, 0, 0)");
    });
  }

  #add({ id, run, link, channel, deadlineAt }: TurnInput, state: "now" | "waiting", now: number): void {
    this.sql.exec(
      "INSERT INTO item (id, run, link, channel, state, deadline_at, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      id,
      run,
      link,
      channel,
      state,
      deadlineAt,
      now,
    );
  }

  #verdict({ state }: ItemRow): Turn {
    if (state === "now") return { kind: "now" };
    return { kind: "told", error: state === "told" ? null : (state as NoticeError) }; // written by #mark
  }

  #isWaiting(): boolean {
    return this.sql.exec("SELECT 1 FROM item WHERE state = 'waiting' LIMIT 1").toArray().length > 0;
  }

  /** When the next digest is due; null where nothing waits. */
  #dueAt(): number | null {
    if (!this.tables.exist) return null;
    const row = this.sql
      .exec<{ first: number | null; deadline: number | null; last_at: number | null; not_before: number }>(
        `SELECT MIN(item.at) AS first, MIN(deadline_at) AS deadline, last_at, not_before FROM sending LEFT JOIN item ON state = 'waiting'`,
      )
      .one();
    if (row.first === null || row.deadline === null) return null;
    return Math.max(digestDueAt({ firstAt: row.first, lastAt: row.last_at, deadlineAt: row.deadline }), row.not_before);
  }

  #nextDue(): number | null {
    if (!this.tables.exist) return null;
    const [row] = this.sql
      .exec<{ item: number | null; passed: number | null }>(
        "SELECT (SELECT MIN(at) FROM item) AS item, (SELECT MAX(at) FROM passed) AS passed",
      )
      .toArray();
    const times = [
      this.#dueAt(),
      row?.item == null ? null : row.item + itemKeptMs,
      row?.passed == null ? null : row.passed + minuteMs,
    ].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Sends one message about all that wait, without those whose reviewers are no longer asked. */
  async #send(): Promise<void> {
    const { channel } = this.sql.exec<{ channel: string }>("SELECT channel FROM item WHERE state = 'waiting' LIMIT 1").one();
    const digest = openChannel(this.env, channel)?.digest;
    const rows = this.sql.exec<ItemRow>("SELECT * FROM item WHERE state = 'waiting' ORDER BY at, id LIMIT ?", digest?.most ?? 1).toArray();
    const { attempts } = this.sql.exec<{ attempts: number }>("SELECT attempts FROM sending").one();
    // Committed before anything is sent, so that an attempt that is cut off counts.
    this.sql.exec("UPDATE sending SET attempts = attempts + 1, not_before = ?", this.now() + backoffMs(retry, attempts, this.random()));
    // A run that cannot be reached delays no other: it stays for the next digest.
    const found = await Promise.all(
      rows.map(async (row) => ({
        row,
        text: await runStub(this.env, row.run)
          .digestEntry(row.link)
          .catch(() => undefined),
      })),
    );
    const gone = found.filter(({ text }) => text === null).map(({ row }) => row);
    const present = found.flatMap(({ row, text }) => (text == null ? [] : [{ row, entry: readJsonOf(text) }]));
    this.#mark(gone, "told");
    const [first] = present;
    if (first === undefined) return this.#sent();
    // One alone is sent as an ordinary notice.
    if (present.length === 1) {
      this.#mark([first.row], "now");
      return this.#sent();
    }
    const ids = present.map(({ row }) => row.id);
    const sent: DeliveryResult =
      digest === undefined
        ? { kind: "failed", why: "notConfigured" }
        : await digest
            .send(
              present.map(({ entry }) => entry),
              sha256Hex(`countersign/digest/v1\0${ids.join("\0")}`),
            )
            .catch((): DeliveryResult => ({ kind: "again", why: "unavailable" }));
    if (sent.kind === "again" && attempts + 1 < attemptsMost) {
      if (sent.afterMs !== undefined) this.sql.exec("UPDATE sending SET not_before = ?", this.now() + sent.afterMs);
      return;
    }
    this.#mark(
      present.map(({ row }) => row),
      sent.kind === "sent" ? "told" : sent.why,
    );
    this.#sent();
  }

  #sent(): void {
    const now = this.now();
    this.sql.exec("UPDATE sending SET last_at = ?, attempts = 0, not_before = 0", now);
    this.sql.exec("INSERT INTO passed (at) VALUES (?)", now);
  }

  #mark(rows: readonly ItemRow[], state: "told" | "now" | NoticeError): void {
    this.ctx.storage.transactionSync(() => {
      for (const { id } of rows) this.sql.exec("UPDATE item SET state = ? WHERE id = ?", state, id);
    });
  }

  /** Deletes expired rows, and the whole object with the last of them. */
  async #forget(): Promise<void> {
    const now = this.now();
    this.sql.exec("DELETE FROM passed WHERE at <= ?", now - minuteMs);
    this.sql.exec("DELETE FROM item WHERE at <= ?", now - itemKeptMs);
    if (this.sql.exec("SELECT 1 WHERE EXISTS (SELECT 1 FROM passed) OR EXISTS (SELECT 1 FROM item)").toArray().length > 0) return;
    await Promise.all([this.ctx.storage.deleteAlarm(), this.tables.deleteAll()]);
  }
}
