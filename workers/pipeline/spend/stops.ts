// What operators have stopped, as this isolate knows it: asked of a StopObject, and known for
// `stopsKnownMs`. Nothing is sent without it.

import type { StopScope } from "../../../shared/model/call.ts";
import { type Stoppable, type Stops, stoppedBy } from "../../../shared/policy/stops.ts";
import type { Env } from "../../platform/env.ts";
import { isolateState } from "../../platform/isolate.ts";
import { stopShards, stopsKnownMs } from "../../stubs/stop-calls.ts";
import { stopStub } from "../../stubs/stubs.ts";
import { goOnWith } from "../record/write-behind.ts";

/**
 * From this age on the next is asked for, while the last still counts: a busy isolate never waits.
 */
const renewMs = stopsKnownMs / 2;
/** A question that was cut off with its request is asked again after this. */
const renewAgainMs = 250;

type StopsSnapshot = { readonly stops: Stops; readonly askedAt: number };

class StopsInIsolate {
  #known: StopsSnapshot | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #shard: number | null = null;

  /** Null where they are to be asked for. A clock that went back counts as unknown. */
  known({ env, ctx }: StopsContext, now: number): Stops | null {
    const age = this.#known === null ? stopsKnownMs : now - this.#known.askedAt;
    if (this.#known === null || age < 0 || age >= stopsKnownMs) return null;
    if (age >= renewMs && now - this.#renewedAt >= renewAgainMs) {
      this.#renewedAt = now;
      goOnWith(
        ctx,
        this.ask(env, now).catch(() => {}),
      );
    }
    return this.#known.stops;
  }

  /**
   * Each request asks for itself, since another's question may be cut off with its request. Rejects
   * where no object can be asked.
   */
  async ask(env: Env, askedAt: number): Promise<Stops> {
    this.#shard ??= Math.floor(Math.random() * stopShards);
    const stops = await stopStub(env, this.#shard)
      .stops()
      .catch(() => stopStub(env, this.#shard ?? 0).stops());
    this.#known = { stops, askedAt };
    return stops;
  }
}

const stopsOf = isolateState(() => new StopsInIsolate());

type StopsContext = { readonly env: Env; readonly ctx: Pick<ExecutionContext, "waitUntil"> };

/**
 * Which stop is for a request of this server and key, or null; undefined where this isolate has to
 * ask.
 */
export function stopKnown(asking: StopsContext, of: Stoppable, now: number): StopScope | null | undefined {
  const stops = stopsOf(asking.env).known(asking, now);
  return stops === null ? undefined : stoppedBy(stops, of, now);
}

/** The same, asked for where this isolate does not know. Rejects where that cannot be found out. */
export async function stopOf(asking: StopsContext, of: Stoppable, now: number): Promise<StopScope | null> {
  const stops = stopsOf(asking.env);
  return stoppedBy(stops.known(asking, now) ?? (await stops.ask(asking.env, now)), of, now);
}
