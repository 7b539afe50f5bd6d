import * as fc from "fast-check";
import { expect, test } from "vitest";
import { publishedCopy, publishingMark, readPublished } from "../../shared/published.ts";
import { type SigningKeys, signingKey } from "../../shared/sealed-id.ts";

const key = signingKey("the first secret, long enough");
const older = signingKey("the second secret, long enough");
const keys: SigningKeys = [key];
const published = fc.record({ version: fc.nat(), text: fc.string({ unit: "grapheme" }) });

test("a copy gives back its version and text, under its own name and to who has the key", () => {
  fc.assert(
    fc.property(fc.constantFrom("policy", "key:00"), published, (name, given) => {
      const copy = publishedCopy(keys, name, given);
      expect(readPublished(keys, name, copy)).toEqual(given);
      expect(readPublished([older, key], name, copy)).toEqual(given);
      expect(readPublished([older], name, copy)).toBeUndefined();
      expect(readPublished(keys, `${name}0`, copy)).toBeUndefined();
    }),
  );
});

test("nothing of a copy can be changed, cut off or moved", () => {
  const copy = publishedCopy(keys, "policy", { version: 12, text: '{"rules":[]}' });
  for (let at = 0; at <= copy.length; at += 1) {
    expect(readPublished(keys, "policy", copy.slice(0, at) + "0" + copy.slice(at))).toBeUndefined();
    if (at === copy.length) continue;
    expect(readPublished(keys, "policy", copy.slice(0, at) + copy.slice(at + 1))).toBeUndefined();
    expect(readPublished(keys, "policy", copy.slice(0, at) + (copy[at] === "1" ? "2" : "1") + copy.slice(at + 1))).toBeUndefined();
  }
  // The version is not the text's beginning, nor the name's end.
  expect(readPublished(keys, "policy", copy.replace(" 12 ", " 1 ").replace("\n", "\n2"))).toBeUndefined();
  expect(readPublished(keys, "policy\u00001", copy.replace(" 12 ", " 2 "))).toBeUndefined();
});

test("what nobody published is none", () => {
  for (const text of [
    "",
    "{}",
    "\n",
    "published/v1",
    "published/v1 1 \n{}",
    `published/v1 1 ${"A".repeat(44)}\n{}`,
    `published/v1 01 ${"A".repeat(44)}\n`,
  ])
    expect(readPublished(keys, "policy", text)).toBeUndefined();
});

test("the mark changes with the key that signs, and with no other", () => {
  expect(publishingMark([key, older])).toBe(publishingMark([key]));
  expect(publishingMark([older, key])).not.toBe(publishingMark([key]));
});
