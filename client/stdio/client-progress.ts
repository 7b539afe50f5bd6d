// What the client is told of its own request while a person is waited for: `notifications/progress` with the client's token.
// The protocol wants the number to grow with each, whoever sent it (utilities/progress), and the server's are passed as they
// are: ours grow by a millionth, so that the server's next whole step is still above them. No clock of its own.

import { idKey } from "../../shared/wire/json-rpc.ts";
import { isObject } from "../../shared/json/values.ts";
import { asNotification, asRequest, isId, type JsonRpcId, objectIn } from "../rpc-messages.ts";

type Told = { readonly token: JsonRpcId; last: number; total: number | undefined; message: string | undefined; saidAt: number };

const STEPS = 1_000_000;
/** Requests that became tasks have no message that ends them here; beyond this many the oldest are forgotten. */
const MOST = 1_000;
/** Clients give a request up after 60 s without progress, where progress counts. */
const KEEP_ALIVE_MILLISECONDS = 10_000;

export class ClientProgress {
  readonly #open = new Map<string, Told>();

  /** A request of the client that goes by. */
  sent(message: unknown): void {
    const request = asRequest(message);
    if (request === undefined) return;
    const token = objectIn(request.params, "_meta")["progressToken"];
    if (!isId(token)) return;
    this.#open.set(idKey(request.id), { token, last: 0, total: undefined, message: undefined, saidAt: 0 });
    const oldest = this.#open.keys().next();
    if (this.#open.size > MOST && oldest.done !== true) this.#open.delete(oldest.value);
  }

  /** A message of the server that goes by: its own progress, or the end of a request. */
  received(message: unknown): void {
    const notification = asNotification(message);
    if (notification?.method === "notifications/progress") {
      const { progressToken, progress, total } = notification.params;
      const told = [...this.#open.values()].find(({ token }) => token === progressToken);
      if (told === undefined || typeof progress !== "number") return;
      told.last = Math.max(told.last, progress);
      told.total = typeof total === "number" ? total : undefined;
      return;
    }
    // A task's progress goes on under the token after the request was answered with the task (2025-11-25, tasks).
    if (!isObject(message) || !isId(message["id"]) || "method" in message) return;
    if (!isObject(objectIn(message, "result")["task"])) this.ended(message["id"]);
  }

  ended(id: JsonRpcId): void {
    this.#open.delete(idKey(id));
  }

  /** The notification that says so, or undefined where the request has no token or is over. */
  tell(id: JsonRpcId, message: string | undefined, now: number): object | undefined {
    const told = this.#open.get(idKey(id));
    if (told === undefined) return undefined;
    const next = Math.round(told.last * STEPS + 1) / STEPS;
    // Far from zero a millionth is lost in rounding.
    told.last = next > told.last ? next : told.last * (1 + 2 * Number.EPSILON);
    told.message = message;
    told.saidAt = now;
    const total = told.total !== undefined && told.total >= told.last ? { total: told.total } : {};
    const params = { progressToken: told.token, progress: told.last, ...total, ...(message === undefined ? {} : { message }) };
    return { jsonrpc: "2.0", method: "notifications/progress", params };
  }

  /** Says the last thing again, so that the client does not give up, where it has been a while. */
  remind(id: JsonRpcId, now: number): object | undefined {
    const told = this.#open.get(idKey(id));
    if (told === undefined || told.saidAt === 0 || now - told.saidAt < KEEP_ALIVE_MILLISECONDS) return undefined;
    return this.tell(id, told.message, now);
  }
}
