// Ids that stand for a request in every session of a key: each for one digest, for a day after it
// was last reserved.

import { reservationKeptMs } from "./session-tables.ts";
import type { SessionDeps } from "./session-deps.ts";

export class RequestIds {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** `SessionCalls.reserveRequestId`. */
  reserve(id: string, digest: string): boolean {
    const now = this.#deps.now();
    if (!this.mayReserve(id, digest)) return false;
    this.#deps.tables.create();
    this.#deps.sql.exec(
      `INSERT INTO request_id (id, digest, at, reserved) VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
       reserved = CASE WHEN digest = excluded.digest THEN reserved + 1 ELSE 1 END, digest = excluded.digest, at = excluded.at`,
      id,
      digest,
      now,
    );
    this.#deps.alarmBy(now + reservationKeptMs);
    return true;
  }

  /** `SessionCalls.releaseRequestId`. */
  release(id: string, digest: string): void {
    if (!this.#deps.tables.exist) return;
    this.#deps.ctx.storage.transactionSync(() => {
      this.#deps.sql.exec("UPDATE request_id SET reserved = reserved - 1 WHERE id = ? AND digest = ?", id, digest);
      this.#deps.sql.exec("DELETE FROM request_id WHERE id = ? AND reserved <= 0", id);
    });
  }

  /** Whether the id is free, or stands for this very digest. */
  mayReserve(id: string, digest: string): boolean {
    if (!this.#deps.tables.exist) return true;
    const [row] = this.#deps.sql.exec<{ digest: string; at: number }>("SELECT digest, at FROM request_id WHERE id = ?", id).toArray();
    return row === undefined || row.digest === digest || this.#deps.now() - row.at >= reservationKeptMs;
  }
}
