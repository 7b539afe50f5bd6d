// Whether a receipt of a gateway holds: for an MCP server that acts only on what was approved, and
// for `countersign verify`. By the platform's WebCrypto and fetch alone.

import { type ReceiptCrypto, type ReceiptJwk, type ReceiptTerms, type ReceiptVerdict, checkReceipt } from "../shared/receipt/token.ts";

export type { ReceiptClaims, ReceiptDecision, ReceiptMode } from "../shared/receipt/claims.ts";
export type { ReceiptError, ReceiptJwk, ReceiptVerdict } from "../shared/receipt/token.ts";

/** The member of a message's `_meta` that has its receipt. */
export { receiptKey } from "../shared/receipt/claims.ts";

export type ReceiptExpectation = Omit<ReceiptTerms, "keys" | "now"> & {
  /** Those of the gateway; by default read from `/.well-known/jwks.json` at the issuer. */
  readonly keys?: readonly ReceiptJwk[];
  /** Unix seconds; by default this machine's time. Null: of a receipt that was kept for later. */
  readonly now?: number | null;
};

/** Throws where the gateway's keys cannot be read. Never throws for what stands in the receipt. */
export async function verifyReceipt(receipt: unknown, { keys, now, ...expected }: ReceiptExpectation): Promise<ReceiptVerdict> {
  const at = now === undefined ? Math.floor(Date.now() / 1000) : now;
  const check = (known: readonly ReceiptJwk[]): Promise<ReceiptVerdict> =>
    checkReceipt(receipt, { ...expected, keys: known, now: at }, webCrypto);
  if (keys !== undefined) return check(keys);
  const verdict = await check(await keysOf(expected.issuer, keptMs));
  // A key that is newer than what was read; asked for again at most every ten seconds.
  return !verdict.ok && verdict.error === "unknownKey" ? check(await keysOf(expected.issuer, retryMs)) : verdict;
}

const keptMs = 300_000;
const retryMs = 10_000;
const readKeys = new Map<string, { readonly at: number; readonly keys: Promise<readonly ReceiptJwk[]> }>();

function keysOf(issuer: string, mostMs: number): Promise<readonly ReceiptJwk[]> {
  const known = readKeys.get(issuer);
  if (known !== undefined && Date.now() - known.at < mostMs) return known.keys;
  const keys = fetchKeys(issuer);
  readKeys.set(issuer, { at: Date.now(), keys });
  keys.catch(() => readKeys.delete(issuer));
  return keys;
}

async function fetchKeys(issuer: string): Promise<readonly ReceiptJwk[]> {
  const answer = await fetch(`${issuer}/.well-known/jwks.json`, { signal: AbortSignal.timeout(10_000), redirect: "error" });
  const { keys } = answer.ok ? ((await answer.json()) as { readonly keys?: unknown }) : {};
  if (!Array.isArray(keys)) throw new Error(`No JWK set at ${issuer}/.well-known/jwks.json`);
  return keys as readonly ReceiptJwk[]; // a key that is none verifies nothing
}

const webCrypto: ReceiptCrypto = {
  toBase64url: (bytes) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", ""),
  fromBase64url: (text) => {
    try {
      const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
      // Another spelling of the same bytes is none.
      return webCrypto.toBase64url(bytes) === text ? bytes : undefined;
    } catch {
      return undefined;
    }
  },
  sha256: async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)), // of a text
  verify: async ({ kty, crv, x, y }, signature, text) => {
    try {
      const algorithm = { name: "ECDSA", namedCurve: "P-256" };
      const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, false, ["verify"]);
      const signed = [signature, text] as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]; // of texts
      return await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, ...signed);
    } catch {
      return false;
    }
  },
};
