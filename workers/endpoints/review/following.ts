// The cookie of the browser that approved a request: it leads that browser on to the review of the reply, and no other.

import { getCookie, generateCookie } from "hono/cookie";
import { followValue, isFollowValue } from "../../../shared/review/follow.ts";
import { linkId } from "../../../shared/review/link.ts";
import type { AppContext } from "../app-context.ts";
import { type PresentedLink, actionOf } from "./review-link.ts";

const name = "follow";

/** Whether the request comes from the browser that approved with this link. */
export const isFollowingLink = (c: AppContext, { settings, claims }: PresentedLink): boolean =>
  claims.gate === "request" && isFollowValue(settings.keys, linkId(claims), getCookie(c, name));

/** `Set-Cookie` of the answer to an approval. Only this link's page and its live window get the cookie. */
export const followCookie = (link: PresentedLink): string =>
  generateCookie(name, followValue(link.settings.keys, linkId(link.claims)), {
    path: actionOf(link),
    httpOnly: true,
    secure: link.settings.publicUrl.startsWith("https:"),
    // The page is opened from an email, too: a top-level GET, which decides nothing.
    sameSite: "Lax",
    expires: new Date(link.claims.expiresAtSeconds * 1_000),
  });
