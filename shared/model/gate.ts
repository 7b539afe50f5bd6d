// Gates, provenance, the ends of a key, and limits: types that every part uses.

export type Gate = "request" | "response";

/**
 * How it is known that the sampling request serves the named client request: claimed by the host,
 * inferred, or observed by the relay. `own`: no MCP server asks; the key's client asks for itself,
 * at the control endpoint.
 */
export type Provenance = "claimed" | "inferred" | "observed" | "own";

/** Why the key of a request is no longer valid. */
export type KeyEnd = "keyRevoked" | "keyExpired";

/** The endpoints that an API key can be for. `sampling`: POST /sampling and the relay. */
export const keyScopes = ["sampling", "control", "v1"] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The limits that a caller may exceed for a time. */
export type LimitName = "requestsPerMinute" | "concurrent" | "callsPerMinute" | "heldStreams" | "sessions";
