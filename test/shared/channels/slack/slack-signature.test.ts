import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8ToBytes } from "../../../../shared/encoding.ts";
import { isSignedBySlack, slackSignature } from "../../../../shared/channels/slack/slack-signature.ts";

const secret = "8f742231b10e8888abcd99yyyzzz85a5";
const at = "1531420618";
const now = Number(at) * 1_000;
/** The example of https://docs.slack.dev/authentication/verifying-requests-from-slack. */
const documented =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const good = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";
const body = utf8ToBytes(documented);

describe("Slack's signature", () => {
  test("of the documented example is good", () => {
    expect(slackSignature(secret, at, body)).toBe(good);
    expect(isSignedBySlack(secret, { signature: good, timestamp: at, body }, now)).toBe(true);
  });

  test("is good from 300 seconds before to 300 seconds after its timestamp, and not a second beyond", () => {
    const verdict = (seconds: number): boolean => isSignedBySlack(secret, { signature: good, timestamp: at, body }, now + seconds * 1_000);
    expect([-301, -300, 0, 300, 301].map(verdict)).toEqual([false, true, true, true, false]);
    // Within a second no fraction counts: the timestamp has none.
    expect(isSignedBySlack(secret, { signature: good, timestamp: at, body }, now + 300_999)).toBe(true);
  });

  const signature = (timestamp: string): string => slackSignature(secret, timestamp, body);
  test.each([
    ["no signature", { signature: null }],
    ["no timestamp", { timestamp: null }],
    ["an empty signature", { signature: "" }],
    ["no version", { signature: good.slice(3) }],
    ["another version", { signature: `v1=${good.slice(3)}` }],
    ["upper-case hex", { signature: `v0=${good.slice(3).toUpperCase()}` }],
    ["an upper-case version", { signature: `V0=${good.slice(3)}` }],
    ["a digit too few", { signature: good.slice(0, -1) }],
    ["a digit too many", { signature: `${good}0` }],
    ["a line break at the end", { signature: `${good}\n` }],
    ["white space before it", { signature: ` ${good}` }],
    ["two of them, as doubled headers are joined", { signature: `${good}, ${good}` }],
    ["a timestamp with a fraction", { timestamp: `${at}.0`, signature: signature(`${at}.0`) }],
    ["a timestamp with an exponent", { timestamp: "1.531420618e9", signature: signature("1.531420618e9") }],
    ["a timestamp in hex", { timestamp: "0x5b479a4a", signature: signature("0x5b479a4a") }],
    ["a timestamp with a sign", { timestamp: `+${at}`, signature: signature(`+${at}`) }],
    ["a timestamp with a zero before it", { timestamp: `0${at}`, signature: signature(`0${at}`) }],
    ["a timestamp with white space", { timestamp: ` ${at}`, signature: signature(` ${at}`) }],
    ["a timestamp that is no number", { timestamp: "NaN", signature: signature("NaN") }],
    ["an empty timestamp", { timestamp: "", signature: signature("") }],
    ["milliseconds", { timestamp: `${at}000`, signature: signature(`${at}000`) }],
    ["another timestamp than was signed", { timestamp: String(Number(at) + 1) }],
    ["another body", { body: utf8ToBytes(`${documented}&`) }],
    ["the signature of another secret", { signature: slackSignature("another secret", at, body) }],
  ])("is refused with %s", (_, change) => {
    expect(isSignedBySlack(secret, { signature: good, timestamp: at, body, ...change }, now)).toBe(false);
  });

  test("of an empty secret is worth nothing", () => {
    // Anybody can compute this signature.
    expect(isSignedBySlack("", { signature: slackSignature("", at, body), timestamp: at, body }, now)).toBe(false);
  });

  test("of any body is good for that body, secret and time alone, whatever bit is flipped", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 4_000_000_000 }),
        fc.nat(),
        (key, bytes, seconds, position) => {
          const timestamp = String(seconds);
          const made = slackSignature(key, timestamp, bytes);
          expect(isSignedBySlack(key, { signature: made, timestamp, body: bytes }, seconds * 1_000)).toBe(true);
          const flipped = bytes.slice();
          flipped[position % bytes.length] = (flipped[position % bytes.length] ?? 0) ^ (1 << (position % 8));
          expect(isSignedBySlack(key, { signature: made, timestamp, body: flipped }, seconds * 1_000)).toBe(false);
          expect(isSignedBySlack(`${key}.`, { signature: made, timestamp, body: bytes }, seconds * 1_000)).toBe(false);
        },
      ),
    );
    for (let digit = 3; digit < good.length; digit += 1)
      for (let bit = 0; bit < 4; bit += 1) {
        const other = (Number.parseInt(good[digit] ?? "0", 16) ^ (1 << bit)).toString(16);
        const signature = good.slice(0, digit) + other + good.slice(digit + 1);
        expect(isSignedBySlack(secret, { signature, timestamp: at, body }, now)).toBe(false);
      }
  });
});
