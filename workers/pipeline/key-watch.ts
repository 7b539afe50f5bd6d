// The end of a key, for what goes on in its name while nobody admits anything: a held stream, a model's call that takes long.
//
// A hibernating WebSocket to the KeyObject, which costs nothing while it waits and is closed when the key is revoked. It is opened
// after a moment, so that what is over soon never asks; one that breaks is opened again.

import type { KeyEnd } from "../../shared/review/view.ts";
import type { Env } from "../env.ts";
import { revokedCode, revokedStatus } from "../objects/key.ts";
import { keyStub } from "../objects/names.ts";
import type { KeyRecord } from "../stores/keys.ts";

/** Whoever revokes a key is to see everything of it end within two seconds. */
const firstMs = 1_000;
const firstRetryMs = 50;
const lastRetryMs = 1_000;
/** The longest that a timer can wait. A key that expires later is looked at again by whatever it asks for then. */
const longestTimerMs = 2 ** 31 - 1;

export type KeyWatch = {
  /** Aborts when the key ends, with a `KeyEnd` as its reason. */
  readonly over: AbortSignal;
  /** Resolves with it, or never. */
  readonly ended: Promise<KeyEnd>;
  /** To be called when there is nothing more to watch for. */
  readonly done: () => void;
};

/** Watches a key from now until it ends, or until `done`. */
export function watchKey(env: Env, { id, expiresAt }: Pick<KeyRecord, "id" | "expiresAt">): KeyWatch {
  const over = new AbortController();
  const done = new AbortController();
  const ended = new Promise<KeyEnd>((resolve) => {
    const end = (keyEnd: KeyEnd): void => {
      if (done.signal.aborted) return;
      done.abort();
      over.abort(keyEnd);
      resolve(keyEnd);
    };
    if (expiresAt !== undefined && expiresAt - Date.now() < longestTimerMs)
      void pause(expiresAt - Date.now(), done.signal).then(() => end("keyExpired"));
    void isRevokedBefore(env, id, done.signal).then((revoked) => (revoked ? end("keyRevoked") : undefined));
  });
  return { over: over.signal, ended, done: () => done.abort() };
}

/** Resolves to true when the key is revoked, to false when there is nothing more to watch for. Never rejects. */
async function isRevokedBefore(env: Env, id: string, done: AbortSignal): Promise<boolean> {
  await pause(firstMs, done);
  for (let failures = 0; !done.aborted; failures += 1) {
    if ((await lookThrough(env, id, done)) === "revoked") return true;
    await pause(Math.random() * Math.min(lastRetryMs, firstRetryMs * 2 ** failures), done);
  }
  return false;
}

/** One window: until the key is revoked, or it closes. */
async function lookThrough(env: Env, id: string, done: AbortSignal): Promise<"revoked" | "closed"> {
  try {
    const response = await keyStub(env, id).fetch("https://key/", { headers: { Upgrade: "websocket" } });
    const socket = response.webSocket;
    if (socket === null) return response.status === revokedStatus ? "revoked" : "closed";
    socket.accept();
    return await new Promise((resolve) => {
      const leave = (): void => {
        socket.close();
        resolve("closed");
      };
      socket.addEventListener("close", ({ code }) => {
        done.removeEventListener("abort", leave);
        resolve(code === revokedCode ? "revoked" : "closed");
      });
      socket.addEventListener("error", () => resolve("closed"));
      done.addEventListener("abort", leave, { once: true });
      if (done.aborted) leave();
    });
  } catch {
    return "closed";
  }
}

const pause = (milliseconds: number, done: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, milliseconds));
    done.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
    if (done.aborted) resolve();
  });
