// Authenticates the control endpoint's caller: an API key, or a token of a configured issuer, in
// the body or in a header.
//
// Every credential presented must be valid and of the same key. A valid one beside an invalid one
// is refused, so that no caller relies on a credential that was never checked.

import type { Context } from "hono";
import { type Credential, presentedCredentials } from "../../../shared/credential/presented.ts";
import type { CredentialError, Refusal } from "../../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { keyIdOfToken } from "../../credentials/token.ts";
import type { Env } from "../../platform/env.ts";
import { issuersOf } from "../../stores/documents.ts";
import { type KeyRecord, callerOf, keyById } from "../../stores/keys.ts";
import { isFlooding, keyHeader } from "../auth.ts";
import type { App } from "../app-context.ts";

/** The envelope's `auth`. */
export type ControlAuth = { readonly apiKey?: string; readonly token?: string };

type ControlCaller =
  | { readonly kind: "key"; readonly record: KeyRecord }
  /** `key`: the id of the caller's key, where it is known. */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly key: string | null };

/** Whether a header of the request presents a credential. */
export const hasCredential = (headers: Headers): boolean =>
  presentedCredentials({
    apiKey: undefined,
    token: undefined,
    authorization: headers.get("Authorization"),
    keyHeader: headers.get(keyHeader),
  }).length > 0;

/**
 * The caller's key, which has the scope `control`. Refused with 401, 403 for a key without the
 * scope, 503 where an issuer's keys cannot be read, and 429 where one address keeps sending refused
 * credentials (`describeRefusal`). The KeyObject that admits the request checks revocation again,
 * exactly.
 */
export async function callerOfControl(c: Context<App>, auth: ControlAuth): Promise<ControlCaller> {
  const { headers } = c.req.raw;
  const credentials = presentedCredentials({
    apiKey: auth.apiKey,
    token: auth.token,
    authorization: headers.get("Authorization"),
    keyHeader: headers.get(keyHeader),
  });
  const known = await keyOfAll(c.env, credentials, (work) => c.executionCtx.waitUntil(work));
  // A valid key without the scope is no guess, and does not count as a flood.
  if (known.ok && !known.value.scopes.includes("control")) return refused({ kind: "wrongScope", scope: "control" }, known.value.id);
  if (known.ok) return { kind: "key", record: known.value };
  return refused((await isFlooding(c, "keys")) ? { kind: "flooded" } : known.error);
}

const refused = (refusal: Refusal, key: string | null = null): ControlCaller => ({ kind: "refused", refusal, key });
const unauthorized = (why: CredentialError): Result<never, Refusal> => err({ kind: "unauthorized", why });

type Background = (work: Promise<unknown>) => void;

async function keyOfAll(env: Env, credentials: readonly Credential[], background: Background): Promise<Result<KeyRecord, Refusal>> {
  const now = Date.now();
  let agreed: KeyRecord | undefined;
  for (const credential of credentials) {
    const known = await keyOf(env, credential, now, background);
    if (!known.ok) return known;
    if (agreed !== undefined && agreed.id !== known.value.id) return unauthorized("credentialsDisagree");
    agreed = known.value;
  }
  return agreed === undefined ? unauthorized("missingAtControl") : ok(agreed);
}

async function keyOf(env: Env, { kind, text }: Credential, now: number, background: Background): Promise<Result<KeyRecord, Refusal>> {
  if (kind === "apiKey") {
    const caller = await callerOf(env, text, now);
    return caller.kind === "key" ? ok(caller.record) : unauthorized(caller.why);
  }
  const id = await keyIdOfToken(env, await issuersOf(env, now, background), text, now);
  if (!id.ok) return id.error === "issuerUnavailable" ? err({ kind: "issuerUnavailable" }) : unauthorized(id.error);
  const caller = await keyById(env, id.value, now);
  if (caller.kind === "key") return ok(caller.record);
  // The issuers document names a key that does not exist.
  return unauthorized(caller.why === "unknown" ? "tokenSubject" : caller.why);
}
