// What a browser may do with a page of ours.

/**
 * The headers of every page for people. `cspNonce` is random base64 or base64url, fresh for each
 * response. Only the page's own style and, with `hasScript`, its own script run, which may connect
 * to us alone where it `listens`; images and sound are in the page itself; forms go to us alone; no
 * page may frame it; it is not cached. `Referrer-Policy` is same-origin, because with no-referrer
 * older web views send `Origin: null` and could not post.
 */
export const pageHeaders = (cspNonce: string, hasScript = false, listens = hasScript, isApp = false): Record<string, string> => ({
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'nonce-${cspNonce}'`,
    ...(hasScript ? [`script-src 'nonce-${cspNonce}'`] : []),
    ...(listens ? ["connect-src 'self'"] : []),
    ...(isApp ? ["manifest-src 'self'", "worker-src 'self'"] : []),
    isApp ? "img-src data: 'self'" : "img-src data:",
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
