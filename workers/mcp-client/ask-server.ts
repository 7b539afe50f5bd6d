// One HTTP request to a configured MCP server: its address, its credential, and the few headers that pass either way.
// Nothing but configured addresses is ever reached, and no redirect is followed.

import type { Server } from "../../shared/relay/servers.ts";
import { isPrivateHost } from "../../shared/address.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Env } from "../platform/env.ts";
import { lookupIn } from "../platform/lookup.ts";

/** What of a client's headers is the server's to know. `Authorization` is not: it may be for us. */
const passedUp = ["Accept", "Content-Type", "MCP-Protocol-Version"] as const;
/** What of a server's headers is the client's to know. */
const passedDown = ["Content-Type", "Cache-Control", "Retry-After", "Allow"] as const;

export type UpstreamError = "noCredential" | "unreachable" | "redirected";

export type UpstreamRequest = {
  readonly method: "POST" | "GET" | "DELETE";
  readonly body?: Uint8Array | string;
  /** The server's own session id. */
  readonly session: string | null;
  readonly headers: Headers;
  /** What we say as a client of our own, beside what every client may. */
  readonly more?: Headers;
  /** The client's own credential for the server, where the entry passes it on. */
  readonly authorization: string | null;
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
};

/** The server's answer as it comes, headers first. */
export async function askUpstream(env: Env, server: Server, request: UpstreamRequest): Promise<Result<Response, UpstreamError>> {
  const headers = new Headers(server.headers);
  for (const name of passedUp) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const [name, value] of request.more ?? []) headers.set(name, value);
  const credential = credentialOf(env, server, request.authorization);
  if (credential === undefined) return err("noCredential");
  if (credential !== null) headers.set("Authorization", credential);
  if (request.session !== null) headers.set("Mcp-Session-Id", request.session);
  if (request.lastEventId !== undefined) headers.set("Last-Event-ID", request.lastEventId);
  const { hostname, protocol } = new URL(server.url);
  // Once more, as the URL parser that fetch uses understands it.
  if (!server.allowPrivate && (isPrivateHost(hostname) || protocol !== "https:")) return err("unreachable");
  try {
    const response = await fetch(server.url, {
      method: request.method,
      headers,
      redirect: "manual",
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (response.status >= 300 && response.status < 400) {
      response.body?.cancel().catch(() => {});
      return err("redirected");
    }
    return ok(response);
  } catch {
    return err("unreachable");
  }
}

/**
 * An event stream in place of an answer that is still to come: it goes on with the answer's body, or ends where the answer is none.
 * @param left ends the request where the stream is let go of.
 */
export function lateStream(asking: Promise<Result<Response, UpstreamError>>, left: AbortController): Response {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (reader === undefined) {
        const asked = await asking;
        reader = asked.ok && asked.value.ok ? asked.value.body?.getReader() : undefined;
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => left.abort(),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** Null: the server wants none. Undefined: the secret that the entry names is not set. */
function credentialOf(env: Env, server: Server, authorization: string | null): string | null | undefined {
  if (server.passAuthorization) return authorization;
  if (server.secret === undefined) return null;
  const secret = lookupIn(env)(server.secret)?.trim();
  return secret ? `Bearer ${secret}` : undefined;
}

/** The headers of the server's answer that the client gets. */
export function headersDown({ headers }: Response, server: Server): Headers {
  const down = new Headers({ "X-Content-Type-Options": "nosniff" });
  for (const name of passedDown) {
    const value = headers.get(name);
    if (value !== null) down.set(name, value);
  }
  // Who signs in at the server itself learns where.
  const challenge = server.passAuthorization ? headers.get("WWW-Authenticate") : null;
  if (challenge !== null) down.set("WWW-Authenticate", challenge);
  return down;
}
