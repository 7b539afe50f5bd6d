// A relay session's client requests: which are in flight, which tasks run for them, and the
// server's instructions.

import type { Originating } from "../../../shared/association/relay-association.ts";
import { originatingLapsesMs } from "../../../shared/association/session.ts";
import type { JsonOf } from "../../../shared/json/json-of.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { InFlightRow, SessionSigns } from "../../stubs/session-calls.ts";
import { forgettingAt } from "./session-tables.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The relay renews a request's lease while it is in flight; after a crash the lease expires. */
const inFlightLeaseMs = 3 * 60_000;
/** How many of the newest are listed: more would not change the association. */
const mostInFlight = 100;

/**
 * Most requests are answered before this, and then they are never written. A reset of the object
 * loses those that are younger: sampling that only they could be associated with is refused then.
 */
const writeAfterMs = 1_000;

type Held = InFlightRow & { readonly holder: string; readonly at: number };

export class InFlightRequests {
  readonly #deps: SessionDeps;
  /** Not written yet, by their ids; the newest is the last. */
  readonly #young = new Map<string, Held>();
  /**
   * The ids of those that are written, and perhaps of some that are not any more; null where nobody
   * has looked.
   */
  #written: Set<string> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  open(requests: readonly InFlightRow[], holder: string): void {
    const at = this.#deps.now();
    for (const row of requests) {
      this.close(row.request);
      this.#young.set(row.request, { ...row, holder, at });
    }
    this.#timer ??= setTimeout(() => {
      try {
        this.write();
      } catch (error) {
        logEvent("session.writeFailed", { error: errorClass(error) });
      }
    }, writeAfterMs);
  }

  /** Forgets the request; its originating request's key, or null where it is not in flight. */
  close(request: string): string | null {
    const young = this.#young.get(request);
    if (young !== undefined) {
      this.#young.delete(request);
      if (this.#young.size === 0) this.#stop();
      return young.originating;
    }
    if (!this.#stored().has(request)) return null;
    this.#stored().delete(request);
    const [row] = this.#deps.sql
      .exec<{ originating: string }>("DELETE FROM in_flight WHERE request = ? RETURNING originating", request)
      .toArray();
    return row?.originating ?? null;
  }

  /** Whether a request that this one is served by is in flight. */
  has(originating: string): boolean {
    if ([...this.#young.values()].some((young) => young.originating === originating)) return true;
    if (!this.#deps.tables.exist) return false;
    return this.#deps.sql.exec("SELECT 1 FROM in_flight WHERE originating = ? LIMIT 1", originating).toArray().length > 0;
  }

  /** Forgets what serves this originating request. */
  closeFor(originating: string): void {
    for (const [request, young] of this.#young) if (young.originating === originating) this.#young.delete(request);
    if (this.#stored().size > 0) this.#deps.sql.exec("DELETE FROM in_flight WHERE originating = ?", originating);
  }

  closeAll(): void {
    this.#young.clear();
    this.#stop();
    if (this.#deps.tables.exist) this.#deps.sql.exec("DELETE FROM in_flight");
    this.#written?.clear();
  }

  /**
   * Writes what is not written. Before sampling is reserved: a request that has sampled must be
   * found when it is answered, also after a reset.
   */
  write(): void {
    this.#stop();
    if (this.#young.size === 0) return;
    this.#deps.tables.create();
    for (const { request, originating, named, holder, at } of this.#young.values()) {
      this.#deps.sql.exec(
        "INSERT OR REPLACE INTO in_flight (request, originating, named, holder, at, until) VALUES (?, ?, ?, ?, ?, ?)",
        request,
        originating,
        this.#deps.tables.sealNamed(named, request),
        holder,
        at,
        at + inFlightLeaseMs,
      );
      this.#stored().add(request);
    }
    this.#young.clear();
    this.#deps.alarmBy(this.#deps.now() + originatingLapsesMs);
  }

  resume(request: string, holder: string): void {
    this.#update("holder = ?, until = ? WHERE request = ?", holder, this.#deps.now() + inFlightLeaseMs, request);
  }

  renew(holder: string): void {
    this.#update("until = ? WHERE holder = ?", this.#deps.now() + inFlightLeaseMs, holder);
  }

  leave(holder: string): void {
    this.#update("until = 0 WHERE holder = ?", holder);
  }

  #update(change: string, ...values: readonly (string | number)[]): void {
    this.write();
    if (this.#deps.tables.exist) this.#deps.sql.exec(`UPDATE in_flight SET ${change}`, ...values);
  }

  #stored(): Set<string> {
    this.#written ??= new Set(
      this.#deps.tables.exist
        ? this.#deps.sql
            .exec<{ request: string }>("SELECT request FROM in_flight")
            .toArray()
            .map(({ request }) => request)
        : [],
    );
    return this.#written;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  keepTask(id: string, named: JsonOf<Originating>): void {
    const now = this.#deps.now();
    this.#deps.tables.create();
    this.#deps.sql.exec("INSERT OR IGNORE INTO task (id, named, at) VALUES (?, ?, ?)", id, named, now);
    this.#deps.alarmBy(forgettingAt(now + originatingLapsesMs));
  }

  taskServes(id: string): JsonOf<Originating> | null {
    if (!this.#deps.tables.exist) return null;
    return this.#deps.sql.exec<{ named: JsonOf<Originating> }>("SELECT named FROM task WHERE id = ?", id).toArray()[0]?.named ?? null;
  }

  keepInstructions(text: string): void {
    this.#deps.tables.create();
    this.#deps.tables.keepInstructions(text, this.#deps.now());
    this.#deps.alarmBy(this.#deps.tables.nextDue() ?? this.#deps.now());
  }

  instructions(): string | null {
    return this.#deps.tables.instructions();
  }

  keepLogLevel(level: string): void {
    this.#deps.tables.create();
    this.#deps.tables.keepLogLevel(level, this.#deps.now());
    this.#deps.alarmBy(this.#deps.tables.nextDue() ?? this.#deps.now());
  }

  logLevel(): string | null {
    return this.#deps.tables.logLevel();
  }

  associationSigns(task: string | null): SessionSigns {
    const young = [...this.#young.values()].map(({ named }) => named).reverse();
    const { exist } = this.#deps.tables;
    const written = exist
      ? this.#deps.sql
          .exec<{ named: string; request: string }>(
            "SELECT named, request FROM in_flight WHERE until > ? ORDER BY rowid DESC LIMIT ?",
            this.#deps.now(),
            mostInFlight,
          )
          .toArray()
          .flatMap(({ named, request }) => this.#deps.tables.openNamed(named, request) ?? [])
      : [];
    return { task: task === null ? null : this.taskServes(task), inFlight: [...young, ...written].slice(0, mostInFlight) };
  }
}
