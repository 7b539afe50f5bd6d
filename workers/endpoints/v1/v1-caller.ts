// Who calls /v1, and how a request is refused there: in the shape of OpenAI's errors.

import { type TokenClaims, isScopedToken } from "../../../shared/credential/scoped-token.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { type OpenAIError, refusalError } from "../../../shared/wire/openai/openai-error.ts";
import { V1_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { holderOf } from "../../credentials/scoped-tokens.ts";
import { recordRefusal } from "../../pipeline/record/refusals.ts";
import { type KeyRecord, callerOf } from "../../stores/keys.ts";
import type { AppContext } from "../app-context.ts";
import { isFlooding, presentedKey } from "../auth.ts";
import { jsonResponse, refusalHeaders } from "../../http/json-response.ts";

/** `claims`: of the scoped token that was presented; null for an API key. */
export type V1Caller = { readonly record: KeyRecord; readonly claims: TokenClaims | null };

/**
 * The caller of an API key with the scope `v1`, or of a scoped token. Refused: every other
 * credential, with 429 where one address keeps sending them.
 */
export async function callerOfV1(c: AppContext): Promise<Result<V1Caller, Refusal>> {
  const presented = presentedKey(c.req.raw.headers);
  const now = Date.now();
  const found =
    presented !== undefined && isScopedToken(presented) ? await holderOf(c.env, presented, now) : await keyOf(c, presented, now);
  if (!found.ok && found.error.kind === "unauthorized" && (await isFlooding(c, "keys"))) return err({ kind: "flooded" });
  return found;
}

async function keyOf(c: AppContext, presented: string | undefined, now: number): Promise<Result<V1Caller, Refusal>> {
  const caller = await callerOf(c.env, presented, now);
  if (caller.kind === "refused") return err({ kind: "unauthorized", why: caller.why });
  const { record } = caller;
  if (record.scopes.includes("v1")) return ok({ record, claims: null });
  recordRefusal(c.env, c.executionCtx, { key: record.id, endpoint: "v1", server: V1_SERVER }, { kind: "wrongScope", scope: "v1" });
  return err({ kind: "wrongScope", scope: "v1" });
}

/**
 * OpenAI's SDKs send a request again after most errors; `X-Should-Retry` tells them whether that is
 * of any use.
 */
export const answerError = ({ status, body, retryAfterMs, mayRetry }: OpenAIError): Response =>
  jsonResponse(body, status, { "X-Should-Retry": String(mayRetry), ...refusalHeaders(status, retryAfterMs) });

export const refuseV1 = (refusal: Refusal): Response => answerError(refusalError(refusal));
