// An authenticator with a passkey in software: real ECDSA keys, and the bytes of WebAuthn level 3
// (6.1, 6.5) by its own hand, so that a test can have it do what none may.

import { createHash } from "node:crypto";

const sha256 = (bytes: Uint8Array | string): Uint8Array => new Uint8Array(createHash("sha256").update(bytes).digest());
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** What it does otherwise than it should. */
export type Faults = {
  readonly challenge?: string;
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  /** Flags of the authenticator data: 1 the user is present, 4 verified. */
  readonly flags?: number;
  readonly counter?: number;
};

const userPresent = 1;
const userVerified = 4;
const attested = 64;

const big = (value: number, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => Math.floor(value / 256 ** (length - 1 - i)) % 256);

/** A CBOR head (RFC 8949): every length here is below 65,536. */
const head = (major: number, value: number): Uint8Array =>
  value < 24
    ? Uint8Array.of((major << 5) | value)
    : value < 256
      ? Uint8Array.of((major << 5) | 24, value)
      : joined(Uint8Array.of((major << 5) | 25), big(value, 2));
const cborBytes = (bytes: Uint8Array): Uint8Array => joined(head(2, bytes.length), bytes);
const cborText = (text: string): Uint8Array => joined(head(3, utf8(text).length), utf8(text));
const cborInt = (value: number): Uint8Array => (value < 0 ? head(1, -1 - value) : head(0, value));

/** DER of the two halves of a raw signature. */
function der(raw: Uint8Array): Uint8Array {
  const integer = (half: Uint8Array): Uint8Array => {
    const from = half.findIndex((byte) => byte !== 0);
    const bytes = half.slice(from === -1 ? half.length - 1 : from);
    const value = (bytes[0] ?? 0) > 127 ? joined(Uint8Array.of(0), bytes) : bytes;
    return joined(Uint8Array.of(2, value.length), value);
  };
  const both = joined(integer(raw.slice(0, 32)), integer(raw.slice(32)));
  return joined(Uint8Array.of(48, both.length), both);
}

export class Authenticator {
  readonly id = base64url(crypto.getRandomValues(new Uint8Array(32)));
  readonly #origin: string;
  readonly #keys: CryptoKeyPair;
  counter = 0;

  private constructor(origin: string, keys: CryptoKeyPair) {
    this.#origin = origin;
    this.#keys = keys;
  }

  static async at(origin: string): Promise<Authenticator> {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    return new Authenticator(origin, keys as CryptoKeyPair); // of a pair of keys
  }

  /** Its public key, for a check by other means than the gateway's. */
  publicJwk(): Promise<JsonWebKey> {
    return crypto.subtle.exportKey("jwk", this.#keys.publicKey) as Promise<JsonWebKey>; // of an EC key
  }

  #data(faults: Faults, more: Uint8Array = new Uint8Array()): Uint8Array {
    const { rpId = new URL(this.#origin).hostname, flags = userPresent | userVerified, counter = (this.counter += 1) } = faults;
    return joined(sha256(rpId), Uint8Array.of(more.length === 0 ? flags : flags | attested), big(counter, 4), more);
  }

  #client(type: string, challenge: string, faults: Faults): Uint8Array {
    const said = {
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? this.#origin,
      crossOrigin: false,
    };
    return utf8(JSON.stringify(said));
  }

  /** The JSON that a page posts of a new passkey. */
  async create({ challenge }: { readonly challenge: string }, faults: Faults = {}): Promise<string> {
    const { x = "", y = "" } = await this.publicJwk();
    const [xs, ys] = [x, y].map((each) => new Uint8Array(Buffer.from(each, "base64url")));
    const key = joined(
      head(5, 5),
      ...[1, 2, 3, -7, -1, 1].map(cborInt),
      cborInt(-2),
      cborBytes(xs ?? new Uint8Array()),
      cborInt(-3),
      cborBytes(ys ?? new Uint8Array()),
    );
    const id = new Uint8Array(Buffer.from(this.id, "base64url"));
    const data = this.#data(faults, joined(new Uint8Array(16), big(id.length, 2), id, key));
    const attestation = joined(
      head(5, 3),
      cborText("fmt"),
      cborText("none"),
      cborText("attStmt"),
      head(5, 0),
      cborText("authData"),
      cborBytes(data),
    );
    const response = {
      attestationObject: base64url(attestation),
      clientDataJSON: base64url(this.#client("webauthn.create", challenge, faults)),
      transports: ["internal"],
    };
    return JSON.stringify({ id: this.id, rawId: this.id, type: "public-key", response, clientExtensionResults: {} });
  }

  /** The JSON that a page posts of what a passkey signed. */
  async get({ challenge }: { readonly challenge: string }, faults: Faults = {}): Promise<string> {
    const data = this.#data(faults);
    const client = this.#client("webauthn.get", challenge, faults);
    const signed = joined(data, sha256(client));
    const raw = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#keys.privateKey, signed.slice());
    const response = {
      authenticatorData: base64url(data),
      clientDataJSON: base64url(client),
      signature: base64url(der(new Uint8Array(raw))),
    };
    return JSON.stringify({ id: this.id, response });
  }
}
