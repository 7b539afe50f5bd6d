// Clients of 2026-07-28 that listen to a server with sessions: what each asked for, what it is
// still to be told, and the server's own subscriptions to resources, which last as long as somebody
// listens. In memory alone: after a reset each client's request ends, and it asks again.

import { type ListenFilter, isWanted } from "../../../shared/relay/listening.ts";
import type { BridgeHeard, BridgeStream } from "../../stubs/bridge-calls.ts";

type ListenDeps = {
  /** Subscribes at the server, or unsubscribes: whether it agreed. Never throws. */
  readonly subscribe: (method: "resources/subscribe" | "resources/unsubscribe", uri: string) => Promise<boolean>;
  /** Nobody listens any more. */
  readonly onRest: () => void;
};

type Listen = {
  filter: ListenFilter;
  /**
   * Changes that the client has not been told; a change that waits there already says nothing new.
   */
  readonly told: Set<string>;
  isOver: boolean;
  wake: () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
};

const mostListens = 20;
const mostTold = 200;
/** Nobody asks for it: the Worker that held the client's stream is gone. */
const goneMs = 60_000;
/** At the server at once. */
const atOnce = 4;

export class BridgeListens {
  readonly #deps: ListenDeps;
  readonly #listens = new Map<BridgeStream, Listen>();
  readonly #users = new Map<string, number>();
  /**
   * Whether the server has the subscription, once its last request is answered: one request at a
   * time for each resource.
   */
  readonly #standing = new Map<string, Promise<boolean>>();

  constructor(deps: ListenDeps) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#listens.size === 0;
  }

  get isFull(): boolean {
    return this.#listens.size >= mostListens;
  }

  /** Listens from now on; the filter without the resources that the server refuses. */
  async begin(name: BridgeStream, filter: ListenFilter): Promise<ListenFilter> {
    const listen: Listen = { filter, told: new Set(), isOver: false, wake: () => {}, timer: undefined };
    this.#listens.set(name, listen);
    this.#mayGo(name, listen);
    for (const uri of filter.uris) this.#users.set(uri, (this.#users.get(uri) ?? 0) + 1);
    const uris: string[] = [];
    for (let from = 0; from < filter.uris.length; from += atOnce) {
      const some = filter.uris.slice(from, from + atOnce);
      const agreed = await Promise.all(some.map((uri) => this.#settle(uri)));
      uris.push(...some.filter((_, index) => agreed[index]));
    }
    // It ended meanwhile, and has left each of them.
    if (this.#listens.get(name) !== listen || listen.isOver) return { lists: [], uris: [] };
    for (const uri of filter.uris) if (!uris.includes(uri)) this.#leave(uri);
    listen.filter = { ...filter, uris };
    return listen.filter;
  }

  /** `change`: from `changeOf`. */
  tell(change: string): void {
    for (const listen of this.#listens.values()) {
      if (listen.isOver || !isWanted(listen.filter, change)) continue;
      listen.told.add(change);
      // It does not keep up: its client asks for everything again.
      if (listen.told.size >= mostTold) listen.isOver = true;
      listen.wake();
    }
  }

  /** Waits up to `ms` for a change. */
  async hear(name: BridgeStream, ms: number): Promise<BridgeHeard> {
    const listen = this.#listens.get(name);
    if (listen === undefined) return { kind: "over" };
    clearTimeout(listen.timer);
    if (listen.told.size === 0 && !listen.isOver) await wakenWithin(listen, ms);
    const told = [...listen.told];
    listen.told.clear();
    if (told.length === 0 && listen.isOver) {
      this.end(name);
      return { kind: "over" };
    }
    this.#mayGo(name, listen);
    return { kind: "told", told };
  }

  /** The client has left. */
  end(name: BridgeStream): void {
    const listen = this.#listens.get(name);
    if (listen === undefined) return;
    clearTimeout(listen.timer);
    this.#listens.delete(name);
    for (const uri of listen.filter.uris) this.#leave(uri);
    listen.wake();
    if (this.isEmpty) this.#deps.onRest();
  }

  /** The server's stream or its session is over, and its subscriptions with it. */
  endAll(): void {
    this.#users.clear();
    this.#standing.clear();
    for (const listen of this.#listens.values()) {
      listen.filter = { ...listen.filter, uris: [] };
      listen.isOver = true;
      listen.wake();
    }
  }

  #mayGo(name: BridgeStream, listen: Listen): void {
    clearTimeout(listen.timer);
    listen.timer = setTimeout(() => this.end(name), goneMs);
  }

  #leave(uri: string): void {
    const users = (this.#users.get(uri) ?? 0) - 1;
    if (users > 0) this.#users.set(uri, users);
    else this.#users.delete(uri);
    if (users <= 0) void this.#settle(uri);
  }

  /** Brings the server's subscription to what is wanted now; whether it has one. */
  #settle(uri: string): Promise<boolean> {
    const before = this.#standing.get(uri) ?? Promise.resolve(false);
    const now = before.then(async (isThere) => {
      const isWantedNow = this.#users.has(uri);
      if (isWantedNow === isThere) return isThere;
      const agreed = await this.#deps.subscribe(isWantedNow ? "resources/subscribe" : "resources/unsubscribe", uri);
      return isWantedNow && agreed;
    });
    this.#standing.set(uri, now);
    void now.then((isThere) => {
      if (!isThere && this.#standing.get(uri) === now) this.#standing.delete(uri);
    });
    return now;
  }
}

async function wakenWithin(listen: Listen, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    listen.wake = () => (clearTimeout(timer), resolve());
  });
  listen.wake = () => {};
}
