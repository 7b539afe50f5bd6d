// What a review decides about, how surely a request is known to serve another, and how a key can end: words that every part speaks.

export type Gate = "request" | "response";

/**
 * How sure we are that the sampling request serves the named client request: the host's claim, our own guess, or what the relay saw.
 * `own`: no MCP server asks; the key's client asks for itself, at the control endpoint.
 */
export type Provenance = "claimed" | "inferred" | "observed" | "own";

/** Why the key of a request may not be used any more. */
export type KeyEnd = "keyRevoked" | "keyExpired";

/** The limits that are over for a time. */
export type LimitName = "requestsPerMinute" | "concurrent" | "callsPerMinute" | "heldStreams";
