// The mark of a session in the address of its pages: made by this gateway, for one session.

import { expect, test } from "vitest";
import { isSessionMark, sessionMark } from "../../../shared/credential/session-mark.ts";
import { type SigningKeys, signingKey } from "../../../shared/sealed-id.ts";

const keys: SigningKeys = [signingKey("a-key-of-the-tests")];
const others: SigningKeys = [signingKey("another-key-of-the-tests")];

test("a mark is its session's, also after the signing key has changed once", () => {
  const mark = sessionMark(keys, "a");
  expect(mark).toMatch(/^[\w-]{22}$/);
  expect(isSessionMark(keys, "a", mark)).toBe(true);
  expect(isSessionMark([others[0], keys[0]], "a", mark)).toBe(true);
});

test("another session's mark, another gateway's, a changed, a shorter and an empty one are nobody's", () => {
  const mark = sessionMark(keys, "a");
  const changed = `${mark.startsWith("A") ? "B" : "A"}${mark.slice(1)}`;
  for (const each of [sessionMark(keys, "b"), sessionMark(others, "a"), changed, mark.slice(0, -2), `${mark}AA`, "", "~"])
    expect(isSessionMark(keys, "a", each)).toBe(false);
});
