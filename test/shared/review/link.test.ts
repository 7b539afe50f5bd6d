import * as fc from "fast-check";
import { noticeChannels } from "../../../shared/notice-channels.ts";
import { describe, expect, test } from "vitest";
import { fromBase64url, toBase64url } from "../../../shared/encoding.ts";
import {
  type LinkClaims,
  type NonceSubject,
  formNonce,
  judgeNonce,
  linkChannels,
  linkId,
  linkRandomLength,
  linkToken,
  nonceEarliestMs,
  nonceLatestMs,
  nonceRandomLength,
  parseLinkToken,
} from "../../../shared/review/link.ts";
import { type SigningKeys, runIdOf, seal, signingKey } from "../../../shared/sealed-id.ts";

const key = signingKey("the first secret, long enough");
const older = signingKey("the second secret, long enough");
const other = signingKey("a secret of another gateway");
const keys: SigningKeys = [key];

const claims: LinkClaims = {
  runRandom: Uint8Array.from({ length: 16 }, (_, i) => i * 7),
  gate: "request",
  reviewer: 3,
  channel: "email",
  expiresAtSeconds: 1_800_000_000,
  random: Uint8Array.from({ length: linkRandomLength }, (_, i) => 200 + i),
};
const token = linkToken(keys, claims);

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
const anyClaims: fc.Arbitrary<LinkClaims> = fc.record({
  runRandom: bytes(16),
  gate: fc.constantFrom("request" as const, "response" as const),
  reviewer: fc.integer({ min: 0, max: 255 }),
  channel: fc.constantFrom(...linkChannels),
  expiresAtSeconds: fc.integer({ min: 0, max: 2 ** 40 - 1 }),
  random: bytes(linkRandomLength),
});

const flipped = (text: string, at: number, mask: number): string => {
  const changed = fromBase64url(text) ?? new Uint8Array();
  changed[at] = (changed[at] ?? 0) ^ mask;
  return toBase64url(changed);
};
const lengthOf = (text: string): number => (fromBase64url(text) ?? new Uint8Array()).length;

describe("a link's token", () => {
  test("gives back what it claims, as one unbroken base64url run of 72 characters", () => {
    fc.assert(
      fc.property(anyClaims, (any) => {
        const made = linkToken(keys, any);
        expect(made).toMatch(/^[A-Za-z0-9_-]{72}$/);
        expect(parseLinkToken(keys, made)).toEqual(any);
      }),
    );
  });

  test("is worth nothing with any single bit of any byte flipped", () => {
    for (let at = 0; at < lengthOf(token); at += 1)
      for (let bit = 0; bit < 8; bit += 1)
        expect(parseLinkToken(keys, flipped(token, at, 1 << bit)), `byte ${at}, bit ${bit}`).toBeUndefined();
  });

  test("is worth nothing with any character changed, added, left out or moved", () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let at = 0; at < token.length; at += 1) {
      for (const letter of letters) {
        if (letter !== token[at]) expect(parseLinkToken(keys, token.slice(0, at) + letter + token.slice(at + 1))).toBeUndefined();
      }
      expect(parseLinkToken(keys, token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
      expect(parseLinkToken(keys, `${token.slice(0, at)}A${token.slice(at)}`)).toBeUndefined();
    }
    for (const text of ["", token + token, `${token}=`, ` ${token}`, `${token}\n`, token.toLowerCase(), `${token}?utm=1`])
      expect(parseLinkToken(keys, text)).toBeUndefined();
  });

  test("of one claim never vouches for another", () => {
    const changes: Partial<LinkClaims>[] = [
      { gate: "response" },
      { reviewer: 4 },
      { channel: "slack" },
      { expiresAtSeconds: claims.expiresAtSeconds + 1 },
      { runRandom: new Uint8Array(16) },
      { random: new Uint8Array(linkRandomLength) },
    ];
    const genuine = fromBase64url(token) ?? new Uint8Array();
    for (const change of changes) {
      const forged = fromBase64url(linkToken([other], { ...claims, ...change })) ?? new Uint8Array();
      forged.set(genuine.slice(-16), forged.length - 16);
      forged[0] = genuine[0] ?? 0;
      expect(parseLinkToken(keys, toBase64url(forged)), Object.keys(change).join()).toBeUndefined();
    }
  });

  test("of the older live key still opens, one of a removed key does not", () => {
    const old = linkToken([older], claims);
    expect(parseLinkToken([key, older], old)).toEqual(claims);
    expect(parseLinkToken([key, older], token)).toEqual(claims);
    expect(parseLinkToken([key], old)).toBeUndefined();
    expect(parseLinkToken([other], token)).toBeUndefined();
  });

  test("of another key with the same key id is not taken", () => {
    const twin = { ...other, id: key.id };
    expect(parseLinkToken(keys, linkToken([twin], claims))).toBeUndefined();
  });

  test("is nothing else: a run id or a seal of another domain over the same bytes does not open", () => {
    expect(parseLinkToken(keys, runIdOf(keys, claims.runRandom).slice("run_".length))).toBeUndefined();
    const payload = (fromBase64url(token) ?? new Uint8Array()).slice(1, -16);
    expect(parseLinkToken(keys, seal(keys, "countersign/link/v1", payload))).toEqual(claims);
    expect(parseLinkToken(keys, seal(keys, "countersign/link/v2", payload))).toBeUndefined();
  });

  test("with an unknown format, gate or channel is refused even where the seal is genuine", () => {
    const payload = (fromBase64url(token) ?? new Uint8Array()).slice(1, -16);
    for (const [at, value] of [
      [0, 2],
      [17, 2],
      [19, 1 + Math.max(...Object.values(noticeChannels).map(({ linkByte }) => linkByte))],
      [19, 255],
    ] as const) {
      const changed = Uint8Array.from(payload);
      changed[at] = value;
      expect(parseLinkToken(keys, seal(keys, "countersign/link/v1", changed))).toBeUndefined();
    }
  });

  test("cannot be made of claims of the wrong size", () => {
    expect(() => linkToken(keys, { ...claims, runRandom: new Uint8Array(15) })).toThrow();
    expect(() => linkToken(keys, { ...claims, random: new Uint8Array(13) })).toThrow();
    expect(() => linkToken(keys, { ...claims, expiresAtSeconds: 2 ** 40 })).toThrow();
    expect(() => linkToken(keys, { ...claims, expiresAtSeconds: 1.5 })).toThrow();
  });

  test("is named by its random bytes, which cannot open it", () => {
    expect(linkId(claims)).toBe(toBase64url(claims.random));
    expect(parseLinkToken(keys, linkId(claims))).toBeUndefined();
  });
});

describe("a form's nonce", () => {
  const subject: NonceSubject = { token, version: 2, digest: "digest" };
  const made = 1_700_000_000_000;
  const random = Uint8Array.from({ length: nonceRandomLength }, (_, i) => i);
  const nonce = formNonce(keys, subject, made, random);

  test.each([
    [made - 1, "early"],
    [made, "early"],
    [made + 999, "early"],
    [made + 30 * 60_000 + 1, "late"],
    [made + nonceEarliestMs - 1, "early"],
    [made + nonceEarliestMs, "good"],
    [made + nonceLatestMs, "good"],
    [made + nonceLatestMs + 1, "late"],
    [made + 86_400_000, "late"],
  ])("at %i, made at 1700000000000, is %s", (now, verdict) => {
    expect(judgeNonce(keys, subject, nonce, now)).toBe(verdict);
  });

  const now = made + 5_000;

  test.each<[string, NonceSubject]>([
    ["another link", { ...subject, token: linkToken(keys, { ...claims, reviewer: 4 }) }],
    ["the other gate's link", { ...subject, token: linkToken(keys, { ...claims, gate: "response" }) }],
    ["another version", { ...subject, version: 3 }],
    ["another digest", { ...subject, digest: "digesu" }],
    ["parts put together differently", { token: `${token}2`, version: 2, digest: "digest" }],
  ])("for %s is forged", (_, wrong) => {
    expect(judgeNonce(keys, wrong, nonce, now)).toBe("forged");
  });

  test("is forged with any single bit flipped: not even its time can be moved", () => {
    for (let at = 0; at < lengthOf(nonce); at += 1)
      for (let bit = 0; bit < 8; bit += 1) expect(judgeNonce(keys, subject, flipped(nonce, at, 1 << bit), now)).toBe("forged");
  });

  test("is forged as any other text", () => {
    for (const text of ["", "x", nonce.slice(1), `${nonce}A`, `${nonce}=`, token, "A".repeat(nonce.length)])
      expect(judgeNonce(keys, subject, text, now)).toBe("forged");
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        fc.pre(text !== nonce);
        expect(judgeNonce(keys, subject, text, now)).toBe("forged");
      }),
    );
  });

  test("of the older live key is good, of a removed key forged", () => {
    const old = formNonce([older], subject, made, random);
    expect(judgeNonce([key, older], subject, old, now)).toBe("good");
    expect(judgeNonce([key], subject, old, now)).toBe("forged");
  });

  test("differs for each page, even of one millisecond", () => {
    expect(formNonce(keys, subject, made, new Uint8Array(nonceRandomLength))).not.toBe(nonce);
  });
});
