// A server of 2026-07-28 over HTTP, on SDK 2.x, which counts what it got: tests assert by it that
// no continuation came twice.

import { createMcpHandler, McpServer, type ServerNotifier } from "@modelcontextprotocol/server";
import { hostileTools, listThatAsks } from "./modern-hostile.ts";
import { modernServer, type SlowCalls } from "./modern-tools.ts";
import { keptUntil } from "../../support/incoming-request.ts";
import { type Endpoint, serveStreaming } from "./relay-serve.ts";

/** One request as it came. */
export type Received = {
  readonly id: string | number | undefined;
  readonly method: string;
  /** Of the tool or prompt, or the resource's URI. */
  readonly name: string | undefined;
  readonly arguments: unknown;
  readonly state: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
};

export type ModernEndpoint = {
  readonly endpoint: Endpoint;
  readonly received: Received[];
  readonly slow: Readonly<Pick<SlowCalls, "waiting" | "cancelled">>;
  /** Lets every call of `slow` end, those to come too. */
  readonly release: () => void;
  /** Tells the clients that listen (`subscriptions/listen`). */
  readonly notify: ServerNotifier;
};

export type ModernServer = ModernEndpoint & { readonly url: string; readonly close: () => Promise<void> };

export type ModernOptions = {
  /**
   * Whether clients of the 2025 family are refused altogether, where the SDK serves them without
   * sampling.
   */
  readonly legacy?: "stateless" | "reject";
  /** `sse` makes every answer a stream. */
  readonly responseMode?: "auto" | "sse" | "json";
  /** Whether `tools/list` asks for input, which the revision forbids. */
  readonly hostileLists?: boolean;
};

type Message = {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly uri?: string;
    readonly arguments?: unknown;
    readonly requestState?: string;
    readonly inputResponses?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
};

const receivedOf = ({ id, method = "", params = {} }: Message, headers: Headers): Received => ({
  id,
  method,
  name: params.name ?? params.uri,
  arguments: params.arguments,
  state: params.requestState,
  inputResponses: params.inputResponses,
  meta: params._meta ?? {},
  headers: Object.fromEntries(headers),
});

/** What the hostile tools and lists answer by hand; undefined for what the SDK is to answer. */
function byHand({ id, method, params }: Message, earlier: number, hostileLists: boolean): Response | undefined {
  if (hostileLists && method === "tools/list") return Response.json({ jsonrpc: "2.0", id, result: listThatAsks });
  const hostile = method === "tools/call" ? hostileTools[params?.name ?? ""] : undefined;
  if (hostile === undefined) return undefined;
  return Response.json({ jsonrpc: "2.0", id, result: hostile({ state: params?.requestState, rounds: earlier }) });
}

function withHostileTools(server: McpServer): McpServer {
  for (const name of Object.keys(hostileTools)) {
    server.registerTool(name, { description: "Breaks the rules of rounds" }, () => ({ isError: true, content: [] }));
  }
  return server;
}

export function modernEndpoint(options: ModernOptions = {}): ModernEndpoint {
  let release = (): void => {};
  const slow: SlowCalls = { waiting: 0, cancelled: 0, released: new Promise((resolve) => (release = resolve)) };
  const received: Received[] = [];
  const { legacy = "stateless", responseMode = "auto", hostileLists = false } = options;
  const handler = createMcpHandler(() => withHostileTools(modernServer(slow)), { legacy, responseMode });
  const endpoint: Endpoint = async (request) => {
    if (request.method !== "POST") return handler.fetch(request);
    const text = await request.text();
    const message = asMessage(text);
    const earlier = received.filter(({ name }) => name !== undefined && name === message?.params?.name).length;
    if (message !== undefined) received.push(receivedOf(message, request.headers));
    const answered = message === undefined ? undefined : byHand(message, earlier, hostileLists);
    const { url, headers, signal } = request;
    return answered ?? handler.fetch(keptUntil(signal, new Request(url, { method: "POST", headers, signal, body: text })));
  };
  return { endpoint, received, slow, release: () => release(), notify: handler.notify };
}

/** Undefined for what is no message: the SDK says what is wrong with it. */
function asMessage(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The endpoint on a free port of this machine, at `/mcp`. */
export async function serveModern(options: ModernOptions = {}): Promise<ModernServer> {
  const modern = modernEndpoint(options);
  const { url, close } = await serveStreaming(modern.endpoint);
  return { ...modern, url: `${url}/mcp`, close };
}

/** The requests that answer a round. */
export const continuationsOf = (received: readonly Received[]): Received[] =>
  received.filter(({ state, inputResponses }) => state !== undefined || inputResponses !== undefined);

/**
 * The continuations that came more than once. The server's states are one of a kind; where a round
 * had none, the tool, its arguments and the keys tell one from another, so such calls need a
 * question each.
 */
export function repeatedContinuations(received: readonly Received[]): string[] {
  const seen = new Set<string>();
  const repeated: string[] = [];
  for (const { method, name, arguments: given, state, inputResponses } of continuationsOf(received)) {
    const key = JSON.stringify(state === undefined ? [method, name, given, Object.keys(inputResponses ?? {})] : [state]);
    if (seen.has(key)) repeated.push(key);
    seen.add(key);
  }
  return repeated;
}
