// The right to go on from a request's approval to the review of its reply: a cookie's value that
// only the approving POST gets. A link alone never leads on, because links are in emails, and
// whatever opens them would get a second link.

import { fromBase64url } from "../encoding.ts";
import { type SigningKeys, seal, unseal } from "../sealed-id.ts";
import { linkRandomLength } from "./link.ts";

const domain = "countersign/follow/v1";

/**
 * The value for the link of this id (`linkId`). It is good for that link alone, and for as long as
 * the link.
 */
export function followValue(keys: SigningKeys, link: string): string {
  const random = fromBase64url(link);
  if (random === undefined || random.length !== linkRandomLength) throw new Error("followValue: not a link's id");
  return seal(keys, domain, random);
}

/** Whether `value` is the one of this link. False for anything else. */
export function isFollowValue(keys: SigningKeys, link: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const random = unseal(keys, domain, value, linkRandomLength);
  const expected = fromBase64url(link);
  if (random === undefined || expected === undefined) return false;
  return random.every((byte, i) => byte === expected[i]);
}
