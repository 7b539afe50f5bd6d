// A sampling request that was sent to its client first, kept in case the client declines: content,
// and therefore in a RunObject, read once and deleted after `parkedMs`. It is no run: no reviewer
// and no model is asked for it.

import type { ContentSeal } from "../../content-seal.ts";
import { LongTexts } from "../../long-text.ts";
import type { ObjectTables } from "../../object-tables.ts";
import { parkedTables } from "../../schema/run-schema.ts";

/** Longer than most clients wait for their own user. */
const parkedMs = 15 * 60_000;

export class ParkedRequest {
  readonly #storage: DurableObjectStorage;
  readonly #tables: ObjectTables;
  readonly #texts: LongTexts;

  constructor(storage: DurableObjectStorage, tables: ObjectTables, seal: ContentSeal) {
    this.#storage = storage;
    this.#tables = tables;
    this.#texts = new LongTexts(storage.sql, "parked", seal);
  }

  park(text: string, now: number): void {
    this.#storage.transactionSync(() => {
      this.#tables.create(parkedTables);
      this.#texts.write("request", text);
      this.#texts.write("forgetAt", String(now + parkedMs), { isPlain: true });
    });
    void this.#storage.setAlarm(now + parkedMs);
  }

  /** When it is to be deleted, in Unix milliseconds; null where nothing is parked. */
  forgetAt(): number | null {
    return this.#isThere() ? Number(this.#texts.read("forgetAt") ?? 0) : null;
  }

  /** The parked request, once. Reading creates no table. */
  async take(): Promise<string | null> {
    if (!this.#isThere()) return null;
    // Of one that cannot be read nothing is left: the server that waits is told that there is no
    // answer.
    const text = this.#texts.unreadable().length > 0 ? null : (this.#texts.read("request") ?? null);
    // Before an await, so that of two callers one gets it.
    this.#texts.deleteAll();
    await this.forget();
    return text;
  }

  async forget(): Promise<void> {
    await this.#storage.deleteAlarm();
    await this.#tables.deleteAll();
  }

  #isThere(): boolean {
    return this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'parked'").toArray().length > 0;
  }
}
