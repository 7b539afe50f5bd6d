// One text that an object keeps for a while: content, gone with its time, at once when it is to be forgotten, and never there for
// whoever only asks.

import { type AlarmParts, ObjectAlarm } from "./alarm.ts";
import { LongTexts } from "./long-text.ts";

export class KeptText {
  readonly #storage: DurableObjectStorage;
  readonly #texts: LongTexts;
  readonly #now: () => number;
  readonly #alarm: ObjectAlarm;

  /** For the object's constructor: it looks for the alarm that forgets what is kept. */
  constructor(storage: DurableObjectStorage, { now, random }: Pick<AlarmParts, "now" | "random">) {
    this.#storage = storage;
    this.#now = now;
    this.#texts = new LongTexts(storage.sql, "kept_text");
    this.#alarm = new ObjectAlarm({ storage, now, random, nextDue: () => this.#row()?.expires_at ?? null, failed: "kept.forgetFailed" });
    void this.#alarm.restore();
  }

  /** Writes the text in place of what was kept, until `expiresAt`. Call inside a transaction. */
  write(text: string, at: number, expiresAt: number): void {
    this.#storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS kept (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL, expires_at INTEGER NOT NULL)",
    );
    this.#texts.createTable();
    this.#storage.sql.exec("INSERT OR REPLACE INTO kept (one, at, expires_at) VALUES (1, ?, ?)", at, expiresAt);
    this.#texts.write("text", text);
    void this.#storage.setAlarm(expiresAt);
  }

  /** What is kept and when it was written, or null: also before the alarm has come. No table is made by asking. */
  read(now: number): { text: string; at: number } | null {
    const row = this.#row();
    if (row === undefined || row.expires_at <= now) return null;
    const text = this.#texts.read("text");
    return text === undefined ? null : { text, at: row.at };
  }

  /** Everything of the object; nothing is written where nothing is kept. Both are asked for before anything is awaited, so that they are one commit. */
  async forget(): Promise<void> {
    if (!this.#isThere()) return;
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
  }

  /** For the object's alarm: forgets what is over; waits on where the time was put off. */
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
