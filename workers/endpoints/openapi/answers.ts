// How descriptions write answers and parameters, and the refusals that many operations share.

import * as z from "zod";
import { list, pointed } from "../../../shared/json/answer-fields.ts";
import { type NamedSchema, named } from "../answer-schema.ts";
import type { Answers, Body, Parameter } from "./describe.ts";

type Headers = Readonly<Record<string, string>>;

export const jsonBody = (schema: NamedSchema): Body => ({ type: "application/json", schema });

export const asJson = (schema: NamedSchema, description: string, headers: Headers = {}) => ({
  description,
  bodies: [jsonBody(schema)],
  headers,
});
/** The same as one JSON value, or in the other type. */
export const asJsonOr = (type: string, schema: NamedSchema, description: string) => ({
  description,
  bodies: [jsonBody(schema), { type }],
});
export const asJsonOrEvents = (schema: NamedSchema, description: string) => asJsonOr("text/event-stream", schema, description);
export const asText = (type: string, description: string) => ({ description, bodies: [{ type }] });
export const asPage = (description: string) => asText("text/html", description);

/** What a page answers at any address of its kind. */
export const pageRefusals = {
  429: asPage("Too many requests from one address"),
  500: asPage("A fault of the gateway, with an id to quote"),
};
/** The same of one that takes a form. */
export const formRefusals = { 413: asPage("Too large"), 415: asPage("Not a form"), ...pageRefusals };

export const jsonObject = named("JsonObject", () => z.looseObject({}));
export const jsonSchema = named("JsonSchema", () => z.looseObject({}));

export const rpcId = () => z.union([z.string(), z.int()]);
export const rpcErrorObject = () => z.object({ code: z.int(), message: z.string(), data: z.looseObject({}).optional() });
export const rpcAnswer = named("RpcAnswer", () =>
  z.union([
    z.object({ jsonrpc: z.literal("2.0"), id: rpcId(), result: z.looseObject({}) }),
    z.object({ jsonrpc: z.literal("2.0"), id: rpcId().optional(), error: rpcErrorObject() }),
  ]),
);
export const rpcError = (description: string, headers?: Headers) => asJson(rpcAnswer, description, headers);

/** What most refusals answer. Some have members that say more. */
export const problem = named("Problem", () =>
  z.looseObject({
    error: z.string(),
    details: z.union([list(pointed()), z.looseObject({})]).optional(),
  }),
);

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
