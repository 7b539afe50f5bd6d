// The shell of every page for people: one stylesheet, at most one script of ours, and no other resource.

import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { stylesheet } from "./stylesheet.ts";

type DocumentProps = {
  title: string;
  cspNonce: string;
  skip?: { to: string; words: string };
  /** A constant of ours, without any content. */
  script?: string;
  children: Child;
};

export const Document = ({ title, cspNonce, skip, script, children }: DocumentProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex, nofollow" />
      <title>{title}</title>
      <style nonce={cspNonce}>{raw(stylesheet)}</style>
    </head>
    <body>
      <header>
        <span class="product">Countersign</span>
        {skip === undefined ? null : <a href={`#${skip.to}`}>{skip.words}</a>}
      </header>
      <main>{children}</main>
      {script === undefined ? null : <script nonce={cspNonce}>{raw(script)}</script>}
    </body>
  </html>
);

/** A page as the text of a response. Our components are never asynchronous, so `page` is always a string. */
export const asHtml = (page: Child): string => `<!doctype html>${String(page)}`;

/**
 * The headers of every such page. `cspNonce` is random base64 or base64url, fresh for each response. Only the page's own style and, with
 * `hasScript`, its own script run, which may connect to us alone; images and sound are in the page itself; forms go to us alone; no page may
 * frame it; it is not cached. `Referrer-Policy` is same-origin, because with no-referrer older web views send `Origin: null` and could not
 * post.
 */
export const pageHeaders = (cspNonce: string, hasScript = false): Record<string, string> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'nonce-${cspNonce}'`,
    ...(hasScript ? [`script-src 'nonce-${cspNonce}'`, "connect-src 'self'"] : []),
    "img-src data:",
    "media-src data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "Referrer-Policy": "same-origin",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex, nofollow",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Strict-Transport-Security": "max-age=31536000",
});
