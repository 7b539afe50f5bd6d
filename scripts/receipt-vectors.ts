// node scripts/receipt-vectors.ts: makes test/shared/receipt/vectors.json anew, with new keys: one
// receipt that holds, and what every verifier must refuse, each with what is expected of it.

import { writeFileSync } from "node:fs";
import { createHash, generateKeyPairSync, sign as signBytes } from "node:crypto";
import { type ReceiptClaims, canonicalText, replyText, requestText } from "../shared/receipt/claims.ts";
import { type ReceiptJwk, signReceipt } from "../shared/receipt/token.ts";

const toBase64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

function newKey(revokedAt?: number) {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = pair.publicKey.export({ format: "jwk" });
  const kid = digest(canonicalText({ crv: "P-256", kty: "EC", x, y }));
  const revoked = revokedAt === undefined ? {} : { revoked: { revoked_at: revokedAt } };
  const jwk: ReceiptJwk = { kty: "EC", crv: "P-256", x, y, kid, use: "sig", alg: "ES256", ...revoked };
  const sign = async (text: Uint8Array): Promise<Uint8Array> =>
    signBytes("sha256", text, { key: pair.privateKey, dsaEncoding: "ieee-p1363" });
  return { jwk, signer: { kid, sign } };
}

const now = 1_795_000_000;
const request = { method: "tools/call", params: { name: "delete_branch", arguments: { branch: "main", é: 1e21, force: false } } };
const claims: ReceiptClaims = {
  iss: "https://gateway.example",
  aud: "github",
  iat: now - 5,
  exp: now - 5 + 3_600,
  jti: "run_vector",
  v: 1,
  method: "tools/call",
  name: "delete_branch",
  key: "k".repeat(22),
  policy: { rule: "calls", version: 12 },
  mode: "human",
  decision: "approved",
  edited: { request: false, reply: false },
  reviewers: [{ id: "r".repeat(22), gate: "request", decision: "approved", at: now - 10, amr: "link" }],
  request: { jcs: digest(requestText(request.method, request.params)) },
};
const answer = { action: "accept", content: { é: 1e21, reason: "tidy" } };
const answering = (inputResponses: object) => ({ ...request, params: { ...request.params, inputResponses } });
const [key, older, revoked, foreign] = [newKey(), newKey(), newKey(now - 60), newKey()];
const made = (change: Partial<ReceiptClaims>, { signer } = key): Promise<string> =>
  signReceipt({ ...claims, ...change }, signer, toBase64url);
const good = await made({});
const answered = await made({ request: { ...claims.request, inputResponses: { ask: digest(canonicalText(answer)) } } });
const [header = "", payload = "", signature = ""] = good.split(".");
const encoded = (value: object): string => toBase64url(Buffer.from(JSON.stringify(value)));
const reply = {
  role: "assistant",
  content: { type: "text", text: "Done" },
  model: "m",
  _meta: { "countersign/run": { id: "run_vector" } },
};
const sampling = { method: "sampling/createMessage", params: { messages: [], maxTokens: 10, _meta: { progressToken: 1 } } };
const flipped = toBase64url(Buffer.from(signature, "base64url").map((byte, i) => (i === 9 ? byte ^ 1 : byte)));

const vectors = {
  now,
  issuer: claims.iss,
  audience: claims.aud,
  keys: [key.jwk, older.jwk, revoked.jwk],
  request,
  vectors: [
    { name: "holds", receipt: good, error: null },
    { name: "of a key that was rotated out", receipt: await made({}, older), error: null },
    {
      name: "with the digests of a reply",
      receipt: await made({
        method: sampling.method,
        request: { jcs: digest(requestText(sampling.method, sampling.params)) },
        reply: { jcs: digest(replyText(reply)) },
      }),
      request: sampling,
      reply,
      error: null,
    },
    {
      name: "forged: another payload",
      receipt: `${header}.${encoded({ ...claims, jti: "run_other" })}.${signature}`,
      error: "badSignature",
    },
    { name: "forged: another signature", receipt: `${header}.${payload}.${flipped}`, error: "badSignature" },
    {
      name: "forged: alg none",
      receipt: `${encoded({ alg: "none", typ: "countersign-receipt+jwt", kid: key.jwk.kid })}.${payload}.AA`,
      error: "malformed",
    },
    {
      name: "forged: alg HS256",
      receipt: `${encoded({ alg: "HS256", typ: "countersign-receipt+jwt", kid: key.jwk.kid })}.${payload}.${signature}`,
      error: "malformed",
    },
    {
      name: "another kind of token",
      receipt: `${encoded({ alg: "ES256", typ: "JWT", kid: key.jwk.kid })}.${payload}.${signature}`,
      error: "malformed",
    },
    { name: "no signature", receipt: `${header}.${payload}.`, error: "malformed" },
    {
      name: "signed by somebody else under a known id",
      receipt: await made({}, { ...foreign, signer: { ...foreign.signer, kid: key.jwk.kid } }),
      error: "badSignature",
    },
    { name: "signed by somebody else", receipt: await made({}, foreign), error: "unknownKey" },
    { name: "of a revoked key", receipt: await made({}, revoked), error: "revokedKey" },
    { name: "of a revoked key, dated before", receipt: await made({ iat: now - 120 }, revoked), error: "revokedKey" },
    { name: "foreign: another gateway", receipt: await made({ iss: "https://other.example" }), error: "otherIssuer" },
    { name: "foreign: another server", receipt: await made({ aud: "gitlab" }), error: "otherAudience" },
    { name: "expired", receipt: await made({ iat: now - 3_700, exp: now - 100 }), error: "expired" },
    { name: "that says it lasts longer than any", receipt: await made({ iat: now - 3_700, exp: now + 100_000 }), error: "expired" },
    { name: "from the future", receipt: await made({ iat: now + 120, exp: now + 3_000 }), error: "notYetValid" },
    { name: "of a denial", receipt: await made({ decision: "denied" }), error: "notApproved" },
    { name: "of an expiry", receipt: await made({ decision: "expired", mode: "policy", reviewers: [] }), error: "notApproved" },
    {
      name: "altered: other arguments",
      receipt: good,
      request: { method: "tools/call", params: { name: "delete_branch", arguments: { branch: "release" } } },
      error: "otherRequest",
    },
    {
      name: "altered: another tool",
      receipt: good,
      request: { method: "tools/call", params: { ...request.params, name: "drop_database" } },
      error: "otherRequest",
    },
    { name: "with the digest of an answer", receipt: answered, request: answering({ ask: answer }), error: null },
    {
      name: "with an answer of the gateway's own beside it",
      receipt: answered,
      request: answering({ sample: { role: "assistant" }, ask: answer }),
      error: null,
    },
    {
      name: "altered: another answer",
      receipt: answered,
      request: answering({ ask: { ...answer, content: { reason: "tidy" } } }),
      error: "otherRequest",
    },
    { name: "altered: without its answer", receipt: answered, error: "otherRequest" },
    { name: "altered: its answer under another key", receipt: answered, request: answering({ asked: answer }), error: "otherRequest" },
    { name: "altered: a reply that it does not name", receipt: good, reply, error: "otherReply" },
    { name: "of a later version", receipt: await made({ v: 2 as 1 }), error: "malformed" },
  ],
  /** Used twice: the second time it is refused. */
  replayed: good,
};
writeFileSync(new URL("../test/shared/receipt/vectors.json", import.meta.url), `${JSON.stringify(vectors, null, 2)}\n`);
