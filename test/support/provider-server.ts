// A provider on a real socket, as scripted: Anthropic Messages, Chat Completions and Embeddings,
// well and badly behaved.
//
// Requests are answered in the order of the script, and plainly when it is used up. Each is checked
// against the API's own rules first, so that a request that the real one would refuse with 400 is
// refused here too.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type TokenCounts,
  anthropicError,
  anthropicErrorEvent,
  anthropicEvents,
  anthropicMessage,
  anthropicRefusals,
} from "./providers/anthropic-wire.ts";
import { chatCompletion, chatErrorEvent, chatEvents, embeddings, openaiError, openaiRefusals } from "./providers/openai-wire.ts";

export type ProviderStep =
  /**
   * A reply; as a stream where the request asks for one. `stop` is the API's own word; absent it is
   * the plain end of the turn, or of tool calls. `input` may be broken JSON text. `breaks`: the
   * stream says the first so many characters of its text, and then breaks.
   */
  | {
      readonly answer: "reply";
      readonly breaks?: { readonly after: number; readonly how: Break };
      readonly text?: string;
      readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
      readonly stop?: string;
      readonly usage?: TokenCounts;
      readonly model?: string;
    }
  /** The documented error body with this status. `message` stands for the provider's free text. */
  | { readonly answer: "error"; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly message?: string }
  /** Status 200 with exactly this JSON, or this text with this type. */
  | { readonly answer: "json"; readonly body: unknown }
  | { readonly answer: "text"; readonly body: string; readonly type: string }
  /** An error document with status 200. */
  | { readonly answer: "errorInSuccess" }
  | { readonly answer: "redirect"; readonly location: string }
  /** The connection is closed without a response. */
  | { readonly answer: "reset" }
  /** No response ever, or headers and no body ever, until the server closes. */
  | { readonly answer: "silent" }
  | { readonly answer: "silentBody" }
  /**
   * Half of a good reply's body, then the connection is closed: with a length that was promised, or
   * chunked.
   */
  | { readonly answer: "cut"; readonly chunked: boolean }
  /** As the next step says, this much later. */
  | { readonly answer: "slow"; readonly afterMs: number };

/**
 * How a stream breaks: the connection is closed, or ended as if all were well; an error document
 * comes, and then the end; `[DONE]` comes, and then the end; nothing more comes, ever.
 */
export type Break = "reset" | "end" | "error" | "done" | "hang";

export type ProviderRequest = {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
  /** How the connection's answer ended: all of it was sent, or the client went before. */
  readonly ended: Promise<"whole" | "cut">;
};

export type ProviderServer = {
  /** Without a path: Anthropic's SDK adds `/v1/messages`. */
  readonly url: string;
  /** For clients of Chat Completions: the url with `/v1`. */
  readonly openaiUrl: string;
  /** What was asked, oldest first. Empty where `record` is false. */
  readonly requests: ProviderRequest[];
  readonly script: (...steps: readonly ProviderStep[]) => void;
  /** Empties the script and the list of requests. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
};

/**
 * `record: false` and `strict: false` leave the records and the checks out, for benchmarks. Port 0
 * takes any free one.
 */
export async function startProviderServer(options: { record?: boolean; strict?: boolean; port?: number } = {}): Promise<ProviderServer> {
  const { record = true, strict = true, port = 0 } = options;
  const requests: ProviderRequest[] = [];
  let steps: ProviderStep[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      // Claude Code asks for `?beta=true`.
      const [path = ""] = (request.url ?? "").split("?");
      const wire = wireOf(path);
      const body = parse(Buffer.concat(chunks).toString("utf8"));
      const ended = new Promise<"whole" | "cut">((resolve) => {
        response.on("close", () => resolve(response.writableFinished ? "whole" : "cut"));
      });
      if (record) requests.push({ path: request.url ?? "", headers: request.headers, body, ended });
      const step = steps.shift() ?? plain;
      if (step.answer === "slow") {
        const next = steps.shift() ?? plain;
        setTimeout(() => answer(wire, body, next, response), step.afterMs);
        return;
      }
      const refusals = strict && wire !== undefined ? wire.refusals(body, request) : [];
      if (refusals.length > 0) answer(wire, body, { answer: "error", status: 400, message: refusals.join("; ") }, response);
      else answer(wire, body, step, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: taken } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${taken}`;
  return {
    url,
    openaiUrl: `${url}/v1`,
    requests,
    script: (...more) => void steps.push(...more),
    reset: () => {
      steps = [];
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const plain: ProviderStep = { answer: "reply", text: "Hello from the scripted provider." };

type Reply = Extract<ProviderStep, { answer: "reply" }>;
type Wire = {
  readonly refusals: (body: unknown, request: IncomingMessage) => string[];
  readonly error: (status: number, message: string) => unknown;
  readonly reply: (step: Reply, body: unknown) => unknown;
  /** The raw events of a stream. */
  readonly events?: (step: Reply, body: unknown) => readonly string[];
  readonly errorEvent?: (message: string) => string;
};

function wireOf(path: string): Wire | undefined {
  if (path === "/v1/messages") return anthropic;
  if (path === "/v1/chat/completions") return chat;
  return path === "/v1/embeddings" ? vectors : undefined;
}

const filled = (step: Reply, body: unknown, plainStop: string, toolStop: string) => ({
  model: step.model ?? String((body as { model?: unknown } | undefined)?.model),
  text: step.text,
  calls: step.calls ?? [],
  stop: step.stop ?? (step.calls === undefined ? plainStop : toolStop),
  usage: step.usage ?? { input: 12, output: 5 },
});

/** Four UTF-16 units each: now and then in the middle of a character. */
const inPieces = (text: string): string[] => text.match(/[\s\S]{1,4}/g) ?? [];
const asksForStream = (body: unknown): boolean => (body as { stream?: unknown } | undefined)?.stream === true;
const countsTokens = (body: unknown): boolean =>
  (body as { stream_options?: { include_usage?: unknown } } | undefined)?.stream_options?.include_usage === true;

const anthropic: Wire = {
  refusals: (body, request) => [
    ...(request.headers.authorization === undefined && request.headers["x-api-key"] === undefined ? ["x-api-key: Field required"] : []),
    ...anthropicRefusals(body, String(request.headers["anthropic-version"])),
  ],
  error: anthropicError,
  reply: (step, body) => anthropicMessage(filled(step, body, "end_turn", "tool_use")),
  events: (step, body) => anthropicEvents(filled(step, body, "end_turn", "tool_use"), inPieces),
  errorEvent: anthropicErrorEvent,
};

const chat: Wire = {
  refusals: openaiRefusals,
  error: openaiError,
  reply: (step, body) => chatCompletion(filled(step, body, "stop", "tool_calls")),
  events: (step, body) => chatEvents(filled(step, body, "stop", "tool_calls"), inPieces, countsTokens(body)),
  errorEvent: chatErrorEvent,
};

const vectors: Wire = {
  refusals: () => [],
  error: openaiError,
  reply: (_step, body) => {
    const { model, input } = body as { model: string; input: string | string[] };
    return embeddings(model, typeof input === "string" ? [input] : input);
  },
};

function answer(wire: Wire | undefined, body: unknown, step: ProviderStep, response: ServerResponse): void {
  if (wire === undefined) return send(response, 404, { "content-type": "application/json" }, JSON.stringify(openaiError(404, "Not found")));
  const json = { "content-type": "application/json" };
  switch (step.answer) {
    case "reply":
      if (asksForStream(body) && wire.events !== undefined) return stream(wire, body, step, response);
      return send(response, 200, json, JSON.stringify(wire.reply(step, body)));
    case "error":
      return send(
        response,
        step.status,
        { ...json, ...step.headers },
        JSON.stringify(wire.error(step.status, step.message ?? "Something went wrong.")),
      );
    case "json":
      return send(response, 200, json, JSON.stringify(step.body));
    case "text":
      return send(response, 200, { "content-type": step.type }, step.body);
    case "errorInSuccess":
      return send(response, 200, json, JSON.stringify(wire.error(529, "Overloaded")));
    case "redirect":
      return send(response, 307, { location: step.location }, "");
    case "reset":
      response.socket?.destroy();
      return;
    case "silent":
    case "slow":
      return;
    case "silentBody":
      response.writeHead(200, json);
      response.flushHeaders();
      return;
    case "cut": {
      const text = JSON.stringify(wire.reply({ answer: "reply", text: "This reply is cut in the middle." }, body));
      response.writeHead(200, step.chunked ? json : { ...json, "content-length": String(text.length) });
      response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
    }
  }
}

function stream(wire: Wire, body: unknown, step: Reply, response: ServerResponse): void {
  const { breaks } = step;
  const said: Reply = step.text === undefined ? step : { ...step, text: step.text.slice(0, breaks?.after) };
  const events = wire.events?.(said, body) ?? [];
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  if (breaks === undefined) {
    response.end(events.join(""));
    return;
  }
  // Of what is said until it breaks, everything that comes after the text is missing.
  const afterText = events.length - events.toReversed().findIndex((event) => /"text_delta"|"content":"[^"]/.test(event));
  const begun = breaks.after === 0 ? events.slice(0, 1) : events.slice(0, afterText);
  response.write(begun.join(""), () => {
    if (breaks.how === "reset") response.socket?.destroy();
    if (breaks.how === "end") response.end();
    if (breaks.how === "error") response.end(wire.errorEvent?.("Overloaded"));
    if (breaks.how === "done") response.end("data: [DONE]\n\n");
  });
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
  response.end(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
