// The key by which push services know the gateway (VAPID, RFC 8292): made here when it is first
// asked for, sealed as content is where CONTENT_KEY is set. It never leaves this object, which
// signs with it. A browser's subscription is good for one key alone.

import { fromBase64url, toBase64url, utf8ToBytes } from "../../shared/encoding.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import type { PushAuthorization } from "../stubs/config-calls.ts";
import { ContentSeal } from "./content-seal.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256" };
/** RFC 8292, 2: at most 24 hours. */
const signedMs = 12 * 3_600_000;
const place = "push_key";

type Row = { readonly public_key: string; readonly secret: string };

export class PushKey {
  readonly #sql: SqlStorage;
  readonly #seal: ContentSeal;
  readonly #publicUrl: () => string | undefined;

  constructor(env: Env, sql: SqlStorage, object: string) {
    this.#sql = sql;
    this.#seal = new ContentSeal(env, object);
    this.#publicUrl = () => settingsOf(env).publicUrl;
  }

  /** Whether there is one: whether anybody was offered to turn a device on. */
  exists(): boolean {
    return this.#row() !== undefined;
  }

  /** The public key, an uncompressed point as base64url, as browsers take it. */
  async publicKey(): Promise<string> {
    return (await this.#key()).public_key;
  }

  /** @param audience The push service's origin. */
  async authorization(audience: string, now: number): Promise<PushAuthorization> {
    const { public_key: publicKey, secret } = await this.#key();
    const key = await crypto.subtle.importKey("pkcs8", fromBase64url(secret) ?? new Uint8Array(), algorithm, false, ["sign"]);
    const until = now + signedMs;
    const claims = { aud: audience, exp: Math.floor(until / 1000), sub: contactOf(this.#publicUrl()) };
    const signed = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, utf8ToBytes(signed));
    return { header: `vapid t=${signed}.${toBase64url(new Uint8Array(signature))}, k=${publicKey}`, publicKey, until };
  }

  #row(): Row | undefined {
    return this.#sql.exec<Row>("SELECT public_key, secret FROM push_key").toArray()[0];
  }

  /** One that CONTENT_KEY no longer opens is replaced: its devices have to be turned on again. */
  #read(): Row | null {
    const row = this.#row();
    const secret = row === undefined ? null : this.#seal.openText(row.secret, place);
    return row === undefined || secret === null ? null : { ...row, secret };
  }

  async #key(): Promise<Row> {
    const known = this.#read();
    if (known !== null) return known;
    const made = await newKey();
    // Another call may have made one meanwhile.
    const other = this.#read();
    if (other !== null) return other;
    this.#sql.exec(
      "INSERT OR REPLACE INTO push_key (one, public_key, secret) VALUES (1, ?, ?)",
      made.public_key,
      this.#seal.sealText(made.secret, place),
    );
    return made;
  }
}

const part = (value: object): string => toBase64url(utf8ToBytes(JSON.stringify(value)));

/**
 * Whom a push service may ask. Some refuse a loopback address, and there is nobody to ask there.
 */
const contactOf = (publicUrl: string | undefined): string =>
  publicUrl?.startsWith("https:") === true ? publicUrl : "mailto:nobody@example.com";

async function newKey(): Promise<Row> {
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("newKey: not a pair");
  const [secret, point] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("raw", pair.publicKey),
  ]);
  if (!(secret instanceof ArrayBuffer) || !(point instanceof ArrayBuffer)) throw new Error("newKey: not a key");
  return { public_key: toBase64url(new Uint8Array(point)), secret: toBase64url(new Uint8Array(secret)) };
}
