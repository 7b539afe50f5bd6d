// Callers of a model's lane: through the client that the gateway uses, or with bare sockets where
// they are to misbehave.

import { type SlotRequest, askHeader, hereWord, slotHeader } from "../../../workers/stubs/queue-calls.ts";
import { runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import type { Priority } from "../../../shared/model/call.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import type { Model } from "../../../shared/routing/table.ts";
import { type ConcurrencyQueueObject } from "../../../workers/objects/concurrency-queue-object.ts";
import { queueStub } from "../../../workers/stubs/stubs.ts";
import { acquireSlot } from "../../../workers/providers/queue-caller.ts";
import type { SlotRefusal } from "../../../workers/providers/slot.ts";
import { candidate } from "../../support/providers/requests.ts";
import { asObject, tablesOf } from "../objects/inside.ts";
import { env } from "./gateway.ts";

export type LaneOfModel = NonNullable<Model["lane"]>;

/** A model that is in no table, so that its own lane counts. */
export const withLane = (lane: LaneOfModel, id = "busy"): Candidate => candidate("openai", { id, lane });

export const laneOf = (id = "busy"): DurableObjectStub<ConcurrencyQueueObject> => asObject(queueStub(env, { id, provider: "p" }));

export type PlaceRow = { readonly ticket: string; readonly has_slot: number; readonly priority: Priority; readonly arrival: number };

export const placesOf = async (id = "busy"): Promise<PlaceRow[]> => ((await tablesOf(laneOf(id)))["slot"] as PlaceRow[] | undefined) ?? [];

/** How many callers are there: each has a socket, and has said so. */
export const connected = (id = "busy"): Promise<number> =>
  runInDurableObject(
    laneOf(id),
    (_, state) =>
      state
        .getWebSockets()
        .filter((socket) => socket.readyState === WebSocket.OPEN && (socket.deserializeAttachment() as { readonly here: boolean }).here)
        .length,
  );

/**
 * Looks until it is so. The test's own time is the only bound: what is waited for may take as long
 * as the machine is busy.
 */
export async function once(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Once so many are in the lane, and each of them is there. */
export const settled = (count: number, id = "busy"): Promise<void> =>
  once(async () => (await connected(id)) === count && (await placesOf(id)).length === count);

export const anHour = 3_600_000;
const aDay = 24 * anHour;

/**
 * Time stands still, a day ahead, and goes on only by what this returns: so no grace ends and
 * nobody is promoted because a machine is slow, and no alarm rings but by hand.
 */
export function stopTime(): (milliseconds: number) => void {
  let at = Date.now() + aDay;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => at);
  return (milliseconds) => {
    at += milliseconds;
    clock.mockImplementation(() => at);
  };
}

const all = new Set<Callers>();

// Before everything is reset: whoever still held a place would come back to it in the next test.
export function disperseAll(): void {
  for (const callers of all) callers.disperse();
  all.clear();
}

/** What the callers themselves know of who holds a place: what the lane says of it is not asked. */
export class Callers {
  readonly #candidate: Candidate;
  readonly #leave = new Map<string, () => void>();
  readonly #cancel = new Map<string, AbortController>();
  /** Who has not been told anything yet. */
  readonly #asking = new Set<string>();
  readonly refused = new Map<string, SlotRefusal>();
  /** In the order in which they were told. */
  readonly granted: string[] = [];
  most = 0;
  #heard: () => void = () => {};

  constructor(lane: Candidate) {
    this.#candidate = lane;
    all.add(this);
  }

  /** Somebody who wants a place, waits for it, and holds it until `leave`. */
  come(name: string, priority: Priority = "normal", { waitMs = anHour, untilMs = anHour } = {}): void {
    const cancel = new AbortController();
    this.#cancel.set(name, cancel);
    this.#asking.add(name);
    const now = Date.now();
    const terms = { priority, waitUntil: now + waitMs, until: now + untilMs, gone: [cancel.signal] };
    void acquireSlot(env, this.#candidate, terms).then((entered) => {
      this.#asking.delete(name);
      if (entered.ok) {
        this.#leave.set(name, entered.value.release.bind(entered.value));
        this.granted.push(name);
        this.most = Math.max(this.most, this.#leave.size);
      } else this.refused.set(name, entered.error);
      this.#heard();
    });
  }

  holders(): string[] {
    return [...this.#leave.keys()];
  }

  asking(): string[] {
    return [...this.#asking];
  }

  leave(name: string): void {
    const leave = this.#leave.get(name);
    this.#leave.delete(name);
    leave?.();
  }

  cancel(name: string): void {
    this.#cancel.get(name)?.abort();
  }

  disperse(): void {
    for (const cancel of this.#cancel.values()) cancel.abort();
    for (const name of this.holders()) this.leave(name);
  }

  /** Until the callers have heard what makes this true. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }
}

/** A bare socket to the lane: one that says what it likes, and vanishes as it likes. */
export async function bareCaller(
  ticket: string,
  { id = "busy", here = true, ...more }: Partial<SlotRequest> & { readonly id?: string; readonly here?: boolean } = {},
): Promise<{ readonly status: number; readonly state: string | null; readonly socket: WebSocket | null; readonly heard: string[] }> {
  const ask: SlotRequest = {
    ticket,
    priority: "normal",
    until: Date.now() + anHour,
    hasSlot: false,
    attempt: 1,
    version: 0,
    limits: { concurrency: 1, queue: 100, promoteAfterMs: anHour },
    ...more,
  };
  const response = await laneOf(id).fetch("https://lane/", { headers: { Upgrade: "websocket", [askHeader]: JSON.stringify(ask) } });
  const heard: string[] = [];
  const socket = response.webSocket;
  socket?.accept();
  if (here) socket?.send(hereWord);
  socket?.addEventListener("message", ({ data }) => void heard.push(String(data)));
  return { status: response.status, state: response.headers.get(slotHeader), socket, heard };
}

/** Fails where the lane is not as good as new: as many as may get a place, and no more. */
export async function isWhole(lane: LaneOfModel): Promise<void> {
  const callers = new Callers(withLane(lane));
  for (let index = 0; index <= lane.concurrency; index += 1) callers.come(`caller ${index}`);
  await settled(lane.concurrency + 1);
  await callers.until(() => callers.granted.length === lane.concurrency);
  const held = (await placesOf()).filter(({ has_slot }) => has_slot === 1).length;
  if (held !== lane.concurrency) throw new Error(`${held} hold a place where ${lane.concurrency} may`);
  callers.disperse();
  await settled(0);
}
