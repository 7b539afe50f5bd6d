// How descriptions write answers and parameters, and the refusals that many operations share.

import type { Answers, Parameter } from "./describe.ts";
import type { SchemaName } from "./schemas.ts";

type Headers = Readonly<Record<string, string>>;

export const asJson = (schema: SchemaName, description: string, headers: Headers = {}) => ({
  description,
  bodies: [{ type: "application/json", schema }],
  headers,
});
/** The same as one JSON value or as server-sent events. */
export const asJsonOrEvents = (schema: SchemaName, description: string) => ({
  description,
  bodies: [{ type: "application/json", schema }, { type: "text/event-stream" }],
});
export const asText = (type: string, description: string) => ({ description, bodies: [{ type }] });
export const asPage = (description: string) => asText("text/html", description);
export const rpcError = (description: string, headers?: Headers) => asJson("RpcAnswer", description, headers);

export const inPath = (name: string, description: string): Parameter => ({ name, in: "path", description, required: true });
export const inQuery = (name: string, description: string): Parameter => ({ name, in: "query", description });
export const inHeader = (name: string, description: string, required = false): Parameter => ({ name, in: "header", description, required });

export const retryAfter: Headers = { "Retry-After": "Seconds" };
export const noGoodKey = rpcError("-32014: no key, or one that is unknown, expired or revoked");
export const rateLimited = rpcError("-32013: rate limited", retryAfter);
export const tooLarge = rpcError("-32015: over the key's limit of bytes");
export const configurationUnavailable = rpcError("-32017: the gateway cannot read its configuration now", retryAfter);

/** How an endpoint for keys with the scope `sampling` refuses a request without a valid key. */
export const keyRefusals: Answers = { 401: noGoodKey, 403: rpcError("-32014: a key without the scope sampling"), 429: rateLimited };

export const adminRefusals: Answers = {
  401: "Not the operator",
  403: "An operator whose role does not allow it",
  429: "Too many wrong tokens from one address",
};

/** The 500 of every operation that does not describe its own. */
export const internalError = rpcError("-32603: a fault of the gateway, with an id to quote");
