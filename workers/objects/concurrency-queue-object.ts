// One model's lane: whoever calls the model holds a place here for as long, and waits for one where all are taken.
//
// Who is next is shared/concurrency/queue.ts. A place is a row and a hibernating WebSocket from its caller. The row survives this
// object's resets, so that the limit does; the socket says that the caller is there, and its close frees the place. Who is given a
// socket has to say that it has it, and after a reset there are rows without sockets: whoever is silent loses its place after a grace.

import { askHeader, type SlotRequest, standingHeader, grantedWord, waitingWord, fullStatus, hereWord } from "../stubs/queue-calls.ts";
import { DurableObject } from "cloudflare:workers";
import { type ConcurrencyQueue, type QueueLimits, type Slot, type Step, acquire, lapsed, release } from "../../shared/concurrency/queue.ts";
import type { Env } from "../platform/env.ts";
import { ObjectAlarm } from "./alarm.ts";

/** A caller that has not taken its socket for so long, or has not come back after a reset, is gone. */
export const graceMs = 5_000;

type Known = { readonly socket: WebSocket; readonly attempt: number };
type Attachment = { readonly ticket: string; readonly attempt: number; readonly here: boolean };
type Limits = QueueLimits & { readonly version: number };
type SlotRow = { ticket: string; has_slot: number; priority: Slot["priority"]; arrival: number; arrived_at: number; until: number };
type LimitsRow = { version: number; concurrency: number; queue: number; promote_after_ms: number };

export class ConcurrencyQueueObject extends DurableObject<Env> {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #sql: SqlStorage;
  readonly #alarm: ObjectAlarm;
  readonly #sockets = new Map<string, Known>();
  /** Tickets whose callers are yet to say that they are here, and until when they may: Unix milliseconds. */
  readonly #absent = new Map<string, number>();
  #queue: ConcurrencyQueue;
  #limits: Limits | null;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS slot (ticket TEXT PRIMARY KEY, has_slot INTEGER NOT NULL, priority TEXT NOT NULL, arrival INTEGER NOT NULL, arrived_at INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID",
    );
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS limits (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL, concurrency INTEGER NOT NULL, queue INTEGER NOT NULL, promote_after_ms INTEGER NOT NULL)",
    );
    this.#queue = this.#readQueue();
    this.#limits = this.#readLimits();
    for (const socket of ctx.getWebSockets()) {
      const { ticket, attempt } = attachmentOf(socket);
      const known = this.#sockets.get(ticket);
      if (socket.readyState === WebSocket.OPEN && (known === undefined || known.attempt < attempt)) {
        this.#sockets.set(ticket, { socket, attempt });
      }
    }
    const graceEndsAt = this.now() + graceMs;
    for (const { ticket } of this.#slots()) {
      const known = this.#sockets.get(ticket);
      if (known === undefined || !attachmentOf(known.socket).here) this.#absent.set(ticket, graceEndsAt);
    }
    this.#alarm = new ObjectAlarm({
      storage: ctx.storage,
      now: () => this.now(),
      random: () => this.random(),
      nextDue: () => this.#nextDue(),
      failed: "lane.alarmFailed",
    });
    this.#armForAll();
  }

  /** A caller's socket: a new place, or the one that its ticket has. Closing it gives the place back. */
  override fetch(request: Request): Response {
    const { attempt, limits, version, ...newcomer } = JSON.parse(request.headers.get(askHeader) ?? "") as SlotRequest; // written by our own client
    const known = this.#sockets.get(newcomer.ticket);
    // One that was overtaken on its way here.
    if (known !== undefined && known.attempt >= attempt) return new Response(null, { status: 409 });
    const its = this.#heed({ ...limits, version });
    const now = this.now();
    const { standing, ...step } = acquire(this.#queue, newcomer, its, now);
    if (standing === "full") {
      this.#commit(step, {});
      return new Response(null, { status: fullStatus });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    attach(server, { ticket: newcomer.ticket, attempt, here: false });
    // Before the row is written: an object that can take no more sockets keeps no place that nobody could give back.
    this.ctx.acceptWebSocket(server);
    this.#sockets.set(newcomer.ticket, { socket: server, attempt });
    this.#absent.set(newcomer.ticket, now + graceMs);
    this.#commit(step, { acquired: newcomer.ticket });
    if (known !== undefined) hangUp(known.socket);
    this.#arm(Math.min(newcomer.until, now + graceMs));
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { [standingHeader]: standing === "granted" ? grantedWord : waitingWord },
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const { ticket, attempt } = attachmentOf(socket);
    if (message !== hereWord || this.#sockets.get(ticket)?.attempt !== attempt) return;
    attach(socket, { ticket, attempt, here: true });
    this.#absent.delete(ticket);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#closed(socket);
    hangUp(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#closed(socket);
  }

  /** Frees what nobody closed: places whose time is over, and those whose callers never said that they were here. */
  override async alarm(): Promise<void> {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    await this.#alarm.ring(() => {
      const now = this.now();
      const silent = [...this.#absent].filter(([, until]) => until <= now).map(([ticket]) => ticket);
      this.#free([...lapsed(this.#queue, now), ...silent]);
      this.#armForAll();
    });
  }

  #closed(socket: WebSocket): void {
    const { ticket, attempt } = attachmentOf(socket);
    const known = this.#sockets.get(ticket);
    // The caller has another socket by now.
    if (known !== undefined && known.attempt !== attempt) return;
    this.#free([ticket]);
  }

  #free(tickets: readonly string[]): void {
    if (this.#limits === null || tickets.length === 0) return;
    const step = release(this.#queue, new Set(tickets), this.#limits, this.now());
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
  #commit({ queue, granted }: Step, { acquired, freed = [] }: { readonly acquired?: string; readonly freed?: readonly string[] }): void {
    this.ctx.storage.transactionSync(() => {
      for (const ticket of freed) this.#sql.exec("DELETE FROM slot WHERE ticket = ?", ticket);
      for (const { ticket } of granted) this.#sql.exec("UPDATE slot SET has_slot = 1 WHERE ticket = ?", ticket);
      const isEntered = ({ ticket }: Slot): boolean => ticket === acquired;
      const held = queue.holders.find(isEntered);
      const slot = held ?? queue.waiting.find(isEntered);
      if (slot === undefined) return;
      this.#sql.exec(
        "INSERT OR REPLACE INTO slot (ticket, has_slot, priority, arrival, arrived_at, until) VALUES (?, ?, ?, ?, ?, ?)",
        slot.ticket,
        held === undefined ? 0 : 1,
        slot.priority,
        slot.arrival,
        slot.arrivedAt,
        slot.until,
      );
    });
    this.#queue = queue;
    for (const { ticket } of granted) {
      try {
        this.#sockets.get(ticket)?.socket.send(grantedWord);
      } catch {
        // A socket that breaks in this moment: its close frees the place, or the caller comes back and is told.
      }
    }
  }

  #slots(): readonly Slot[] {
    return [...this.#queue.holders, ...this.#queue.waiting];
  }

  #armForAll(): void {
    const at = this.#nextDue();
    if (at !== null) this.#arm(at);
  }

  #nextDue(): number | null {
    const times = [...this.#slots().map(({ until }) => until), ...this.#absent.values()];
    return times.length === 0 ? null : Math.min(...times);
  }

  /** One alarm, for the earliest. It may find nothing to do: a place that was given back does not move it. */
  #arm(at: number): void {
    if (at >= this.#alarmAt) return;
    this.#alarmAt = at;
    void this.ctx.storage.setAlarm(at);
  }

  #readQueue(): ConcurrencyQueue {
    const rows = this.#sql
      .exec<SlotRow>("SELECT ticket, has_slot, priority, arrival, arrived_at, until FROM slot ORDER BY arrival")
      .toArray()
      .map(({ has_slot: hasSlot, arrived_at, ...row }) => ({ hasSlot, slot: { ...row, arrivedAt: arrived_at } }));
    const those = (held: number): Slot[] => rows.filter(({ hasSlot }) => hasSlot === held).map(({ slot }) => slot);
    return { holders: those(1), waiting: those(0) };
  }

  #readLimits(): Limits | null {
    const [row] = this.#sql.exec<LimitsRow>("SELECT version, concurrency, queue, promote_after_ms FROM limits").toArray();
    if (row === undefined) return null;
    const { promote_after_ms, ...limits } = row;
    return { ...limits, promoteAfterMs: promote_after_ms };
  }
}

const attachmentOf = (socket: WebSocket): Attachment => socket.deserializeAttachment() as Attachment; // written by `attach`

const attach = (socket: WebSocket, attachment: Attachment): void => socket.serializeAttachment(attachment);

function hangUp(socket: WebSocket): void {
  try {
    socket.close(1000, "over");
  } catch {
    // It is closed.
  }
}
