// The relay of the 2025 revisions for a client inside the gateway: the BridgeObject, which speaks
// them for a client of 2026-07-28. That client was let in and counted by its own request.

import { Hono } from "hono";
import { parseJson } from "../../../shared/json/values.ts";
import { refusedIds } from "../../../shared/wire/json-rpc.ts";
import { type Server, reachedBy } from "../../../shared/relay/servers.ts";
import { serverEntry } from "../../stores/documents.ts";
import type { InsideVisit } from "../../stubs/inside-relay.ts";
import type { App, AppContext } from "../app-context.ts";
import { endSession, listenInSession, postInSession } from "./sessions/session-relay.ts";
import { type WatchedRelayRequest, refuseWith } from "./relay-request.ts";

/** Answers one request of such a client. Throws where the relay does. */
export const relayInside = (relay: InsideVisit, request: Request): Promise<Response> => inContext(relay, request, (c) => answer(c, relay));

/** Gives a request from inside what one of a client has. Throws where `handle` does. */
export async function inContext(
  { env, ctx, key }: InsideVisit,
  request: Request,
  handle: (c: AppContext) => Promise<Response>,
): Promise<Response> {
  const routes = new Hono<App>();
  routes.onError((error) => {
    throw error;
  });
  routes.all("*", (c) => {
    c.set("key", key);
    return handle(c);
  });
  return routes.fetch(request, env, { waitUntil: (work) => ctx.waitUntil(work), passThroughOnException: () => {}, props: {} });
}

async function answer(c: AppContext, visit: InsideVisit): Promise<Response> {
  const { env, ctx, server: name, authorization, over, reportFailure } = visit;
  const server = await serverEntry(env, name, Date.now(), (work) => ctx.waitUntil(work));
  if (server === undefined) return refuseWith(c, 403, "The MCP server is no longer in the servers document");
  // A bridge is there for the server's sessions: its own `initialize` is answered by nobody else.
  const asked: Server = { ...server, protocol: "2025" };
  const relay: WatchedRelayRequest = {
    name,
    server: reachedBy(asked, name, c.var.key.owner),
    authorization,
    over,
    slow: undefined,
    ...(reportFailure === undefined ? {} : { reportFailure }),
  };
  if (c.req.method === "GET") return listenInSession(c, relay);
  if (c.req.method === "DELETE") return endSession(c, relay);
  const body = new Uint8Array(await c.req.arrayBuffer());
  const value = parseJson(new TextDecoder().decode(body));
  c.set("ids", refusedIds(value));
  return postInSession(c, relay, { value, body });
}
