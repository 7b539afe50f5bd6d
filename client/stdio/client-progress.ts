// Progress for the client's own requests while a person reviews: `notifications/progress` with the
// client's token. The number must increase with every notification (utilities/progress), and the
// server's pass unchanged: ours increase by a millionth, so that the server's next whole step is
// still above them. No clock of its own.

import { idKey } from "../../shared/wire/json-rpc.ts";
import { isObject } from "../../shared/json/values.ts";
import { asNotification, asRequest, isId, type JsonRpcId, objectIn } from "../rpc-messages.ts";

type TokenProgress = { readonly token: JsonRpcId; last: number; total: number | undefined; message: string | undefined; sentAt: number };

const STEPS = 1_000_000;
/**
 * No message here ends a request that became a task; the oldest beyond this number are forgotten.
 */
const MOST = 1_000;
/** Clients time a request out after 60 s, and some begin anew with each progress. */
const KEEP_ALIVE_MILLISECONDS = 10_000;

export class ClientProgress {
  readonly #open = new Map<string, TokenProgress>();

  /** Call with each message of the client. */
  sent(message: unknown): void {
    const request = asRequest(message);
    if (request === undefined) return;
    const token = objectIn(request.params, "_meta")["progressToken"];
    if (!isId(token)) return;
    this.#open.set(idKey(request.id), { token, last: 0, total: undefined, message: undefined, sentAt: 0 });
    const oldest = this.#open.keys().next();
    if (this.#open.size > MOST && oldest.done !== true) this.#open.delete(oldest.value);
  }

  /** Call with each message of the server: its own progress, or the end of a request. */
  received(message: unknown): void {
    const notification = asNotification(message);
    if (notification?.method === "notifications/progress") {
      const { progressToken, progress, total } = notification.params;
      const state = [...this.#open.values()].find(({ token }) => token === progressToken);
      if (state === undefined || typeof progress !== "number") return;
      state.last = Math.max(state.last, progress);
      state.total = typeof total === "number" ? total : undefined;
      return;
    }
    // A task's progress keeps the token after the response with the task (2025-11-25, tasks).
    if (!isObject(message) || !isId(message["id"]) || "method" in message) return;
    if (!isObject(objectIn(message, "result")["task"])) this.ended(message["id"]);
  }

  ended(id: JsonRpcId): void {
    this.#open.delete(idKey(id));
  }

  /** A progress notification, or undefined where the request has no token or is over. */
  tell(id: JsonRpcId, message: string | undefined, now: number): object | undefined {
    const state = this.#open.get(idKey(id));
    if (state === undefined) return undefined;
    const next = Math.round(state.last * STEPS + 1) / STEPS;
    // For large numbers a millionth is lost in rounding.
    state.last = next > state.last ? next : state.last * (1 + 2 * Number.EPSILON);
    state.message = message;
    state.sentAt = now;
    const total = state.total !== undefined && state.total >= state.last ? { total: state.total } : {};
    const params = { progressToken: state.token, progress: state.last, ...total, ...(message === undefined ? {} : { message }) };
    return { jsonrpc: "2.0", method: "notifications/progress", params };
  }

  /**
   * Repeats the last notification where `KEEP_ALIVE_MILLISECONDS` have passed, so that the client
   * does not time out.
   */
  remind(id: JsonRpcId, now: number): object | undefined {
    const state = this.#open.get(idKey(id));
    if (state === undefined || state.sentAt === 0 || now - state.sentAt < KEEP_ALIVE_MILLISECONDS) return undefined;
    return this.tell(id, state.message, now);
  }
}
