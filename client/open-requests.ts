// The host's open requests to one server, read off the messages that pass, and which of them a
// sampling request serves. Sends nothing; no clock.

import { idKey } from "../shared/wire/json-rpc.ts";
import { isObject, type Members } from "../shared/json/values.ts";
import type { AssociationMode } from "./sampling-connection.ts";
import { asAnswer, asNotification, asRequest, cancelledBy, type JsonRpcId, objectIn } from "./rpc-messages.ts";

/** What a server may sample for (design: an originating request). */
const ORIGINATING = new Set(["tools/call", "resources/read", "prompts/get"]);
const TERMINAL = new Set(["completed", "failed", "cancelled"]);
const RELATED_TASK = "io.modelcontextprotocol/related-task";

export type Origin = {
  readonly id: JsonRpcId;
  readonly method: string;
  /** The tool or prompt, or the URI of the resource. */
  readonly name: string;
  /** Aborted when the request ends, in whatever way. */
  readonly ended: AbortSignal;
};

export type Association =
  | { readonly ok: true; readonly origin: Origin; readonly inferred: boolean }
  | { readonly ok: false; readonly reason: "none-in-flight" | "ended" | "not-shown" | "ambiguous" };

/** What the wire shows of the request that a sampling request serves. */
export type Evidence = {
  /**
   * The client's request on whose response stream it came; undefined where the transport cannot
   * tell.
   */
  readonly streamOf?: JsonRpcId | undefined;
  readonly params: Members;
  /** Its name among the `inputRequests` of a result (revision 2026-07-28). */
  readonly inputKey?: string | undefined;
  /** The client's request that this result answered, where the caller knows it. */
  readonly inputOf?: JsonRpcId | undefined;
};

type Open = {
  readonly origin: Origin;
  readonly end: () => void;
  /** The params, without what belongs to one leg. */
  readonly rest: string;
  task?: string;
  /** The leg that was answered `input_required`, and the requests in that answer. */
  input?: { readonly leg: JsonRpcId; readonly requests: Members; readonly state: unknown; readonly answers: Map<string, string> };
};

export class InFlight {
  /** In the order in which they were opened. */
  readonly #open = new Set<Open>();
  /**
   * Every request id of an open request: its own, those of its repeats (2026-07-28), and of
   * requests about its task.
   */
  readonly #legs = new Map<string, { readonly open: Open; readonly about: "itself" | "tasks/get" | "tasks/result" | "tasks/cancel" }>();
  readonly #onEnded: (origin: Origin) => void;

  constructor(onEnded: (origin: Origin) => void) {
    this.#onEnded = onEnded;
  }

  /** A message that the client is about to send. */
  sent(message: unknown): void {
    const request = asRequest(message);
    if (request !== undefined) return this.#sentRequest(request.id, request.method, request.params);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) this.abandoned(cancelled);
  }

  /** The client cancelled a request, or could not send it. */
  abandoned(id: JsonRpcId): void {
    const leg = this.#legs.get(idKey(id));
    this.#legs.delete(idKey(id));
    if (leg?.about === "itself") this.#end(leg.open);
  }

  /** A message that the server sent. */
  received(message: unknown): void {
    const notification = asNotification(message);
    if (notification?.method === "notifications/tasks/status") return this.#taskStatus(notification.params);
    const answer = asAnswer(message);
    if (answer === undefined || answer.id === null) return;
    const leg = this.#legs.get(idKey(answer.id));
    if (leg === undefined) return;
    const result = "result" in answer ? answer.result : undefined;
    switch (leg.about) {
      case "itself":
        return this.#answered(leg.open, answer.id, result);
      case "tasks/result":
        return this.#end(leg.open);
      case "tasks/get":
      case "tasks/cancel":
        this.#legs.delete(idKey(answer.id));
        if (result !== undefined) this.#taskStatus(result);
    }
  }

  /** Ends every open request: the connection has closed. */
  closed(): void {
    for (const open of this.#open) this.#end(open);
  }

  /** Ends a request of which no message shows the end: its input requests could not be answered. */
  end(origin: Origin): void {
    for (const open of this.#open) if (open.origin === origin) this.#end(open);
  }

  /**
   * The open request that a sampling request serves: by the task that it names, else by the
   * response stream it came on. Where the wire shows neither, the mode decides, and the result is
   * inferred.
   */
  associate(evidence: Evidence, mode: AssociationMode): Association {
    const shown = this.#shown(evidence);
    if (shown === "ended") return { ok: false, reason: "ended" };
    if (shown !== undefined) return { ok: true, origin: shown.origin, inferred: false };
    if (mode === "strict") return { ok: false, reason: "not-shown" };
    const open = [...this.#open];
    const newest = open.at(-1);
    if (newest === undefined) return { ok: false, reason: "none-in-flight" };
    return open.length === 1 || mode === "inFlight"
      ? { ok: true, origin: newest.origin, inferred: true }
      : { ok: false, reason: "ambiguous" };
  }

  /** Ends the request that this one began. */
  endBegunBy(id: JsonRpcId): void {
    for (const open of this.#open) if (open.origin.id === id) this.#end(open);
  }

  /**
   * Call with the answer to a sampling request of an `input_required` result: the leg that repeats
   * the request carries it.
   */
  answeredInput(evidence: Evidence, answer: unknown): void {
    if (evidence.inputKey !== undefined) this.#byInput(evidence)?.input?.answers.set(evidence.inputKey, sortedJson(answer));
  }

  /**
   * The leg whose `input_required` result asked for this sampling request (revision 2026-07-28).
   */
  inputLeg(evidence: Evidence): JsonRpcId | undefined {
    return this.#byInput(evidence)?.input?.leg;
  }

  #shown(evidence: Evidence): Open | "ended" | undefined {
    const task = objectIn(objectIn(evidence.params, "_meta"), RELATED_TASK)["taskId"];
    if (typeof task === "string") {
      const open = this.#byTask(task);
      if (open !== undefined) return open;
    }
    if (evidence.streamOf !== undefined) return this.#legs.get(idKey(evidence.streamOf))?.open ?? "ended";
    return this.#byInput(evidence);
  }

  #byTask(task: string): Open | undefined {
    return [...this.#open].find((open) => open.task === task);
  }

  #byInput(evidence: Evidence): Open | undefined {
    const key = evidence.inputKey;
    if (key === undefined) return undefined;
    if (evidence.inputOf !== undefined) return [...this.#open].find(({ input }) => input?.leg === evidence.inputOf);
    const named = [...this.#open].filter((open) => open.input !== undefined && isObject(open.input.requests[key]));
    if (named.length < 2) return named[0];
    // Two open results have the same name: the params tell them apart.
    const wanted = sortedJson(evidence.params);
    const same = named.filter((open) => sortedJson(objectIn(objectIn(open.input?.requests ?? {}, key), "params")) === wanted);
    return same.length === 1 ? same[0] : undefined;
  }

  #sentRequest(id: JsonRpcId, method: string, params: Members): void {
    if (method === "tasks/get" || method === "tasks/result" || method === "tasks/cancel") {
      const open = typeof params["taskId"] === "string" ? this.#byTask(params["taskId"]) : undefined;
      if (open !== undefined) this.#legs.set(idKey(id), { open, about: method });
      return;
    }
    if (!ORIGINATING.has(method)) return;
    const name = method === "resources/read" ? params["uri"] : params["name"];
    const repeated = this.#repeats(method, name, params);
    if (repeated !== undefined) {
      delete repeated.input;
      this.#legs.set(idKey(id), { open: repeated, about: "itself" });
      return;
    }
    // Without a name no server could handle it, and no policy could match it by name.
    if (typeof name !== "string" || name === "") return;
    const controller = new AbortController();
    const origin: Origin = { id, method, name, ended: controller.signal };
    const open: Open = { origin, end: () => controller.abort(), rest: restOf(params) };
    this.#open.add(open);
    this.#legs.set(idKey(id), { open, about: "itself" });
  }

  /** The open request that this one repeats with the answers to its input requests (2026-07-28). */
  #repeats(method: string, name: unknown, params: Members): Open | undefined {
    if (params["inputResponses"] === undefined && params["requestState"] === undefined) return undefined;
    const state = params["requestState"];
    const rest = restOf(params);
    const waiting = [...this.#open].filter(
      (open) =>
        open.input !== undefined &&
        open.input.state === state &&
        open.origin.method === method &&
        open.origin.name === name &&
        open.rest === rest,
    );
    // Equal calls of a server without a state differ in what they were answered.
    const responses = objectIn(params, "inputResponses");
    const answered = waiting.find(({ input }) =>
      Object.entries(input?.requests ?? {})
        .filter(([, asked]) => isObject(asked) && asked["method"] === "sampling/createMessage")
        .every(([key]) => Object.hasOwn(responses, key) && sortedJson(responses[key]) === input?.answers.get(key)),
    );
    return answered ?? waiting[0];
  }

  #answered(open: Open, leg: JsonRpcId, result: Members | undefined): void {
    if (result === undefined) return this.#end(open);
    if (result["resultType"] === "input_required") {
      this.#legs.delete(idKey(leg));
      open.input = { leg, requests: objectIn(result, "inputRequests"), state: result["requestState"], answers: new Map() };
      return;
    }
    const task = objectIn(result, "task");
    if (typeof task["taskId"] !== "string" || TERMINAL.has(String(task["status"]))) return this.#end(open);
    open.task = task["taskId"];
  }

  #taskStatus(task: Members): void {
    if (typeof task["taskId"] !== "string" || !TERMINAL.has(String(task["status"]))) return;
    const open = this.#byTask(task["taskId"]);
    if (open !== undefined) this.#end(open);
  }

  #end(open: Open): void {
    if (!this.#open.delete(open)) return;
    for (const [key, leg] of this.#legs) if (leg.open === open) this.#legs.delete(key);
    open.end();
    this.#onEnded(open.origin);
  }
}

const OF_A_LEG: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/** The params without what differs between the legs of one request (2026-07-28), as text. */
const restOf = (params: Members): string => sortedJson(Object.fromEntries(Object.entries(params).filter(([name]) => !OF_A_LEG.has(name))));

/** JSON with sorted names: equal texts for equal values. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
