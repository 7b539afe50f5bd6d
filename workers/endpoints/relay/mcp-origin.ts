// Which web pages may use the relay, and the CORS headers by which a browser lets them. It
// restricts web pages alone: a program may send any Origin or none.

import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Server } from "../../../shared/relay/servers.ts";
import { settingsOf } from "../../platform/settings.ts";
import { serverEntry } from "../../stores/documents.ts";
import type { App, AppContext } from "../app-context.ts";

/** The entry of the server that the path names. */
export const serverAt = (c: AppContext): Promise<Server | undefined> => serverNamed(c, c.req.param("server") ?? "");

export const serverNamed = (c: AppContext, name: string): Promise<Server | undefined> =>
  serverEntry(c.env, name, Date.now(), (work) => c.executionCtx.waitUntil(work));

/**
 * Whether a page of this origin may use the server: one that its entry lists, or the gateway's own.
 */
export function mayUse(c: AppContext, server: Server, origin: string): boolean {
  const { publicUrl } = settingsOf(c.env);
  return (publicUrl !== undefined && origin === new URL(publicUrl).origin) || server.origins.includes(origin);
}

const answerPages: MiddlewareHandler<App> = cors({
  origin: async (origin, c: AppContext) => {
    const server = await serverAt(c);
    return server !== undefined && mayUse(c, server, origin) ? origin : null;
  },
  allowMethods: ["POST", "GET", "DELETE"],
  exposeHeaders: ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After"],
  maxAge: 600,
});

/** CORS, before the key is checked: a browser's preflight request carries no credential. */
export const forPages: MiddlewareHandler<App> = (c, next) => (c.req.header("Origin") === undefined ? next() : answerPages(c, next));
