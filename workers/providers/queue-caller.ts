// A caller's way through a model's lane: in, a place held while the call is under way, out. Its socket may break and is opened again
// with the same ticket, so that a reset of the ConcurrencyQueueObject costs nobody a place or a turn.

import { type SlotRequest, askHeader, fullStatus, grantedWord, hereWord, standingHeader } from "../stubs/queue-calls.ts";
import type { QueueLimits } from "../../shared/concurrency/queue.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import { isTableKind } from "../../shared/routing/provider-kinds.ts";
import type { Env } from "../platform/env.ts";
import { queueStub } from "../stubs/stubs.ts";
import { routingInMemory } from "../stores/documents.ts";
import type { HeldSlot, SlotRefusal, SlotTerms } from "./slot.ts";

/** A place outlives its call by this, where nobody gave it back: the clocks of two machines are not one. */
const slackMs = 10_000;
/** The pauses before a socket is opened again: several of them are within the grace that the object gives after a reset. */
const firstRetryMs = 50;
const lastRetryMs = 1_000;

const openRoad: HeldSlot = { release: () => {} };

/**
 * A place in the candidate's lane, now or when its turn comes; at once, and without asking anybody, where it has none. The place
 * is to be left when the call is over, however it ended.
 */
export async function acquireSlot(env: Env, candidate: Candidate, terms: SlotTerms): Promise<Result<HeldSlot, SlotRefusal>> {
  const found = queueOf(env, candidate);
  if (found === null) return ok(openRoad);
  if (terms.signal?.aborted === true) return err("cancelled");
  const caller = new QueueCaller(env, candidate, found, terms);
  const told = await caller.wait();
  return told === "granted" ? ok(caller) : err(told);
}

type FoundQueue = { readonly version: number; readonly limits: QueueLimits };

/** As the table has it that serves now, where that has the model: a candidate that was approved may be days old. */
function queueOf(env: Env, { model, provider }: Candidate): FoundQueue | null {
  if (!isTableKind(provider.kind)) return null;
  const table = routingInMemory(env);
  const current = table?.models.find((each) => each.id === model.id && each.provider === model.provider);
  const { lane: queue } = current ?? model;
  if (queue === undefined) return null;
  const limits = { concurrency: queue.concurrency, queue: queue.queue, promoteAfterMs: queue.promoteAfterSeconds * 1000 };
  return { version: current === undefined ? 0 : (table?.version ?? 0), limits };
}

class QueueCaller implements HeldSlot {
  readonly #env: Env;
  readonly #candidate: Candidate;
  readonly #queue: FoundQueue;
  readonly #terms: SlotTerms;
  readonly #ticket = crypto.randomUUID();
  #attempt = 0;
  #socket: WebSocket | null = null;
  #hasSlot = false;
  #left = false;

  constructor(env: Env, candidate: Candidate, queue: FoundQueue, terms: SlotTerms) {
    this.#env = env;
    this.#candidate = candidate;
    this.#queue = queue;
    this.#terms = terms;
  }

  /** Until the place is this caller's, or will not be. */
  async wait(): Promise<"granted" | SlotRefusal> {
    const { waitUntil, signal } = this.#terms;
    const end = endOf(waitUntil, signal);
    try {
      for (let failures = 0; ; failures += 1) {
        const told = await Promise.race([end.came, this.#ask()]);
        if (told === "granted") return told;
        if (told !== "broken") {
          this.release();
          return told;
        }
        await Promise.race([end.came, pause(failures)]);
      }
    } finally {
      end.forget();
    }
  }

  release(): void {
    this.#left = true;
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) hangUp(socket);
  }

  /** One socket: until it brings the place, the refusal, or breaks. */
  async #ask(): Promise<"granted" | "full" | "broken"> {
    try {
      const response = await this.#open();
      const socket = response.webSocket;
      if (socket === null) return response.status === fullStatus ? "full" : "broken";
      socket.accept();
      if (this.#left) {
        hangUp(socket);
        return "broken";
      }
      this.#socket = socket;
      socket.send(hereWord);
      return await new Promise((resolve) => {
        const grant = (): void => {
          this.#hasSlot = true;
          resolve("granted");
        };
        const lose = (): void => {
          if (this.#socket !== socket) return;
          this.#socket = null;
          resolve("broken");
          if (this.#hasSlot) void this.#comeBack();
        };
        socket.addEventListener("message", ({ data }) => data === grantedWord && grant());
        socket.addEventListener("close", lose);
        socket.addEventListener("error", lose);
        if (response.headers.get(standingHeader) === grantedWord) grant();
      });
    } catch (error) {
      // An object that cannot take more is not to be asked again.
      return error instanceof Error && "overloaded" in error && error.overloaded === true ? "full" : "broken";
    }
  }

  #open(): Promise<Response> {
    this.#attempt += 1;
    const { priority, until } = this.#terms;
    const ask: SlotRequest = {
      ticket: this.#ticket,
      priority,
      until: until + slackMs,
      hasSlot: this.#hasSlot,
      attempt: this.#attempt,
      ...this.#queue,
    };
    const { model } = this.#candidate;
    return queueStub(this.#env, model).fetch("https://lane/", { headers: { Upgrade: "websocket", [askHeader]: JSON.stringify(ask) } });
  }

  /** The socket broke while the call is under way: another one, so that the place stays counted for as long. */
  async #comeBack(): Promise<void> {
    for (let failures = 0; !this.#left && Date.now() < this.#terms.until; failures += 1) {
      await pause(failures);
      if (this.#left || (await this.#ask()) === "granted") return;
    }
  }
}

/** A socket that cannot be closed is broken, and says itself that its caller is gone: no call fails over that. */
function hangUp(socket: WebSocket): void {
  try {
    socket.close(1000, "left");
  } catch {
    // It is.
  }
}

/** Not all at once: a reset breaks the sockets of all callers in one moment. */
const pause = (failures: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(lastRetryMs, firstRetryMs * 2 ** failures)));

/** The end of waiting: its time is over, or the caller has left. */
function endOf(
  at: number,
  signal: AbortSignal | undefined,
): { readonly came: Promise<"timeout" | "cancelled">; readonly forget: () => void } {
  let forget = (): void => {};
  const came = new Promise<"timeout" | "cancelled">((resolve) => {
    const cancel = (): void => resolve("cancelled");
    const timer = setTimeout(() => resolve("timeout"), Math.max(0, at - Date.now()));
    signal?.addEventListener("abort", cancel, { once: true });
    forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    if (signal?.aborted === true) cancel();
  });
  return { came, forget };
}
