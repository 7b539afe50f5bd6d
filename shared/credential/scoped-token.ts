// Tokens for `/v1` that stand for an API key at one thing: the client request of one MCP server,
// for minutes, some models and some money.
//
// Nothing stores a token: it carries what it is for, with a MAC. It names the session by its
// object's id, which tells the server nothing.

import { fromUtf8, utf8ToBytes } from "../encoding.ts";
import type { Provenance } from "../model/gate.ts";
import { parseJson } from "../json/values.ts";
import { type SigningKeys, seal, unsealAny } from "../sealed-id.ts";

export type TokenClaims = {
  /** Names the token in the record. */
  readonly id: string;
  readonly key: string;
  /** The SessionObject's id. */
  readonly session: string;
  /** The originating request's key in its session. */
  readonly originating: string;
  readonly server: string;
  readonly method: string;
  readonly name: string;
  readonly provenance: Provenance;
  /** Null: every model that the key may use. */
  readonly models: readonly string[] | null;
  readonly maxUsd: number;
  /** Unix milliseconds. */
  readonly expiresAt: number;
};

export const tokenPrefix = "cst_";
const domain = "countersign/scoped-token/v1";
/** A longer text is not looked at: names of requests have 4,096 characters at most. */
const longest = 16_384;

/** The token's text: the claims in the clear, with a MAC. */
export const scopedToken = (keys: SigningKeys, claims: TokenClaims): string =>
  tokenPrefix + seal(keys, domain, utf8ToBytes(JSON.stringify(claims)));

/** Whether a credential is to be read as a scoped token. */
export const isScopedToken = (text: string): boolean => text.startsWith(tokenPrefix);

/** The claims of a genuine token, whether or not it has expired; null for any other text. */
export function readScopedToken(keys: SigningKeys, text: string): TokenClaims | null {
  if (!isScopedToken(text) || text.length > longest) return null;
  const sealed = unsealAny(keys, domain, text.slice(tokenPrefix.length));
  return sealed === undefined ? null : (parseJson(fromUtf8(sealed)) as TokenClaims); // written by `scopedToken`
}

export type TokenLimits = {
  readonly models?: readonly string[] | undefined;
  readonly maxUsd?: number | undefined;
  readonly seconds?: number | undefined;
};

/**
 * What a token is limited to: never above what the entry of the server, or the gateway, allows.
 * `models`: null for every model of the key.
 */
export function withinLimits(
  asked: TokenLimits,
  allowed: { readonly models?: readonly string[] | undefined; readonly maxUsd: number; readonly seconds: number },
) {
  const models = asked.models === undefined ? allowed.models : asked.models.filter((model) => allowed.models?.includes(model) !== false);
  return {
    models: models === undefined ? null : models,
    maxUsd: Math.min(asked.maxUsd ?? allowed.maxUsd, allowed.maxUsd),
    seconds: Math.min(asked.seconds ?? allowed.seconds, allowed.seconds),
  };
}
