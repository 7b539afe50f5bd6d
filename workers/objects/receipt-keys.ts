// The keys that receipts are signed with: each made here, sealed as content is where CONTENT_KEY is
// set, and published for ever, so that old receipts stay checkable. A new key is published before
// it signs, since whoever checks receipts may have read the set a while ago.

import { sha256Of, toBase64url, utf8ToBytes } from "../../shared/encoding.ts";
import { canonicalText } from "../../shared/receipt/claims.ts";
import type { Env } from "../platform/env.ts";
import type { StoredReceiptKey } from "../stubs/config-calls.ts";
import { ContentSeal } from "./content-seal.ts";

/** Twice as long as the set may be kept by whoever reads it. */
const publishedBeforeMs = 10 * 60_000;

type Row = Omit<StoredReceiptKey, "secret"> & { readonly secret: string };
type NewKey = Pick<Row, "kid" | "x" | "y" | "secret">;

export class ReceiptKeys {
  readonly #sql: SqlStorage;
  readonly #seal: ContentSeal;

  constructor(env: Env, sql: SqlStorage, object: string) {
    this.#sql = sql;
    this.#seal = new ContentSeal(env, object);
  }

  /** All of them, the newest first. One is made where none can sign. */
  async list(now: number): Promise<StoredReceiptKey[]> {
    const keys = this.#read();
    if (keys.some(canSign)) return keys;
    const made = await newKey();
    // Another call may have made one meanwhile.
    if (!this.#read().some(canSign)) this.#store(made, now, now);
    return this.#read();
  }

  /** Makes a key that signs from a while later on. */
  async add(now: number): Promise<Pick<StoredReceiptKey, "kid" | "signsAt">> {
    const made = await newKey();
    const signsAt = now + publishedBeforeMs;
    this.#store(made, now, signsAt);
    return { kid: made.kid, signsAt };
  }

  /** The key signs nothing from now on, and its receipts do not count. False: there is none. */
  revoke(kid: string, now: number): boolean {
    return (
      this.#sql
        .exec("UPDATE receipt_key SET revoked_at = COALESCE(revoked_at, ?), secret = '' WHERE kid = ? RETURNING kid", now, kid)
        .toArray().length > 0
    );
  }

  #read(): StoredReceiptKey[] {
    return this.#sql
      .exec<Row>(
        "SELECT kid, x, y, secret, made_at AS madeAt, signs_at AS signsAt, revoked_at AS revokedAt FROM receipt_key ORDER BY signs_at DESC, kid",
      )
      .toArray()
      .map((row) => ({ ...row, secret: row.revokedAt === null ? this.#seal.openText(row.secret, placeOf(row.kid)) : null }));
  }

  #store({ kid, x, y, secret }: NewKey, now: number, signsAt: number): void {
    this.#sql.exec(
      "INSERT INTO receipt_key (kid, x, y, secret, made_at, signs_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, NULL)",
      kid,
      x,
      y,
      this.#seal.sealText(secret, placeOf(kid)),
      now,
      signsAt,
    );
  }
}

const canSign = ({ secret, revokedAt }: StoredReceiptKey): boolean => secret !== null && revokedAt === null;

const placeOf = (kid: string): string => `receipt_key\0${kid}`;

/** Its id is its thumbprint (RFC 7638). */
async function newKey(): Promise<NewKey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("newKey: not a pair");
  const [secret, publicKey] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("jwk", pair.publicKey),
  ]);
  if (!(secret instanceof ArrayBuffer) || publicKey instanceof ArrayBuffer) throw new Error("newKey: not a key");
  const { x = "", y = "" } = publicKey;
  const kid = toBase64url(sha256Of(utf8ToBytes(canonicalText({ crv: "P-256", kty: "EC", x, y }))));
  return { kid, x, y, secret: toBase64url(new Uint8Array(secret)) };
}
