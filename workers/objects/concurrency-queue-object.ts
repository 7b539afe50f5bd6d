// The concurrency queue of one model: each call to the model has a slot here while it runs, and
// waits for one where all are in use.
//
// shared/concurrency/queue.ts decides which call is next. An entry is a row and a hibernating
// WebSocket from its caller. The row survives this object's resets, so that the limit does; the
// socket says that the caller is there, and its close removes the entry. The caller has to confirm
// its socket, and after a reset there are rows without sockets: a caller that stays silent for
// `graceMs` loses its entry.

import { askHeader, type SlotRequest, slotHeader, grantedWord, waitingWord, fullStatus, hereWord } from "../stubs/queue-calls.ts";
import {
  type ConcurrencyQueue,
  type QueueEntry,
  type QueueLimits,
  type Step,
  acquire,
  lapsed,
  release,
} from "../../shared/concurrency/queue.ts";
import type { Env } from "../platform/env.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { queueSchema } from "./schema/queue-schema.ts";
import { StoredObject } from "./stored-object.ts";

/**
 * A caller that has not confirmed its socket for so long, or has not come back after a reset, is
 * gone.
 */
export const graceMs = 5_000;

type Connection = { readonly socket: WebSocket; readonly attempt: number };
type Attachment = { readonly ticket: string; readonly attempt: number; readonly here: boolean };
type Limits = QueueLimits & { readonly version: number };
type SlotRow = { ticket: string; has_slot: number; priority: QueueEntry["priority"]; arrival: number; arrived_at: number; until: number };
type LimitsRow = { version: number; concurrency: number; queue: number; promote_after_ms: number };

export class ConcurrencyQueueObject extends StoredObject {
  readonly #alarm: ObjectAlarm;
  /** By ticket, the newest of each. */
  readonly #connections = new Map<string, Connection>();
  /**
   * Tickets whose callers have yet to confirm their sockets, and until when they may: Unix
   * milliseconds.
   */
  readonly #unconfirmed = new Map<string, number>();
  #queue: ConcurrencyQueue;
  #limits: Limits | null;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, queueSchema);
    this.tables.create();
    this.#queue = this.#readQueue();
    this.#limits = this.#readLimits();
    for (const socket of ctx.getWebSockets()) {
      const { ticket, attempt } = attachmentOf(socket);
      const known = this.#connections.get(ticket);
      if (socket.readyState === WebSocket.OPEN && (known === undefined || known.attempt < attempt)) {
        this.#connections.set(ticket, { socket, attempt });
      }
    }
    const graceEndsAt = this.now() + graceMs;
    for (const { ticket } of this.#entries()) {
      const known = this.#connections.get(ticket);
      if (known === undefined || !attachmentOf(known.socket).here) this.#unconfirmed.set(ticket, graceEndsAt);
    }
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "queue.alarmFailed" });
    this.#armForNextDue();
  }

  /**
   * Accepts a caller's socket, for a new entry or for the one that its ticket has. Closing the
   * socket removes the entry.
   */
  override fetch(request: Request): Response {
    const { attempt, limits, version, ...newcomer } = JSON.parse(request.headers.get(askHeader) ?? "") as SlotRequest; // written by our own client
    const known = this.#connections.get(newcomer.ticket);
    // A later socket of this caller arrived first.
    if (known !== undefined && known.attempt >= attempt) return new Response(null, { status: 409 });
    const now = this.now();
    const { state, ...step } = acquire(this.#queue, newcomer, this.#newestLimits({ ...limits, version }), now);
    if (state === "full") {
      this.#commit(step, {});
      return new Response(null, { status: fullStatus });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    attach(server, { ticket: newcomer.ticket, attempt, here: false });
    // Before the row is written: an object that can accept no more sockets keeps no entry without
    // one.
    this.ctx.acceptWebSocket(server);
    this.#connections.set(newcomer.ticket, { socket: server, attempt });
    this.#unconfirmed.set(newcomer.ticket, now + graceMs);
    this.#commit(step, { acquired: newcomer.ticket });
    if (known !== undefined) closeSocket(known.socket);
    this.#arm(Math.min(newcomer.until, now + graceMs));
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { [slotHeader]: state === "granted" ? grantedWord : waitingWord },
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const { ticket, attempt } = attachmentOf(socket);
    if (message !== hereWord || this.#connections.get(ticket)?.attempt !== attempt) return;
    attach(socket, { ticket, attempt, here: true });
    this.#unconfirmed.delete(ticket);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#closed(socket);
    closeSocket(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#closed(socket);
  }

  /**
   * Removes the entries whose time is over, and those whose callers did not confirm their sockets
   * in time.
   */
  override async alarm(): Promise<void> {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    await this.#alarm.ring(() => {
      const now = this.now();
      const silent = [...this.#unconfirmed].filter(([, until]) => until <= now).map(([ticket]) => ticket);
      this.#remove([...lapsed(this.#queue, now), ...silent]);
      this.#armForNextDue();
    });
  }

  #closed(socket: WebSocket): void {
    const { ticket, attempt } = attachmentOf(socket);
    const known = this.#connections.get(ticket);
    // The caller has another socket by now.
    if (known !== undefined && known.attempt !== attempt) return;
    this.#remove([ticket]);
  }

  #remove(tickets: readonly string[]): void {
    if (this.#limits === null || tickets.length === 0) return;
    const step = release(this.#queue, new Set(tickets), this.#limits, this.now());
    this.#commit(step, { removed: tickets });
    for (const ticket of tickets) {
      const known = this.#connections.get(ticket);
      this.#connections.delete(ticket);
      this.#unconfirmed.delete(ticket);
      if (known !== undefined) closeSocket(known.socket);
    }
  }

  /** The limits of the newest routing table: these, unless a newer table's are stored. */
  #newestLimits(given: Limits): Limits {
    const known = this.#limits;
    if (known !== null && known.version > given.version) return known;
    const { version, concurrency, queue, promoteAfterMs } = given;
    const isSame =
      known?.version === version && known.concurrency === concurrency && known.queue === queue && known.promoteAfterMs === promoteAfterMs;
    if (!isSame) {
      this.sql.exec(
        "INSERT OR REPLACE INTO limits (one, version, concurrency, queue, promote_after_ms) VALUES (1, ?, ?, ?, ?)",
        version,
        concurrency,
        queue,
        promoteAfterMs,
      );
      this.#limits = given;
    }
    return given;
  }

  /**
   * Writes what changed, then tells the callers that got a slot: a reset does not take back what
   * they were told.
   */
  #commit(
    { queue, granted }: Step,
    { acquired, removed = [] }: { readonly acquired?: string; readonly removed?: readonly string[] },
  ): void {
    this.ctx.storage.transactionSync(() => {
      for (const ticket of removed) this.sql.exec("DELETE FROM slot WHERE ticket = ?", ticket);
      for (const { ticket } of granted) this.sql.exec("UPDATE slot SET has_slot = 1 WHERE ticket = ?", ticket);
      const isAcquired = ({ ticket }: QueueEntry): boolean => ticket === acquired;
      const holder = queue.holders.find(isAcquired);
      const entry = holder ?? queue.waiting.find(isAcquired);
      if (entry === undefined) return;
      this.sql.exec(
        "INSERT OR REPLACE INTO slot (ticket, has_slot, priority, arrival, arrived_at, until) VALUES (?, ?, ?, ?, ?, ?)",
        entry.ticket,
        holder === undefined ? 0 : 1,
        entry.priority,
        entry.arrival,
        entry.arrivedAt,
        entry.until,
      );
    });
    this.#queue = queue;
    for (const { ticket } of granted) {
      try {
        this.#connections.get(ticket)?.socket.send(grantedWord);
      } catch {
        // The socket breaks at this moment: its close removes the entry, or the caller comes back
        // and is answered then.
      }
    }
  }

  #entries(): readonly QueueEntry[] {
    return [...this.#queue.holders, ...this.#queue.waiting];
  }

  #armForNextDue(): void {
    const at = this.#nextDue();
    if (at !== null) this.#arm(at);
  }

  #nextDue(): number | null {
    const times = [...this.#entries().map(({ until }) => until), ...this.#unconfirmed.values()];
    return times.length === 0 ? null : Math.min(...times);
  }

  /**
   * Sets the one alarm for the earliest time. It may find nothing to do: removing an entry does not
   * move it.
   */
  #arm(at: number): void {
    if (at >= this.#alarmAt) return;
    this.#alarmAt = at;
    void this.ctx.storage.setAlarm(at);
  }

  #readQueue(): ConcurrencyQueue {
    const rows = this.sql
      .exec<SlotRow>("SELECT ticket, has_slot, priority, arrival, arrived_at, until FROM slot ORDER BY arrival")
      .toArray()
      .map(({ has_slot: hasSlot, arrived_at, ...row }) => ({ hasSlot, entry: { ...row, arrivedAt: arrived_at } }));
    const entriesWith = (flag: number): QueueEntry[] => rows.filter(({ hasSlot }) => hasSlot === flag).map(({ entry }) => entry);
    return { holders: entriesWith(1), waiting: entriesWith(0) };
  }

  #readLimits(): Limits | null {
    const [row] = this.sql.exec<LimitsRow>("SELECT version, concurrency, queue, promote_after_ms FROM limits").toArray();
    if (row === undefined) return null;
    const { promote_after_ms, ...limits } = row;
    return { ...limits, promoteAfterMs: promote_after_ms };
  }
}

const attachmentOf = (socket: WebSocket): Attachment => socket.deserializeAttachment() as Attachment; // written by `attach`

const attach = (socket: WebSocket, attachment: Attachment): void => socket.serializeAttachment(attachment);

function closeSocket(socket: WebSocket): void {
  try {
    socket.close(1000, "over");
  } catch {
    // It is closed.
  }
}
