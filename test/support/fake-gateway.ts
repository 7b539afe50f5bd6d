// A gateway for the client's tests: it keeps the contract of `POST /sampling` and the session
// routes, and a test decides what a person and a model would have said. In process through `fetch`,
// or over loopback HTTP through `listen`.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const FAKE_KEY = "fake-gateway-key-0123456789";

type Json = { [name: string]: unknown };
type Id = string | number;
type Outcome = { result: Json } | { error: { code: number; message: string; data?: unknown } };

export type Seen = { method: string; path: string; headers: Headers; text: string; body: Json };

/** One sampling request that is under way. Decide it with `reply`, `fail` or `progress`. */
export class FakeRun {
  readonly id: string;
  readonly session: string;
  readonly origin: Json;
  readonly requestId: Id;
  readonly params: Json;
  outcome: Outcome | undefined;
  /** How often it was asked for: the first request and every repeat that attached to it. */
  attached = 0;
  readonly watchers = new Set<Watcher>();
  constructor(id: string, session: string, origin: Json, requestId: Id, params: Json) {
    this.id = id;
    this.session = session;
    this.origin = origin;
    this.requestId = requestId;
    this.params = params;
  }
  /** The text of the last message. */
  get prompt(): string {
    const messages = this.params["messages"] as { content: { text: string } }[];
    return messages.at(-1)?.content.text ?? "";
  }
  reply(text: string, more: Json = {}): void {
    this.settle({ result: { role: "assistant", content: { type: "text", text }, model: "fake-model", stopReason: "endTurn", ...more } });
  }
  fail(code: number, message: string, data?: unknown): void {
    this.settle({ error: { code, message, ...(data === undefined ? {} : { data }) } });
  }
  progress(message: string): void {
    for (const watcher of this.watchers) watcher.progress(message);
  }
  settle(outcome: Outcome): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    for (const watcher of this.watchers) watcher.settled(outcome);
    this.watchers.clear();
  }
}

type Watcher = {
  progress(message: string): void;
  heartbeat(): void;
  settled(outcome: Outcome): void;
  drop(): void;
};

const NOT_ASSOCIATED = { code: -32602, message: "Sampling request is not associated with a client request" };

export class FakeGateway {
  readonly url = "http://gateway.test";
  readonly runs: FakeRun[] = [];
  readonly seen: Seen[] = [];
  /** Called with each new run. By default it answers at once. */
  onRun: (run: FakeRun) => void = (run) => run.reply(`Reviewed reply to: ${run.prompt}`);
  /** What answers the next HTTP requests instead of the gateway, first in, first out. */
  readonly instead: ((request: Request) => Response | Promise<Response>)[] = [];
  readonly #ended = new Set<string>();
  readonly #identities = new Map<string, { digest: string; run: FakeRun }>();

  readonly fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => this.handle(new Request(input, init));

  /** Paths and methods in order, for tests of what was told when. */
  get trail(): string[] {
    return this.seen.map(({ method, path, body }) =>
      typeof body["method"] === "string" ? `${method} ${path} ${body["method"]}` : `${method} ${path}`,
    );
  }

  heartbeat(): void {
    for (const run of this.runs) for (const watcher of run.watchers) watcher.heartbeat();
  }

  /** Cuts every open answer, as a network would. */
  dropConnections(): void {
    for (const run of this.runs) {
      const watchers = [...run.watchers];
      run.watchers.clear();
      for (const watcher of watchers) watcher.drop();
    }
  }

  async run(at: number): Promise<FakeRun> {
    return until(() => this.runs[at]);
  }

  async handle(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const body = parse(text);
    this.seen.push({ method: request.method, path: pathname + search, headers: request.headers, text, body: body ?? {} });
    const instead = this.instead.shift();
    if (instead !== undefined) return instead(request);
    if (request.headers.get("authorization") !== `Bearer ${FAKE_KEY}`) return error(401, null, -32014, "No or bad key");
    const session = /^\/sessions\/([^/]+)$/.exec(pathname)?.[1];
    if (request.method === "DELETE" && session !== undefined) {
      this.#end((run) => run.session === decodeURIComponent(session), decodeURIComponent(session));
      return new Response(null, { status: 204 });
    }
    const ended = /^\/sessions\/([^/]+)\/requests\/([^/]+)$/.exec(pathname);
    if (request.method === "DELETE" && ended !== null) {
      const key = originKey(decodeURIComponent(ended[1] ?? ""), {
        id: JSON.parse(decodeURIComponent(ended[2] ?? "")),
        server: new URL(request.url).searchParams.get("server"),
      });
      this.#end((run) => originKey(run.session, run.origin) === key, key);
      return new Response(null, { status: 204 });
    }
    if (request.method !== "POST" || pathname !== "/sampling") return new Response("not found", { status: 404 });
    if (request.headers.get("content-type") !== "application/json") return error(415, null, -32016, "Not application/json");
    if (body === undefined) return error(400, null, -32700, "Parse error");
    return this.#rpc(body, request);
  }

  #rpc(body: Json, request: Request): Response {
    const params = (body["params"] ?? {}) as Json;
    const meta = (params["_meta"] ?? {}) as Json;
    const session = String(meta["countersign/session"] ?? "");
    const id = body["id"] as Id;
    if (body["method"] === "notifications/cancelled") {
      for (const run of this.runs)
        if (run.session === session && run.requestId === params["requestId"])
          run.fail(-32800, "Sampling request cancelled", { outcome: "cancelled" });
      return new Response(null, { status: 202 });
    }
    if (body["method"] === "sampling/createMessage") return this.#sample(session, id, params, meta, request);
    const run = this.runs.find((candidate) => candidate.id === params["taskId"] && candidate.session === session);
    if (run === undefined) return answer(request, id, { error: { code: -32602, message: "Unknown task" } });
    if (body["method"] === "tasks/get") return answer(request, id, { result: task(run) });
    if (body["method"] === "tasks/cancel") {
      if (run.outcome !== undefined) return answer(request, id, { error: { code: -32602, message: "The task is finished" } });
      run.fail(-32800, "Sampling request cancelled", { outcome: "cancelled" });
      return answer(request, id, { result: { ...task(run), status: "cancelled" } });
    }
    if (body["method"] === "tasks/result") return this.#hold(run, id, meta, request);
    return answer(request, id, { error: { code: -32601, message: "Method not found" } });
  }

  #sample(session: string, id: Id, params: Json, meta: Json, request: Request): Response {
    const origin = meta["countersign/originatingRequest"] as Json | undefined;
    if (session === "" || origin === undefined || this.#ended.has(session) || this.#ended.has(originKey(session, origin))) {
      return answer(request, id, { error: NOT_ASSOCIATED });
    }
    const identity = JSON.stringify([originKey(session, origin), id]);
    const { task: _task, ...rest } = params;
    const { progressToken: _token, ...restMeta } = meta;
    const digest = JSON.stringify({ ...rest, _meta: restMeta });
    const known = this.#identities.get(identity);
    if (known !== undefined && known.digest !== digest)
      return answer(request, id, { error: { code: -32600, message: "The same id with other params" } });
    const run = known?.run ?? new FakeRun(`run-${this.runs.length + 1}`, session, origin, id, params);
    run.attached += 1;
    if (known === undefined) {
      this.#identities.set(identity, { digest, run });
      this.runs.push(run);
      this.onRun(run);
    }
    if (params["task"] !== undefined) return answer(request, id, { result: { task: task(run) } });
    return this.#hold(run, id, meta, request);
  }

  #hold(run: FakeRun, id: Id, meta: Json, request: Request): Response {
    if (run.outcome !== undefined) return answer(request, id, run.outcome);
    const stream = wantsStream(request);
    const encoder = new TextEncoder();
    let count = 0;
    let watcher: Watcher | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (text: string): void => controller.enqueue(encoder.encode(text));
        send(stream ? ": open\n\n" : " ");
        watcher = {
          heartbeat: () => send(stream ? ": still here\n\n" : "\n"),
          progress: (message) => {
            count += 1;
            const progress = { progressToken: meta["progressToken"], progress: count, message };
            if (stream && meta["progressToken"] !== undefined)
              send(event({ jsonrpc: "2.0", method: "notifications/progress", params: progress }));
          },
          settled: (outcome) => {
            const message = { jsonrpc: "2.0", id, ...outcome };
            send(stream ? event(message) : JSON.stringify(message));
            controller.close();
          },
          drop: () => controller.error(new Error("cut")),
        };
        run.watchers.add(watcher);
      },
      cancel: () => {
        if (watcher !== undefined) run.watchers.delete(watcher);
      },
    });
    return new Response(body, { headers: { "content-type": stream ? "text/event-stream" : "application/json" } });
  }

  #end(owns: (run: FakeRun) => boolean, key: string): void {
    this.#ended.add(key);
    for (const run of this.runs.filter(owns)) run.fail(-32800, "Sampling request cancelled", { outcome: "cancelled" });
  }

  /** Serves it on a free loopback port, for hosts in other processes. */
  async listen(): Promise<{ url: string; close: () => Promise<void> }> {
    const server = createServer((incoming, outgoing) => void this.#serve(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string]));
    const method = incoming.method ?? "GET";
    const response = await this.handle(
      new Request(`http://127.0.0.1${incoming.url}`, { method, headers, ...(method === "POST" ? { body: Buffer.concat(chunks) } : {}) }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
  }
}

/** Waits until it gives something. The test's own time limit ends a wait that is in vain. */
export async function until<T>(give: () => T | undefined | false): Promise<T> {
  for (;;) {
    const value = give();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const originKey = (session: string, origin: Json): string => JSON.stringify([session, origin["server"], origin["id"]]);
const event = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const wantsStream = (request: Request): boolean => request.headers.get("accept")?.includes("text/event-stream") === true;

function task(run: FakeRun): Json {
  const status = run.outcome === undefined ? "working" : "result" in run.outcome ? "completed" : "failed";
  const at = "2026-01-01T00:00:00Z";
  return {
    taskId: run.id,
    status,
    statusMessage: "waiting for a person",
    createdAt: at,
    lastUpdatedAt: at,
    ttl: 300_000,
    pollInterval: 1_000,
  };
}

function answer(request: Request, id: Id, outcome: Outcome): Response {
  const message = { jsonrpc: "2.0", id, ...outcome };
  if (!wantsStream(request)) return Response.json(message);
  return new Response(event(message), { headers: { "content-type": "text/event-stream" } });
}

const error = (status: number, id: Id | null, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
