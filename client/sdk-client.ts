// Joins a connection to a client of either SDK generation, by what both have. It imports neither.
//
// Four seams, all public in `@modelcontextprotocol/sdk` 1.x and in `@modelcontextprotocol/client`
// 2.x:
// - `client.connect` is replaced on the instance, to get the transport before the client does;
// - `transport.send` is replaced on the instance, because only there a request has its id. The
//   object stays the same one, so that its other members (session id, revision, process id) work,
//   which a proxy would break;
// - `transport.onmessage` and `onclose` are set first: both SDKs call an existing one before their
//   own;
// - `client.fallbackRequestHandler` answers. A registered handler would not do: 1.x needs a zod
//   schema, and 2.x refuses the result of a sampling request that became a task. In revision
//   2026-07-28 a sampling request arrives inside a result, and 2.x passes those to registered
//   handlers only. A handler gets the request's name in that result, which another result may have
//   too; its `_meta`, the very object that came, shows which result it was.

import { isObject, type Members } from "../shared/json/values.ts";
import type { ServerSamplingRequest, SamplingConnection } from "./sampling-connection.ts";
import { revision2026 } from "../shared/wire/mcp-2026/meta-keys.ts";
import { asAnswer, asRequest, type JsonRpcId, objectIn, RpcError } from "./rpc-messages.ts";

export type SamplingCapabilities = {
  readonly sampling: { readonly tools: Record<string, never> };
  /** What the gateway understands of a sampling request beyond the protocol. */
  readonly experimental: { readonly [extension: string]: Record<string, never> };
  readonly tasks?: {
    readonly cancel: Record<string, never>;
    readonly requests: { readonly sampling: { readonly createMessage: Record<string, never> } };
  };
};

const TASK_METHODS = new Set(["tasks/get", "tasks/result", "tasks/cancel"]);

/** What we use of a transport of either generation. */
export interface TransportLike {
  send(message: never, options?: never): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
}

/** What we use of a client of either generation. */
export interface ClientLike {
  registerCapabilities(capabilities: SamplingCapabilities): void;
  connect(transport: TransportLike, options?: unknown): Promise<void>;
  setRequestHandler(...handler: never[]): void;
  assertCanSetRequestHandler(method: string): void;
  fallbackRequestHandler?: unknown;
  /** 2.x only. */
  getProtocolEra?(): string | undefined;
}

/**
 * Makes a client answer sampling. Call it before `client.connect`.
 * @param open Makes the connection for one `client.connect`; a client that connects again gets
 *   another.
 * @throws TypeError where the client is connected already or answers sampling itself.
 */
export function joinClient(client: ClientLike, capabilities: SamplingCapabilities, open: () => SamplingConnection): void {
  try {
    client.assertCanSetRequestHandler("sampling/createMessage");
  } catch {
    throw new TypeError('This client has a handler of its own for "sampling/createMessage": remove it before attach().');
  }
  try {
    client.registerCapabilities(capabilities);
  } catch (error) {
    throw new TypeError("attach() comes before client.connect(): the capabilities are declared when the connection begins.", {
      cause: error,
    });
  }
  let current: SamplingConnection | undefined;

  const fallback = client.fallbackRequestHandler;
  client.fallbackRequestHandler = async (request: unknown, context: unknown): Promise<unknown> => {
    const { id, method, params } = asRequest(request) ?? { id: "", method: "", params: {} };
    if (current?.answers(method, params) === true) return current.answer({ ...contextOf(context), id, method, params });
    if (typeof fallback === "function") return Reflect.apply(fallback, client, [request, context]);
    if (capabilities.tasks !== undefined && TASK_METHODS.has(method)) throw new RpcError(-32602, "Unknown task");
    throw new RpcError(-32601, "Method not found");
  };

  const connect = client.connect;
  client.connect = async (transport: TransportLike, options?: unknown): Promise<void> => {
    const connection = open();
    current = connection;
    const askedBy: AskedBy = new WeakMap();
    observe(transport, connection, askedBy);
    await Reflect.apply(connect, client, [transport, options]);
    if (client.getProtocolEra?.() !== "modern") return;
    const answerInput = (request: unknown, context: unknown): Promise<Members> => {
      const params = isObject(request) ? objectIn(request, "params") : {};
      const inputKey = String(objectIn(isObject(context) ? context : {}, "mcpReq")["id"]);
      const { signal } = contextOf(context);
      const meta = objectIn(isObject(context) ? context : {}, "mcpReq")["_meta"];
      const inputOf = isObject(meta) ? askedBy.get(meta) : undefined;
      return connection.answer({
        id: inputKey,
        method: "sampling/createMessage",
        params,
        inputKey,
        inputOf,
        revision: revision2026,
        signal,
      });
    };
    Reflect.apply(client.setRequestHandler, client, ["sampling/createMessage", answerInput]);
  };
}

/** The client's request whose result asked for a sampling request, by that request's `_meta`. */
type AskedBy = WeakMap<object, JsonRpcId>;

/**
 * Remembers of each sampling request in an `input_required` result which request it answers. One
 * without `_meta` gets an empty one.
 */
function remember(message: unknown, askedBy: AskedBy): void {
  const answer = asAnswer(message);
  if (answer === undefined || answer.id === null || !("result" in answer) || answer.result["resultType"] !== "input_required") return;
  for (const input of Object.values(objectIn(answer.result, "inputRequests"))) {
    const params = isObject(input) && input["method"] === "sampling/createMessage" ? input["params"] : undefined;
    if (!isObject(params)) continue;
    if (params["_meta"] === undefined) Object.assign(params, { _meta: {} });
    if (isObject(params["_meta"])) askedBy.set(params["_meta"], answer.id);
  }
}

/**
 * Calls a connection with every message of a transport. Call it before the client gets the
 * transport.
 */
export function observe(transport: TransportLike, connection: SamplingConnection, askedBy?: AskedBy): void {
  const { send, onmessage, onclose } = transport;
  transport.send = async (message: unknown, options?: unknown): Promise<void> => {
    const request = asRequest(message);
    connection.sent(message);
    // In revision 2026-07-28, 2.x over HTTP cancels by closing the response stream, without
    // `notifications/cancelled`.
    const given = isObject(options) ? options["requestSignal"] : undefined;
    if (request !== undefined && given instanceof AbortSignal) {
      given.addEventListener("abort", () => connection.abandoned(request.id), { once: true });
    }
    try {
      await Reflect.apply(send, transport, [message, options]);
    } catch (error) {
      if (request !== undefined) connection.abandoned(request.id);
      throw error;
    }
  };
  Object.assign(transport, {
    onmessage: (message: unknown, extra?: unknown): void => {
      if (onmessage !== undefined) Reflect.apply(onmessage, transport, [message, extra]);
      if (askedBy !== undefined) remember(message, askedBy);
      connection.received(message);
    },
    onclose: (): void => {
      onclose?.();
      connection.closed();
    },
  });
}

/** The request's signal and `notify`: on the context itself in 1.x, under `mcpReq` in 2.x. */
function contextOf(context: unknown): Pick<ServerSamplingRequest, "signal" | "notify"> {
  const outer = isObject(context) ? context : {};
  const inner = objectIn(outer, "mcpReq");
  const signal = outer["signal"] ?? inner["signal"];
  const notify = outer["sendNotification"] ?? inner["notify"];
  return {
    signal: signal instanceof AbortSignal ? signal : undefined,
    notify: typeof notify === "function" ? (notification) => Reflect.apply(notify, undefined, [notification]) : undefined,
  };
}
