// One connection of the host to one MCP server: its open requests, and the server's sampling
// requests. It uses no SDK: it is called with every message that passes, and with the requests to
// answer.

import { idKey } from "../shared/wire/json-rpc.ts";
import { isObject, type Members } from "../shared/json/values.ts";
import { samplingMethod } from "../shared/relay/messages.ts";
import { elicitationMethod } from "../shared/relay/url-elicitation.ts";
import { GaveUp, type Gateway } from "./gateway.ts";
import type {
  ServerSamplingRequest,
  AssociationMode,
  SamplingConnection,
  SamplingProgress,
  SamplingWaiting,
} from "./sampling-connection.ts";
import { type Association, InFlight, type Origin } from "./open-requests.ts";
import { asAnswer, asNotification, asRequest, type JsonRpcId, objectIn, RpcError } from "./rpc-messages.ts";
import type { ResponseStreams } from "./response-streams.ts";
import type { Timing } from "./timing.ts";
import { type V1TokenAllowance, v1TokenResult } from "./v1-token.ts";

type ConnectionSettings = {
  readonly server: string;
  readonly session: string;
  readonly association: AssociationMode;
  readonly gateway: Gateway;
  readonly streams: ResponseStreams;
  readonly timing: Timing;
  /** Undefined: the server gets no token for /v1. */
  readonly v1Tokens: V1TokenAllowance | undefined;
  readonly onProgress: (progress: SamplingProgress) => void;
  readonly onHeartbeat?: ((waiting: SamplingWaiting) => void) | undefined;
  readonly onError: (error: Error) => void;
};

const NOT_ASSOCIATED = "Sampling request is not associated with a client request";
const WHY_NOT: Record<Extract<Association, { ok: false }>["reason"], string> = {
  "none-in-flight": "no tools/call, resources/read or prompts/get is open.",
  ended: "the request on whose response stream it came has ended, or is none that may sample.",
  "not-shown": 'the transport does not show which open request it serves, and association is "strict"; set "auto".',
  ambiguous:
    'several requests are open and the transport does not show which one it serves. Over Streamable HTTP give the transport the fetch that attach() returns; over stdio call one tool at a time or set association: "inFlight".',
};
/**
 * Servers time a request out after 60 s without progress; the gateway's heartbeats become progress
 * this often.
 */
const KEEP_ALIVE_MILLISECONDS = 10_000;
/** Before 2025-11-25 a reply's content is one block. */
const ARRAYS_SINCE = "2025-11-25";

class Stopped extends RpcError {
  /** Whether to notify the gateway of it. Ended requests and sessions have notices of their own. */
  readonly tell: boolean;
  constructor(message: string, tell: boolean) {
    // The gateway's own code for a cancelled request.
    super(-32800, message, { outcome: "cancelled" });
    this.tell = tell;
  }
}

export class Connection implements SamplingConnection {
  readonly #settings: ConnectionSettings;
  readonly #inFlight: InFlight;
  /** Ids of the client's open requests that the gateway knows. */
  readonly #known = new Set<string>();
  #sessionKnown = false;
  readonly #tasks = new Map<string, { readonly origin: Origin; readonly inferred: boolean }>();
  readonly #asked = new Map<string, AbortController>();
  readonly #closed = new AbortController();
  #initializeId: JsonRpcId | undefined;
  #revision: string | undefined;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#inFlight = new InFlight((origin) => this.#originEnded(origin));
  }

  sent(message: unknown): void {
    const request = asRequest(message);
    if (request?.method === "initialize") this.#initializeId = request.id;
    this.#inFlight.sent(message);
  }

  abandoned(id: JsonRpcId): void {
    this.#inFlight.abandoned(id);
  }

  ended(id: JsonRpcId): void {
    this.#inFlight.endBegunBy(id);
  }

  received(message: unknown): void {
    const answer = asAnswer(message);
    if (answer !== undefined && answer.id === this.#initializeId && "result" in answer) {
      const revision = answer.result["protocolVersion"];
      if (typeof revision === "string") this.#revision = revision;
    }
    // SDK 1.x does not abort a handler whose request has the id 0, which is every server's first
    // id.
    const notification = asNotification(message);
    if (notification?.method === "notifications/cancelled") {
      const id = notification.params["requestId"];
      if (typeof id === "string" || typeof id === "number")
        this.#asked.get(idKey(id))?.abort(new Stopped("Sampling request cancelled", true));
    }
    this.#inFlight.received(message);
  }

  closed(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new Stopped("Sampling request cancelled: the connection was closed", false));
    this.#inFlight.closed();
    if (this.#sessionKnown) this.#settings.gateway.sessionEnded(this.#settings.session);
  }

  answers(method: string, params: Members): boolean {
    if (method === samplingMethod) return true;
    const task = params["taskId"];
    return (
      (method === "tasks/get" || method === "tasks/result" || method === "tasks/cancel") &&
      typeof task === "string" &&
      this.#tasks.has(task)
    );
  }

  async answer(asked: ServerSamplingRequest): Promise<Members> {
    const { method, params, inputKey, inputOf } = asked;
    if (method !== samplingMethod && method !== elicitationMethod) return this.#forwardTask(asked);
    const evidence = { streamOf: asked.serves ?? this.#settings.streams.take(asked.id), params, inputKey, inputOf };
    const association = this.#inFlight.associate(evidence, this.#settings.association);
    if (!association.ok) {
      const error = new RpcError(-32602, `${NOT_ASSOCIATED}: ${WHY_NOT[association.reason]}`);
      this.#settings.onError(
        new Error(`A sampling request of "${this.#settings.server}" was refused: ${WHY_NOT[association.reason]}`, { cause: error }),
      );
      throw error;
    }
    // Later rounds repeat the names of input requests; with the leg in it the id is unique.
    const leg = inputKey === undefined ? undefined : this.#inFlight.inputLeg(evidence);
    const id = leg === undefined ? asked.id : `${JSON.stringify(leg)} ${inputKey}`;
    const token = method === samplingMethod ? await this.#token(params, association) : undefined;
    if (token !== undefined) {
      this.#inFlight.answeredInput(evidence, token);
      return token;
    }
    const forwarded = this.#forward({ ...asked, id }, association, true);
    // Without this answer the SDK silently does not repeat the request that it is for.
    if (leg !== undefined) forwarded.catch(() => this.#inFlight.end(association.origin));
    const result = await forwarded;
    this.#inFlight.answeredInput(evidence, result);
    const task = objectIn(result, "task")["taskId"];
    if (isObject(asked.params["task"]) && typeof task === "string") {
      this.#tasks.set(task, association);
      return result;
    }
    return this.#shaped(result);
  }

  /**
   * Undefined where the server gets none: the request is one for a reply, which ends with its
   * client request.
   */
  async #token(params: Members, { origin, inferred }: { origin: Origin; inferred: boolean }): Promise<Members | undefined> {
    const { gateway, session, server, v1Tokens } = this.#settings;
    if (v1Tokens === undefined || origin.ended.aborted) return undefined;
    const { id, method, name } = origin;
    // From now on the gateway is told of the end of both.
    this.#known.add(idKey(id));
    this.#sessionKnown = true;
    const claim = { session, originatingRequest: { id, method, name, server, ...(inferred ? { inferred: true } : {}) } };
    const token = await v1TokenResult(gateway, params, v1Tokens, claim);
    return origin.ended.aborted ? undefined : token;
  }

  async #forwardTask(asked: ServerSamplingRequest): Promise<Members> {
    const task = this.#tasks.get(String(asked.params["taskId"]));
    if (task === undefined) throw new RpcError(-32602, "Unknown task");
    const result = await this.#forward(asked, task, false);
    return asked.method === "tasks/result" ? this.#shaped(result) : result;
  }

  async #forward(
    asked: ServerSamplingRequest,
    { origin, inferred }: { origin: Origin; inferred: boolean },
    cancellable: boolean,
  ): Promise<Members> {
    const { gateway, session, server } = this.#settings;
    const named = { id: origin.id, method: origin.method, name: origin.name };
    const ours = {
      "countersign/session": session,
      "countersign/originatingRequest": { ...named, server, ...(inferred ? { inferred: true } : {}) },
    };
    const meta = objectIn(asked.params, "_meta");
    const progressToken = meta["progressToken"] ?? `countersign-${idKey(asked.id)}`;
    const stop = this.#stopping(asked, origin);
    this.#known.add(idKey(origin.id));
    this.#sessionKnown = true;
    try {
      stop.signal.throwIfAborted();
      const params = { ...asked.params, _meta: { ...meta, ...ours, progressToken } };
      const keptAlive = this.#keepAlive(asked, meta["progressToken"]);
      return await gateway.call({ jsonrpc: "2.0", id: asked.id, method: asked.method, params }, stop.signal, {
        revision: asked.revision,
        onHeartbeat: () => {
          keptAlive.heartbeat();
          this.#settings.onHeartbeat?.({ server, requestId: asked.id, origin: named });
        },
        onProgress: (progress) => {
          keptAlive.progress(progress.message);
          this.#settings.onProgress({ ...progress, server, requestId: asked.id, origin: named });
        },
      });
    } catch (error) {
      const tell = error instanceof GaveUp || (error instanceof Stopped && error.tell);
      if (cancellable && tell) gateway.notify("notifications/cancelled", { requestId: asked.id, _meta: ours });
      throw error;
    } finally {
      stop.release();
    }
  }

  /**
   * A signal that aborts when the server cancels the request, its originating request ends, or the
   * connection closes.
   */
  #stopping(asked: ServerSamplingRequest, origin: Origin): { signal: AbortSignal; release: () => void } {
    const stop = new AbortController();
    const key = idKey(asked.id);
    const closed = (): void => stop.abort(this.#closed.signal.reason);
    const ended = (): void => stop.abort(new Stopped("Sampling request cancelled: the client request that it belongs to has ended", false));
    const cancelled = (): void => stop.abort(new Stopped("Sampling request cancelled", true));
    const pairs = [
      [this.#closed.signal, closed],
      [origin.ended, ended],
      [asked.signal, cancelled],
    ] as const;
    for (const [signal, listener] of pairs) {
      if (signal?.aborted === true) listener();
      else signal?.addEventListener("abort", listener);
    }
    this.#asked.set(key, stop);
    return {
      signal: stop.signal,
      release: () => {
        for (const [signal, listener] of pairs) signal?.removeEventListener("abort", listener);
        if (this.#asked.get(key) === stop) this.#asked.delete(key);
      },
    };
  }

  /**
   * Sends the server progress, where it gave a token. The number is a count of our own: it must
   * increase (utilities/progress), and the gateway's begins again after a dropped connection.
   */
  #keepAlive(asked: ServerSamplingRequest, token: unknown): { heartbeat: () => void; progress: (message: string | undefined) => void } {
    const { timing } = this.#settings;
    if (token === undefined || asked.notify === undefined) return { heartbeat: () => undefined, progress: () => undefined };
    let count = 0;
    let last: string | undefined;
    let sentAt = timing.now();
    const send = (message: string | undefined): void => {
      count += 1;
      last = message;
      sentAt = timing.now();
      const params = { progressToken: token, progress: count, ...(message === undefined ? {} : { message }) };
      // The connection itself notices a server that is gone.
      void (async () => asked.notify?.({ method: "notifications/progress", params }))().catch(() => undefined);
    };
    return {
      progress: send,
      heartbeat: () => {
        if (timing.now() - sentAt >= KEEP_ALIVE_MILLISECONDS) send(last);
      },
    };
  }

  #originEnded(origin: Origin): void {
    for (const [task, owner] of this.#tasks) if (owner.origin === origin) this.#tasks.delete(task);
    if (this.#closed.signal.aborted || !this.#known.delete(idKey(origin.id))) return;
    this.#settings.gateway.requestEnded(this.#settings.session, this.#settings.server, origin.id);
  }

  /** One block for a server of an older revision, which cannot read an array. */
  #shaped(result: Members): Members {
    const content = result["content"];
    if (!Array.isArray(content) || this.#revision === undefined || this.#revision >= ARRAYS_SINCE) return result;
    if (content.length === 1) return { ...result, content: content[0] };
    const texts = content.map((block) => (isObject(block) && block["type"] === "text" ? block["text"] : undefined));
    // Without a separator, as the gateway joins them: no reviewer approved another character.
    if (content.length > 0 && texts.every((text) => typeof text === "string"))
      return { ...result, content: { type: "text", text: texts.join("") } };
    throw new RpcError(-32603, `The reply has several blocks and revision ${this.#revision} of the protocol takes one.`);
  }
}
