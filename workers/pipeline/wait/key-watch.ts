// The end of a key, for what runs after its admission: an open response, a long model call.
//
// A hibernating WebSocket to the KeyObject (a window), which costs nothing while it waits and is
// closed when the key is revoked. It opens after `firstMs`, so that short work never asks; one that
// breaks is opened again. The window of an open response also counts for the key's limit
// `heldStreams`, and is closed with its session.

import { fullStatus, mostHeader, revokedCode, revokedStatus, sessionEndedCode, sessionHeader } from "../../stubs/key-calls.ts";
import type { KeyEnd } from "../../../shared/model/gate.ts";
import { type Refusal, keyEndRefusal } from "../../../shared/model/outcome.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { Env } from "../../platform/env.ts";
import { type SlowTimer, later } from "../../platform/slow-timer.ts";
import { keyStub } from "../../stubs/stubs.ts";
import type { KeyRecord } from "../../stores/keys.ts";

/** After a revocation everything of the key is to end within two seconds. */
const firstMs = 1_000;
const firstRetryMs = 50;
const lastRetryMs = 1_000;
/**
 * The longest that a timer can wait. The end of a key that expires later is found at its next
 * request.
 */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Why the work has to end: its key or its session ended, or the key has as many open responses as
 * it may.
 */
export type WatchEnd = KeyEnd | "sessionEnded" | "tooManyStreams";

type Watch<End> = {
  /** Aborts at the end, with the end as its reason. */
  readonly over: AbortSignal;
  /** Resolves with the end, or never. */
  readonly ended: Promise<End>;
  /** To be called when the work is over by itself. */
  readonly done: () => void;
};

type KeyWatch = Watch<KeyEnd> & {
  /** Of the watched work, until `done`: what it waits for may go by the timer of the watch. */
  readonly slow: SlowTimer;
};
export type OpenResponseWatch = Watch<WatchEnd>;

/**
 * Counts a response that opens now, unless its work is counted already: a window on the key costs
 * as much as all the rest. The value ends the count. Refused: where the key has as many open
 * responses as it may.
 */
export async function countOpening(env: Env, key: KeyRecord, isCounted: boolean): Promise<Result<() => void, Refusal>> {
  if (isCounted) return ok(() => {});
  const watch = await watchOpeningResponse(env, key);
  return watch.ok ? ok(watch.value.done) : watch;
}

/** Watches a key from now until it ends, or until `done`. `slow`: of the work, which begins now. */
export const watchKey = (env: Env, key: Pick<KeyRecord, "id" | "expiresAt">, slow?: SlowTimer): KeyWatch => {
  const { watch, end, done } = newWatch<KeyEnd>(key);
  const first = new Promise<void>((resolve) => done.whenStopped(later(firstMs, slow, resolve)));
  void first.then(() => windowsOf(env, key.id, null, 0, done)).then((how) => (how === "keyRevoked" ? end(how) : undefined));
  return { ...watch, slow: { afterMs: firstMs, passed: first } };
};

/** The same for an open response, which counts for `heldStreams` after `firstMs`. */
export const watchOpenResponse = (env: Env, key: KeyRecord, session: string): OpenResponseWatch => {
  const { watch, end, done } = newWatch<WatchEnd>(key);
  void windowsOf(env, key.id, openResponseOf(key, session), firstMs, done).then((how) => (how === "done" ? undefined : end(how)));
  return watch;
};

/**
 * The same for a response that is about to open, and counts at once: refused where the key has as
 * many as it may. Where the key or the session has ended already, the watch says so. `session` may
 * be empty: then only the key is watched.
 */
export async function watchOpeningResponse(env: Env, key: KeyRecord, session = ""): Promise<Result<OpenResponseWatch, Refusal>> {
  const { watch, end, done } = newWatch<WatchEnd>(key);
  const opened = Promise.withResolvers<"opened">();
  const windows = windowsOf(env, key.id, openResponseOf(key, session), 0, done, () => opened.resolve("opened"));
  void windows.then((how) => (how === "done" ? undefined : end(how)));
  const first = await Promise.race([opened.promise, watch.ended]);
  return first === "tooManyStreams" ? err(watchEndRefusal(first, key)) : ok(watch);
}

/** A response may close at any moment: this is only advice. */
const retryAfterMs = 1_000;

export function watchEndRefusal(end: WatchEnd, { limits = defaultLimits }: KeyRecord): Refusal {
  switch (end) {
    case "keyRevoked":
    case "keyExpired":
      return keyEndRefusal(end);
    case "sessionEnded":
      return { kind: "notAssociated", why: "sessionEnded" };
    case "tooManyStreams":
      return { kind: "rateLimited", limit: "heldStreams", max: limits.heldStreams, retryAfterMs };
    default:
      return end satisfies never;
  }
}

/**
 * That the work is over by itself. Every model call has one: an AbortController takes an exception
 * and an event for each abort.
 */
class Stop {
  isStopped = false;
  readonly #listeners = new Set<() => void>();

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls the listener once, when the work is over; at once where it is. */
  whenStopped(listener: () => void): void {
    if (this.isStopped) listener();
    else this.#listeners.add(listener);
  }

  forget(listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

type OpenResponse = { readonly session: string; readonly most: number };
const openResponseOf = ({ limits = defaultLimits }: KeyRecord, session: string): OpenResponse => ({ session, most: limits.heldStreams });

function newWatch<End extends WatchEnd>({
  expiresAt,
}: Pick<KeyRecord, "expiresAt">): {
  readonly watch: Watch<End | "keyExpired">;
  readonly end: (why: End | "keyExpired") => void;
  readonly done: Stop;
} {
  const [over, done] = [new AbortController(), new Stop()];
  const { promise: ended, resolve } = Promise.withResolvers<End | "keyExpired">();
  const end = (why: End | "keyExpired"): void => {
    if (done.isStopped) return;
    done.stop();
    over.abort(why);
    resolve(why);
  };
  if (expiresAt !== undefined && expiresAt - Date.now() < longestTimerMs)
    void pause(expiresAt - Date.now(), done).then(() => end("keyExpired"));
  return { watch: { over: over.signal, ended, done: () => done.stop() }, end, done };
}

/**
 * Opens one window after another, until one says why the work has to end, or the work is over.
 * Never rejects.
 */
async function windowsOf(
  env: Env,
  id: string,
  counted: OpenResponse | null,
  waitMs: number,
  done: Stop,
  onOpen: () => void = () => {},
): Promise<"keyRevoked" | "sessionEnded" | "tooManyStreams" | "done"> {
  await pause(waitMs, done);
  let wasOpen = false;
  const opened = (): void => {
    wasOpen = true;
    onOpen();
  };
  for (let failures = 0; !done.isStopped; failures += 1) {
    // A response that was counted is not refused later: the object that counts may have been reset.
    const how = await watchThrough(env, id, counted === null ? null : { ...counted, most: wasOpen ? null : counted.most }, done, opened);
    if (how !== "closed") return how;
    await pause(Math.random() * Math.min(lastRetryMs, firstRetryMs * 2 ** failures), done);
  }
  return "done";
}

/** One window: why the work has to end, or `closed`. */
async function watchThrough(
  env: Env,
  id: string,
  counted: { readonly session: string; readonly most: number | null } | null,
  done: Stop,
  opened: () => void,
): Promise<"keyRevoked" | "sessionEnded" | "tooManyStreams" | "closed"> {
  const headers = new Headers({ Upgrade: "websocket" });
  if (counted !== null) headers.set(sessionHeader, counted.session);
  if (counted !== null && counted.most !== null) headers.set(mostHeader, String(counted.most));
  try {
    const response = await keyStub(env, id).fetch("https://key/", { headers });
    const socket = response.webSocket;
    if (socket === null)
      return response.status === revokedStatus ? "keyRevoked" : response.status === fullStatus ? "tooManyStreams" : "closed";
    socket.accept();
    opened();
    return await new Promise((resolve) => {
      const leave = (): void => {
        socket.close();
        resolve("closed");
      };
      socket.addEventListener("close", ({ code }) => {
        done.forget(leave);
        resolve(code === revokedCode ? "keyRevoked" : code === sessionEndedCode ? "sessionEnded" : "closed");
      });
      socket.addEventListener("error", () => resolve("closed"));
      done.whenStopped(leave);
    });
  } catch {
    return "closed";
  }
}

const pause = (milliseconds: number, done: Stop): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, milliseconds));
    done.whenStopped(() => (clearTimeout(timer), resolve()));
  });
