// Receipts: what a server gets with an answer and with a call, what GET /receipts says, who reads
// it, and what checks of it refuse.

import { beforeEach, describe, expect, test } from "vitest";
import { resetIsolate } from "../../../workers/platform/isolate.ts";
import { receiptCrypto } from "../../../workers/pipeline/receipts.ts";
import { requestText } from "../../../shared/receipt/claims.ts";
import { type ReceiptJwk, type ReceiptTerms, checkReceipt, readToken } from "../../../shared/receipt/token.ts";
import { isProven } from "../../support/log-proof.ts";
import { fromBase64url, sha256Of, toBase64url, utf8ToBytes } from "../../../shared/encoding.ts";
import {
  admin,
  adminToken,
  answerOf,
  configure,
  createKey,
  devKey,
  errorOf,
  gateway,
  openNotice,
  policy,
  publicUrl,
  runReaches,
  sample,
  samplingMessage,
  travel,
} from "../support/gateway.ts";
import { approvalIn, askAbout, askApproval, deletion } from "../support/approvals.ts";
import { InboxBrowser, addresses, configureInbox, waits } from "../support/inbox.ts";
import { RelayClient, type Upstream, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { decide } from "../support/reviewer.ts";
import { StatelessClient, answerWith, lastOf } from "../support/stateless.ts";

const keysNow = async (): Promise<ReceiptJwk[]> =>
  (await (await gateway("/.well-known/jwks.json", { key: null })).json<{ keys: ReceiptJwk[] }>()).keys;

const check = async (receipt: unknown, audience: string, terms: Partial<ReceiptTerms> = {}) =>
  checkReceipt(
    receipt,
    { issuer: publicUrl, audience, keys: await keysNow(), now: Math.floor(Date.now() / 1000), request: null, ...terms },
    receiptCrypto,
  );

const claimsOf = async (receipt: unknown, audience: string, terms: Partial<ReceiptTerms> = {}) => {
  const verdict = await check(receipt, audience, terms);
  if (!verdict.ok) throw new Error(verdict.error);
  return verdict.claims;
};

type Detached = { readonly receipt: string; readonly proof: { readonly [name: string]: string | number } | null };
const detached = async (run: string, key: string = devKey): Promise<Detached> =>
  (await gateway(`/receipts/${run}`, { key })).json<Detached>();

const receipts = { receipt: true };
const asking = (then: object): Promise<void> =>
  configure("policy", { ...policy, rules: policy.rules.map((rule) => ({ ...rule, then: { ...rule.then, ...then } })) });

const digest = (text: string): string => toBase64url(sha256Of(utf8ToBytes(text)));

describe("the receipt of a reply", () => {
  test("is in its _meta where a rule says so, and is of what the server sent and got", async () => {
    await asking(receipts);
    const asked = answerOf(sample({ server: "request-gate" }));
    await decide("request", "approve");
    const { result } = await asked;
    const receipt = result?._meta?.["countersign/receipt"];
    const { method, params } = samplingMessage({ server: "request-gate" });
    const claims = await claimsOf(receipt, "request-gate", { request: { method, params }, reply: result, modes: ["human"] });
    expect(claims).toMatchObject({
      iss: publicUrl,
      aud: "request-gate",
      jti: result?._meta?.["countersign/run"]?.id,
      v: 1,
      method: "sampling/createMessage",
      policy: { rule: "request gate" },
      mode: "human",
      decision: "approved",
      edited: { request: false, reply: false },
      reviewers: [{ gate: "request", decision: "approved", amr: "link" }],
    });
    expect(claims.exp - claims.iat).toBe(3_600);
    expect(JSON.stringify(claims)).not.toContain("Ada");
    expect(JSON.stringify(claims)).not.toContain("key_");
    // Of another request, and another reply, it says so.
    expect(await check(receipt, "request-gate", { request: { method, params: { ...params, maxTokens: 7 } } })).toEqual({
      ok: false,
      error: "otherRequest",
    });
    expect(await check(receipt, "request-gate", { reply: { ...result, model: "another" } })).toEqual({ ok: false, error: "otherReply" });
    expect(await check(receipt, "elsewhere")).toEqual({ ok: false, error: "otherAudience" });
  });

  test("is not there where no rule says so, on either path", async () => {
    const { result } = await answerOf(sample({ server: "open" }));
    expect(Object.keys(result?._meta ?? {})).toEqual(["countersign/run"]);
    const asked = answerOf(sample({ server: "request-gate" }));
    await decide("request", "approve");
    expect(Object.keys((await asked).result?._meta ?? {})).toEqual(["countersign/run"]);
  });

  test("names the policy and nobody where nobody was asked", async () => {
    await asking(receipts);
    const { result } = await answerOf(sample({ server: "open" }));
    const claims = await claimsOf(result?._meta?.["countersign/receipt"], "open", { reply: result });
    expect(claims).toMatchObject({ mode: "policy", decision: "approved", reviewers: [], policy: { rule: "open" } });
    expect(await check(result?._meta?.["countersign/receipt"], "open", { modes: ["human"] })).toEqual({ ok: false, error: "otherMode" });
  });

  test("of a denial is in the error's data, and approves nothing", async () => {
    await asking(receipts);
    const asked = errorOf(sample({ server: "request-gate" }));
    await decide("request", "deny");
    const receipt = (await asked).data?.["countersign/receipt"];
    expect(await check(receipt, "request-gate")).toEqual({ ok: false, error: "notApproved" });
    const claims = await claimsOf(receipt, "request-gate", { decisions: ["denied"] });
    expect(claims).toMatchObject({ mode: "human", decision: "denied", reviewers: [{ gate: "request", decision: "denied" }] });
    expect(claims).not.toHaveProperty("reply");
  });
});

describe("the receipt of a call", () => {
  const url = `${upstreamOrigin}/mcp`;
  const given = { branch: "main", force: true };
  let upstream: Upstream;

  beforeEach(async () => {
    upstream = scriptUpstream();
    upstream.answer = (call) => {
      if (call.message.method === "server/discover" && call.headers.get("MCP-Protocol-Version") === "2026-07-28")
        return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
      return call.message.method === "tools/call"
        ? answerWith(call, { resultType: "complete", content: [{ type: "text", text: "deleted" }] })
        : undefined;
    };
    await configureServers({ old: { url, receipts: true }, new: { url, protocol: "2026", receipts: true }, without: { url } });
    await configure("policy", {
      ...policy,
      rules: [
        {
          name: "calls",
          when: { subject: "toolCall", tool: "delete_*" },
          then: { request: "review", response: "allow", selfApproval: true, ...receipts },
        },
      ],
    });
  });

  const sessionCall = async (server: string, params: object): Promise<unknown> => {
    const client = new RelayClient(server);
    await client.connect();
    return lastOf(await client.request("call-1", "tools/call", params));
  };
  const statelessCall = async (server: string, params: object): Promise<unknown> =>
    new StatelessClient(server).says("tools/call", params, { id: "call-1" });
  const cells = [
    ["2025 at 2025", "old", sessionCall],
    ["2025 at 2026", "new", sessionCall],
    ["2026 at 2025", "old", statelessCall],
    ["2026 at 2026", "new", statelessCall],
  ] as const;

  const sentParams = (): Record<string, unknown> =>
    upstream.calls.findLast(({ message }) => message.method === "tools/call")?.message.params ?? {};
  const receiptSent = (): unknown => (sentParams()["_meta"] as Record<string, unknown> | undefined)?.["countersign/receipt"];

  test.each(cells)("%s: goes with the call that people approved, and is of what is sent", async (_name, server, call) => {
    const forged = "eyJhbGciOiJub25lIn0.e30.x";
    const called = call(server, { name: "delete_branch", arguments: given, _meta: { "countersign/receipt": forged, own: 1 } });
    const { run } = await decide("request", "approve", undefined, (fields) =>
      fields.set("edit:/arguments", JSON.stringify({ branch: "main", force: false })),
    );
    await called;
    expect(sentParams()["arguments"]).toEqual({ branch: "main", force: false });
    const request = { method: "tools/call", params: { name: "delete_branch", arguments: { branch: "main", force: false } } };
    const claims = await claimsOf(receiptSent(), server, { request, modes: ["human"] });
    expect(claims).toMatchObject({ jti: run, method: "tools/call", name: "delete_branch", edited: { request: true, reply: false } });
    expect(claims.request.proposed).toBe(digest(requestText("tools/call", { name: "delete_branch", arguments: given })));
    expect(
      await check(receiptSent(), server, { request: { method: "tools/call", params: { name: "delete_branch", arguments: given } } }),
    ).toEqual({ ok: false, error: "otherRequest" });
    const seen = new Set<string>();
    const isFirstUse = (id: string): boolean => !seen.has(id) && seen.add(id).size > 0;
    expect((await check(receiptSent(), server, { isFirstUse })).ok).toBe(true);
    expect(await check(receiptSent(), server, { isFirstUse })).toEqual({ ok: false, error: "usedBefore" });
    // The detached one says the same of it.
    const { receipt, proof } = await detached(run);
    const { log: _log, ...again } = await claimsOf(receipt, server);
    const { log: _place, request: sentDigests, ...sent } = claims;
    expect({ ...again, request: null }).toEqual({ ...sent, request: null });
    expect(sentDigests).toMatchObject(again.request);
    expect(proof).not.toBeNull();
  });

  test.each(cells)("%s: goes with a call that no rule is about, in the policy's name", async (_name, server, call) => {
    await call(server, { name: "list_branches", arguments: { of: 1 } });
    const request = { method: "tools/call", params: { name: "list_branches", arguments: { of: 1 } } };
    expect(await claimsOf(receiptSent(), server, { request })).toMatchObject({ mode: "policy", reviewers: [] });
  });

  test("has the digest of the very bytes of the arguments", async () => {
    await sessionCall("old", { name: "list_branches", arguments: { of: 1, "a\u00e9": "x" } });
    const { request } = await claimsOf(receiptSent(), "old");
    expect(request.raw).toBe(digest(JSON.stringify({ of: 1, "a\u00e9": "x" })));
  });

  test("does not go to a server whose entry does not ask for one", async () => {
    const called = sessionCall("without", { name: "delete_branch", arguments: given });
    await decide("request", "approve");
    await called;
    expect(receiptSent()).toBeUndefined();
  });
});

describe("POST /approvals", () => {
  test("answers with the receipt of what people decided", async () => {
    await askAbout();
    const asked = askApproval();
    await decide("request", "approve");
    const answer = await approvalIn(asked);
    const request = { method: "tools/call", params: { name: deletion.tool, arguments: answer.arguments } };
    expect(await claimsOf(answer.receipt, deletion.server, { request, modes: ["human"] })).toMatchObject({ jti: answer.id });
  });
});

describe("GET /receipts/{run}", () => {
  const decidedRun = async (): Promise<string> => {
    const asked = answerOf(sample({ server: "request-gate" }));
    const { run } = await decide("request", "approve");
    await asked;
    return run;
  };

  test("has the receipt of every run, with the proof that the record has it", async () => {
    const run = await decidedRun();
    const { receipt, proof } = await detached(run);
    const claims = await claimsOf(receipt, "request-gate");
    expect(claims.reply?.jcs).toBeDefined();
    expect(claims.log).toEqual({ shard: proof?.["shard"], index: proof?.["index"], leaf: proof?.["leaf"] });
    const entry = { index: Number(proof?.["index"]), leaf: fromBase64url(String(proof?.["leaf"])) ?? new Uint8Array() };
    const verify = async (key: Uint8Array, signature: Uint8Array, text: Uint8Array): Promise<boolean> =>
      crypto.subtle.verify("Ed25519", await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]), signature, text);
    const [text, key] = [String(proof?.["text"]), String(proof?.["key"])];
    expect(await isProven(entry, text, key, verify)).toBe(true);
    expect(await isProven({ ...entry, index: entry.index + 1 }, text, key, verify)).toBe(false);
    expect(await isProven({ ...entry, leaf: new Uint8Array(32) }, text, key, verify)).toBe(false);
    expect(await isProven(entry, text.replace(/\n\d+\n/, "\n999999\n"), key, verify)).toBe(false);
    // What the log has is the operator's alone.
    expect(proof).not.toHaveProperty("entry");
    expect(String((await detached(run, adminToken)).proof?.["entry"])).toContain(run);
  });

  test("is for the key that made the run, and for operators", async () => {
    const run = await decidedRun();
    const other = (await createKey()).key;
    expect((await gateway(`/receipts/${run}`, { key: other })).status).toBe(404);
    expect((await gateway(`/receipts/${run}`, { key: null })).status).toBe(401);
    expect((await gateway(`/receipts/${run}`, { key: adminToken })).status).toBe(200);
    expect((await gateway("/receipts/run_nothing")).status).toBe(404);
    const alone = await gateway(`/receipts/${run}`, { headers: { Accept: "application/jose" } });
    expect(alone.headers.get("Content-Type")).toBe("application/jose");
    expect(readToken(await alone.text(), fromBase64url)?.claims.jti).toBe(run);
  });

  test("has none while nothing is decided", async () => {
    const run = await waits();
    await openNotice("request", run);
    expect((await gateway(`/receipts/${run}`)).status).toBe(404);
  });

  test("is a page for a reviewer who is signed in, and for nobody else", async () => {
    await configureInbox({}, [
      { name: "Ada", email: addresses.Ada },
      { name: "Grace", email: addresses.Grace },
    ]);
    await configure("policy", {
      ...policy,
      default: { ...policy.default, response: "allow", reviewers: ["ada"], handOverTo: [] },
      reviewers: { ada: [{ name: "Ada", email: addresses.Ada }], grace: [{ name: "Grace", email: addresses.Grace }] },
    });
    const run = await waits();
    await decide("request", "approve", run);
    await runReaches(run, "completed");
    const [ada, grace] = [new InboxBrowser(), new InboxBrowser()];
    await ada.signIn(addresses.Ada);
    await grace.signIn(addresses.Grace);
    const page = await ada.text(`/inbox/receipts/${run}`);
    expect(page).toContain("Signature valid.");
    expect(page).toContain("people decided");
    expect(page).toContain("c2sp.org/tlog-proof@v1");
    expect((await grace.get(`/inbox/receipts/${run}`)).status).toBe(404);
    expect(await new InboxBrowser().text(`/inbox/receipts/${run}`)).not.toContain("Signature valid.");
  });
});

describe("the keys of receipts", () => {
  test("rotate with overlap, stay published, and can be revoked", async () => {
    // The isolate may still have the keys of the test before, whose gateway is gone.
    resetIsolate();
    await asking(receipts);
    const first = (await answerOf(sample({ server: "open" }))).result?._meta?.["countersign/receipt"];
    const [old] = await keysNow();
    const made = await (await admin("/receipt-keys", { method: "POST" })).json<{ kid: string }>();
    expect((await keysNow()).map(({ kid }) => kid).toSorted()).toEqual([old?.kid, made.kid].toSorted());
    const kidOf = async (id: number): Promise<string | undefined> =>
      readToken(String((await answerOf(sample({ server: "open", id }))).result?._meta?.["countersign/receipt"]), fromBase64url)?.kid;
    expect(await kidOf(2)).toBe(old?.kid);
    travel(10 * 60_000 + 1_000);
    expect(await kidOf(3)).toBe(made.kid);
    expect((await check(first, "open", { now: null })).ok).toBe(true);
    expect((await admin(`/receipt-keys/${old?.kid}`, { method: "DELETE" })).status).toBe(204);
    expect(await check(first, "open")).toEqual({ ok: false, error: "revokedKey" });
    // It was signed before: as a document it still counts.
    expect((await check(first, "open", { now: null })).ok).toBe(true);
    expect((await admin("/receipt-keys/nothing", { method: "DELETE" })).status).toBe(404);
  });
});
