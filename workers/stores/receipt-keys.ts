// The keys of receipts as this isolate has them: the set that is published, and the one that signs.

import { fromBase64url } from "../../shared/encoding.ts";
import type { ReceiptJwk, ReceiptSigner } from "../../shared/receipt/token.ts";
import type { Env } from "../platform/env.ts";
import { byNamespace, isolateState } from "../platform/isolate.ts";
import type { StoredReceiptKey } from "../stubs/config-calls.ts";
import { configStub } from "../stubs/stubs.ts";

/** So long after it is revoked a key may sign. */
const servedMs = 30_000;

type Served = {
  keys: readonly StoredReceiptKey[] | null;
  readAt: number;
  /** How often they were changed through this isolate. */
  changes: number;
  signer: (ReceiptSigner & { readonly kid: string }) | null;
};
const servedIn = isolateState((): Served => ({ keys: null, readAt: 0, changes: 0, signer: null }), byNamespace);

/** Each request that finds none reads them: what another one waits for may never come. */
async function keysOf(env: Env, now: number): Promise<readonly StoredReceiptKey[]> {
  const served = servedIn(env);
  if (served.keys !== null && now - served.readAt < servedMs) return served.keys;
  const { changes } = served;
  const keys = await configStub(env).receiptKeys();
  if (served.changes === changes) Object.assign(served, { keys, readAt: now });
  return keys;
}

export const publishedKeys = async (env: Env, now: number): Promise<ReceiptJwk[]> => (await keysOf(env, now)).map(jwkOf);

const jwkOf = ({ kid, x, y, revokedAt }: StoredReceiptKey): ReceiptJwk => ({
  kty: "EC",
  crv: "P-256",
  x,
  y,
  kid,
  use: "sig",
  alg: "ES256",
  ...(revokedAt === null ? {} : { revoked: { revoked_at: Math.floor(revokedAt / 1000) } }),
});

/** The newest that may sign by now; one that does not yet, where no other can. */
export async function receiptSigner(env: Env, now: number): Promise<ReceiptSigner> {
  const able = (await keysOf(env, now)).filter(({ secret, revokedAt }) => secret !== null && revokedAt === null);
  const key = able.find(({ signsAt }) => signsAt <= now) ?? able.at(-1);
  if (key === undefined) throw new Error("receiptSigner: no key");
  const served = servedIn(env);
  if (served.signer?.kid === key.kid) return served.signer;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const imported = await crypto.subtle.importKey("pkcs8", fromBase64url(key.secret ?? "") ?? new Uint8Array(), algorithm, false, ["sign"]);
  const sign = async (text: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, imported, text));
  served.signer = { kid: key.kid, sign };
  return served.signer;
}

/** The keys were changed through this isolate. */
export const forgetReceiptKeys = (env: Env): void => {
  const served = servedIn(env);
  served.keys = null;
  served.changes += 1;
};
