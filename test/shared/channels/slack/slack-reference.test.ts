import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64url, toBase64url } from "../../../../shared/encoding.ts";
import { linkRandomLength, linkToken } from "../../../../shared/review/link.ts";
import { type SlackReference, parseSlackReference, slackActs, slackReference } from "../../../../shared/channels/slack/slack-reference.ts";
import { type SigningKeys, runIdOf, seal, signingKey } from "../../../../shared/sealed-id.ts";

const key = signingKey("the first secret, long enough");
const older = signingKey("the second secret, long enough");
const other = signingKey("a secret of another gateway");
const keys: SigningKeys = [key];

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
const anyReference: fc.Arbitrary<SlackReference> = fc.record({
  runRandom: bytes(16),
  gate: fc.constantFrom("request" as const, "response" as const),
  link: bytes(linkRandomLength).map(toBase64url),
  version: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  digest: bytes(32).map(toBase64url),
  act: fc.constantFrom(...slackActs),
});

const reference: SlackReference = {
  runRandom: Uint8Array.from({ length: 16 }, (_, i) => i * 7),
  gate: "request",
  link: toBase64url(Uint8Array.from({ length: linkRandomLength }, (_, i) => 200 + i)),
  version: 2,
  digest: toBase64url(Uint8Array.from({ length: 32 }, (_, i) => 90 + i)),
  act: "approve",
};
const text = slackReference(keys, reference);

describe("a reference in a Slack message", () => {
  test("gives back what it says, as one base64url run of 112 characters", () => {
    fc.assert(
      fc.property(anyReference, (any) => {
        const made = slackReference(keys, any);
        expect(made).toMatch(/^[A-Za-z0-9_-]{112}$/);
        expect(parseSlackReference(keys, made)).toEqual(any);
      }),
    );
  });

  test("is worth nothing with any single bit of any byte flipped", () => {
    const whole = fromBase64url(text) ?? new Uint8Array();
    for (let at = 0; at < whole.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = whole.slice();
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(parseSlackReference(keys, toBase64url(changed)), `byte ${at}, bit ${bit}`).toBeUndefined();
      }
  });

  test("is worth nothing with characters changed, added or left out", () => {
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), fc.stringMatching(/^[A-Za-z0-9_-]{0,3}$/), (at, put) => {
        const changed = text.slice(0, at) + put + text.slice(at + 1);
        if (changed !== text) expect(parseSlackReference(keys, changed)).toBeUndefined();
      }),
    );
    for (const any of ["", `${text}=`, ` ${text}`, `${text}\n`, text + text, text.toLowerCase()])
      expect(parseSlackReference(keys, any)).toBeUndefined();
  });

  test.each([
    ["another run", { runRandom: new Uint8Array(16) }],
    ["the other gate", { gate: "response" }],
    ["another link", { link: toBase64url(new Uint8Array(linkRandomLength)) }],
    ["another version", { version: 3 }],
    ["another digest", { digest: toBase64url(new Uint8Array(32)) }],
    ["another act", { act: "deny" }],
  ] satisfies [string, Partial<SlackReference>][])("never vouches for %s", (_, change) => {
    const forged = fromBase64url(slackReference([other], { ...reference, ...change })) ?? new Uint8Array();
    const genuine = fromBase64url(text) ?? new Uint8Array();
    forged.set(genuine.slice(-16), forged.length - 16);
    forged[0] = genuine[0] ?? 0;
    expect(parseSlackReference(keys, toBase64url(forged))).toBeUndefined();
  });

  test("of the older live key is still good, one of a removed or foreign key is not", () => {
    const old = slackReference([older], reference);
    expect(parseSlackReference([key, older], old)).toEqual(reference);
    expect(parseSlackReference([key, older], text)).toEqual(reference);
    expect(parseSlackReference([key], old)).toBeUndefined();
    expect(parseSlackReference([other], text)).toBeUndefined();
  });

  test("is no link and no run id, and neither of them is one", () => {
    const payload = (fromBase64url(text) ?? new Uint8Array()).slice(1, -16);
    for (const domain of ["countersign/link/v1", "countersign/run/v1", ""])
      expect(parseSlackReference(keys, seal(keys, domain, payload))).toBeUndefined();
    expect(parseSlackReference(keys, runIdOf(keys, reference.runRandom))).toBeUndefined();
    const { runRandom, gate } = reference;
    const token = linkToken(keys, { runRandom, gate, reviewer: 0, channel: "slack", expiresAtSeconds: 1, random: new Uint8Array(12) });
    expect(parseSlackReference(keys, token)).toBeUndefined();
  });

  test("of another format is none of this one, though the key and the domain are the same", () => {
    const payload = (fromBase64url(text) ?? new Uint8Array()).slice(1, -16);
    const domain = "countersign/slack-reference/v1";
    expect(parseSlackReference(keys, seal(keys, domain, payload))).toEqual(reference);
    for (const version of [0, 2, 255]) {
      payload[0] = version;
      expect(parseSlackReference(keys, seal(keys, domain, payload)), `format ${version}`).toBeUndefined();
    }
  });

  test("is not made of parts of the wrong size", () => {
    for (const change of [{ link: "AAAA" }, { digest: "AAAA" }, { runRandom: new Uint8Array(15) }])
      expect(() => slackReference(keys, { ...reference, ...change })).toThrow("wrong size");
  });
});
