// The browser that approved a request is led on to the review of the reply, and no other: by a
// cookie, or by the session of a reviewer who is signed in.

import { getCookie, generateCookie } from "hono/cookie";
import { followValue, isFollowValue } from "../../../shared/review/follow.ts";
import type { AppContext } from "../app-context.ts";
import type { Presented } from "./review-link.ts";

const name = "follow";

/**
 * Whether the request comes from the browser that approved with this link, or from its signed-in
 * reviewer.
 */
export function isFollowing(c: AppContext, { settings, gate, link, claims }: Presented): boolean {
  if (gate !== "request") return false;
  return claims === null || isFollowValue(settings.keys, link, getCookie(c, name));
}

/**
 * Gives the answer to an approval the cookie. Only this link's page and its live window get it. A
 * session needs none.
 */
export function followOn(c: AppContext, { settings, link, claims, action }: Presented): void {
  if (claims === null) return;
  const cookie = generateCookie(name, followValue(settings.keys, link), {
    path: action,
    httpOnly: true,
    secure: settings.publicUrl.startsWith("https:"),
    // The page is opened from an email, too: a top-level GET, which decides nothing.
    sameSite: "Lax",
    expires: new Date(claims.expiresAtSeconds * 1_000),
  });
  c.header("Set-Cookie", cookie);
}
