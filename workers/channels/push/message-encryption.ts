// Encrypts a push message for one browser (RFC 8291): one record of aes128gcm (RFC 8188), padded,
// so that its push service learns neither its content nor how much of it there is.

import { concatBytes, fromBase64url, utf8ToBytes } from "../../../shared/encoding.ts";
import type { Subscription } from "../../../shared/channels/push/subscription.ts";

const curve = { name: "ECDH", namedCurve: "P-256" };
const recordSize = 4_096;
const saltLength = 16;
/** After the content of the last record, before its padding. */
const delimiter = 2;

/** Fresh for each message. */
type Ephemeral = { readonly privateKey: CryptoKey; readonly publicKey: Uint8Array; readonly salt: Uint8Array };

/** The browser's key; rejects where it is no point on the curve. */
export const importPublicKey = (p256dh: string): Promise<CryptoKey> => importPoint(fromBase64url(p256dh) ?? new Uint8Array());

const importPoint = (point: Uint8Array): Promise<CryptoKey> => crypto.subtle.importKey("raw", point, curve, true, []);

async function freshEphemeral(): Promise<Ephemeral> {
  const pair = await crypto.subtle.generateKey(curve, true, ["deriveBits"]);
  if (!("privateKey" in pair)) throw new Error("freshEphemeral: not a pair");
  const point = await crypto.subtle.exportKey("raw", pair.publicKey);
  if (!(point instanceof ArrayBuffer)) throw new Error("freshEphemeral: not a point");
  const salt = crypto.getRandomValues(new Uint8Array(saltLength));
  return { privateKey: pair.privateKey, publicKey: new Uint8Array(point), salt };
}

async function hkdf(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, 8 * length));
}

/**
 * The body of the request to the push service: 103 bytes more than `paddedLength`.
 * @param paddedLength Bytes of the text with its padding: no fewer than the text has, and at most
 *   3,993, so that the body is at most 4,096. `ephemeral`: given by tests alone.
 */
export async function encryptMessage(
  text: string,
  { p256dh, auth }: Pick<Subscription, "p256dh" | "auth">,
  paddedLength: number,
  ephemeral?: Ephemeral,
): Promise<Uint8Array<ArrayBuffer>> {
  const { privateKey, publicKey, salt } = ephemeral ?? (await freshEphemeral());
  const content = utf8ToBytes(text);
  const padding = paddedLength - content.length;
  if (padding < 0) throw new Error("encryptMessage: too long");
  const point = fromBase64url(p256dh) ?? new Uint8Array();
  // RFC 8291, 3.3 and 3.4.
  const agreement = { name: "ECDH", public: await importPoint(point) }; // the types call it $public
  const shared = await crypto.subtle.deriveBits(agreement, privateKey, 256);
  const info = concatBytes(utf8ToBytes("WebPush: info\0"), point, publicKey);
  const secret = await hkdf(new Uint8Array(shared), fromBase64url(auth) ?? new Uint8Array(), info, 32);
  // RFC 8188, 2.2 and 2.3.
  const [keyBytes, nonce] = await Promise.all([
    hkdf(secret, salt, utf8ToBytes("Content-Encoding: aes128gcm\0"), 16),
    hkdf(secret, salt, utf8ToBytes("Content-Encoding: nonce\0"), 12),
  ]);
  const key = await crypto.subtle.importKey("raw", keyBytes, "AES-GCM", false, ["encrypt"]);
  const record = concatBytes(content, Uint8Array.of(delimiter), new Uint8Array(padding));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, key, record);
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, recordSize);
  return new Uint8Array(concatBytes(salt, size, Uint8Array.of(publicKey.length), publicKey, new Uint8Array(sealed)));
}
