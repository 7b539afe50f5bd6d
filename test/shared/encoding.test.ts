import * as fc from "fast-check";
import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { canonicalJson, digestOf, equalBytes, fromBase64url, macOf, sha256Hex, toBase64url, useHashing } from "../../shared/encoding.ts";

const json = fc.jsonValue();

/** The same value with the members of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, shuffled(each)]),
  );
}

describe("canonical JSON (RFC 8785)", () => {
  test("is JSON for the same value", () => {
    fc.assert(fc.property(json, (value) => void expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))));
  });

  test("does not depend on the order of members", () => {
    fc.assert(fc.property(json, (value) => void expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value))));
  });

  test("leaves out members that are undefined, and keeps null", () => {
    expect(canonicalJson({ b: undefined, a: null })).toBe('{"a":null}');
  });

  test("sorts names by their UTF-16 code units and writes numbers as ECMAScript does, as the RFC's own example", () => {
    // RFC 8785, sections 3.2.2 and 3.2.3.
    const value = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"/",
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
    expect(Object.keys(JSON.parse(canonicalJson(names).replaceAll('"1"', '"one"')) as object)).toEqual([
      "\r",
      "one",
      "\u0080",
      "ö",
      "€",
      "😀",
      "\ufb33",
    ]);
  });

  test("throws for what is no JSON value", () => {
    for (const value of [undefined, () => 1, Number.NaN, Number.POSITIVE_INFINITY, 1n]) expect(() => canonicalJson(value)).toThrow();
  });
});

describe("digests", () => {
  test("equal values have equal digests, and one domain never gives another's", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(digestOf("one", shuffled(value))).toBe(digestOf("one", value));
        expect(digestOf("one", value)).not.toBe(digestOf("two", value));
        expect(digestOf("one", value)).toMatch(/^[A-Za-z0-9_-]{43}$/);
      }),
    );
  });

  test("are the same by the platform's functions, and a platform that has others is refused", () => {
    const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");
    const sha256Bytes = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest();
    const hmacSha256 = (key: Uint8Array, bytes: Uint8Array): Uint8Array => createHmac("sha256", key).update(bytes).digest();
    const key = Uint8Array.of(1, 2, 3);
    const [digest, mac] = [digestOf("one", { a: "\u00e9" }), macOf(key, "one", key)];
    useHashing({ sha256, sha256Bytes, hmacSha256 });
    expect(digestOf("one", { a: "\u00e9" })).toBe(digest);
    expect(equalBytes(macOf(key, "one", key), mac)).toBe(true);
    expect(() => useHashing({ sha256: (text) => sha256(text.normalize("NFD")), sha256Bytes, hmacSha256 })).toThrow("useHashing");
    expect(() => useHashing({ sha256, sha256Bytes: (bytes) => sha256Bytes(bytes.subarray(1)), hmacSha256 })).toThrow("useHashing");
    expect(() => useHashing({ sha256, sha256Bytes, hmacSha256: () => new Uint8Array(32) })).toThrow("useHashing");
  });

  test("different values have different digests, down to a line end or an invisible character", () => {
    const texts = ["a\nb", "a\r\nb", "a\rb", "ab", "a\u200bb", "a b", "a\u00a0b", "e\u0301", "\u00e9", "", " "];
    expect(new Set(texts.map((text) => digestOf("one", { text }))).size).toBe(texts.length);
    expect(digestOf("one", { n: 1 })).not.toBe(digestOf("one", { n: "1" }));
    expect(digestOf("one", [["a"], "b"])).not.toBe(digestOf("one", ["a", ["b"]]));
  });

  test("are SHA-256 over the domain, a NUL and the canonical JSON", () => {
    const expected = createHash("sha256").update('one\0{"a":1,"b":"ü"}').digest("base64url");
    expect(digestOf("one", { b: "ü", a: 1 })).toBe(expected);
  });

  test("an API key's hash is lower-case hex of its SHA-256", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        (text) => void expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex")),
      ),
    );
  });

  test("a MAC is HMAC-SHA-256 over the domain, a NUL and the bytes", () => {
    const key = Uint8Array.of(1, 2, 3);
    const expected = createHmac("sha256", key)
      .update(Buffer.concat([Buffer.from("one\0"), Buffer.of(9, 8)]))
      .digest();
    expect(Buffer.from(macOf(key, "one", Uint8Array.of(9, 8)))).toEqual(expected);
  });
});

describe("base64url", () => {
  test("takes back exactly what it made", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(toBase64url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
        expect(fromBase64url(toBase64url(bytes))).toEqual(bytes);
      }),
    );
  });

  test("has one text for each value: padding, stray bits, other letters and white space are refused", () => {
    for (const text of ["AA==", "AB", "AAB", "A", "A+", "A/", "AA ", "A\nA", "ÄA", "AAA="])
      expect(fromBase64url(text), text).toBeUndefined();
    expect(fromBase64url("AA")).toEqual(Uint8Array.of(0));
    expect(fromBase64url("")).toEqual(new Uint8Array());
  });
});

test("bytes are equal exactly where all of them are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), fc.uint8Array({ maxLength: 8 }), (a, b) => {
      expect(equalBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
      expect(equalBytes(a, Uint8Array.from(a))).toBe(true);
      expect(equalBytes(a, Uint8Array.of(...a, 0))).toBe(false);
    }),
  );
});
