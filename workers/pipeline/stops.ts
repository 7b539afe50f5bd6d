// What operators have stopped, as this isolate knows it: asked of a StopObject, and known for `stopsKnownMs`. Nothing is sent without it.

import type { StopScope } from "../../shared/model/call.ts";
import { type Stops, stoppedBy } from "../../shared/policy/stops.ts";
import type { Env } from "../platform/env.ts";
import { stopShards, stopsKnownMs } from "../stubs/stop-calls.ts";
import { stopStub } from "../stubs/stubs.ts";

/** From this age on the next is asked for, while the last still counts: a busy isolate never waits. */
const renewMs = stopsKnownMs / 2;
/** A question that was cut off with its request is asked again after this. */
const renewAgainMs = 250;

type Known = { readonly stops: Stops; readonly askedAt: number };

class StopsInIsolate {
  #known: Known | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #shard: number | null = null;

  /**
   * At once where they are known; else asks, each request for itself, since another's question may be cut off with its request. A clock that
   * went back counts as unknown. Rejects where no object can be asked.
   */
  current(env: Env, now: number): Stops | Promise<Stops> {
    const age = this.#known === null ? stopsKnownMs : now - this.#known.askedAt;
    if (this.#known === null || age < 0 || age >= stopsKnownMs) return this.#ask(env, now);
    if (age >= renewMs && now - this.#renewedAt >= renewAgainMs) {
      this.#renewedAt = now;
      void this.#ask(env, now).catch(() => {});
    }
    return this.#known.stops;
  }

  async #ask(env: Env, askedAt: number): Promise<Stops> {
    this.#shard ??= Math.floor(Math.random() * stopShards);
    const stops = await stopStub(env, this.#shard)
      .stops()
      .catch(() => stopStub(env, this.#shard ?? 0).stops());
    if (this.#known === null || this.#known.askedAt < askedAt) this.#known = { stops, askedAt };
    return stops;
  }
}

const byEnvironment = new WeakMap<object, StopsInIsolate>();

function stopsOf(env: Env): StopsInIsolate {
  let stops = byEnvironment.get(env);
  if (stops === undefined) {
    stops = new StopsInIsolate();
    byEnvironment.set(env, stops);
  }
  return stops;
}

/** Which stop is for a request of this server and key, or null; at once where this isolate knows. Rejects where that cannot be found out. */
export function stopOf(
  env: Env,
  of: { readonly server: string; readonly key: string },
  now: number,
): StopScope | null | Promise<StopScope | null> {
  const stops = stopsOf(env).current(env, now);
  return stops instanceof Promise ? stops.then((known) => stoppedBy(known, of)) : stoppedBy(stops, of);
}
