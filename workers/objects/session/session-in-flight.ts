// A relay session's client requests: which are in flight, which tasks run for them, and the server's instructions.

import { originatingLapsesMs } from "../../../shared/association/session.ts";
import type { InFlightRow } from "../../stubs/session-calls.ts";
import { forgettingAt } from "./session-tables.ts";
import type { SessionParts } from "./session-parts.ts";

/** The relay renews a request's lease while it is in flight; after a crash the lease expires. */
const inFlightLeaseMs = 3 * 60_000;
/** How many of the newest are listed: more would not change the association. */
const mostInFlight = 100;

export class InFlightRequests {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  open(requests: readonly InFlightRow[], holder: string): void {
    this.#parts.tables.create();
    const now = this.#parts.now();
    for (const { request, originating, named } of requests)
      this.#parts.sql.exec(
        "INSERT OR REPLACE INTO in_flight (request, originating, named, holder, at, until) VALUES (?, ?, ?, ?, ?, ?)",
        request,
        originating,
        named,
        holder,
        now,
        now + inFlightLeaseMs,
      );
    this.#parts.alarmBy(now + originatingLapsesMs);
  }

  resume(request: string, holder: string): void {
    if (!this.#parts.tables.exist) return;
    this.#parts.sql.exec(
      "UPDATE in_flight SET holder = ?, until = ? WHERE request = ?",
      holder,
      this.#parts.now() + inFlightLeaseMs,
      request,
    );
  }

  renew(holder: string): void {
    if (!this.#parts.tables.exist) return;
    this.#parts.sql.exec("UPDATE in_flight SET until = ? WHERE holder = ?", this.#parts.now() + inFlightLeaseMs, holder);
  }

  leave(holder: string): void {
    if (!this.#parts.tables.exist) return;
    this.#parts.sql.exec("UPDATE in_flight SET until = 0 WHERE holder = ?", holder);
  }

  keepTask(id: string, named: string): void {
    const now = this.#parts.now();
    this.#parts.tables.create();
    this.#parts.sql.exec("INSERT OR IGNORE INTO task (id, named, at) VALUES (?, ?, ?)", id, named, now);
    this.#parts.alarmBy(forgettingAt(now + originatingLapsesMs));
  }

  taskServes(id: string): string | null {
    if (!this.#parts.tables.exist) return null;
    return this.#parts.sql.exec<{ named: string }>("SELECT named FROM task WHERE id = ?", id).toArray()[0]?.named ?? null;
  }

  keepInstructions(text: string): void {
    this.#parts.tables.create();
    this.#parts.tables.keepInstructions(text, this.#parts.now());
    this.#parts.alarmBy(this.#parts.tables.nextDue() ?? this.#parts.now());
  }

  instructions(): string | null {
    return this.#parts.tables.instructions();
  }

  associationSigns(task: string | null): { readonly task: string | null; readonly inFlight: string[] } {
    if (!this.#parts.tables.exist) return { task: null, inFlight: [] };
    const rows = this.#parts.sql.exec<{ named: string }>(
      "SELECT named FROM in_flight WHERE until > ? ORDER BY rowid DESC LIMIT ?",
      this.#parts.now(),
      mostInFlight,
    );
    return { task: task === null ? null : this.taskServes(task), inFlight: rows.toArray().map(({ named }) => named) };
  }
}
