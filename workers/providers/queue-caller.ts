// A caller's way through a model's lane: in, a place held while the call is under way, out. Its socket may break and is opened again
// with the same ticket, so that a reset of the LaneObject costs nobody a place or a turn.

import { type LaneAsk, askHeader, fullStatus, grantedWord, hereWord, standingHeader } from "../stubs/queue-calls.ts";
import type { LaneLimits } from "../../shared/concurrency/queue.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import { isTableKind } from "../../shared/routing/provider-kinds.ts";
import type { Env } from "../platform/env.ts";
import { laneStub } from "../stubs/stubs.ts";
import { routingInMemory } from "../stores/documents.ts";
import type { LanePlace, LaneRefusal, LaneTerms } from "./slot.ts";

/** A place outlives its call by this, where nobody gave it back: the clocks of two machines are not one. */
const slackMs = 10_000;
/** The pauses before a socket is opened again: several of them are within the grace that the object gives after a reset. */
const firstRetryMs = 50;
const lastRetryMs = 1_000;

const openRoad: LanePlace = { leave: () => {} };

/**
 * A place in the candidate's lane, now or when its turn comes; at once, and without asking anybody, where it has none. The place
 * is to be left when the call is over, however it ended.
 */
export async function enterLane(env: Env, candidate: Candidate, terms: LaneTerms): Promise<Result<LanePlace, LaneRefusal>> {
  const found = laneOf(env, candidate);
  if (found === null) return ok(openRoad);
  if (terms.signal?.aborted === true) return err("cancelled");
  const caller = new LaneCaller(env, candidate, found, terms);
  const told = await caller.wait();
  return told === "granted" ? ok(caller) : err(told);
}

type FoundLane = { readonly version: number; readonly limits: LaneLimits };

/** As the table has it that serves now, where that has the model: a candidate that was approved may be days old. */
function laneOf(env: Env, { model, provider }: Candidate): FoundLane | null {
  if (!isTableKind(provider.kind)) return null;
  const table = routingInMemory(env);
  const current = table?.models.find((each) => each.id === model.id && each.provider === model.provider);
  const { lane } = current ?? model;
  if (lane === undefined) return null;
  const limits = { concurrency: lane.concurrency, queue: lane.queue, promoteAfterMs: lane.promoteAfterSeconds * 1000 };
  return { version: current === undefined ? 0 : (table?.version ?? 0), limits };
}

class LaneCaller implements LanePlace {
  readonly #env: Env;
  readonly #candidate: Candidate;
  readonly #lane: FoundLane;
  readonly #terms: LaneTerms;
  readonly #ticket = crypto.randomUUID();
  #attempt = 0;
  #socket: WebSocket | null = null;
  #holds = false;
  #left = false;

  constructor(env: Env, candidate: Candidate, lane: FoundLane, terms: LaneTerms) {
    this.#env = env;
    this.#candidate = candidate;
    this.#lane = lane;
    this.#terms = terms;
  }

  /** Until the place is this caller's, or will not be. */
  async wait(): Promise<"granted" | LaneRefusal> {
    const { waitUntil, signal } = this.#terms;
    const end = endOf(waitUntil, signal);
    try {
      for (let failures = 0; ; failures += 1) {
        const told = await Promise.race([end.came, this.#ask()]);
        if (told === "granted") return told;
        if (told !== "broken") {
          this.leave();
          return told;
        }
        await Promise.race([end.came, pause(failures)]);
      }
    } finally {
      end.forget();
    }
  }

  leave(): void {
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
          this.#holds = true;
          resolve("granted");
        };
        const lose = (): void => {
          if (this.#socket !== socket) return;
          this.#socket = null;
          resolve("broken");
          if (this.#holds) void this.#comeBack();
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
    const ask: LaneAsk = {
      ticket: this.#ticket,
      priority,
      until: until + slackMs,
      holds: this.#holds,
      attempt: this.#attempt,
      ...this.#lane,
    };
    const { model } = this.#candidate;
    return laneStub(this.#env, model).fetch("https://lane/", { headers: { Upgrade: "websocket", [askHeader]: JSON.stringify(ask) } });
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
