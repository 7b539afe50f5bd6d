// A response that is one JSON value, which no cache keeps.

export const jsonResponse = (value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", ...headers },
  });

/** The headers of a refusal: how to authenticate, and when to ask again. */
export const refusalHeaders = (status: number, retryAfterMs?: unknown): Record<string, string> => ({
  ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
  ...(typeof retryAfterMs === "number" ? { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) } : {}),
});
