// A scoped token's text, and what it is limited to.

import { describe, expect, test } from "vitest";
import { type TokenClaims, readScopedToken, scopedToken, tokenPrefix, withinLimits } from "../../../shared/credential/scoped-token.ts";
import { utf8ToBytes } from "../../../shared/encoding.ts";
import { type SigningKeys, seal, signingKey } from "../../../shared/sealed-id.ts";

const keys: SigningKeys = [signingKey("the gateway's key, which is long enough")];
const claims: TokenClaims = {
  id: "token",
  key: "key",
  session: "session",
  originating: "originating",
  server: "notes",
  method: "tools/call",
  name: "summarize",
  provenance: "observed",
  models: ["first"],
  maxUsd: 1,
  expiresAt: 1_790_000_000_000,
};
const payload = utf8ToBytes(JSON.stringify(claims));

describe("a scoped token", () => {
  test("has its claims, and is what this gateway sealed for that alone", () => {
    expect(readScopedToken(keys, scopedToken(keys, claims))).toEqual(claims);
    expect(readScopedToken(keys, tokenPrefix + seal(keys, "countersign/scoped-token/v1", payload))).toEqual(claims);
    for (const domain of ["", "countersign/run/v1", "countersign/request-state/v1"])
      expect([domain, readScopedToken(keys, tokenPrefix + seal(keys, domain, payload))]).toEqual([domain, null]);
    expect(readScopedToken([signingKey("another gateway's key, long enough")], scopedToken(keys, claims))).toBeNull();
  });

  test("is not looked at where it is too long to be one", () => {
    expect(readScopedToken(keys, scopedToken(keys, { ...claims, name: "x".repeat(8_000) }))).not.toBeNull();
    expect(readScopedToken(keys, scopedToken(keys, { ...claims, name: "x".repeat(16_384) }))).toBeNull();
  });
});

describe("the limits of a token", () => {
  const allowed = { models: ["first", "second"], maxUsd: 0.5, seconds: 60 };

  test("are what was asked for, where it is less than what is allowed", () => {
    const asked = { models: ["second"], maxUsd: 0.1, seconds: 30 };
    expect(withinLimits(asked, allowed)).toEqual(asked);
  });

  test("are never more than what is allowed, and that where nothing is asked for", () => {
    expect(withinLimits({ models: ["first", "third"], maxUsd: 5, seconds: 3_600 }, allowed)).toEqual({ ...allowed, models: ["first"] });
    expect(withinLimits({}, allowed)).toEqual(allowed);
    expect(withinLimits({ models: ["third"] }, allowed).models).toEqual([]);
  });

  test("name the models that were asked for where every one is allowed, and none where nobody names any", () => {
    const any = { maxUsd: 0.5, seconds: 60 };
    expect(withinLimits({ models: ["third"] }, any).models).toEqual(["third"]);
    expect(withinLimits({}, any).models).toBeNull();
  });
});
