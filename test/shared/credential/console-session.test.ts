// The console's tokens: only what this gateway made counts, and nothing made for another purpose.

import { expect, test } from "vitest";
import {
  consoleCookie,
  consoleFormToken,
  consoleSecretLength,
  consoleSessionId,
  isConsoleFormToken,
  sessionIdOf,
} from "../../../shared/credential/console-session.ts";
import { fromBase64url, macOf, toBase64url, utf8ToBytes } from "../../../shared/encoding.ts";
import { runIdOf, seal, signingKey, type SigningKeys } from "../../../shared/sealed-id.ts";

const keys: SigningKeys = [signingKey("a-key-of-the-tests")];
const others: SigningKeys = [signingKey("another-key-of-the-tests")];
const secret = Uint8Array.from({ length: consoleSecretLength }, (_, i) => i);

test("a cookie names its session, without its secret, also after the signing key has changed once", () => {
  const cookie = consoleCookie(keys, secret);
  expect(consoleSessionId(keys, cookie)).toBe(sessionIdOf(secret));
  expect(consoleSessionId([others[0], keys[0]], cookie)).toBe(sessionIdOf(secret));
  expect(sessionIdOf(secret)).not.toContain(cookie.slice(2, 40));
});

test("a cookie of another gateway, a changed one, a shorter one and another kind of token are nobody's", () => {
  const cookie = consoleCookie(keys, secret);
  const changed = `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`;
  const elsewhere = seal(keys, "countersign/inbox-session/v1", secret);
  for (const each of [consoleCookie(others, secret), changed, cookie.slice(4), elsewhere, runIdOf(keys, secret.subarray(0, 16)), "", "{}"])
    expect(consoleSessionId(keys, each)).toBeUndefined();
});

test("a form's token is good in its own session alone", () => {
  const token = consoleFormToken(keys, "session/a");
  expect(isConsoleFormToken(keys, "session/a", token)).toBe(true);
  expect(isConsoleFormToken([others[0], keys[0]], "session/a", token)).toBe(true);
  for (const [bound, each] of [
    ["session/b", token],
    ["session/a", ""],
    ["session/a", token.slice(1)],
    ["session/a", "?"],
  ] as const)
    expect(isConsoleFormToken(keys, bound, each)).toBe(false);
  expect(isConsoleFormToken(others, "session/a", token)).toBe(false);
});

test("a form's token that is changed in any byte, or of another domain, is no token", () => {
  const token = fromBase64url(consoleFormToken(keys, "session/a")) ?? new Uint8Array();
  expect(token).toHaveLength(16);
  for (let i = 0; i < token.length; i += 1) {
    const changed = toBase64url(token.map((byte, at) => (at === i ? byte ^ 1 : byte)));
    expect([i, isConsoleFormToken(keys, "session/a", changed)]).toEqual([i, false]);
  }
  for (const domain of ["console-session", "inbox-session", "session-mark", "form-nonce", "link"]) {
    const mac = macOf(keys[0].bytes, `countersign/${domain}/v1`, utf8ToBytes("session/a")).subarray(0, 16);
    expect([domain, isConsoleFormToken(keys, "session/a", toBase64url(mac))]).toEqual([domain, false]);
  }
});
