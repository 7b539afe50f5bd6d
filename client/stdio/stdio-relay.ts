// Relays between a client and a stdio server: intercepts the server's sampling requests, and its
// forms where a person answers them, and answers them through the gateway. Every other line passes
// byte for byte. Works on lines; uses no process, stream or clock.

import { idKey } from "../../shared/wire/json-rpc.ts";
import { isObject, type Members, parseJson } from "../../shared/json/values.ts";
import { isDeclined, isOurs, mayFallBack } from "../../shared/relay/capability-2025.ts";
import { maySampleByItself, samplingMethod } from "../../shared/relay/messages.ts";
import { elicitationMethod, isNamedAsOurs, leadsTo, refusedElicitation } from "../../shared/relay/url-elicitation.ts";
import { asRequest, cancelledBy, isId, type JsonRpcId, objectIn, RpcError } from "../rpc-messages.ts";
import { lineRefusal } from "./client-line.ts";
import { Calls, type CallsSettings } from "./calls.ts";
import { type Declared, type DeclareOptions, declareAnswers, NOTHING_DECLARED } from "./declare.ts";
import { edited, elementsOf, memberIn, type Span, textAt, whole } from "../../shared/json/spans.ts";
import { answeredByLong } from "./long-line.ts";
import { decoded, rawIdIn, responseLine } from "./stateless-lines.ts";
import { StatelessRelay } from "./stateless-relay.ts";

export type StdioRelaySettings = DeclareOptions &
  CallsSettings & {
    /**
     * How long a request of a client of 2026-07-28 waits for a person, before the client is told to
     * come back.
     */
    readonly holdMilliseconds: number;
    readonly now: () => number;
  };

/**
 * A request of the server. `rawId`: as the server wrote it, because a parser would round a long
 * number.
 */
type Intercepted = {
  readonly id: JsonRpcId;
  readonly rawId: string;
  readonly method: string;
  readonly params: Members;
  cancelled: boolean;
};

const TASKS = new Set(["tasks/get", "tasks/result", "tasks/cancel"]);
const TASK_FIELDS = ["taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"];
/** More requests at once are refused, because each has a connection to the gateway. */
const MOST_AT_ONCE = 100;
const TASKS_REMEMBERED = 1_000;

export class StdioRelay {
  readonly #settings: StdioRelaySettings;
  protected readonly calls: Calls;
  /** A client of revision 2026-07-28. */
  readonly #stateless: StatelessRelay;
  #declared: Declared = NOTHING_DECLARED;
  /** The server's requests that the gateway is answering. */
  readonly #intercepted = new Map<string, Intercepted>();
  /** Sampling requests that passed to the client first, in fallback mode. */
  readonly #offered = new Map<string, Intercepted>();
  /** `tasks/list` requests that passed to the client first: our tasks are added to its answer. */
  readonly #listed = new Map<string, Intercepted>();
  readonly #ourTasks = new Set<string>();
  #lists = 0;
  #isClosed = false;

  constructor(settings: StdioRelaySettings) {
    this.#settings = settings;
    this.calls = new Calls(settings);
    this.#stateless = new StatelessRelay(settings, this.calls);
  }

  /** A line of the client. Returns the line that the server gets: the same, another, or none. */
  fromClient(line: Uint8Array): Uint8Array | undefined {
    const refusal = lineRefusal(line);
    if (refusal !== null) return void this.#settings.toClient(refusal);
    const value = parseJson(decoded(line));
    // The gateway answers this server's sampling: the client was asked for none, and nobody would
    // review what it says.
    if (isOurs(this.#settings.mode, this.#declared.clientSamples) && maySampleByItself(line, value)) return undefined;
    const request = asRequest(value);
    if (request?.method === "initialize") {
      const initialize = declareAnswers(line, request.params, this.#settings);
      this.#declared = initialize.declared;
      this.#settings.connection.sent(value);
      return initialize.line;
    }
    const isBatch = Array.isArray(value);
    const stateless = isBatch ? undefined : this.#stateless.concerns(line, whole(line), value);
    if (stateless !== undefined) return this.#stateless.fromClient(line, stateless, value);
    const cancelled = cancelledBy(value);
    const call = cancelled === undefined ? undefined : this.calls.waitingAs(cancelled);
    if (call !== undefined) return this.calls.cancel(call, line);
    return filtered(line, value, (message, span) => {
      const batched = isBatch ? this.#stateless.concerns(line, span, message) : undefined;
      if (batched === undefined) return this.#passesToServer(message, line, span);
      this.#stateless.refuseBatched(batched);
      return false;
    });
  }

  /** A line of the server. Returns the line that the client gets, if any. */
  fromServer(line: Uint8Array): Uint8Array | undefined {
    const value = parseJson(decoded(line));
    const passed = this.calls.fromServer(line, value);
    if (passed !== "unknown") return passed;
    return filtered(line, value, (message, span) => !this.calls.expects(message) && this.#passesToClient(message, line, span));
  }

  /** A line of the server that passed unparsed, by its two ends. */
  longFromServer(head: string, tail: string): void {
    const id = answeredByLong(head, tail);
    if (id === undefined || this.calls.passedUnread(id)) return;
    const answer = { jsonrpc: "2.0", id, result: {} };
    this.calls.received(answer);
  }

  /** The gateway's progress for the client's request. */
  waiting(originId: JsonRpcId, message: string | undefined): void {
    this.#tellClient(this.calls.progress.tell(this.calls.waitingFor(originId), message, this.#settings.now()));
  }

  /** The gateway's heartbeat for the client's request. */
  stillWaiting(originId: JsonRpcId): void {
    this.#tellClient(this.calls.progress.remind(this.calls.waitingFor(originId), this.#settings.now()));
  }

  /** One side has closed: requests at the gateway end, and no further message is sent. */
  closed(): void {
    this.#isClosed = true;
    this.calls.closed();
    this.#settings.connection.closed();
  }

  #passesToServer(message: unknown, line: Uint8Array, span: Span): boolean {
    const answered = isObject(message) && !("method" in message) ? message["id"] : undefined;
    if (isObject(message) && isId(answered)) {
      const offered = takeFrom(this.#offered, answered);
      if (offered !== undefined && isObject(message["error"]) && isDeclined(message["error"]["code"])) {
        void this.#answer(offered);
        return false;
      }
      const listed = takeFrom(this.#listed, answered);
      if (listed !== undefined && Array.isArray(objectIn(message, "result")["tasks"])) {
        void this.#answerList(listed, line.slice(span.from, span.to));
        return false;
      }
      return true;
    }
    this.calls.progress.sent(message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) this.calls.progress.ended(cancelled);
    this.#settings.connection.sent(message);
    return true;
  }

  #passesToClient(message: unknown, line: Uint8Array, span: Span): boolean {
    const request = asRequest(message);
    if (request?.method === elicitationMethod && this.#asksAsGateway(request)) {
      this.#settings.toServer(responseLine(rawIdIn(line, span, request.id), { error: { code: -32_602, message: refusedElicitation } }));
      return false;
    }
    if (request !== undefined && this.#takes({ ...request, rawId: rawIdIn(line, span, request.id), cancelled: false })) return false;
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) {
      const key = idKey(cancelled);
      const intercepted = this.#intercepted.get(key);
      if (intercepted !== undefined) {
        intercepted.cancelled = true;
        this.#settings.connection.received(message);
        return false;
      }
      this.#offered.delete(key);
      this.#listed.delete(key);
    }
    this.calls.received(message);
    return true;
  }

  /**
   * Whether a server's elicitation has an id of the gateway's, or leads to the gateway: that would
   * lend it our name.
   */
  #asksAsGateway({ id, params }: { readonly id: JsonRpcId; readonly params: Members }): boolean {
    return isNamedAsOurs(id) || leadsTo(params["url"], this.#settings.url);
  }

  /** Whether a request of the server is ours; if so, answering it has begun. */
  #takes(request: Intercepted): boolean {
    const { method, params } = request;
    const { mode, connection } = this.#settings;
    if (method === elicitationMethod && this.#declared.here.includes(elicitationMethod)) {
      void this.#answer(request);
      return true;
    }
    if (mode === "forward") return false;
    if (method === samplingMethod) {
      if (mayFallBack(mode, this.#declared.clientSamples)) {
        this.#offered.set(idKey(request.id), request);
        return false;
      }
      void this.#answer(request);
      return true;
    }
    if (method === "tasks/list" && this.#declared.samplingTasks && params["cursor"] === undefined) {
      if (this.#declared.clientLists) {
        // Without tasks of ours the client's answer passes unchanged.
        if (this.#ourTasks.size > 0) this.#listed.set(idKey(request.id), request);
        return false;
      }
      void this.#answerList(request);
      return true;
    }
    if (!TASKS.has(method)) return false;
    // A client without tasks would answer "Method not found", although the method was declared to
    // the server.
    if (!connection.answers(method, params) && (this.#declared.clientTasks || !this.#declared.samplingTasks)) return false;
    void this.#answer(request);
    return true;
  }

  async #answer(request: Intercepted): Promise<void> {
    await this.#answerWith(request, () => this.#askGateway(request));
  }

  async #askGateway(request: Intercepted): Promise<Members> {
    const { connection, toServer } = this.#settings;
    const { id, method } = request;
    const isOfTask = method !== samplingMethod && method !== elicitationMethod;
    if (isOfTask && !connection.answers(method, request.params)) throw new RpcError(-32602, "Unknown task");
    // A receiver ignores `task` for a kind of request for which it declared no tasks (2025-11-25,
    // tasks).
    const isPlain = method === samplingMethod && !this.#declared.samplingTasks;
    const params = isPlain ? without(request.params, "task") : request.params;
    const notify = (notification: object): void => {
      if (!this.#isClosed) toServer(JSON.stringify({ jsonrpc: "2.0", ...notification }));
    };
    const result = await this.calls.ask({ id, method, params, notify });
    const task = objectIn(result, "task")["taskId"];
    if (isObject(params["task"]) && typeof task === "string") this.#remember(task);
    return result;
  }

  /**
   * Answers `tasks/list` with our tasks, before those of the client's own answer where there is
   * one.
   */
  async #answerList(request: Intercepted, clientsAnswer?: Uint8Array): Promise<void> {
    if (clientsAnswer === undefined) return this.#answerWith(request, async () => ({ tasks: await this.#tasks() }));
    const ours = (await this.#tasks()).map((task) => JSON.stringify(task)).join(",");
    if (this.#isClosed) return;
    const tasks = memberIn(clientsAnswer, "result", "tasks") ?? whole(clientsAnswer);
    const comma = ours !== "" && elementsOf(clientsAnswer, tasks).length > 0 ? "," : "";
    const answer = edited(clientsAnswer, [{ from: tasks.from + 1, to: tasks.from + 1, text: ours + comma }]);
    this.#settings.toServer(decoded(answer));
  }

  async #tasks(): Promise<Members[]> {
    const { connection } = this.#settings;
    const known = [...this.#ourTasks].filter((taskId) => connection.answers("tasks/get", { taskId }));
    const asked = known.map(async (taskId) => {
      this.#lists += 1;
      const task = await connection.answer({ id: `countersign-list-${this.#lists}`, method: "tasks/get", params: { taskId } });
      return Object.fromEntries(TASK_FIELDS.flatMap((name) => (name in task ? [[name, task[name]]] : [])));
    });
    // A task whose state cannot be read is left out.
    return (await Promise.allSettled(asked)).flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  #remember(task: string): void {
    this.#ourTasks.add(task);
    const [oldest] = this.#ourTasks;
    if (this.#ourTasks.size > TASKS_REMEMBERED && oldest !== undefined) this.#ourTasks.delete(oldest);
  }

  async #answerWith(request: Intercepted, work: () => Promise<Members>): Promise<void> {
    const key = idKey(request.id);
    const isFull = this.#intercepted.size >= MOST_AT_ONCE;
    // A second request with the id of one under way is answered too, but a cancellation is for the
    // first.
    const isFirst = !this.#intercepted.has(key);
    if (isFirst && !isFull) this.#intercepted.set(key, request);
    const answer = isFull
      ? { error: { code: -32013, message: `More than ${MOST_AT_ONCE} sampling requests are under way at once` } }
      : await work().then(
          (result) => ({ result }),
          (error: unknown) => ({ error: this.calls.errorOf(error) }),
        );
    if (isFirst && !isFull) this.#intercepted.delete(key);
    // A request that its sender cancelled gets no answer (utilities/cancellation).
    if (request.cancelled || this.#isClosed) return;
    this.#settings.toServer(responseLine(request.rawId, answer));
  }

  #tellClient(notification: object | undefined): void {
    if (notification !== undefined && !this.#isClosed) this.#settings.toClient(JSON.stringify(notification));
  }
}

function takeFrom(from: Map<string, Intercepted>, id: JsonRpcId): Intercepted | undefined {
  const intercepted = from.get(idKey(id));
  from.delete(idKey(id));
  return intercepted;
}

const without = (params: Members, name: string): Members => Object.fromEntries(Object.entries(params).filter(([each]) => each !== name));

/**
 * The line without the messages that do not pass. In a batch (2025-03-26) the others keep their
 * bytes.
 */
function filtered(line: Uint8Array, value: unknown, passes: (message: unknown, span: Span) => boolean): Uint8Array | undefined {
  if (!Array.isArray(value)) return passes(value, whole(line)) ? line : undefined;
  if (value.length === 0) return line;
  const elements = elementsOf(line, whole(line));
  const kept = elements.filter((span, at) => passes(value[at], span));
  if (kept.length === elements.length) return line;
  if (kept.length === 0) return undefined;
  const text = `[${kept.map((span) => textAt(line, span)).join(",")}]\n`;
  return new TextEncoder().encode(text);
}
