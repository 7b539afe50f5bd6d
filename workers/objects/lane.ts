// One model's lane: whoever calls the model holds a place here for as long, and waits for one where all are taken.
//
// Who is next is shared/lane/queue.ts. A place is a row and a hibernating WebSocket from its caller. The row survives this
// object's resets, so that the limit does; the socket says that the caller is there, and its close frees the place. After a
// reset there are rows without sockets: those callers come back with their tickets, or lose their places after a grace.

import { DurableObject } from "cloudflare:workers";
import { type Lane, type LaneLimits, type Newcomer, type Place, type Step, enter, lapsed, leave } from "../../shared/lane/queue.ts";
import type { Env } from "../env.ts";
import { errorClass, logEvent } from "../log.ts";

/** What a caller says of itself, in this header of its upgrade: JSON of `LaneAsk`. */
export const askHeader = "X-Countersign-Place";
export type LaneAsk = Newcomer & {
  /** From 1, one more with each socket: an earlier one says nothing of the place any more. */
  readonly attempt: number;
  readonly limits: LaneLimits;
  /** Of the routing table that has the limits. Those of the newest one count, whoever brought them; 0 is of no known table. */
  readonly version: number;
};

/** How the upgrade is answered: 101 with this header, or 503 where the queue is full. `granted` may also come later, as a message. */
export const standingHeader = "X-Countersign-Standing";
export const grantedWord = "granted";
export const waitingWord = "waiting";
export const fullStatus = 503;

/** After a reset, a caller that has not come back for so long is gone. */
export const graceMs = 5_000;
const alarmRetryMs = 1_000;

type Known = { readonly socket: WebSocket; readonly attempt: number };
type Attachment = { readonly ticket: string; readonly attempt: number };
type Limits = LaneLimits & { readonly version: number };
type PlaceRow = { ticket: string; holds: number; priority: Place["priority"]; arrival: number; arrived_at: number; until: number };
type LimitsRow = { version: number; concurrency: number; queue: number; promote_after_ms: number };

export class LaneObject extends DurableObject<Env> {
  now = (): number => Date.now();
  readonly #sql: SqlStorage;
  readonly #sockets = new Map<string, Known>();
  /** Tickets of the rows that were there before this instance and whose callers are yet to come back, until when they may. */
  readonly #absent = new Set<string>();
  readonly #graceEndsAt: number;
  #lane: Lane;
  #limits: Limits | null;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS place (ticket TEXT PRIMARY KEY, holds INTEGER NOT NULL, priority TEXT NOT NULL, arrival INTEGER NOT NULL, arrived_at INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID",
    );
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS limits (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL, concurrency INTEGER NOT NULL, queue INTEGER NOT NULL, promote_after_ms INTEGER NOT NULL)",
    );
    this.#lane = this.#readLane();
    this.#limits = this.#readLimits();
    for (const socket of ctx.getWebSockets()) {
      const { ticket, attempt } = socket.deserializeAttachment() as Attachment; // written by fetch
      const known = this.#sockets.get(ticket);
      if (socket.readyState === WebSocket.OPEN && (known === undefined || known.attempt < attempt)) {
        this.#sockets.set(ticket, { socket, attempt });
      }
    }
    for (const { ticket } of this.#places()) if (!this.#sockets.has(ticket)) this.#absent.add(ticket);
    this.#graceEndsAt = this.now() + graceMs;
    this.#armForAll();
  }

  /** A caller's socket: a new place, or the one that its ticket has. Closing it gives the place back. */
  override fetch(request: Request): Response {
    const { attempt, limits, version, ...newcomer } = JSON.parse(request.headers.get(askHeader) ?? "") as LaneAsk; // written by our own client
    const known = this.#sockets.get(newcomer.ticket);
    // One that was overtaken on its way here.
    if (known !== undefined && known.attempt >= attempt) return new Response(null, { status: 409 });
    const its = this.#heed({ ...limits, version });
    const { standing, ...step } = enter(this.#lane, newcomer, its, this.now());
    this.#commit(step, { entered: standing === "full" ? null : newcomer.ticket });
    if (standing === "full") return new Response(null, { status: fullStatus });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment({ ticket: newcomer.ticket, attempt } satisfies Attachment);
    this.#sockets.set(newcomer.ticket, { socket: server, attempt });
    this.#absent.delete(newcomer.ticket);
    if (known !== undefined) hangUp(known.socket);
    this.#arm(newcomer.until);
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { [standingHeader]: standing === "granted" ? grantedWord : waitingWord },
    });
  }

  override webSocketMessage(): void {
    // Callers only listen.
  }

  override webSocketClose(socket: WebSocket): void {
    this.#closed(socket);
    hangUp(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#closed(socket);
  }

  /** Frees what nobody closed: places whose time is over, and after a reset those whose callers did not come back. */
  override alarm(): void {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    try {
      const now = this.now();
      const gone = lapsed(this.#lane, now);
      if (now >= this.#graceEndsAt) {
        gone.push(...this.#absent);
        this.#absent.clear();
      }
      this.#free(gone);
      this.#armForAll();
    } catch (error) {
      logEvent("lane.alarmFailed", { error: errorClass(error) });
      this.#arm(this.now() + alarmRetryMs);
    }
  }

  #closed(socket: WebSocket): void {
    const { ticket, attempt } = socket.deserializeAttachment() as Attachment; // written by fetch
    const known = this.#sockets.get(ticket);
    // The caller has another socket by now.
    if (known !== undefined && known.attempt !== attempt) return;
    this.#free([ticket]);
  }

  #free(tickets: readonly string[]): void {
    if (this.#limits === null || tickets.length === 0) return;
    const step = leave(this.#lane, new Set(tickets), this.#limits, this.now());
    this.#commit(step, { freed: tickets });
    for (const ticket of tickets) {
      const known = this.#sockets.get(ticket);
      this.#sockets.delete(ticket);
      this.#absent.delete(ticket);
      if (known !== undefined) hangUp(known.socket);
    }
  }

  /** The limits that count: these, unless a newer table's are known. */
  #heed(brought: Limits): Limits {
    const known = this.#limits;
    if (known !== null && known.version > brought.version) return known;
    const { version, concurrency, queue, promoteAfterMs } = brought;
    const isSame =
      known?.version === version && known.concurrency === concurrency && known.queue === queue && known.promoteAfterMs === promoteAfterMs;
    if (!isSame) {
      this.#sql.exec(
        "INSERT OR REPLACE INTO limits (one, version, concurrency, queue, promote_after_ms) VALUES (1, ?, ?, ?, ?)",
        version,
        concurrency,
        queue,
        promoteAfterMs,
      );
      this.#limits = brought;
    }
    return brought;
  }

  /** Writes what changed, then tells those who were let in: what they hear, a reset does not take back. */
  #commit({ lane, granted }: Step, { entered = null, freed = [] }: { entered?: string | null; freed?: readonly string[] }): void {
    this.ctx.storage.transactionSync(() => {
      for (const ticket of freed) this.#sql.exec("DELETE FROM place WHERE ticket = ?", ticket);
      for (const { ticket } of granted) this.#sql.exec("UPDATE place SET holds = 1 WHERE ticket = ?", ticket);
      const isEntered = ({ ticket }: Place): boolean => ticket === entered;
      const held = lane.holders.find(isEntered);
      const place = held ?? lane.waiting.find(isEntered);
      if (place === undefined) return;
      this.#sql.exec(
        "INSERT OR REPLACE INTO place (ticket, holds, priority, arrival, arrived_at, until) VALUES (?, ?, ?, ?, ?, ?)",
        place.ticket,
        held === undefined ? 0 : 1,
        place.priority,
        place.arrival,
        place.arrivedAt,
        place.until,
      );
    });
    this.#lane = lane;
    for (const { ticket } of granted) {
      try {
        this.#sockets.get(ticket)?.socket.send(grantedWord);
      } catch {
        // A socket that breaks in this moment: its close frees the place, or the caller comes back and is told.
      }
    }
  }

  #places(): readonly Place[] {
    return [...this.#lane.holders, ...this.#lane.waiting];
  }

  #armForAll(): void {
    for (const { until } of this.#places()) this.#arm(until);
    if (this.#absent.size > 0) this.#arm(this.#graceEndsAt);
  }

  /** One alarm, for the earliest. It may find nothing to do: a place that was given back does not move it. */
  #arm(at: number): void {
    if (at >= this.#alarmAt) return;
    this.#alarmAt = at;
    void this.ctx.storage.setAlarm(at);
  }

  #readLane(): Lane {
    const rows = this.#sql
      .exec<PlaceRow>("SELECT ticket, holds, priority, arrival, arrived_at, until FROM place ORDER BY arrival")
      .toArray()
      .map(({ holds, arrived_at, ...row }) => ({ holds, place: { ...row, arrivedAt: arrived_at } }));
    const those = (held: number): Place[] => rows.filter(({ holds }) => holds === held).map(({ place }) => place);
    return { holders: those(1), waiting: those(0) };
  }

  #readLimits(): Limits | null {
    const [row] = this.#sql.exec<LimitsRow>("SELECT version, concurrency, queue, promote_after_ms FROM limits").toArray();
    if (row === undefined) return null;
    const { promote_after_ms, ...limits } = row;
    return { ...limits, promoteAfterMs: promote_after_ms };
  }
}

function hangUp(socket: WebSocket): void {
  try {
    socket.close(1000, "over");
  } catch {
    // It is closed.
  }
}
