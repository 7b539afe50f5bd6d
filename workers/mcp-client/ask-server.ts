// One HTTP request to a configured MCP server: its address, its credential, and the few headers
// that pass either way. It reaches only configured addresses, and follows no redirect.

import type { Server } from "../../shared/relay/servers.ts";
import { traceContextOf, traceMembers } from "../../shared/telemetry/trace-context.ts";
import { isPrivateHost } from "../../shared/address.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { lookupIn } from "../platform/lookup.ts";
import type { ReportFailure } from "./request-failure.ts";

/** The client's headers that the server gets. Not `Authorization`, which may have our key. */
const passedUp = ["Accept", "Content-Type", "MCP-Protocol-Version"] as const;
/** The server's headers that the client gets. */
const passedDown = ["Content-Type", "Cache-Control", "Retry-After", "Allow"] as const;

/**
 * Why a request has not the login that the server wants of the key's owner. `notSignedIn`: there is
 * none. `otherAccount`: it is not the one that the request was for. `loginUnreachable`: it cannot
 * be renewed now. `loginRefused`: the server answered 401, and did not say that the request was not
 * applied.
 */
export type LoginError = "notSignedIn" | "otherAccount" | "loginUnreachable" | "loginRefused";

export type UpstreamError = "noCredential" | LoginError | "unreachable" | "redirected";

/** Whether the server may have had the request: it broke off, or refused it in its middle. */
export const mayHaveRun = (error: string): boolean => unclear.has(error);

const unclear: ReadonlySet<string> = new Set<UpstreamError>(["unreachable", "loginRefused"]);
const withoutLogin: ReadonlySet<UpstreamError> = new Set(["notSignedIn", "otherAccount", "loginUnreachable"]);

/** Tells of a failed request what its response does not say. */
export function reportOf(error: UpstreamError, report: ReportFailure | undefined): void {
  if (mayHaveRun(error)) report?.("lost");
  else if (withoutLogin.has(error)) report?.("noLogin");
}

type ServerError = Exclude<UpstreamError, "noCredential" | LoginError>;

export type UpstreamRequest = {
  readonly method: "POST" | "GET" | "DELETE";
  readonly body?: Uint8Array | string;
  /** The server's own session id. */
  readonly session: string | null;
  readonly headers: Headers;
  /** Headers of our own client, beside `passedUp`. */
  readonly more?: Headers;
  /** The client's own credential for the server, where the entry passes it on. */
  readonly authorization: string | null;
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
};

/**
 * What is asked of a server's entry, and the credential of its requests: null where they have none.
 */
export type Reached = { readonly server: Pick<Server, "url" | "headers" | "allowPrivate">; readonly credential: string | null };

/** The same where the credential is known. */
export async function askServer(
  { server, credential }: Reached,
  request: Omit<UpstreamRequest, "authorization">,
): Promise<Result<Response, ServerError>> {
  const headers = new Headers(server.headers);
  for (const name of passedUp) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const trace = traceContextOf(request.headers.get("traceparent"), request.headers.get("tracestate"));
  if (trace !== null) for (const [name, value] of Object.entries(traceMembers(trace))) headers.set(name, value);
  for (const [name, value] of request.more ?? []) headers.set(name, value);
  if (credential !== null) headers.set("Authorization", credential);
  if (request.session !== null) headers.set("Mcp-Session-Id", request.session);
  if (request.lastEventId !== undefined) headers.set("Last-Event-ID", request.lastEventId);
  const { hostname, protocol } = new URL(server.url);
  // Checked again, by the URL parser that `fetch` uses.
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
 * An event stream for an answer that is still to come: it carries the answer's body, or ends where
 * the answer is an error.
 * @param left is aborted where the stream is cancelled, and ends the request.
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

/** Null: the server needs none. Undefined: the secret that its entry names is not set. */
export function credentialOf(env: object, server: Server, authorization: string | null): string | null | undefined {
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
  // A client that signs in to the server itself needs its challenge.
  const challenge = server.passAuthorization ? headers.get("WWW-Authenticate") : null;
  if (challenge !== null) down.set("WWW-Authenticate", challenge);
  return down;
}
