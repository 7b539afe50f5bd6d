// The shell of every page that people see: one stylesheet, at most one script of ours, nothing loaded from anywhere.

import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import { stylesheet } from "./stylesheet.ts";

type DocumentProps = {
  title: string;
  cspNonce: string;
  skip?: { to: string; words: string };
  /** A constant of ours: nothing is put into it. */
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

/** A page as the text of a response. Components here are never asynchronous, so this is always a string already. */
export const asHtml = (page: Child): string => `<!doctype html>${String(page)}`;

/**
 * The headers of every such page. `cspNonce` is fresh random base64 or base64url of one response. Only the page's
 * own style counts, and no script but, where `hasScript`, the page's own, which may talk to us alone; images and sound come from the page itself; forms go to us alone; nobody may frame it; nothing is
 * kept. `Referrer-Policy` is same-origin because with no-referrer older web views send `Origin: null` and could not post.
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
