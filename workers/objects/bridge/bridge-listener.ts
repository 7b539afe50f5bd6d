// The stream of a session that belongs to no request: it is open while calls are in flight, and a
// little longer, and while somebody listens.

import { type Backoff, backoffMs } from "../../../shared/backoff.ts";
import { within } from "../../http/keep-alive.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { pause } from "../../platform/pause.ts";
import type { BridgeTables } from "./bridge-tables.ts";
import { type Arrival, type BridgeUpstream, type Session, arrivalsOf } from "./bridge-upstream.ts";

type ListenerDeps = {
  readonly upstream: BridgeUpstream;
  readonly tables: BridgeTables;
  readonly onArrival: (arrival: Arrival, session: Session) => void;
  /** The server refused it: there is none any more. */
  readonly onEnd: () => void;
};

/**
 * Whether the server has the stream: `none` where it has no such stream, `lost` where it does not
 * know the session.
 */
type Opened = "open" | "none" | "lost";

/**
 * Servers allow one such stream in a session: closing and opening it at every call would find the
 * last one still open.
 */
const lingerMs = 30_000;
/**
 * What is asked on it before it is open is lost in many servers, so the first call waits for it:
 * not longer than this.
 */
const openMs = 5_000;
const retry: Backoff = { firstMs: 100, mostMs: 10_000 };

type Listening = { readonly session: string; readonly left: AbortController; readonly opened: Promise<Opened>; isOver: boolean };

export class BridgeListener {
  readonly #deps: ListenerDeps;
  #listening: Listening | null = null;
  #linger: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: ListenerDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the server has the stream, or has none; null where it takes long. `again`: a
   * stream that the server refused before is tried again.
   */
  async open(session: Session, again = false): Promise<Opened | null> {
    clearTimeout(this.#linger);
    const current = this.#listening?.session === session.id && !(again && this.#listening.isOver) ? this.#listening : this.#begin(session);
    return within(current.opened, openMs);
  }

  /** No call is in flight. */
  leave(): void {
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.close(), lingerMs);
  }

  close(): void {
    clearTimeout(this.#linger);
    this.#listening?.left.abort();
    this.#listening = null;
  }

  #begin(session: Session): Listening {
    if (this.#listening !== null && this.#listening.session !== session.id) this.#deps.onEnd();
    this.close();
    const opened = Promise.withResolvers<Opened>();
    const listening: Listening = { session: session.id, left: new AbortController(), opened: opened.promise, isOver: false };
    this.#listening = listening;
    void this.#run(session, listening, opened.resolve)
      .catch((error: unknown): Opened => {
        logEvent("bridge.failed", { error: errorClass(error) });
        return "none";
      })
      .then((end) => {
        listening.isOver = true;
        opened.resolve(end);
        if (this.#listening === listening) this.#deps.onEnd();
      });
    return listening;
  }

  /** Reads until it is closed, or the server refuses it. */
  async #run(session: Session, { left }: Listening, opened: (as: Opened) => void): Promise<Opened> {
    const { upstream, tables } = this.#deps;
    for (let failures = 0; !left.signal.aborted; failures += 1) {
      const last = tables.session();
      const from = last?.id === session.id ? last.event_id : null;
      const response = await upstream.listen(session, from, left.signal).catch(() => null);
      if (response?.ok === true) {
        opened("open");
        if (await this.#read(response, session, left.signal)) failures = 0;
      } else {
        response?.body?.cancel().catch(() => {});
        // It has no such stream, or does not know the session: the next call shows which.
        if (response !== null && response.status < 500 && response.status !== 409 && response.status !== 429) {
          if (from === null) return response.status === 404 || response.status === 400 ? "lost" : "none";
          // It does not resume this stream; it may have a new one.
          tables.update("event_id", null);
        }
      }
      await pause(backoffMs(retry, failures, Math.random()), left.signal);
    }
    return "none";
  }

  /** Whether anything came. */
  async #read(response: Response, session: Session, left: AbortSignal): Promise<boolean> {
    let hasCome = false;
    try {
      for await (const arrival of arrivalsOf(response, left)) {
        if (left.aborted) break;
        hasCome = true;
        this.#deps.onArrival(arrival, session);
        if (arrival.eventId !== null && this.#deps.tables.session()?.id === session.id)
          this.#deps.tables.update("event_id", arrival.eventId);
      }
    } catch {
      // The connection broke: it is opened again.
    }
    return hasCome;
  }
}
