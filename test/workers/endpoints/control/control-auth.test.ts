// Who comes to the control endpoint: keys and tokens of real issuers, in the body and in headers,
// one and several.

import * as fc from "fast-check";
import { configStub } from "../../../../workers/stubs/stubs.ts";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { exportSPKI, importJWK } from "jose";
import { admin, configure, createKey, devKey, env, eventually, travel, writer, operator } from "../../support/gateway.ts";
import {
  type Claims,
  type Presented,
  type SigningPair,
  audience,
  claims,
  enter,
  hidden,
  issuerName,
  keyServer,
  madeUp,
  nowSeconds,
  signedAsItIs,
  signingPair,
  tokenBy,
} from "../../support/issuer.ts";
import { loggedLines, neverLogged } from "../../support/logs.ts";
import { answerAt } from "../../support/provider.ts";
import { wholeOr } from "../../support/whole.ts";

const secret = "a-secret-of-both-sides-0123456789-and-more-of-it-so-that-it-is-long-enough";
neverLogged(secret);
const secretBytes = new TextEncoder().encode(secret);

const rsa = await signingPair("RS256");
const rsaPss = await signingPair("PS256");
const p256 = await signingPair("ES256");
const ed25519 = await signingPair("EdDSA");

let key: { readonly id: string; readonly key: string };

const entry = (more: object = {}): object => ({
  issuer: issuerName,
  algorithm: "RS256",
  audience,
  keys: { keys: [rsa.jwk] },
  subjects: { ada: key.id },
  ...more,
});
const configured = (more: object = {}, others: object = {}): Promise<void> =>
  configure("issuers", JSON.parse(JSON.stringify({ issuers: { idp: entry(more), ...others } })) as object);

beforeEach(async () => {
  key = await createKey();
  await configured();
});

describe("a token of a configured issuer", () => {
  test.each<[string, SigningPair]>([
    ["RS256", rsa],
    ["PS256", rsaPss],
    ["ES256", p256],
    ["EdDSA", ed25519],
  ])("signed with %s is the key that its subject stands for", async (algorithm, pair) => {
    await configured({ algorithm, keys: { keys: [pair.jwk] } });
    expect(await enter({ token: await tokenBy(pair) })).toBe(`200 ${key.id}`);
  });

  test.each(["HS256", "HS384", "HS512"])("signed with %s is let in by the secret of the environment", async (algorithm) => {
    await configured({ algorithm, keys: undefined, secret: "IDP_SECRET" });
    const token = await tokenBy({ algorithm, privateKey: secretBytes });
    expect(await enter({ token }, { IDP_SECRET: `${secret}\n` })).toBe(`200 ${key.id}`);
    expect(await enter({ token }, { IDP_SECRET: `${secret}x` })).toBe("401 tokenInvalid");
  });

  test.each<[string, Record<string, unknown>]>([
    ["is not set", {}],
    ["is empty", { IDP_SECRET: "" }],
    ["is shorter than the algorithm wants", { IDP_SECRET: "s".repeat(31) }],
    ["is a binding and no text", { IDP_SECRET: {} }],
  ])("cannot be told where the secret %s: 503, for the token may be good", async (_name, variables) => {
    await configured({ algorithm: "HS256", keys: undefined, secret: "IDP_SECRET" });
    expect(await enter({ token: await tokenBy({ algorithm: "HS256", privateKey: secretBytes }) }, variables)).toBe("503 issuerUnavailable");
  });

  test("of two issuers is checked with its own issuer's keys and subjects", async () => {
    const other = await createKey();
    await configured(
      {},
      {
        other: entry({ issuer: "https://other.example.com", algorithm: "ES256", keys: { keys: [p256.jwk] }, subjects: { ada: other.id } }),
      },
    );
    const theirs = claims({ iss: "https://other.example.com" });
    expect(await enter({ token: await tokenBy(rsa) })).toBe(`200 ${key.id}`);
    expect(await enter({ token: await tokenBy(p256, theirs) })).toBe(`200 ${other.id}`);
    expect(await enter({ token: await tokenBy(rsa, theirs) })).toBe("401 tokenInvalid");
    expect(await enter({ token: await tokenBy(p256) })).toBe("401 tokenInvalid");
  });

  test("that names no key is tried with every key that fits, and one that names a key with that alone", async () => {
    const [first, second] = [await signingPair("ES256", "first"), await signingPair("ES256", "second")];
    await configured({ algorithm: "ES256", keys: { keys: [rsa.jwk, first.jwk, second.jwk] } });
    for (const pair of [first, second]) {
      expect(await enter({ token: await tokenBy(pair) })).toBe(`200 ${key.id}`);
      expect(await enter({ token: await tokenBy({ ...pair, jwk: {} }) })).toBe(`200 ${key.id}`);
    }
    expect(await enter({ token: await tokenBy({ ...first, jwk: second.jwk }) })).toBe("401 tokenInvalid");
    expect(await enter({ token: await tokenBy(p256) })).toBe("401 tokenInvalid");
    expect(await enter({ token: await tokenBy({ ...first, jwk: {} }, claims({ aud: "other" })) })).toBe("401 tokenAudience");
  });

  test.each<[string, Claims, string]>([
    ["expired", { exp: 1_000_000_000 }, "tokenExpired"],
    ["without exp", { exp: undefined }, "tokenWithoutExpiry"],
    ["whose exp is a text", { exp: "tomorrow" }, "tokenWithoutExpiry"],
    ["not valid yet", { nbf: 4_000_000_000 }, "tokenTooEarly"],
    ["whose nbf is a text", { nbf: "now" }, "tokenTooEarly"],
    ["without aud", { aud: undefined }, "tokenAudience"],
    ["for somebody else", { aud: "other" }, "tokenAudience"],
    ["for several others", { aud: ["other", "countersign2"] }, "tokenAudience"],
    ["whose aud only begins like ours", { aud: "countersign-staging" }, "tokenAudience"],
    ["whose aud is an object", { aud: { countersign: true } }, "tokenAudience"],
    ["without iss", { iss: undefined }, "tokenIssuer"],
    ["of another issuer", { iss: "https://evil.example.com/" }, "tokenIssuer"],
    ["of an issuer that differs by a slash", { iss: "https://idp.example.com" }, "tokenIssuer"],
    ["of a list of issuers", { iss: [issuerName] }, "tokenIssuer"],
    ["without sub", { sub: undefined }, "tokenSubject"],
    ["of a subject that is not mapped", { sub: "grace" }, "tokenSubject"],
    ["of a subject called __proto__", { sub: "__proto__" }, "tokenSubject"],
    ["of a subject called constructor", { sub: "constructor" }, "tokenSubject"],
    ["of a subject that is a list", { sub: ["ada"] }, "tokenSubject"],
  ])("%s is refused", async (_name, more, why) => {
    expect(await enter({ token: await tokenBy(rsa, claims(more)) })).toBe(`401 ${why}`);
  });

  test("for several audiences is let in where ours is one of them", async () => {
    expect(await enter({ token: await tokenBy(rsa, claims({ aud: ["other", audience] })) })).toBe(`200 ${key.id}`);
    await configured({ audience: ["a", "b"] });
    expect(await enter({ token: await tokenBy(rsa, claims({ aud: "b" })) })).toBe(`200 ${key.id}`);
    expect(await enter({ token: await tokenBy(rsa) })).toBe("401 tokenAudience");
  });

  test("expires and begins to the second, with the tolerance that the entry gives", async () => {
    const moment = 2_000_000_000;
    vi.spyOn(Date, "now").mockReturnValue(moment * 1000);
    for (const [clockToleranceSeconds, good, bad] of [
      [0, 1, 0],
      [30, -29, -30],
    ] as const) {
      await configured({ clockToleranceSeconds });
      expect(await enter({ token: await tokenBy(rsa, claims({ exp: moment + good })) })).toBe(`200 ${key.id}`);
      expect(await enter({ token: await tokenBy(rsa, claims({ exp: moment + bad })) })).toBe("401 tokenExpired");
      const lasting = { exp: moment + 600 };
      expect(await enter({ token: await tokenBy(rsa, claims({ ...lasting, nbf: moment + clockToleranceSeconds })) })).toBe(`200 ${key.id}`);
      expect(await enter({ token: await tokenBy(rsa, claims({ ...lasting, nbf: moment + clockToleranceSeconds + 1 })) })).toBe(
        "401 tokenTooEarly",
      );
    }
  });

  test("lives a day at most, from when it was issued and from now, with the tolerance that the entry gives", async () => {
    const moment = 2_000_000_000;
    const day = 86_400;
    vi.spyOn(Date, "now").mockReturnValue(moment * 1000);
    for (const clockToleranceSeconds of [0, 30]) {
      await configured({ clockToleranceSeconds });
      const most = day + clockToleranceSeconds;
      for (const [more, isGood] of [
        [{ exp: moment + most }, true],
        [{ exp: moment + most + 1 }, false],
        [{ iat: moment - 600, exp: moment - 600 + day }, true],
        [{ iat: moment - 600, exp: moment - 600 + day + 1 }, false],
        // One that was made for a year is no better in its last hour.
        [{ iat: moment - 365 * day, exp: moment + 3_600 }, false],
        // Nor is one that says it is issued later.
        [{ iat: moment + 10 * day, exp: moment + 11 * day }, false],
      ] as const)
        expect([more, await enter({ token: await tokenBy(rsa, claims(more)) })]).toEqual([
          more,
          isGood ? `200 ${key.id}` : "401 tokenLongLived",
        ]);
      expect(await enter({ token: await tokenBy(rsa, claims({ iat: "now", exp: moment + 600 })) })).toBe("401 tokenInvalid");
    }
  });

  test("is let in by no other algorithm than the entry's, even with a key that could", async () => {
    await configured({ algorithm: "PS256" });
    expect(await enter({ token: await tokenBy(rsa) })).toBe("401 tokenInvalid");
  });

  test("signed with HS256 under the issuer's public key, in any form of it, is refused", async () => {
    const publicKey = await importJWK({ ...rsa.jwk, ext: true }, "RS256");
    if (publicKey instanceof Uint8Array) throw new Error("an RSA key is no bytes");
    for (const text of [await exportSPKI(publicKey), JSON.stringify(rsa.jwk), rsa.jwk.n ?? ""]) {
      const token = await tokenBy({ algorithm: "HS256", privateKey: new TextEncoder().encode(text) });
      expect(await enter({ token })).toBe("401 tokenInvalid");
    }
  });

  test.each<[string, unknown]>([
    ["none", { alg: "none" }],
    ["None", { alg: "None" }],
    ["nothing", {}],
    ["null", { alg: null }],
    ["a list", { alg: ["RS256"] }],
    ["an object", { alg: {} }],
    ["a name that every object has", { alg: "constructor" }],
    ["another one", { alg: "ES256" }],
    ["one that nobody knows", { alg: "XX999" }],
  ])("whose header says %s for its algorithm is refused, with a signature and without", async (_name, header) => {
    for (const signature of ["", "c2lnbmF0dXJl"])
      expect(await enter({ token: madeUp(header, claims(), signature) })).toBe("401 tokenInvalid");
  });

  test("with extensions that must be understood, or a payload that is signed unencoded, is refused though its signature is right", async () => {
    const signed = (header: object): Promise<string> => signedAsItIs(rsa, { alg: "RS256", ...header }, claims());
    expect(await enter({ token: await signed({}) })).toBe(`200 ${key.id}`);
    for (const header of [
      { crit: ["exp"], exp: 1 },
      { crit: [] },
      { crit: "b64" },
      { crit: ["b64"] },
      { crit: ["b64"], b64: false },
      { crit: ["constructor"] },
      { crit: ["__proto__"] },
    ])
      expect(await enter({ token: await signed(header) })).toBe("401 tokenInvalid");
  });

  test("that was changed anywhere is refused", async () => {
    const token = await tokenBy(rsa);
    const [head = "", body = "", signature = ""] = token.split(".");
    const richer = btoa(JSON.stringify(claims({ sub: "ada", exp: nowSeconds() + 9_999 }))).replaceAll("=", "");
    for (const changed of [
      [head, richer, signature],
      [head, body, signature.slice(0, -4)],
      [head, body, `${signature.slice(0, 20)}${signature[20] === "A" ? "B" : "A"}${signature.slice(21)}`],
      [head, body, ""],
      [head, body, "A".repeat(signature.length)],
    ])
      expect(await enter({ token: hidden(changed.join(".")) })).toBe("401 tokenInvalid");
  });

  test("whose own header brings a key along is refused: keys come from the document alone", async () => {
    const evil = await signingPair("RS256");
    for (const header of [{ jwk: evil.jwk }, { jku: "https://evil.example.com/keys" }, { x5u: "https://evil.example.com/cert" }])
      expect(await enter({ token: await tokenBy(evil, claims(), header) })).toBe("401 tokenInvalid");
  });

  test("of an issuer that is no longer configured is refused at once where the document was written", async () => {
    const token = await tokenBy(rsa);
    expect(await enter({ token })).toBe(`200 ${key.id}`);
    await configure("issuers", { issuers: {} });
    expect(await enter({ token })).toBe("401 tokenIssuer");
  });

  test("longer than 8 KiB is not even read", async () => {
    expect(await enter({ token: await tokenBy(rsa, claims({ more: "x".repeat(5_000) })) })).toBe(`200 ${key.id}`);
    expect(await enter({ token: await tokenBy(rsa, claims({ more: "x".repeat(9_000) })) })).toBe("401 tokenInvalid");
  });

  test("that nobody made is refused, whatever it is, and never a fault of ours", async () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const made = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.tuple(json, json).map(([header, payload]) => madeUp(header, payload)),
      fc
        .tuple(
          fc.dictionary(fc.constantFrom("alg", "kid", "crit", "b64", "typ", "jwk"), json),
          fc.dictionary(fc.constantFrom("iss", "aud", "sub", "exp", "nbf", "iat"), json),
        )
        .map(([header, payload]) => madeUp({ alg: "RS256", ...header }, { ...claims(), ...payload })),
    );
    await fc.assert(
      fc.asyncProperty(
        made.filter((text) => text !== ""),
        async (token) => {
          expect(await enter({ token })).toMatch(/^401 token/);
        },
      ),
      { numRuns: wholeOr(150, 40) },
    );
  });
});

describe("the key that a token stands for", () => {
  test("is refused from its revocation on, and from its expiry", async () => {
    const token = await tokenBy(rsa, claims({ exp: nowSeconds() + 3_600 }));
    expect(await enter({ token })).toBe(`200 ${key.id}`);
    expect((await admin(`/keys/${key.id}`, { method: "DELETE" })).status).toBe(204);
    expect(await enter({ token })).toBe("401 revoked");
    const brief = await createKey({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
    await configured({ subjects: { ada: brief.id } });
    expect(await enter({ token })).toBe(`200 ${brief.id}`);
    travel(60_000);
    expect(await enter({ token })).toBe("401 expired");
  });

  test("that was revoked elsewhere is refused within half a minute", async () => {
    const token = await tokenBy(rsa, claims({ exp: nowSeconds() + 3_600 }));
    expect(await enter({ token })).toBe(`200 ${key.id}`);
    await env.CONFIGURATION.getByName("one").revokeKey(key.id, operator);
    travel(30_000);
    expect(await enter({ token })).toBe("401 revoked");
  });

  test("may be the development key where that counts, and is nobody where it does not", async () => {
    await configured({ subjects: { ada: "key_dev" } });
    const token = await tokenBy(rsa);
    expect(await enter({ token })).toBe("200 key_dev");
    expect(await enter({ token }, { PUBLIC_URL: "https://countersign.example.com" })).toBe("401 tokenSubject");
  });

  test("that does not exist lets nobody in", async () => {
    await configured({ subjects: { ada: "key_0000000000000000" } });
    expect(await enter({ token: await tokenBy(rsa) })).toBe("401 tokenSubject");
  });
});

describe("what is presented", () => {
  test("may come in the body or in either header, as a key or as a token", async () => {
    const token = await tokenBy(rsa);
    for (const presented of [{ apiKey: key.key }, { token }, { bearer: key.key }, { bearer: token }, { header: key.key }])
      expect(await enter(presented)).toBe(`200 ${key.id}`);
  });

  test("is wanted", async () => {
    for (const presented of [
      {},
      { apiKey: "", token: "" },
      { header: "" },
      { authorization: "Basic dXNlcjpwYXNz" },
      { authorization: "Bearer" },
    ])
      expect(await enter(presented)).toBe("401 missingAtControl");
  });

  test("may be several of one key, as the source's own example has it", async () => {
    const token = await tokenBy(rsa);
    expect(await enter({ apiKey: key.key, token, bearer: key.key, header: key.key })).toBe(`200 ${key.id}`);
    expect(await enter({ apiKey: key.key, token: "", bearer: token })).toBe(`200 ${key.id}`);
    expect(await enter({ apiKey: key.key, authorization: "Basic dXNlcjpwYXNz" })).toBe(`200 ${key.id}`);
  });

  test("is refused as a whole where one of it is bad, wherever it stands", async () => {
    const token = await tokenBy(rsa);
    const expired = await tokenBy(rsa, claims({ exp: 1 }));
    for (const [presented, answer] of [
      [{ apiKey: key.key, token: expired }, "401 tokenExpired"],
      [{ apiKey: "csk_wrong", token }, "401 unknown"],
      [{ apiKey: key.key, bearer: "csk_wrong" }, "401 unknown"],
      [{ apiKey: key.key, bearer: expired }, "401 tokenExpired"],
      [{ token, header: "csk_wrong" }, "401 unknown"],
      [{ apiKey: key.key, authorization: `Bearer ${key.key} ${key.key}` }, "401 unknown"],
      [{ apiKey: token }, "401 unknown"],
      [{ header: token }, "401 unknown"],
      [{ token: key.key }, "401 tokenInvalid"],
    ] as const)
      expect(await enter(presented)).toBe(answer);
  });

  test("of different keys is refused, each being good", async () => {
    const other = await createKey();
    const token = await tokenBy(rsa);
    for (const presented of [
      { apiKey: key.key, bearer: other.key },
      { apiKey: other.key, token },
      { token, header: other.key },
      { bearer: devKey, apiKey: key.key },
    ])
      expect(await enter(presented)).toBe("401 credentialsDisagree");
  });

  test("wants the scope of this endpoint", async () => {
    const elsewhere = await createKey({ scopes: ["sampling"] });
    const here = await createKey({ scopes: ["control"] });
    expect(await enter({ apiKey: elsewhere.key })).toBe("403 wrongScope");
    expect(await enter({ apiKey: here.key })).toBe(`200 ${here.id}`);
    await configured({ subjects: { ada: elsewhere.id } });
    expect(await enter({ token: await tokenBy(rsa) })).toBe("403 wrongScope");
  });

  test("wrongly again and again from one address is 429, whatever was wrong; a good key from there is let in", async () => {
    await configured({ algorithm: "HS256", keys: undefined, secret: "IDP_SECRET" });
    const counted: string[] = [];
    const FLOOD = { limit: async ({ key: address }: { key: string }) => ({ success: counted.push(address) < 3 }) };
    const from = (presented: Presented): Promise<string> => enter({ ...presented, address: "192.0.2.7" }, { FLOOD });
    const unknowable = await tokenBy({ algorithm: "HS256", privateKey: secretBytes });
    expect([
      await from({ token: "a.b.c" }),
      await from({ apiKey: "csk_wrong" }),
      await from({ token: unknowable }),
      await from({}),
    ]).toEqual(["401 tokenInvalid", "401 unknown", "429 flooded", "429 flooded"]);
    expect(await from({ apiKey: key.key })).toBe(`200 ${key.id}`);
    expect(counted).toEqual(Array.from({ length: 4 }, () => "keys 192.0.2.7"));
  });
});

describe("keys that an issuer publishes", () => {
  const published = (...pairs: readonly SigningPair[]): Response => Response.json({ keys: pairs.map(({ jwk }) => jwk) });
  const failing = (): number => loggedLines().filter((line) => line.includes("issuer.keysUnavailable")).length;

  test("are read once and kept, ten minutes at most", async () => {
    const server = keyServer(() => published(rsa));
    await configured({ keys: undefined, jwksUrl: server.url });
    const token = await tokenBy(rsa, claims({ exp: nowSeconds() + 3_600 }));
    for (let i = 0; i < 5; i += 1) expect(await enter({ token })).toBe(`200 ${key.id}`);
    expect(server.asked.map(({ method, headers }) => [method, headers.get("Authorization"), headers.get("Cookie")])).toEqual([
      ["GET", null, null],
    ]);
    travel(10 * 60_000);
    expect(await enter({ token })).toBe(`200 ${key.id}`);
    expect(server.asked).toHaveLength(2);
  });

  test("may change: a new key works when its first token comes, an old one stops", async () => {
    const [old, fresh] = [await signingPair("RS256", "old"), await signingPair("RS256", "fresh")];
    let set = [old];
    const server = keyServer(() => published(...set));
    await configured({ keys: undefined, jwksUrl: server.url });
    const long = claims({ exp: nowSeconds() + 3_600 });
    const [oldToken, freshToken] = [await tokenBy(old, long), await tokenBy(fresh, long)];
    expect(await enter({ token: oldToken })).toBe(`200 ${key.id}`);
    set = [fresh];
    // Made-up key ids must not have us ask without end.
    for (let i = 0; i < 3; i += 1) expect(await enter({ token: freshToken })).toBe("401 tokenInvalid");
    expect(server.asked).toHaveLength(1);
    travel(30_000);
    expect(await enter({ token: freshToken })).toBe(`200 ${key.id}`);
    expect(await enter({ token: oldToken })).toBe("401 tokenInvalid");
    expect(server.asked).toHaveLength(2);
  });

  test.each<[string, () => Response | Promise<Response>]>([
    ["fails", () => new Response("no", { status: 500 })],
    ["is not there", () => new Response("no", { status: 404 })],
    ["leads elsewhere", () => Response.redirect("https://evil.example.com/keys", 302)],
    ["cannot be reached", () => Promise.reject(new TypeError("refused"))],
    ["is not JSON", () => new Response("<html>")],
    ["is JSON and no set", () => Response.json([rsa.jwk])],
    ["holds something else than keys", () => Response.json({ keys: [1, null] })],
    ["has no end", () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65_536)) }))],
    [
      "publishes its private key",
      () => Response.json({ keys: [{ ...rsa.jwk, d: "AQAB", p: "AQAB", q: "AQAB", dp: "AQAB", dq: "AQAB", qi: "AQAB" }] }),
    ],
  ])("cannot be had where the address %s: 503, and nobody is let in", async (_name, answer) => {
    const server = keyServer(answer);
    await configured({ keys: undefined, jwksUrl: server.url });
    expect(await enter({ token: await tokenBy(rsa) })).toBe("503 issuerUnavailable");
  });

  test.each([301, 302, 303, 307, 308])("are not read from where a redirect (%i) leads, though they are there", async (status) => {
    const elsewhere: string[] = [];
    answerAt("https://evil.example.com", ({ url }) => {
      elsewhere.push(url);
      return published(rsa);
    });
    const server = keyServer(() => Response.redirect("https://evil.example.com/keys", status));
    await configured({ keys: undefined, jwksUrl: server.url });
    expect(await enter({ token: await tokenBy(rsa) })).toBe("503 issuerUnavailable");
    expect([server.asked.length, elsewhere]).toEqual([1, []]);
  });

  test("are not asked for again for some seconds after a failure, and then they are", async () => {
    let up = false;
    const server = keyServer(() => (up ? published(rsa) : new Response("no", { status: 503 })));
    await configured({ keys: undefined, jwksUrl: server.url });
    const token = await tokenBy(rsa);
    const before = failing();
    for (let i = 0; i < 4; i += 1) expect(await enter({ token })).toBe("503 issuerUnavailable");
    expect([server.asked.length, failing() - before]).toEqual([1, 1]);
    up = true;
    travel(5_000);
    expect(await enter({ token })).toBe(`200 ${key.id}`);
  });

  test("are asked for only where a token could be one of theirs", async () => {
    const server = keyServer(() => published(rsa));
    await configured({ keys: undefined, jwksUrl: server.url });
    for (const token of [
      madeUp({ alg: "none" }, claims(), ""),
      madeUp({ alg: "HS256" }, claims()),
      await tokenBy(rsa, claims({ iss: "https://evil.example.com/" })),
    ])
      expect(await enter({ token })).toMatch(/^401/);
    expect(await enter({ apiKey: key.key })).toBe(`200 ${key.id}`);
    expect(server.asked).toEqual([]);
  });
});

test("a document that another place wrote serves within a minute, and one that was written into KV by hand never", async () => {
  const token = await tokenBy(rsa, claims({ exp: nowSeconds() + 3_600 }));
  const { version, text } = (await configStub(env).current("issuers")) ?? { version: 0, text: "{}" };
  await env.CONFIG.put("issuers", JSON.stringify({ ...(JSON.parse(text) as object), version: 99, issuers: {} }));
  travel(121_000);
  for (let i = 0; i < 2; i += 1) expect(await enter({ token })).toBe(`200 ${key.id}`);
  await configStub(env).write("issuers", version, JSON.stringify({ issuers: {} }), writer);
  travel(61_000);
  await eventually("the new document", async () => (await enter({ token })) === "401 tokenIssuer");
});
