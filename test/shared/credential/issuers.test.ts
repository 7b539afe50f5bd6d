import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { type Issuer, entryOf, issuersJsonSchema, keyIdOf, parseIssuers } from "../../../shared/credential/issuers.ts";
import { type Algorithm, algorithms } from "../../../shared/credential/key-set.ts";

const publicKey = async (algorithm: Algorithm): Promise<object> =>
  exportJWK((await generateKeyPair(algorithm, { extractable: true })).publicKey);
const rsa = await publicKey("RS256");
const p256 = await publicKey("ES256");
const ed25519 = await publicKey("EdDSA");

const entry = (more: object = {}): object => ({
  issuer: "https://idp.example.com/",
  algorithm: "RS256",
  audience: "countersign",
  keys: { keys: [rsa] },
  subjects: { ada: "key_0123456789abcdef" },
  ...more,
});
const document = (more: object = {}): object => ({ issuers: { idp: entry(more) } });
const without = (member: string): object =>
  Object.fromEntries([["issuers", { idp: Object.fromEntries(Object.entries(entry()).filter(([name]) => name !== member)) }]]);
const problemsIn = (value: unknown): readonly { readonly pointer: string; readonly message: string }[] => {
  const parsed = parseIssuers(value);
  return parsed.ok ? [] : parsed.error;
};
const pointersOf = (value: unknown): string[] => problemsIn(value).map(({ pointer }) => pointer);
const secretly = { algorithm: "HS256", keys: undefined, secret: "IDP_SECRET" };
const remote = { keys: undefined, jwksUrl: "https://idp.example.com/keys.json" };

describe("an issuers document", () => {
  test("may be empty, and fills in how far clocks may differ and that private addresses are not asked", () => {
    expect(parseIssuers({})).toEqual({ ok: true, value: { version: 0, issuers: {} } });
    expect(parseIssuers(document(remote))).toMatchObject({
      ok: true,
      value: { issuers: { idp: { clockToleranceSeconds: 30, allowPrivate: false } } },
    });
  });

  test.each<[string, object]>([
    ["public keys", {}],
    ["a set with other members, as issuers publish them", { keys: { keys: [{ ...rsa, use: "sig", x5c: ["MII"], x5t: "a" }], more: 1 } }],
    ["a key for encrypting beside the one for signing", { keys: { keys: [{ ...rsa, use: "enc" }, rsa] } }],
    ["an address", remote],
    ["an address with a query", { ...remote, jwksUrl: "https://idp.example.com/keys?p=policy@1" }],
    ["a private address, where the entry permits it", { ...remote, jwksUrl: "http://127.0.0.1:9/keys", allowPrivate: true }],
    ["a secret for HS256", secretly],
    ["an elliptic curve", { algorithm: "ES256", keys: { keys: [p256] } }],
    ["Ed25519", { algorithm: "EdDSA", keys: { keys: [ed25519] } }],
    ["several audiences", { audience: ["a", "b"] }],
    ["no tolerance", { clockToleranceSeconds: 0 }],
    ["the most tolerance", { clockToleranceSeconds: 120 }],
    ["nobody yet", { subjects: {} }],
    ["a sign-in for people", { signIn: { clientId: "countersign", secret: "IDP_CLIENT_SECRET" } }],
    ["one of a public client", { signIn: { clientId: "countersign" } }],
    [
      "one at a private address, where the entry permits it",
      { issuer: "http://127.0.0.1:9", allowPrivate: true, signIn: { clientId: "countersign" } },
    ],
  ])("takes %s", (_name, more) => {
    expect(problemsIn(JSON.parse(JSON.stringify(document(more))))).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["no source of keys", { keys: undefined }, "/issuers/idp"],
    ["no secret for HS256", { ...secretly, secret: undefined }, "/issuers/idp"],
    ["keys and an address", { jwksUrl: "https://idp.example.com/keys.json" }, "/issuers/idp/jwksUrl"],
    ["keys and a secret", { secret: "IDP_SECRET" }, "/issuers/idp/secret"],
    ["an address and a secret", { ...remote, secret: "IDP_SECRET" }, "/issuers/idp/secret"],
    ["a secret for RS256", { keys: undefined, secret: "IDP_SECRET" }, "/issuers/idp/secret"],
    ["public keys for HS256", { algorithm: "HS256" }, "/issuers/idp/keys"],
    ["an address for HS512", { ...remote, algorithm: "HS512" }, "/issuers/idp/jwksUrl"],
    ["a secret of the gateway itself", { ...secretly, secret: "ADMIN_TOKEN" }, "/issuers/idp/secret"],
    ["what may be a secret itself", { ...secretly, secret: "s3cret-value" }, "/issuers/idp/secret"],
    ["no algorithm at all", { algorithm: "none" }, "/issuers/idp/algorithm"],
    ["an algorithm in lower case", { algorithm: "rs256" }, "/issuers/idp/algorithm"],
    ["two algorithms", { algorithm: ["RS256", "ES256"] }, "/issuers/idp/algorithm"],
    ["an empty set", { keys: { keys: [] } }, "/issuers/idp/keys/keys"],
    ["a set that is a list", { keys: [rsa] }, "/issuers/idp/keys"],
    ["keys for another algorithm", { keys: { keys: [p256] } }, "/issuers/idp/keys/keys"],
    ["keys that say another algorithm", { keys: { keys: [{ ...rsa, alg: "PS256" }] } }, "/issuers/idp/keys/keys"],
    ["a short RSA key", { keys: { keys: [{ kty: "RSA", e: "AQAB", n: "A".repeat(171) }] } }, "/issuers/idp/keys/keys"],
    ["an empty audience", { audience: "" }, "/issuers/idp/audience"],
    ["no audience", { audience: [] }, "/issuers/idp/audience"],
    ["too much tolerance", { clockToleranceSeconds: 121 }, "/issuers/idp/clockToleranceSeconds"],
    ["negative tolerance", { clockToleranceSeconds: -1 }, "/issuers/idp/clockToleranceSeconds"],
    ["a subject without a key's id", { subjects: { ada: "ada" } }, "/issuers/idp/subjects/ada"],
    ["an empty subject", { subjects: { "": "key_0" } }, "/issuers/idp/subjects/"],
    ["an unknown member", { extra: 1 }, "/issuers/idp/extra"],
    ["a sign-in without a client", { signIn: {} }, "/issuers/idp/signIn/clientId"],
    ["a client's secret itself", { signIn: { clientId: "a", secret: "s3cret-value" } }, "/issuers/idp/signIn/secret"],
    [
      "an issuer that is trusted for addresses at all domains",
      { signIn: { clientId: "a", emailVerified: "issuer" } },
      "/issuers/idp/signIn/domains",
    ],
    ["a domain that is an address", { signIn: { clientId: "a", domains: ["@example.com"] } }, "/issuers/idp/signIn/domains/0"],
    ["a domain in capitals", { signIn: { clientId: "a", domains: ["Example.com"] } }, "/issuers/idp/signIn/domains/0"],
    ["an unknown way of verifying", { signIn: { clientId: "a", emailVerified: "never" } }, "/issuers/idp/signIn/emailVerified"],
    ["a sign-in at no address", { issuer: "the office", signIn: { clientId: "a" } }, "/issuers/idp/issuer"],
    ["a sign-in at a name", { issuer: "office", signIn: { clientId: "a" } }, "/issuers/idp/issuer"],
    ["a sign-in over plain http", { issuer: "http://idp.example.com", signIn: { clientId: "a" } }, "/issuers/idp/issuer"],
    ["a sign-in at a private address", { issuer: "https://10.0.0.8", signIn: { clientId: "a" } }, "/issuers/idp/issuer"],
    ["an empty issuer", { issuer: "" }, "/issuers/idp/issuer"],
    ["an issuer with a space", { issuer: "https://idp.example.com/ " }, "/issuers/idp/issuer"],
  ])("is refused with %s, at its place", (_name, more, pointer) => {
    expect(pointersOf(JSON.parse(JSON.stringify(document(more))))).toContain(pointer);
  });

  test.each(["issuer", "algorithm", "audience", "keys", "subjects"])("is refused without %s", (member) => {
    expect(problemsIn(without(member))).not.toEqual([]);
  });

  test.each([
    "/keys.json",
    "ftp://idp.example.com/keys",
    "http://idp.example.com/keys",
    "https://user@idp.example.com/keys",
    "https://user:password@idp.example.com/keys",
    "https://idp.example.com/keys#one",
    "https://localhost/keys",
    "https://127.0.0.1/keys",
    "https://2130706433/keys",
    "https://[::1]/keys",
    "https://10.0.0.8/keys",
    "https://169.254.169.254/latest",
    "https://idp",
    "",
  ])("is refused with keys at %j, without saying the address", (jwksUrl) => {
    const problems = problemsIn(document({ keys: undefined, jwksUrl }));
    expect(problems.map(({ pointer }) => pointer)).toEqual(["/issuers/idp/jwksUrl"]);
    if (jwksUrl !== "") expect(JSON.stringify(problems)).not.toContain(jwksUrl);
  });

  test.each(algorithms.filter((name) => !name.startsWith("HS")))(
    "is refused with a private key for %s, and the key is not in the answer",
    async (algorithm) => {
      const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
      const jwk = await exportJWK(privateKey);
      const problems = problemsIn(document({ algorithm, keys: { keys: [jwk] } }));
      expect(problems).toContainEqual(
        expect.objectContaining({ pointer: "/issuers/idp/keys/keys/0/d", message: expect.stringContaining("private") as unknown }),
      );
      for (const member of [jwk.d, jwk.n, jwk.x]) if (member !== undefined) expect(JSON.stringify(problems)).not.toContain(member);
    },
  );

  test("is refused with a symmetric key written into it", () => {
    const keys = { keys: [{ kty: "oct", k: "c2VjcmV0LXNlY3JldC1zZWNyZXQ" }, rsa] };
    const problems = problemsIn(document({ keys }));
    expect(problems.map(({ pointer }) => pointer)).toEqual(["/issuers/idp/keys/keys/0/k"]);
    expect(JSON.stringify(problems)).not.toContain("c2VjcmV0");
  });

  test("is refused with two entries of one issuer, whatever they are called", () => {
    expect(pointersOf({ issuers: { a: entry(), b: entry({ audience: "other" }) } })).toEqual(["/issuers/b/issuer"]);
    expect(pointersOf({ issuers: { a: entry(), b: entry({ issuer: "https://idp.example.com" }) } })).toEqual([]);
  });

  test.each(["", "-idp", "../admin", "a/b", "ä", "a".repeat(65)])("is refused with an entry called %j", (name) => {
    expect(pointersOf({ issuers: { [name]: entry() } })).not.toEqual([]);
  });

  test("is refused whatever it is instead of a document", () => {
    for (const value of [null, [], "x", 1, { issuers: [] }, { issuers: { idp: null } }, { version: -1 }, { more: 1 }])
      expect(parseIssuers(value).ok).toBe(false);
  });
});

describe("looking up", () => {
  const parsed = parseIssuers({ issuers: { idp: entry(), other: entry({ issuer: "https://other.example.com" }) } });
  const issuers = parsed.ok ? parsed.value : { version: 0, issuers: {} };
  const idp = issuers.issuers["idp"] as Issuer;

  test("an issuer is found to the letter", () => {
    expect(entryOf(issuers, "https://idp.example.com/")).toBe(idp);
    for (const iss of [
      "https://idp.example.com",
      "https://IDP.example.com/",
      "idp",
      "",
      undefined,
      null,
      1,
      ["https://idp.example.com/"],
      "__proto__",
    ])
      expect(entryOf(issuers, iss)).toBeUndefined();
  });

  test("a subject is found where it is mapped, and names that every object has are none", () => {
    expect(keyIdOf(idp, "ada")).toBe("key_0123456789abcdef");
    for (const sub of ["Ada", "", "constructor", "__proto__", "toString", "hasOwnProperty", undefined, null, 1, ["ada"], {}])
      expect(keyIdOf(idp, sub)).toBeUndefined();
  });
});

test("the schema for editors names every member that an entry may have", () => {
  const text = JSON.stringify(issuersJsonSchema());
  for (const member of [
    "issuer",
    "algorithm",
    "audience",
    "keys",
    "jwksUrl",
    "secret",
    "allowPrivate",
    "subjects",
    "clockToleranceSeconds",
  ])
    expect(text).toContain(`"${member}"`);
  expect(text).not.toContain('"none"');
});
