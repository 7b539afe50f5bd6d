// A receipt as a compact JWS (RFC 7515) of ES256, and everything that is checked in one. Signing,
// verifying and hashing are passed in: WebCrypto has them everywhere.

import {
  type ReceiptClaims,
  type ReceiptDecision,
  type ReceiptMode,
  canonicalText,
  inputResponseOf,
  readClaims,
  receiptSeconds,
  receiptType,
  replyText,
  requestText,
} from "./claims.ts";

/**
 * A public key as the JWK set has it. `revoked`: after OpenID Federation, in Unix seconds; nothing
 * that is signed with it counts from then on.
 */
export type ReceiptJwk = {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
  readonly kid: string;
  readonly use: "sig";
  readonly alg: "ES256";
  readonly revoked?: { readonly revoked_at: number };
};

/** Unpadded base64url (RFC 4648, section 5); undefined for a text that is none. */
type Base64url = {
  readonly toBase64url: (bytes: Uint8Array) => string;
  readonly fromBase64url: (text: string) => Uint8Array | undefined;
};

/** `sign`: ECDSA over P-256 and SHA-256, as 64 bytes. */
export type ReceiptSigner = { readonly kid: string; readonly sign: (text: Uint8Array) => Promise<Uint8Array> };

export type ReceiptCrypto = Base64url & {
  readonly sha256: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** False also where the key is none. */
  readonly verify: (key: ReceiptJwk, signature: Uint8Array, text: Uint8Array) => Promise<boolean>;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export async function signReceipt(
  claims: ReceiptClaims,
  { kid, sign }: ReceiptSigner,
  toBase64url: Base64url["toBase64url"],
): Promise<string> {
  const encoded = (value: object): string => toBase64url(encoder.encode(JSON.stringify(value)));
  const text = `${encoded({ alg: "ES256", typ: receiptType, kid })}.${encoded(claims)}`;
  return `${text}.${toBase64url(await sign(encoder.encode(text)))}`;
}

/** What a server expects of a receipt. */
export type ReceiptTerms = {
  readonly issuer: string;
  /** The server's name at the gateway. */
  readonly audience: string;
  /** Those of the gateway, from its JWK set. */
  readonly keys: readonly ReceiptJwk[];
  /**
   * Unix seconds. Null: of a receipt that is kept for later, its time and use are not checked, and
   * a revoked key counts for what is older.
   */
  readonly now: number | null;
  /** The request as the server has it; null: it is not compared. */
  readonly request: { readonly method: string; readonly params: unknown } | null;
  /** The reply as the server got it. Absent: it is not compared. */
  readonly reply?: unknown;
  /** Absent: however it was decided. */
  readonly modes?: readonly ReceiptMode[] | undefined;
  /** Absent: only what was approved. */
  readonly decisions?: readonly ReceiptDecision[] | undefined;
  /**
   * True the first time that it is called with this id, which has to be remembered until then, in
   * Unix seconds. Called last, for a receipt that is good otherwise.
   */
  readonly isFirstUse?: ((id: string, until: number) => boolean | Promise<boolean>) | undefined;
};

/** What is wrong with a receipt. */
export type ReceiptError =
  | "malformed"
  | "unknownKey"
  | "revokedKey"
  | "badSignature"
  | "otherIssuer"
  | "otherAudience"
  | "notYetValid"
  | "expired"
  | "notApproved"
  | "otherMode"
  | "otherRequest"
  | "otherReply"
  | "usedBefore";

export type ReceiptVerdict = { readonly ok: true; readonly claims: ReceiptClaims } | { readonly ok: false; readonly error: ReceiptError };

/** Clocks may differ by so much. */
const leewaySeconds = 60;
/** A longer one is none of ours. */
const longestToken = 16_384;

/** Never throws for what stands in the receipt. */
export async function checkReceipt(receipt: unknown, terms: ReceiptTerms, crypt: ReceiptCrypto): Promise<ReceiptVerdict> {
  const bad = (error: ReceiptError): ReceiptVerdict => ({ ok: false, error });
  const token = typeof receipt === "string" && receipt.length <= longestToken ? readToken(receipt, crypt.fromBase64url) : undefined;
  if (token === undefined) return bad("malformed");
  const { kid, claims, signature, text } = token;
  const key = terms.keys.find((each) => each.kid === kid);
  if (key === undefined) return bad("unknownKey");
  if (!(await crypt.verify(key, signature, text))) return bad("badSignature");
  const revokedAt = key.revoked?.revoked_at;
  if (revokedAt !== undefined && (terms.now !== null || claims.iat >= revokedAt)) return bad("revokedKey");
  if (claims.iss !== terms.issuer) return bad("otherIssuer");
  if (claims.aud !== terms.audience) return bad("otherAudience");
  if (terms.now !== null) {
    if (claims.iat > terms.now + leewaySeconds) return bad("notYetValid");
    if (Math.min(claims.exp, claims.iat + receiptSeconds) <= terms.now) return bad("expired");
  }
  if (!(terms.decisions ?? ["approved"]).includes(claims.decision)) return bad("notApproved");
  if (terms.modes !== undefined && !terms.modes.includes(claims.mode)) return bad("otherMode");
  const digestOf = async (make: () => string): Promise<string | null> => {
    try {
      return crypt.toBase64url(await crypt.sha256(encoder.encode(make())));
    } catch {
      return null;
    }
  };
  const { request } = terms;
  if (request !== null) {
    const digest = await digestOf(() => requestText(request.method, request.params));
    if (request.method !== claims.method || digest === null || claims.request.jcs !== digest) return bad("otherRequest");
    // What the gateway answered itself is in no receipt of the call; what its client answered is.
    for (const [key, approved] of Object.entries(claims.request.inputResponses ?? {}))
      if ((await digestOf(() => canonicalText(inputResponseOf(request.params, key)))) !== approved) return bad("otherRequest");
  }
  if ("reply" in terms) {
    const digest = await digestOf(() => replyText(terms.reply));
    if (digest === null || claims.reply?.jcs !== digest) return bad("otherReply");
  }
  if (terms.now !== null && terms.isFirstUse !== undefined && !(await terms.isFirstUse(claims.jti, claims.exp))) return bad("usedBefore");
  return { ok: true, claims };
}

type ReceiptToken = {
  readonly kid: string;
  readonly claims: ReceiptClaims;
  readonly signature: Uint8Array;
  /** What is signed. */
  readonly text: Uint8Array;
};

/** The parts of a receipt, of which nothing is believed yet; undefined where it is none. */
export function readToken(receipt: string, fromBase64url: Base64url["fromBase64url"]): ReceiptToken | undefined {
  const [, header = "", payload = "", last = ""] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(receipt) ?? [];
  const [headerBytes, payloadBytes, signature] = [header, payload, last].map(fromBase64url);
  if (headerBytes === undefined || payloadBytes === undefined || signature === undefined) return undefined;
  try {
    const { alg, typ, kid, crit } = JSON.parse(decoder.decode(headerBytes)) as { readonly [name: string]: unknown };
    const claims = readClaims(JSON.parse(decoder.decode(payloadBytes)));
    if (alg !== "ES256" || typ !== receiptType || typeof kid !== "string" || crit !== undefined || claims === undefined) return undefined;
    return { kid, claims, signature, text: encoder.encode(`${header}.${payload}`) };
  } catch {
    return undefined;
  }
}
