// Ids that stand for a request in every session of a key: each for one digest, for a day after it
// was last reserved.

import { reservationKeptMs } from "./session-tables.ts";
import type { SessionParts } from "./session-parts.ts";

export class RequestIds {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** `SessionCalls.reserveRequestId`. */
  reserve(id: string, digest: string): boolean {
    const now = this.#parts.now();
    if (!this.mayReserve(id, digest)) return false;
    this.#parts.tables.create();
    this.#parts.sql.exec(
      `INSERT INTO request_id (id, digest, at, reserved) VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
       reserved = CASE WHEN digest = excluded.digest THEN reserved + 1 ELSE 1 END, digest = excluded.digest, at = excluded.at`,
      id,
      digest,
      now,
    );
    this.#parts.alarmBy(now + reservationKeptMs);
    return true;
  }

  /** `SessionCalls.releaseRequestId`. */
  release(id: string, digest: string): void {
    if (!this.#parts.tables.exist) return;
    this.#parts.ctx.storage.transactionSync(() => {
      this.#parts.sql.exec("UPDATE request_id SET reserved = reserved - 1 WHERE id = ? AND digest = ?", id, digest);
      this.#parts.sql.exec("DELETE FROM request_id WHERE id = ? AND reserved <= 0", id);
    });
  }

  /** Whether the id is free, or stands for this very digest. */
  mayReserve(id: string, digest: string): boolean {
    if (!this.#parts.tables.exist) return true;
    const [row] = this.#parts.sql.exec<{ digest: string; at: number }>("SELECT digest, at FROM request_id WHERE id = ?", id).toArray();
    return row === undefined || row.digest === digest || this.#parts.now() - row.at >= reservationKeptMs;
  }
}
