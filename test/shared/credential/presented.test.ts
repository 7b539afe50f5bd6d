import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { looksLikeToken, presentedCredentials } from "../../../shared/credential/presented.ts";

const nothing = { apiKey: undefined, token: undefined, authorization: null, keyHeader: null };
const presented = (given: Partial<Parameters<typeof presentedCredentials>[0]>): string[] =>
  presentedCredentials({ ...nothing, ...given }).map(({ kind, text }) => `${kind} ${text}`);

describe("what is presented", () => {
  test("is nothing where nothing was sent, or empty strings", () => {
    expect(presented({})).toEqual([]);
    expect(presented({ apiKey: "", token: "", authorization: "", keyHeader: "" })).toEqual([]);
    for (const authorization of ["Bearer", "Bearer ", "bearer    ", "Basic dXNlcjpwYXNz", "Digest a=b"])
      expect(presented({ authorization })).toEqual([]);
  });

  test("is everything that was sent, each once", () => {
    expect(presented({ apiKey: "csk_a", token: "a.b.c", authorization: "Bearer csk_b", keyHeader: "csk_c" })).toEqual([
      "apiKey csk_a",
      "token a.b.c",
      "apiKey csk_b",
      "apiKey csk_c",
    ]);
    expect(presented({ apiKey: "csk_a", authorization: "Bearer csk_a", keyHeader: "csk_a" })).toEqual(["apiKey csk_a"]);
    expect(presented({ token: "a.b.c", authorization: "bearer  a.b.c " })).toEqual(["token a.b.c"]);
  });

  test("is a token in the header where it has a token's form, and in the body where it stands as one", () => {
    expect(presented({ authorization: "Bearer a.b.c" })).toEqual(["token a.b.c"]);
    expect(presented({ authorization: "Bearer a.b." })).toEqual(["token a.b."]);
    expect(presented({ authorization: "Bearer a.b" })).toEqual(["apiKey a.b"]);
    expect(presented({ token: "csk_a" })).toEqual(["token csk_a"]);
    expect(presented({ apiKey: "a.b.c", keyHeader: "d.e.f" })).toEqual(["apiKey a.b.c", "apiKey d.e.f"]);
  });

  test("is still there where it can be neither, so that it is refused", () => {
    expect(presented({ authorization: "Bearer csk_a, Bearer csk_b" })).toEqual(["apiKey csk_a, Bearer csk_b"]);
    expect(presented({ authorization: "Bearer a.b.c.d" })).toEqual(["apiKey a.b.c.d"]);
  });
});

test("only three parts of base64url look like a token", () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      expect(looksLikeToken(parts.join("."))).toBe(parts.length === 3);
    }),
  );
  for (const text of ["..", ".b.c", "a..c", "a.b.c=", "a.b.c\n", " a.b.c", "a.b+.c", "csk_abc", ""])
    expect(looksLikeToken(text)).toBe(false);
});
