// The right to go on from an approval to the review of its reply: it is one link's, and no other
// link's in any byte.

import { expect, test } from "vitest";
import { toBase64url } from "../../../shared/encoding.ts";
import { followValue, isFollowValue } from "../../../shared/review/follow.ts";
import { linkRandomLength } from "../../../shared/review/link.ts";
import { type SigningKeys, seal, signingKey } from "../../../shared/sealed-id.ts";

const keys: SigningKeys = [signingKey("the first secret, long enough")];
const random = Uint8Array.from({ length: linkRandomLength }, (_, i) => 200 + i);
const link = toBase64url(random);
const value = followValue(keys, link);

test("is good for its own link, also after the signing key has changed", () => {
  expect(isFollowValue(keys, link, value)).toBe(true);
  expect(isFollowValue([signingKey("the second secret, long enough"), keys[0]], link, value)).toBe(true);
});

test("is good for no link that differs in any byte, nor by another key, nor made for another purpose", () => {
  for (let i = 0; i < random.length; i += 1) {
    const other = toBase64url(random.map((byte, at) => (at === i ? byte ^ 1 : byte)));
    expect([i, isFollowValue(keys, other, value)]).toEqual([i, false]);
  }
  expect(isFollowValue([signingKey("another secret, long enough")], link, value)).toBe(false);
  for (const each of [undefined, "", link, value.slice(1), seal(keys, "countersign/link/v1", random)])
    expect(isFollowValue(keys, link, each)).toBe(false);
});
