// Authentication: API keys for the endpoints, the admin token for operators. A comparison takes the
// same time for every wrong secret.

import type { Context, MiddlewareHandler } from "hono";
import { type Role, allows, roleOf } from "../../shared/credential/operator-roles.ts";
import { equalBytes, utf8ToBytes } from "../../shared/encoding.ts";
import { describeRefusal } from "../../shared/wire/describe.ts";
import type { Refusal } from "../../shared/model/outcome.ts";
import { tokenOperator } from "../../shared/record/operators.ts";
import type { Endpoint, Operator } from "../../shared/record/record.ts";
import { type RefusedIds, errorAnswer, failures } from "../../shared/wire/json-rpc.ts";
import { countCalls } from "../pipeline/admit/calls.ts";
import { type Refused, recordRefusal } from "../pipeline/record/refusals.ts";
import { accessHeader, accessIdentity } from "../credentials/access.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { callerOf, keyPrefix } from "../stores/keys.ts";
import { neededRole } from "./admin/needed-role.ts";
import type { App } from "./app-context.ts";
import { adminRefusals, keyRefusals, noGoodKey, rateLimited } from "./openapi/answers.ts";
import { saying } from "./openapi/describe.ts";
import { idsOf } from "./refused-ids.ts";
import { jsonResponse, refusalHeaders } from "../http/json-response.ts";

export const keyHeader = "X-Countersign-Key";

/**
 * The key of `Authorization: Bearer …`, or of `X-Countersign-Key` where Authorization belongs to an
 * upstream.
 */
export function presentedKey(headers: Headers): string | undefined {
  const own = headers.get(keyHeader);
  if (own !== null) return own;
  const authorization = headers.get("Authorization");
  return authorization === null ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/**
 * Requires an API key with the scope `sampling`. Refuses with 401 or 403, and with 429 where one
 * address keeps sending wrong keys.
 */
export const requireKey: MiddlewareHandler<App> = async (c, next) => {
  const caller = await callerOf(c.env, presentedKey(c.req.raw.headers), Date.now());
  if (caller.kind === "refused") return refuseKey(c, caller.why);
  c.set("key", caller.record);
  if (!caller.record.scopes.includes("sampling")) return refuseKnown(c, "sampling", { kind: "wrongScope", scope: "sampling" });
  return next();
};
saying(requireKey, { auth: "key", ...keyRefusals });

/** Refuses a wrong key: 401, or 429 where one address keeps sending them. */
export const refuseKey = async (c: Context<App>, why: Extract<Refusal, { kind: "unauthorized" }>["why"]): Promise<Response> =>
  (await isFlooding(c, "keys")) ? refuse({ kind: "flooded" }) : refuse({ kind: "unauthorized", why }, await idsOf(c));

/**
 * After `requireKey`, where no admission follows: counts the request, and refuses a key over its
 * limit, or one revoked that KV still shows.
 */
export const requireCounted: MiddlewareHandler<App> = async (c, next) => {
  const refusal = await countCalls(c.env, c.var.key);
  return refusal === null ? next() : refuseKnown(c, "sampling", refusal);
};
saying(requireCounted, { 401: noGoodKey, 429: rateLimited });

/**
 * The operator as the record names them, where the admin token was presented; null for any other
 * credential.
 */
export function operatorOf(env: Env, presented: string | undefined): Operator | null {
  const { adminToken, keys } = settingsOf(env);
  const isGood = adminToken !== undefined && presented !== undefined && equalBytes(utf8ToBytes(presented), utf8ToBytes(adminToken));
  return isGood ? tokenOperator(keys, adminToken) : null;
}

/** An operator, what they may do, and until when the proof of it is good, in Unix milliseconds. */
export type SignedInOperator = { readonly operator: Operator; readonly role: Role; readonly until: number };

/**
 * The operator whom Cloudflare Access signed in; null where it signed nobody in, or somebody whom
 * OPERATORS does not name.
 */
export async function accessOperator(c: Context<App>): Promise<SignedInOperator | null> {
  const { operators } = settingsOf(c.env);
  if (operators.length === 0) return null;
  const identity = await accessIdentity(c.env, c.req.header(accessHeader), Date.now());
  const role = identity === null ? null : roleOf(operators, identity.email);
  if (identity === null || role === null) return null;
  return { operator: { kind: "access", email: identity.email }, role, until: identity.expiresAt };
}

/**
 * A browser's request from another page than ours: it may carry the cookie of Cloudflare Access
 * without its user's will.
 */
const isFromElsewhere = (headers: Headers): boolean => {
  const site = headers.get("Sec-Fetch-Site");
  return site === null ? headers.has("Origin") : site !== "same-origin" && site !== "none";
};

/** The token of `Authorization: Bearer …`. */
export const bearerToken = (headers: Headers): string | undefined => /^Bearer +(\S+) *$/i.exec(headers.get("Authorization") ?? "")?.[1];

/**
 * Why a request's token is refused, and what to send: it says whether one was sent, and repeats
 * nothing of it.
 */
export function wrongToken(headers: Headers, wanted: string, send: string): string {
  const presented = bearerToken(headers);
  if (presented?.startsWith(keyPrefix) === true) return `The token in Authorization is an API key, and not ${wanted}; send ${send}`;
  if (presented !== undefined) return `The token in Authorization is not ${wanted}; send ${send}`;
  return headers.has("Authorization") ? `Authorization has no Bearer token; send ${send}` : `Send Authorization: ${send}`;
}

/**
 * Requires the admin token, or an operator whom Cloudflare Access signed in and whose role allows
 * the request.
 */
export const requireAdmin: MiddlewareHandler<App> = async (c, next) => {
  const { adminToken } = settingsOf(c.env);
  const presented = bearerToken(c.req.raw.headers);
  const operator = operatorOf(c.env, presented);
  if (operator !== null) {
    c.set("operator", operator);
    c.set("role", "change");
    return next();
  }
  const bySignIn = presented === undefined && !isFromElsewhere(c.req.raw.headers) ? await accessOperator(c) : null;
  if (bySignIn !== null) {
    c.set("operator", bySignIn.operator);
    c.set("role", bySignIn.role);
    return requireRole(c, next);
  }
  if (await isFlooding(c, "admin tokens"))
    return c.json({ error: "Too many attempts from this address; wait a minute" }, 429, { "Retry-After": "60" });
  const error =
    adminToken === undefined
      ? "No ADMIN_TOKEN is configured: set one of 16 characters or more with `wrangler secret put ADMIN_TOKEN`"
      : wrongToken(c.req.raw.headers, "the ADMIN_TOKEN of this gateway", "Bearer <ADMIN_TOKEN>");
  return c.json({ error }, 401, { "WWW-Authenticate": "Bearer" });
};

/** After an operator is known: refuses with 403 what their role does not allow. */
export const requireRole: MiddlewareHandler<App> = async (c, next) => {
  const needed = neededRole(c.req.method, c.req.path);
  if (allows(c.var.role, needed)) return next();
  return c.json({ error: `This needs the role ${needed}, and yours is ${c.var.role}; OPERATORS says who has which` }, 403);
};
saying(requireAdmin, { auth: "admin", ...adminRefusals });

/**
 * Counts a request of its address, and says whether there were too many: approximate, against
 * guessing and floods, not a quota. Where there is no address (locally) nothing is counted. Each
 * `what` has its own count: a flood of one kind refuses nothing of another.
 */
export async function isFlooding(
  c: Context<App>,
  what:
    | "keys"
    | "admin tokens"
    | "console"
    | "made-up links"
    | "sign-ins"
    | "oauth"
    | "registrations"
    | `link ${string}`
    | `inbox ${string}`,
): Promise<boolean> {
  const address = c.req.header("CF-Connecting-IP");
  if (address === undefined) return false;
  const { success } = await c.env.FLOOD.limit({ key: `${what} ${address}` });
  return !success;
}

/**
 * Refuses a request whose key is known, and records it. `about`: what could be read of the request;
 * its id is read from the body where not given.
 */
export async function refuseKnown(
  c: Context<App>,
  endpoint: Endpoint,
  refusal: Refusal,
  { id, ...about }: Omit<Refused, "key" | "endpoint"> & { readonly id?: RefusedIds } = {},
): Promise<Response> {
  recordRefusal(c.env, c.executionCtx, { key: c.var.key.id, endpoint, ...about }, refusal);
  return refuse(refusal, id === undefined ? await idsOf(c) : id);
}

/** A refusal as a JSON-RPC error with its HTTP status. */
export function refuse(refusal: Refusal, ids: RefusedIds = null): Response {
  const described = describeRefusal(refusal);
  const answer = errorAnswer(described);
  const message = failures(ids, "error" in answer ? answer.error : { code: -32603, message: "Internal error" });
  return jsonResponse(message, described.status, refusalHeaders(described.status, described.retryAfterMs));
}
