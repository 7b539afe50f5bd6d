// Makes tokens for `/v1`, and finds the key that one stands for.

import { numberEvents, type Endpoint, providersWord } from "../../shared/record/record.ts";
import { type TokenClaims, readScopedToken, scopedToken, withinLimits, type TokenLimits } from "../../shared/credential/scoped-token.ts";
import { digestOf } from "../../shared/encoding.ts";
import type { MadeToken, Refusal } from "../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { runIdOf, runRandomLength } from "../../shared/sealed-id.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { v1Url } from "../platform/urls.ts";
import { type KeyRecord, keyById } from "../stores/keys.ts";
import { appendToLedger, sessionStub } from "../stubs/stubs.ts";
import { ownRules } from "../../shared/policy/own-rules.ts";

type TokenFor = Pick<TokenClaims, "originating" | "server" | "method" | "name" | "provenance"> & {
  readonly key: KeyRecord;
  /** The session's name. */
  readonly session: string;
  readonly endpoint: Endpoint;
  /**
   * The relay does not see that the request is served, and only infers it: it has to be in flight
   * at the moment when the token is made.
   */
  readonly mustBeInFlight: boolean;
  readonly asked: TokenLimits;
  readonly allowed: Parameters<typeof withinLimits>[1];
};

/**
 * A token for one client request, in the record before anybody has it. Refused: where the request
 * or its session has ended, and where the key may use none of the models that were asked for.
 * @returns The token, and the id under which the record has it.
 */
export async function makeToken(env: Env, of: TokenFor): Promise<Result<{ readonly run: string; readonly token: MadeToken }, Refusal>> {
  const { key, originating, server, method, name, provenance, endpoint } = of;
  if (!key.scopes.includes("v1")) return err({ kind: "wrongScope", scope: "v1" });
  if (key.servers?.includes(server) === false) return err({ kind: "policyRefused", rule: ownRules.keyServers });
  const { models: asked, maxUsd, seconds } = withinLimits(of.asked, of.allowed);
  const models = key.models === undefined ? asked : (asked?.filter((model) => key.models?.includes(model)) ?? key.models);
  if (models?.length === 0) return err({ kind: "policyRefused", rule: ownRules.tokenModels });
  const session = sessionStub(env, key.id, of.session);
  if (!(await session.openOriginating(originating, of.mustBeInFlight)))
    return err({ kind: "notAssociated", why: "originatingRequestEnded" });
  const now = Date.now();
  const expiresAt = Math.min(now + seconds * 1000, key.expiresAt ?? Infinity);
  const id = crypto.randomUUID();
  const run = runIdOf(settingsOf(env).keys, crypto.getRandomValues(new Uint8Array(runRandomLength)));
  const until = new Date(expiresAt).toISOString();
  const made = { kind: "tokenMade", token: id, key: key.id, endpoint, server, method: providersWord(method), name, provenance } as const;
  await appendToLedger(env, run, { events: numberEvents(run, null, now, [{ ...made, models, maxUsd, expiresAt: until }]), summary: null });
  const claims: TokenClaims = {
    id,
    key: key.id,
    session: session.id.toString(),
    originating,
    server,
    method,
    name,
    provenance,
    models,
    maxUsd,
    expiresAt,
  };
  const { keys, publicUrl } = settingsOf(env);
  return ok({
    run,
    token: {
      token: scopedToken(keys, claims),
      baseUrl: publicUrl === undefined ? null : v1Url(publicUrl),
      expiresAt: until,
      models,
      maxUsd,
    },
  });
}

type TokenHolder = { readonly record: KeyRecord; readonly claims: TokenClaims };

/**
 * The key that a presented token stands for, with what the token allows of it. Refused: a token
 * that is none or has expired, and one whose key has ended.
 */
export async function holderOf(env: Env, presented: string, now: number): Promise<Result<TokenHolder, Refusal>> {
  const claims = readScopedToken(settingsOf(env).keys, presented);
  if (claims === null) return err({ kind: "unauthorized", why: "scopedTokenUnknown" });
  if (now >= claims.expiresAt) return err({ kind: "unauthorized", why: "scopedTokenExpired" });
  const caller = await keyById(env, claims.key, now);
  if (caller.kind === "refused") return err({ kind: "unauthorized", why: caller.why });
  if (!caller.record.scopes.includes("v1")) return err({ kind: "wrongScope", scope: "v1" });
  const { session, originating, maxUsd, expiresAt, models } = claims;
  // All tokens of one client request spend from one account.
  const id = digestOf("countersign/token-budget/v1", { session, originating });
  const record: KeyRecord = { ...caller.record, token: { id, maxUsd, expiresAt }, ...(models === null ? {} : { models: [...models] }) };
  return ok({ record, claims });
}
