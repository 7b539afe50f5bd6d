// An access token that a client got by OAuth, in place of a key: it stands for the key that was
// made when its person let the client in, at one server of the relay.

import { looksLikeAccessToken } from "../../shared/credential/presented.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { mcpUrl } from "../platform/urls.ts";
import { type KeyRecord, keyById } from "../stores/keys.ts";
import { oauthStore } from "../stubs/oauth-store.ts";

/** Whether a person of this name, and of the address of this digest, may connect clients. */
type MayConnect = (owner: string, address: string | undefined) => Promise<boolean>;

/**
 * The key that an access token for this server stands for. Asked with each request: what was
 * revoked is refused at once. Refused: a token that is none, is over, or was given for another
 * server, and one whose key does not count any more.
 */
export async function keyOfAccessToken(
  env: Env,
  token: string,
  server: string,
  mayConnect: MayConnect,
  now: number,
): Promise<Result<KeyRecord, "accessToken">> {
  const { publicUrl } = settingsOf(env);
  if (publicUrl === undefined || !looksLikeAccessToken(token)) return err("accessToken");
  const holder = await env.OAUTH.holder(token, mcpUrl(publicUrl, server), publicUrl, oauthStore(env));
  return holder === null ? err("accessToken") : keyOfConnection(env, holder.key, mayConnect, now);
}

/**
 * The key of this id, where it came of a connection and still counts: it has not ended, and its
 * owner may still connect clients to the server.
 */
export async function keyOfConnection(
  env: Env,
  id: string,
  mayConnect: MayConnect,
  now: number,
): Promise<Result<KeyRecord, "accessToken">> {
  const caller = await keyById(env, id, now);
  if (caller.kind === "refused") return err("accessToken");
  const { owner, oauthClient } = caller.record;
  return oauthClient !== undefined && owner !== undefined && (await mayConnect(owner, oauthClient.address))
    ? ok(caller.record)
    : err("accessToken");
}
