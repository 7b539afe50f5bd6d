// The end of an API key, whoever ends it.

import type { Operator } from "../../../shared/record/record.ts";
import { inboxNameOf } from "../../../shared/review/inbox.ts";
import { type KeyRecord, forgetKeys } from "../../stores/keys.ts";
import { oauthStore } from "../../stubs/oauth-store.ts";
import { configStub, keyStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { issuerOf } from "./oauth.ts";

/**
 * The KeyObject first, which every endpoint asks: where this request breaks after it, the key is
 * refused, and a second one does the rest. Of a key that came of OAuth the grant ends with it:
 * nothing of it is refreshed any more.
 */
export async function endKey(c: AppContext, { id, owner, oauthClient }: KeyRecord, by: Operator): Promise<void> {
  await keyStub(c.env, id).revoke();
  await configStub(c.env).revokeKey(id, by);
  forgetKeys();
  if (oauthClient === undefined || owner === undefined) return;
  const issuer = await issuerOf(c);
  if (issuer !== null) await c.env.OAUTH.end(inboxNameOf(owner), id, issuer, oauthStore(c.env));
}
