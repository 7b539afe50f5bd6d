// Receipts: one that is used for anything else than it was signed for, changed, or made by whoever
// is not the gateway. What a server checks is the published client's own check, by the gateway's
// published keys.

import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { expect } from "vitest";
import { type ReceiptExpectation, type ReceiptJwk, receiptKey, verifyReceipt } from "../../../client/verify-receipt.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { openedBy, press } from "../people.ts";
import { beginSession } from "../relay-client.ts";
import type { World } from "../world.ts";

const server = "calls-signed";
const tool = "delete_branch";
const newMark = (): string => `branch-${crypto.randomUUID()}`;
const requestOf = (branch: string, name = tool, more: object = {}): NonNullable<ReceiptExpectation["request"]> => ({
  method: "tools/call",
  params: { name, arguments: { branch, ...more } },
});

const keysOf = async (world: World): Promise<readonly ReceiptJwk[]> =>
  ((await world.ask("/.well-known/jwks.json", { key: null })).json as { readonly keys: readonly ReceiptJwk[] }).keys; // RFC 7517

type Expecting = Partial<ReceiptExpectation> & { readonly branch?: string };

/** What the server of this receipt makes of it: why it refuses, or null. */
async function verdictOf(world: World, receipt: unknown, { branch, ...more }: Expecting = {}): Promise<string | null> {
  const request = branch === undefined ? null : requestOf(branch);
  const verdict = await verifyReceipt(receipt, { issuer: world.url, audience: server, keys: await keysOf(world), request, ...more });
  return verdict.ok ? null : verdict.error;
}

/** A call that a person approved, with the receipt that its server got. */
async function receipted(world: World, mark: string, meta: object = {}): Promise<{ readonly receipt: string; readonly run: string }> {
  const session = await beginSession(world, server, world.ann.key);
  const params = { name: tool, arguments: { branch: mark }, _meta: meta };
  const message = { jsonrpc: "2.0", id: mark, method: "tools/call", params };
  const review = await openedBy(world, () => session.post(message));
  await review.answer;
  expect((await press(world, review.link, "approve")).status, "the approval").toBe(303);
  await session.post(message);
  const sent = world.mcp.calls.find(({ text, message: each }) => each.method === "tools/call" && text.includes(mark));
  const receipt = (sent?.message.params?.["_meta"] as Readonly<Record<string, unknown>> | undefined)?.[receiptKey];
  if (typeof receipt !== "string") throw new Error("the server got no receipt");
  return { receipt, run: review.run };
}

/** One for all that only look at it. */
const kept = new WeakMap<World, Promise<{ readonly receipt: string; readonly mark: string; readonly run: string }>>();
function approved(world: World) {
  const mark = newMark();
  const made = kept.get(world) ?? receipted(world, mark).then((each) => ({ ...each, mark }));
  kept.set(world, made);
  return made;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
type Claims = Readonly<Record<string, unknown>>;
type Parts = { readonly header: Claims; readonly claims: Claims; readonly text: readonly [string, string, string] };

function partsOf(receipt: string): Parts {
  const [header = "", claims = "", signature = ""] = receipt.split(".");
  const read = (text: string): Claims => JSON.parse(Buffer.from(text, "base64url").toString()) as Claims; // our own
  return { header: read(header), claims: read(claims), text: [header, claims, signature] };
}

const withClaims =
  (change: Claims) =>
  ({ claims, text: [header, , signature] }: Parts): string =>
    `${header}.${encoded({ ...claims, ...change })}.${signature}`;

/** Signed by whoever attacks, under this header. */
function ownSigned({ header, claims }: Parts, change: (jwk: object) => object): string {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const text = `${encoded({ ...header, ...change(pair.publicKey.export({ format: "jwk" })) })}.${encoded(claims)}`;
  const signature = sign("sha256", Buffer.from(text), { key: pair.privateKey, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

const changes: readonly [string, (parts: Parts) => string][] = [
  ["whose audience was changed", withClaims({ aud: "calls" })],
  ["whose run was changed, to be used twice,", withClaims({ jti: "run_another" })],
  ["whose mode was changed", withClaims({ mode: "policy" })],
  ["whose end was put off", ({ claims, ...parts }) => withClaims({ exp: Number(claims["exp"]) + 60 })({ claims, ...parts })],
  ["of the algorithm none", ({ header, claims }) => `${encoded({ ...header, alg: "none" })}.${encoded(claims)}.`],
  [
    "of HS256 by the published key",
    ({ header, claims }) => {
      const text = `${encoded({ ...header, alg: "HS256" })}.${encoded(claims)}`;
      return `${text}.${createHmac("sha256", String(header["kid"])).update(text).digest("base64url")}`;
    },
  ],
  ["signed by another key under the gateway's kid", (parts) => ownSigned(parts, () => ({}))],
  ["signed by a key that its header brings", (parts) => ownSigned(parts, (jwk) => ({ jwk, kid: "own" }))],
  ["without a signature", ({ text: [header, claims] }) => `${header}.${claims}.`],
  [
    "with one letter of its signature changed",
    ({ text: [header, claims, s] }) => `${header}.${claims}.${s.startsWith("A") ? "B" : "A"}${s.slice(1)}`,
  ],
  ["with a fourth part", ({ text }) => `${text.join(".")}.x`],
  ["with white space in it", ({ text: [header, claims, s] }) => `${header}.${claims} .${s}`],
  ["of another type of token", (parts) => `${encoded({ ...parts.header, typ: "JWT" })}.${parts.text[1]}.${parts.text[2]}`],
];

const altered = eachOf(changes, ([what, change]) => ({
  name: `a receipt ${what} holds for nothing`,
  run: async (world) => {
    const { receipt, mark } = await approved(world);
    expect(await verdictOf(world, receipt, { branch: mark }), "the receipt itself").toBeNull();
    const forged = change(partsOf(receipt));
    for (const audience of [server, "calls"])
      expect(await verdictOf(world, forged, { branch: mark, audience }), "what a server makes of it").not.toBeNull();
  },
}));

const elsewhere: readonly [string, (mark: string) => Expecting, string][] = [
  ["another server", (branch) => ({ branch, audience: "calls" }), "otherAudience"],
  ["another gateway", (branch) => ({ branch, issuer: "https://gateway.example.net" }), "otherIssuer"],
  ["another value", (branch) => ({ branch: `${branch}x` }), "otherRequest"],
  ["one argument more", (branch) => ({ request: requestOf(branch, tool, { force: true }) }), "otherRequest"],
  ["another tool", (branch) => ({ request: requestOf(branch, "delete_tag") }), "otherRequest"],
  ["another method", (branch) => ({ request: { ...requestOf(branch), method: "prompts/get" } }), "otherRequest"],
  ["a reply", (branch) => ({ branch, reply: { content: [] } }), "otherReply"],
  ["the time after its end", (branch) => ({ branch, now: Math.floor(Date.now() / 1000) + 3_700 }), "expired"],
  ["what the rules let pass", (branch) => ({ branch, modes: ["policy"] }), "otherMode"],
];

const used = eachOf(elsewhere, ([what, expected, error]) => ({
  name: `a receipt of another call does not hold for ${what}`,
  run: async (world) => {
    const { receipt, mark } = await approved(world);
    expect(await verdictOf(world, receipt, expected(mark)), "what is made of it").toBe(error);
  },
}));

const others: readonly Attack[] = [
  {
    name: "a receipt of a call holds once",
    run: async (world) => {
      const { receipt, mark } = await approved(world);
      const seen = new Set<string>();
      const isFirstUse = (id: string): boolean => !seen.has(id) && seen.add(id).size > 0;
      expect(await verdictOf(world, receipt, { branch: mark, isFirstUse }), "first").toBeNull();
      expect(await verdictOf(world, receipt, { branch: mark, isFirstUse }), "again").toBe("usedBefore");
    },
  },
  {
    name: "a receipt of a denial lets nothing be done",
    run: async (world) => {
      const call = { tool, server, arguments: { branch: newMark() } };
      const review = await openedBy(world, () => world.ask("/approvals", { body: call }));
      await press(world, review.link, "deny");
      const { receipt } = (await review.answer).json as { readonly receipt?: string }; // the contract's
      expect(receipt, "a receipt of the denial").toBeDefined();
      expect(await verdictOf(world, receipt), "what its server makes of it").toBe("notApproved");
    },
  },
  {
    name: "a receipt that a client puts into its own call never reaches the server, be it forged or of an earlier call",
    run: async (world) => {
      const { receipt } = await approved(world);
      for (const own of [receipt, "eyJhbGciOiJub25lIn0.e30.", { toString: "x" }]) {
        const mark = newMark();
        const sent = await receipted(world, mark, { [receiptKey]: own });
        expect(sent.receipt, "what the server got").not.toBe(own);
        expect(await verdictOf(world, sent.receipt, { branch: mark }), "the gateway's own").toBeNull();
      }
    },
  },
  {
    name: "a receipt opens nothing at the gateway: it is no key, no session and no link",
    run: async (world) => {
      const { receipt, run } = await approved(world);
      for (const [path, status] of [
        [`/runs/${run}`, 401],
        ["/admin/runs", 401],
        [`/mcp/${server}`, 401],
        ["/v1/models", 401],
      ] as const)
        expect((await world.ask(path, { key: receipt })).status, path).toBe(status);
      expect((await world.ask(`/r/${receipt}`, { key: null })).status, "as a link").toBe(404);
      const cookie = { Cookie: `countersign-session=${receipt}` };
      expect((await world.ask("/inbox", { key: null, headers: cookie })).text, "as a session").not.toContain("sign-out");
    },
  },
  {
    name: "a receipt is for the key whose call it is, and there is none while people decide",
    run: async (world) => {
      const { run } = await approved(world);
      expect((await world.ask(`/receipts/${run}`, { key: world.bob.key })).status, "another key's").toBe(404);
      for (const accept of ["application/json", "text/html", "application/jose"]) {
        const answer = await world.ask(`/receipts/${run}`, { key: null, headers: { Accept: accept } });
        expect(answer.text, "nobody's").not.toContain(tool);
        expect(answer.text, "nobody's").not.toMatch(/eyJ[\w-]+\.eyJ/);
      }
      const call = { tool, server, arguments: { branch: newMark() } };
      const review = await openedBy(world, () => world.ask("/approvals", { body: call }));
      expect((await world.ask(`/receipts/${review.run}`)).status, "of what waits").toBe(404);
      await press(world, review.link, "deny");
      await review.answer;
    },
  },
  {
    name: "an API key makes and revokes no key of receipts",
    run: async (world) => {
      const before = await keysOf(world);
      expect((await world.ask("/admin/receipt-keys", { method: "POST" })).status, "a new one").toBe(401);
      for (const { kid } of before)
        expect((await world.ask(`/admin/receipt-keys/${kid}`, { method: "DELETE" })).status, "its end").toBe(401);
      expect(await keysOf(world), "the keys").toEqual(before);
    },
  },
  {
    name: "a receipt holds no more once its key is revoked, and the next one is by another key",
    run: async (world) => {
      const mark = newMark();
      const { receipt } = await receipted(world, mark);
      expect(await verdictOf(world, receipt, { branch: mark }), "before").toBeNull();
      const { kid } = partsOf(receipt).header;
      expect((await world.admin(`/receipt-keys/${String(kid)}`, { method: "DELETE" })).status, "the revocation").toBe(204);
      expect(await verdictOf(world, receipt, { branch: mark }), "after").toBe("revokedKey");
      kept.delete(world);
      const next = await approved(world);
      expect(partsOf(next.receipt).header["kid"], "the next key").not.toBe(kid);
      expect(await verdictOf(world, next.receipt, { branch: next.mark }), "the next").toBeNull();
    },
  },
];

export const receipts: Area = {
  name: "receipts",
  about: "receipts that were changed, or are used for something else",
  attacks: [...altered, ...used, ...others],
};
