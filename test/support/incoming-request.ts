// What came over a socket, as the Fetch API has it.

import type { IncomingMessage } from "node:http";

/** The whole request, its body read. Its own signal follows this one, which aborts at the end. */
export async function requestOf(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set: chunks are buffers.
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const method = incoming.method ?? "GET";
  const body = method === "GET" || method === "HEAD" || chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
  const url = `http://${incoming.headers.host ?? "127.0.0.1"}${incoming.url ?? "/"}`;
  return keptUntil(signal, new Request(url, { method, headers, signal, ...body }));
}

const kept = new Set<Request>();

/**
 * The request itself. Node's `Request` hands an abort on for as long as somebody refers to it, and
 * a handler that waits for the abort may hold its signal alone.
 */
export function keptUntil(signal: AbortSignal, request: Request): Request {
  kept.add(request);
  signal.addEventListener("abort", () => kept.delete(request), { once: true });
  return request;
}
