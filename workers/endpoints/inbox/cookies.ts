// The inbox's two cookies: the secret of a browser that asked for a sign-in link, and the session. No script reads them, no other site
// sends them with a form, and no other host may set them. Only answers to a POST set one.

import { generateCookie, getCookie } from "hono/cookie";
import type { AppContext } from "../app-context.ts";

type Name = "browser" | "session";

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith("https:");

/** With `__Host-` a browser accepts the cookie from this very host alone. It needs https: a loopback address has none. */
const nameOf = (name: Name, publicUrl: string): string => `${isSecure(publicUrl) ? "__Host-" : ""}countersign-${name}`;

export const cookieOf = (c: AppContext, name: Name, publicUrl: string): string | undefined => getCookie(c, nameOf(name, publicUrl));

/** The value of a `Set-Cookie`. Zero seconds: the browser deletes it. */
export const setCookie = (name: Name, value: string, maxAge: number, publicUrl: string): string =>
  generateCookie(nameOf(name, publicUrl), value, { path: "/", httpOnly: true, secure: isSecure(publicUrl), sameSite: "Lax", maxAge });
