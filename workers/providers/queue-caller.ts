// The client of a model's ConcurrencyQueueObject: it waits for a slot, keeps it while the call is
// under way, and releases it. A broken socket is opened again with the same ticket, so that a reset
// of the object costs no caller its slot or its turn.

import { type SlotRequest, askHeader, fullStatus, grantedWord, hereWord, slotHeader } from "../stubs/queue-calls.ts";
import type { QueueLimits } from "../../shared/concurrency/queue.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Env } from "../platform/env.ts";
import { queueStub } from "../stubs/stubs.ts";
import { routingInMemory } from "../stores/documents.ts";
import type { Slot, SlotRefusal, SlotTerms } from "./slot.ts";

/** A slot that is not released ends this long after its call: the clocks of two machines differ. */
const slackMs = 10_000;
/** Several of these pauses fit into the grace time that the object gives after a reset. */
const firstRetryMs = 50;
const lastRetryMs = 1_000;

const unlimited: Slot = { release: () => {} };

/**
 * A slot before the candidate's model, now or when its turn comes; at once, without a call, where
 * the model has no queue. Release the slot when the call is over, however it ended.
 */
export async function acquireSlot(env: Env, candidate: Candidate, terms: SlotTerms): Promise<Result<Slot, SlotRefusal>> {
  const found = queueOf(env, candidate);
  if (found === null) return ok(unlimited);
  if (terms.gone.some(({ aborted }) => aborted)) return err("cancelled");
  const caller = new QueueCaller(env, candidate, found, terms);
  const result = await caller.wait();
  return result === "granted" ? ok(caller) : err(result);
}

type FoundQueue = { readonly version: number; readonly limits: QueueLimits };

/** By the routing table in use, where that has the model: an approved candidate may be days old. */
function queueOf(env: Env, { model }: Candidate): FoundQueue | null {
  const table = routingInMemory(env);
  const current = table?.models.find((each) => each.id === model.id && each.provider === model.provider);
  const { lane: queue } = current ?? model;
  if (queue === undefined) return null;
  const limits = { concurrency: queue.concurrency, queue: queue.queue, promoteAfterMs: queue.promoteAfterSeconds * 1000 };
  return { version: current === undefined ? 0 : (table?.version ?? 0), limits };
}

class QueueCaller implements Slot {
  readonly #env: Env;
  readonly #candidate: Candidate;
  readonly #queue: FoundQueue;
  readonly #terms: SlotTerms;
  readonly #ticket = crypto.randomUUID();
  #attempt = 0;
  #socket: WebSocket | null = null;
  #hasSlot = false;
  #released = false;

  constructor(env: Env, candidate: Candidate, queue: FoundQueue, terms: SlotTerms) {
    this.#env = env;
    this.#candidate = candidate;
    this.#queue = queue;
    this.#terms = terms;
  }

  /** Resolves when the slot is granted, or will not be. */
  async wait(): Promise<"granted" | SlotRefusal> {
    const { waitUntil, gone } = this.#terms;
    const end = endOf(waitUntil, AbortSignal.any([...gone]));
    try {
      for (let failures = 0; ; failures += 1) {
        const result = await Promise.race([end.came, this.#ask()]);
        if (result === "granted") return result;
        if (result !== "broken") {
          this.release();
          return result;
        }
        await Promise.race([end.came, pause(failures)]);
      }
    } finally {
      end.forget();
    }
  }

  release(): void {
    this.#released = true;
    const socket = this.#socket;
    this.#socket = null;
    if (socket !== null) close(socket);
  }

  /** Opens one socket: until it grants the slot, is refused, or breaks. */
  async #ask(): Promise<"granted" | "full" | "broken"> {
    try {
      const response = await this.#open();
      const socket = response.webSocket;
      if (socket === null) return response.status === fullStatus ? "full" : "broken";
      socket.accept();
      if (this.#released) {
        close(socket);
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
          if (this.#hasSlot) void this.#reopen();
        };
        socket.addEventListener("message", ({ data }) => data === grantedWord && grant());
        socket.addEventListener("close", lose);
        socket.addEventListener("error", lose);
        if (response.headers.get(slotHeader) === grantedWord) grant();
      });
    } catch (error) {
      // An overloaded object is not called again.
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

  /**
   * Opens another socket where one broke while the call is under way, so that its slot stays
   * counted.
   */
  async #reopen(): Promise<void> {
    for (let failures = 0; !this.#released && Date.now() < this.#terms.until; failures += 1) {
      await pause(failures);
      if (this.#released || (await this.#ask()) === "granted") return;
    }
  }
}

/** Never throws: a socket that cannot be closed is broken, which the object sees. */
function close(socket: WebSocket): void {
  try {
    socket.close(1000, "left");
  } catch {
    // It is closed.
  }
}

/** With jitter: a reset breaks the sockets of all callers at once. */
const pause = (failures: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(lastRetryMs, firstRetryMs * 2 ** failures)));

/** Resolves when the time to wait is over, or the caller has left. */
function endOf(at: number, signal: AbortSignal): { readonly came: Promise<"timeout" | "cancelled">; readonly forget: () => void } {
  let forget = (): void => {};
  const came = new Promise<"timeout" | "cancelled">((resolve) => {
    const cancel = (): void => resolve("cancelled");
    const timer = setTimeout(() => resolve("timeout"), Math.max(0, at - Date.now()));
    signal.addEventListener("abort", cancel, { once: true });
    forget = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    };
    if (signal.aborted) cancel();
  });
  return { came, forget };
}
