// A caller's wait for a run, through a window (a WebSocket) that is opened again where it breaks,
// and keeps no object awake.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import { callerLeft } from "../../stubs/run-calls.ts";
import type { Outcome } from "../../../shared/model/outcome.ts";
import type { RunProgress } from "../../../shared/review/view.ts";
import type { Env } from "../../platform/env.ts";
import type { Started } from "../pipeline-request.ts";
import { pause } from "../../platform/pause.ts";
import { runStub } from "../../stubs/stubs.ts";

const gone: Outcome = { kind: "refused", refusal: { kind: "noLongerKept" } };

const firstRetryMs = 100;
const lastRetryMs = 5_000;

/**
 * The run's outcome, once it may be delivered. Waits through any number of resets of the object,
 * with a fresh stub each time.
 * @param onProgress Gets each state of the run during the wait.
 * @param signal Ends the wait, and nothing else.
 * @param onEvent Gets the events of a task's server.
 */
export async function awaitRun(
  env: Env,
  run: string,
  onProgress: (state: RunProgress) => void,
  signal: AbortSignal,
  onEvent: (event: string) => void = () => {},
): Promise<Outcome> {
  for (let failures = 0; ;) {
    if (signal.aborted) throw new DOMException(callerLeft, "AbortError");
    try {
      const watched = await watch(env, run, { onProgress, onEvent }, signal);
      if (watched === "gone") return gone;
      if (typeof watched === "object") return watched;
      const snapshot = await runStub(env, run).snapshot();
      if (snapshot === null) return gone;
      if (snapshot.outcome !== null) return readJsonOf(snapshot.outcome);
      failures = 0;
    } catch (error) {
      if (signal.aborted || isCallerLeft(error)) throw error;
      failures += 1;
    }
    await pause(Math.min(firstRetryMs * 2 ** failures, lastRetryMs), signal);
  }
}

/** The outcome of what was started for a caller: as `awaitRun` has it, or of the model call. */
export const awaitStarted = async (
  env: Env,
  started: Started,
  onProgress: (state: RunProgress) => void,
  signal: AbortSignal,
): Promise<Outcome> => (started.kind === "run" ? awaitRun(env, started.run, onProgress, signal) : started.outcome);

/** Whether it has a lease among the requests of its key that are under way. */
export const isCounted = (started: Started): boolean => started.kind === "fast" && started.isCounted;

/** Whether a wait ended because the caller waits no longer. */
export const isCallerLeft = (error: unknown): boolean => error instanceof DOMException && error.message === callerLeft;

type WindowMessage =
  | { readonly kind: "ended"; readonly outcome?: Outcome }
  | { readonly kind: "progress"; readonly state: RunProgress }
  | { readonly kind: "event"; readonly event: string }
  | { readonly kind: "dismissed" };

/**
 * One window, until the run ends or the window breaks; the outcome, where the window brings it.
 * Rejects where the caller leaves.
 */
async function watch(
  env: Env,
  run: string,
  { onProgress, onEvent }: { readonly onProgress: (state: RunProgress) => void; readonly onEvent: (event: string) => void },
  signal: AbortSignal,
): Promise<Outcome | "ended" | "broken" | "gone"> {
  const response = await runStub(env, run).fetch("https://run/", { headers: { Upgrade: "websocket" } });
  const socket = response.webSocket;
  if (socket === null) return response.status === 404 ? "gone" : "broken";
  socket.accept();
  return new Promise((resolve, reject) => {
    const finish = (how: Outcome | "ended" | "broken"): void => {
      signal.removeEventListener("abort", leave);
      socket.close();
      resolve(how);
    };
    const leave = (): void => {
      signal.removeEventListener("abort", leave);
      socket.close(1000, callerLeft);
      reject(new DOMException(callerLeft, "AbortError"));
    };
    signal.addEventListener("abort", leave);
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as WindowMessage; // written by RunObject
      if (message.kind === "dismissed") leave();
      else if (message.kind === "ended") finish(message.outcome ?? "ended");
      else if (message.kind === "event") onEvent(message.event);
      else onProgress(message.state);
    });
    socket.addEventListener("close", () => finish("broken"));
    socket.addEventListener("error", () => finish("broken"));
    if (signal.aborted) leave();
  });
}
