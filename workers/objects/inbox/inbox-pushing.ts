// Sends one message to a person's devices, a few at a time: part of the InboxObject. A device that
// has the message does not get it twice, and one that its push service no longer knows is
// forgotten.

import { mayPostTo } from "../../../shared/channels/push/subscription.ts";
import { type PushAttempt, postMessage } from "../../channels/push/push-service.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { PushAuthorization } from "../../stubs/config-calls.ts";
import type { PushAnswer, PushInput } from "../../stubs/inbox-calls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { Devices, Target } from "./inbox-devices.ts";

/** A Worker has six connections at once. */
const atOnce = 5;
/** Where another device has the message, one that is not reached is asked so often. */
const triesBeside = 3;
const keptMs = 3_600_000;
/** An authorization is made anew when so little of its time is left. */
const leastLeftMs = 3_600_000;

type Attempted = PushAttempt & { readonly tries: number };

export class Pushing {
  readonly #env: Env;
  readonly #devices: Devices;
  readonly #now: () => number;
  /** By the push service's origin. */
  readonly #authorizations = new Map<string, PushAuthorization>();

  constructor(env: Env, devices: Devices, now: () => number) {
    this.#env = env;
    this.#devices = devices;
    this.#now = now;
  }

  async send(message: PushInput): Promise<PushAnswer> {
    const { targets, taken } = this.#devices.pending(message.address, message);
    if (message.withdraws && targets.length === 0) return { kind: "sent" };
    const waiting = [...targets];
    const attempts: Attempted[] = [];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) attempts.push(await this.#attempt(next, message));
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, targets.length) }, work));
    return answerOf(attempts, taken);
  }

  async #attempt({ id, key, subscription }: Target, message: PushInput): Promise<Attempted> {
    const { topic, withdraws, until } = message;
    const url = new URL(subscription.endpoint);
    const authorization = await this.#authorization(url.origin);
    // A subscription is good for the key that it was made for, and was judged by an earlier
    // version.
    if (authorization.publicKey !== key || !mayPostTo(url, settingsOf(this.#env).publicUrl ?? "")) {
      this.#devices.remove(id);
      return { kind: "gone", tries: 1 };
    }
    const tries = this.#devices.attempt(topic, id, message.id, Math.max(until, this.#now()) + keptMs);
    const attempt = await postMessage(subscription, { ...message, authorization: authorization.header });
    if (attempt.kind === "gone") this.#devices.remove(id);
    if (attempt.kind === "taken" && withdraws) this.#devices.withdrawn(topic, id);
    else if (attempt.kind === "taken") this.#devices.taken(topic, id, this.#now());
    if (attempt.kind === "again" && attempt.unknown) this.#devices.mayShow(topic, id);
    return { ...attempt, tries };
  }

  async #authorization(audience: string): Promise<PushAuthorization> {
    const known = this.#authorizations.get(audience);
    if (known !== undefined && known.until - this.#now() > leastLeftMs) return known;
    const made = await configStub(this.#env).pushAuthorization(audience);
    this.#authorizations.set(audience, made);
    return made;
  }
}

/**
 * A person has the message when one of their devices has it. `taken`: how many had it before.
 */
function answerOf(attempts: readonly Attempted[], taken: number): PushAnswer {
  const later = attempts.filter((each) => each.kind === "again");
  const isTaken = taken > 0 || attempts.some(({ kind }) => kind === "taken");
  const soon = later.find(({ tries, afterMs }) => tries < triesBeside && afterMs === undefined);
  if (isTaken) return soon === undefined ? { kind: "sent" } : { kind: "again", why: soon.why };
  // A service that names no time is asked as often as any other, and then counts as failed.
  const first = later.find(({ afterMs }) => afterMs === undefined) ?? later[0];
  if (first !== undefined) {
    const waits = later.flatMap(({ afterMs }) => (afterMs === undefined ? [] : [afterMs]));
    return { kind: "again", why: first.why, ...(first.afterMs === undefined ? {} : { afterMs: Math.min(...waits) }) };
  }
  const failed = attempts.find((each) => each.kind === "failed");
  return { kind: "failed", why: failed?.why ?? "notFound" };
}
