// One text that an object keeps for a while: content, deleted when its time is over or when it is
// to be forgotten. Reading creates no table.

import type { JsonOf } from "../../shared/json/json-of.ts";
import { type AlarmDeps, ObjectAlarm } from "./alarm.ts";
import type { ContentSeal } from "./content-seal.ts";
import { LongTexts } from "./long-text.ts";
import type { ObjectTables } from "./object-tables.ts";

/** The text is the JSON of a `T`. */
export class KeptText<T> {
  readonly #storage: DurableObjectStorage;
  readonly #tables: ObjectTables;
  readonly #texts: LongTexts;
  readonly #now: () => number;
  readonly #alarm: ObjectAlarm;

  /** For the object's constructor: restores the alarm that deletes the text. */
  constructor(storage: DurableObjectStorage, tables: ObjectTables, seal: ContentSeal, { now, random }: Pick<AlarmDeps, "now" | "random">) {
    this.#storage = storage;
    this.#tables = tables;
    this.#now = now;
    this.#texts = new LongTexts(storage.sql, "kept_text", seal);
    this.#alarm = new ObjectAlarm({ storage, now, random, nextDue: () => this.#row()?.expires_at ?? null, failed: "kept.forgetFailed" });
    void this.#alarm.restore();
    // What cannot be read is not there.
    if (tables.exist && this.#texts.unreadable().length > 0) void this.forget();
  }

  /**
   * Writes the text in place of an earlier one, until `expiresAt` (Unix milliseconds). Call inside
   * a transaction.
   */
  write(text: JsonOf<T>, at: number, expiresAt: number): void {
    this.#tables.create();
    this.#storage.sql.exec("INSERT OR REPLACE INTO kept (one, at, expires_at) VALUES (1, ?, ?)", at, expiresAt);
    this.#texts.write("text", text);
    void this.#storage.setAlarm(expiresAt);
  }

  /**
   * The text and when it was written (Unix milliseconds); null where its time is over, also before
   * the alarm has come.
   */
  read(now: number): { text: JsonOf<T>; at: number } | null {
    const row = this.#row();
    if (row === undefined || row.expires_at <= now) return null;
    const text = this.#texts.read("text");
    return text === undefined ? null : { text: text as JsonOf<T>, at: row.at }; // what `write` had, from a table that knows only text
  }

  /**
   * Deletes everything of the object; writes nothing where nothing is kept. Both deletions begin
   * before an await, so that they are one commit.
   */
  async forget(): Promise<void> {
    if (!this.#tables.exist) return;
    await Promise.all([this.#storage.deleteAlarm(), this.#tables.deleteAll()]);
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
    if (!this.#tables.exist) return undefined;
    return this.#storage.sql.exec<{ at: number; expires_at: number }>("SELECT at, expires_at FROM kept").toArray()[0];
  }
}
