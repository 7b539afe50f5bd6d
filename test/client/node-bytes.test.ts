// What the client's package has in place of two libraries does the same.

import * as noble from "@noble/hashes/utils.js";
import * as scure from "@scure/base";
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

test("bytes become the same texts, and texts the same bytes", () => {
  assert(
    property(uint8Array({ maxLength: 64 }), uint8Array({ maxLength: 8 }), (bytes, more) => {
      expect(ours.bytesToHex(bytes)).toBe(noble.bytesToHex(bytes));
      expect(ours.concatBytes(bytes, more)).toEqual(noble.concatBytes(bytes, more));
      for (const name of ["base64", "base64urlnopad"] as const) {
        const text = scure[name].encode(bytes);
        expect(ours[name].encode(bytes)).toBe(text);
        expect(ours[name].decode(text)).toEqual(bytes);
      }
    }),
  );
});

test("the same texts are refused", () => {
  const letters = string({ unit: constantFrom("A", "B", "/", "+", "-", "_", "=", " ", "é", "Q"), maxLength: 12 });
  assert(
    property(letters, (text) => {
      for (const name of ["base64", "base64urlnopad"] as const)
        expect([name, text, ended(() => ours[name].decode(text))]).toEqual([name, text, ended(() => scure[name].decode(text))]);
    }),
    { numRuns: 2_000 },
  );
});

test("UTF-8 is read and refused alike", () => {
  assert(
    property(uint8Array({ maxLength: 12 }), string({ unit: "grapheme" }), (bytes, text) => {
      expect(ended(() => ours.utf8.encode(bytes))).toEqual(ended(() => scure.utf8.encode(bytes)));
      expect(ours.utf8ToBytes(text)).toEqual(noble.utf8ToBytes(text));
    }),
    { numRuns: 2_000 },
  );
});
