// What the client's package has in place of two libraries does the same.

import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64, base64urlnopad, utf8 } from "@scure/base";
import { assert, constantFrom, property, string, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import * as ours from "../../scripts/pack/node-bytes.ts";

const ended = <T>(work: () => T): T | "refused" => {
  try {
    return work();
  } catch {
    return "refused";
  }
};

const encodings = [
  { of: "base64", library: base64, own: ours.base64 },
  { of: "base64url", library: base64urlnopad, own: ours.base64urlnopad },
];

test("bytes become the same texts, and texts the same bytes", () => {
  assert(
    property(uint8Array({ maxLength: 64 }), uint8Array({ maxLength: 8 }), (bytes, more) => {
      expect(ours.bytesToHex(bytes)).toBe(bytesToHex(bytes));
      expect(ours.concatBytes(bytes, more)).toEqual(concatBytes(bytes, more));
      for (const { library, own } of encodings) {
        const text = library.encode(bytes);
        expect(own.encode(bytes)).toBe(text);
        expect(own.decode(text)).toEqual(bytes);
      }
    }),
  );
});

test("the same texts are refused", () => {
  const letters = string({ unit: constantFrom("A", "B", "/", "+", "-", "_", "=", " ", "é", "Q"), maxLength: 12 });
  assert(
    property(letters, (text) => {
      for (const { of, library, own } of encodings)
        expect([of, text, ended(() => own.decode(text))]).toEqual([of, text, ended(() => library.decode(text))]);
    }),
    { numRuns: 2_000 },
  );
});

test("UTF-8 is read and refused alike", () => {
  assert(
    property(uint8Array({ maxLength: 12 }), string({ unit: "grapheme" }), (bytes, text) => {
      expect(ended(() => ours.utf8.encode(bytes))).toEqual(ended(() => utf8.encode(bytes)));
      expect(ours.utf8ToBytes(text)).toEqual(utf8ToBytes(text));
    }),
    { numRuns: 2_000 },
  );
});
