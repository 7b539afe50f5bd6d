// The console's cookie. No script reads it, no other site's link or form sends it, and no other host may set it.

import { generateCookie, getCookie } from "hono/cookie";
import type { AppContext } from "../app-context.ts";

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith("https:");

/** With `__Host-` a browser accepts the cookie from this very host alone. It needs https: a loopback address has none. */
const nameOf = (publicUrl: string): string => `${isSecure(publicUrl) ? "__Host-" : ""}countersign-console`;

export const consoleCookieOf = (c: AppContext, publicUrl: string): string => getCookie(c, nameOf(publicUrl)) ?? "";

/** The value of a `Set-Cookie`. Zero seconds: the browser deletes it. */
export const setConsoleCookie = (value: string, maxAge: number, publicUrl: string): string =>
  generateCookie(nameOf(publicUrl), value, { path: "/", httpOnly: true, secure: isSecure(publicUrl), sameSite: "Strict", maxAge });
