// A session's pages have an address, and its cookie is for them. A browser sends a cookie to every
// port of a host: on a loopback host the server of anybody on this machine gets what the gateway
// set. There a session's cookie is for a path that only its own pages have, and opens nothing at
// any other.

import { generateCookie, getCookie } from "hono/cookie";
import { getPath } from "hono/utils/url";
import { isLoopbackHost } from "../../shared/this-machine.ts";
import { isSessionMark, sessionMark } from "../../shared/credential/session-mark.ts";
import type { SigningKeys } from "../../shared/sealed-id.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { pathOfUrl } from "../platform/urls.ts";
import type { AppContext } from "./app-context.ts";

type Settings = { readonly publicUrl: string; readonly keys: SigningKeys };

const marked = /^(\/(?:console|inbox))\/~([\w-]+)(?=\/|$)/;

const isShared = (publicUrl: string): boolean => isLoopbackHost(new URL(publicUrl).hostname);

const markOf = (request: Request): string | undefined => marked.exec(getPath(request))?.[2];

/**
 * The path by which a request is routed: on a loopback host the one of its page, without a
 * session's mark.
 */
export function routedPath(request: Request, { env }: { readonly env?: Env } = {}): string {
  const path = getPath(request);
  if (!path.includes("/~") || env === undefined) return path;
  const { publicUrl } = settingsOf(env);
  return publicUrl !== undefined && isShared(publicUrl) ? path.replace(marked, "$1") : path;
}

/**
 * Whether a session may be used at the address that was asked for. `session`: the digest that names
 * it.
 */
export const isAtItsAddress = (c: AppContext, { publicUrl, keys }: Settings, session: string): boolean =>
  !isShared(publicUrl) || isSessionMark(keys, session, markOf(c.req.raw) ?? "");

/** `home`, the console's or the inbox's URL, for a session that begins. */
export const homeOfNew = (home: string, { publicUrl, keys }: Settings, session: string): string =>
  isShared(publicUrl) ? `${home}/~${sessionMark(keys, session)}` : home;

/**
 * `home` for the session of this request, whose mark was checked. It stays when the key changes.
 */
export const homeOfThis = (c: AppContext, home: string, { publicUrl }: Settings): string =>
  isShared(publicUrl) ? `${home}/~${markOf(c.req.raw)}` : home;

type CookieName = "countersign-console" | "countersign-session" | "countersign-browser" | "countersign-issuer";

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith("https:");

/**
 * With `__Host-` a browser accepts the cookie from this very host alone. It needs https and the
 * path `/`.
 */
const nameOf = (name: CookieName, publicUrl: string): string => `${isSecure(publicUrl) && !isShared(publicUrl) ? "__Host-" : ""}${name}`;

export const cookieOf = (c: AppContext, name: CookieName, publicUrl: string): string | undefined => getCookie(c, nameOf(name, publicUrl));

/**
 * The value of a `Set-Cookie` that no script reads. Only answers to a POST have one.
 * @param home The URL of the pages that it is for; absent: it is no secret, and for all of them.
 * @param maxAge Seconds; zero: the browser deletes it.
 */
export function setCookie(
  name: CookieName,
  value: string,
  { maxAge, publicUrl, home }: { readonly maxAge: number; readonly publicUrl: string; readonly home?: string },
): string {
  return generateCookie(nameOf(name, publicUrl), value, {
    path: home !== undefined && isShared(publicUrl) ? pathOfUrl(home) : "/",
    httpOnly: true,
    secure: isSecure(publicUrl),
    // A link in an email opens the inbox; nothing but itself leads to the console.
    sameSite: name === "countersign-console" ? "Strict" : "Lax",
    maxAge,
  });
}
