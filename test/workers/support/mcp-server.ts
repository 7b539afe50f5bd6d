// An MCP server behind the relay, scripted, in place of the network: it answers each request as it
// is told to, and keeps what it got.

import { neverLogged } from "./logs.ts";
import { admin, adminJson, devKey, gateway, jsonBody } from "./gateway.ts";
import { answerAt } from "./provider.ts";

export const upstreamOrigin = "https://notes.example.com";
/** Each scripted server's own session id begins with this. */
export const upstreamSession = "upstream-session-0123456789";
let scripted = 0;
neverLogged(upstreamSession);

export type UpstreamCall = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly message: Message;
};
export type Message = {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
};
export type Upstream = {
  /** The session id that it gives. */
  readonly session: string;
  /** Oldest first. */
  readonly calls: UpstreamCall[];
  /** What the server is told about one of its own requests. */
  readonly answersTo: (id: string | number) => Message[];
  /**
   * Replaces the answer to everything but `initialize` and what is no request; undefined leaves it.
   */
  answer: (call: UpstreamCall) => Response | undefined | Promise<Response | undefined>;
};

const parse = (text: string): Message => {
  try {
    return JSON.parse(text) as Message;
  } catch {
    return {};
  }
};

export const initializeResult = (revision: string): object => ({
  protocolVersion: revision,
  capabilities: { tools: {} },
  serverInfo: { name: "scripted", version: "1" },
});

/** Begins to answer at the server's address. */
export function scriptUpstream(): Upstream {
  const calls: UpstreamCall[] = [];
  scripted += 1;
  const session = `${upstreamSession}-${scripted}`;
  const upstream: Upstream = {
    session,
    calls,
    answersTo: (id) => calls.map(({ message }) => message).filter((message) => message.id === id && message.method === undefined),
    answer: () => undefined,
  };
  answerAt(upstreamOrigin, async (request) => {
    const text = await request.text();
    // What was under way in an earlier test and ends only now is not this server's.
    const given = request.headers.get("Mcp-Session-Id");
    if (given !== null && given.startsWith(upstreamSession) && given !== session) return new Response(null, { status: 404 });
    const call = { method: request.method, url: request.url, headers: request.headers, text, message: parse(text) };
    calls.push(call);
    return (await upstream.answer(call)) ?? plainAnswer(call, session);
  });
  return upstream;
}

function plainAnswer({ method, message }: UpstreamCall, session: string): Response {
  if (method !== "POST") return new Response(null, { status: method === "DELETE" ? 200 : 405 });
  if (message.method === "initialize") {
    const result = initializeResult(String(message.params?.["protocolVersion"]));
    return Response.json({ jsonrpc: "2.0", id: message.id, result }, { headers: { "Mcp-Session-Id": session } });
  }
  if (message.id === undefined || message.method === undefined) return new Response(null, { status: 202 });
  return Response.json({ jsonrpc: "2.0", id: message.id, result: {} });
}

/** An event stream of these texts, as they are. */
export const streamOf = (...texts: readonly string[]): Response =>
  new Response(texts.join(""), { headers: { "Content-Type": "text/event-stream" } });

export const eventFor = (message: object, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`;

/**
 * A stream that stays open and says what it is told to. It is made by the request that reads it,
 * and looks by itself for what there is to say: nothing may be pushed from one request into
 * another.
 */
export function openStream(): {
  readonly response: () => Response;
  readonly say: (text: string) => void;
  readonly end: () => void;
  /** As where the connection breaks, and not at an end. */
  readonly breakOff: () => void;
  /** It was ended, or whoever read it has let it go. */
  readonly isOver: () => boolean;
} {
  const said: string[] = [];
  const state = { ended: false, broken: false };
  const open = (): ReadableStream<Uint8Array> =>
    new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        while (said.length === 0 && !state.ended) await new Promise((resolve) => setTimeout(resolve, 5));
        const text = said.shift();
        if (text === undefined && state.broken) controller.error(new Error("broken off"));
        else if (text === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => void (state.ended = true),
    });
  return {
    response: () => new Response(open(), { headers: { "Content-Type": "text/event-stream" } }),
    say: (text) => void said.push(text),
    end: () => void (state.ended = true),
    breakOff: () => {
      state.broken = true;
      state.ended = true;
    },
    isOver: () => state.ended,
  };
}

/**
 * Replaces the servers document. The server here has sessions, and is not asked which revisions it
 * speaks unless an entry says so.
 */
export async function configureServers(servers: Record<string, object>): Promise<void> {
  const { version } = await adminJson<{ version: number }>("/servers");
  const entries = Object.fromEntries(Object.entries(servers).map(([name, entry]) => [name, { protocol: "2025", ...entry }]));
  const written = await admin("/servers", jsonBody("PUT", { servers: entries }, { "If-Match": String(version) }));
  if (written.status !== 200) throw new Error(`servers: ${written.status} ${await written.text()}`);
}

/** A client at the relay's endpoint. What is not given is as a plain client has it. */
export class RelayClient {
  readonly #path: string;
  readonly #key: string | null;
  readonly #headers: Record<string, string>;
  readonly #send: typeof gateway;
  session: string | null = null;

  constructor(server = "open", options: { key?: string | null; headers?: Record<string, string>; send?: typeof gateway } = {}) {
    this.#path = `/mcp/${server}`;
    this.#key = options.key === undefined ? devKey : options.key;
    this.#headers = options.headers ?? {};
    this.#send = options.send ?? gateway;
  }

  /** One request, whatever it is. */
  send(init: { method?: string; body?: string | Uint8Array; headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response> {
    const session: Record<string, string> = this.session === null ? {} : { "Mcp-Session-Id": this.session };
    const { method = "POST", body, signal } = init;
    return this.#send(this.#path, {
      method,
      key: this.#key,
      headers: {
        Accept: "application/json, text/event-stream",
        "Content-Type": "application/json",
        ...session,
        ...this.#headers,
        ...init.headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  post(message: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.send({ body: JSON.stringify(message), headers });
  }

  request(id: string | number, method: string, params: object = {}): Promise<Response> {
    return this.post({ jsonrpc: "2.0", id, method, params });
  }

  call(id: string | number, more: object = {}): Promise<Response> {
    return this.request(id, "tools/call", { name: "summarize", arguments: {}, ...more });
  }

  /** Begins a session, and answers with what `initialize` was answered with. */
  async connect(capabilities: object = {}, protocolVersion = "2025-11-25"): Promise<Response> {
    const params = { protocolVersion, capabilities, clientInfo: { name: "plain", version: "1" } };
    const answer = await this.request("init", "initialize", params);
    this.session = answer.headers.get("Mcp-Session-Id");
    return answer;
  }
}

/** A request for sampling, as a server sends it. */
export const samplingRequest = (id: string | number, text: string, params: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 50, ...params },
});

export const responseTo = (id: string | number | undefined): object => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: "done" }] },
});
