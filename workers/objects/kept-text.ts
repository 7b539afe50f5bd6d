// One text that an object keeps for a while: content, deleted when its time is over or when it is
// to be forgotten. Reading creates no table.

import { type AlarmDeps, ObjectAlarm } from "./alarm.ts";
import type { ContentSeal } from "./content-seal.ts";
import { LongTexts } from "./long-text.ts";

export class KeptText {
  readonly #storage: DurableObjectStorage;
  readonly #texts: LongTexts;
  readonly #now: () => number;
  readonly #alarm: ObjectAlarm;

  /** For the object's constructor: restores the alarm that deletes the text. */
  constructor(storage: DurableObjectStorage, seal: ContentSeal, { now, random }: Pick<AlarmDeps, "now" | "random">) {
    this.#storage = storage;
    this.#now = now;
    this.#texts = new LongTexts(storage.sql, "kept_text", seal);
    this.#alarm = new ObjectAlarm({ storage, now, random, nextDue: () => this.#row()?.expires_at ?? null, failed: "kept.forgetFailed" });
    void this.#alarm.restore();
    // What cannot be read is not there.
    if (this.#isThere() && this.#texts.unreadable().length > 0) void this.forget();
  }

  /**
   * Writes the text in place of an earlier one, until `expiresAt` (Unix milliseconds). Call inside
   * a transaction.
   */
  write(text: string, at: number, expiresAt: number): void {
    this.#storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS kept (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL, expires_at INTEGER NOT NULL)",
    );
    this.#texts.createTable();
    this.#storage.sql.exec("INSERT OR REPLACE INTO kept (one, at, expires_at) VALUES (1, ?, ?)", at, expiresAt);
    this.#texts.write("text", text);
    void this.#storage.setAlarm(expiresAt);
  }

  /**
   * The text and when it was written (Unix milliseconds); null where its time is over, also before
   * the alarm has come.
   */
  read(now: number): { text: string; at: number } | null {
    const row = this.#row();
    if (row === undefined || row.expires_at <= now) return null;
    const text = this.#texts.read("text");
    return text === undefined ? null : { text, at: row.at };
  }

  /**
   * Deletes everything of the object; writes nothing where nothing is kept. Both deletions begin
   * before an await, so that they are one commit.
   */
  async forget(): Promise<void> {
    if (!this.#isThere()) return;
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
  }

  /**
   * For the object's alarm: deletes an expired text; sets the alarm again where the text was
   * renewed.
   */
  forgetExpired(): Promise<void> {
    return this.#alarm.ring(async () => {
      const row = this.#row();
      if (row !== undefined && row.expires_at > this.#now()) this.#alarm.arm();
      else await this.forget();
    });
  }

  #row(): { at: number; expires_at: number } | undefined {
    if (!this.#isThere()) return undefined;
    return this.#storage.sql.exec<{ at: number; expires_at: number }>("SELECT at, expires_at FROM kept").toArray()[0];
  }

  #isThere(): boolean {
    return this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kept'").toArray().length > 0;
  }
}
