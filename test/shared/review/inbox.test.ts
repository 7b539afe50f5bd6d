// The cookie of a browser that asked for a sign-in link: it proves when it asked, for an address
// that it does not name.

import { expect, test } from "vitest";
import { addressDigest, askedToken, browserSecretLength, parseAskedToken } from "../../../shared/review/inbox.ts";
import { toBase64url } from "../../../shared/encoding.ts";
import { type SigningKeys, signingKey } from "../../../shared/sealed-id.ts";

const keys: SigningKeys = [signingKey("a-key-of-the-tests")];
const others: SigningKeys = [signingKey("another-key-of-the-tests")];
const ada = addressDigest("ada@example.org");
const claims = { secret: toBase64url(new Uint8Array(browserSecretLength).fill(7)), askedAt: 1_795_275_353_294 };
const token = askedToken(keys, claims, ada);

test("it says when it asked for this address, also after the signing key has changed once", () => {
  expect(parseAskedToken(keys, token, ada)).toEqual(claims);
  expect(parseAskedToken([others[0], keys[0]], token, ada)).toEqual(claims);
});

test("for another address, by another gateway's key and with any byte of its time or proof changed it says no time", () => {
  expect(parseAskedToken(keys, token, addressDigest("bo@example.org"))).toEqual({ ...claims, askedAt: null });
  expect(parseAskedToken(others, token, ada)).toEqual({ ...claims, askedAt: null });
  const bytes = Uint8Array.from(Buffer.from(token, "base64url"));
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = toBase64url(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)));
    expect(parseAskedToken(keys, changed, ada)?.askedAt).toBeNull();
  }
});

test("any other text is none", () => {
  for (const other of ["", "A", claims.secret, token.slice(0, -4), `${token}AAAA`, "?".repeat(token.length)])
    expect(parseAskedToken(keys, other, ada)).toBeUndefined();
});
