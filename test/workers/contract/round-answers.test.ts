// What a client of 2026-07-28 answers to a round of its server goes along with its next attempt at
// the call: whoever approves that attempt is shown the answers, and they are what is sent.

import { beforeEach, describe, expect, test } from "vitest";
import { type ReceiptJwk, receiptKey, verifyReceipt } from "../../../client/verify-receipt.ts";
import { stubOf } from "../objects/inside.ts";
import { configure, eventually, gateway, gatewayWith, notices, openNotice, policy, publicUrl, travel } from "../support/gateway.ts";
import { type Upstream, type UpstreamCall, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { decide, pathOf } from "../support/reviewer.ts";
import { StatelessClient, answerWith, formInput, lastOf, responsesTo, roundOf } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const tool = "delete_branch";
const params = { name: tool, arguments: { branch: "main" } };
const own = { selfApproval: true };
const rules = [
  { name: "calls", when: { subject: "toolCall", tool: "delete_*" }, then: { request: "review", response: "allow", ...own } },
  { name: "both", when: { subject: "toolCall", tool: "both_*" }, then: { request: "review", response: "review", ...own } },
];
const options = { capabilities: { elicitation: { form: {} } } };
const accepted = (content: object) => ({ ok: { action: "accept", content } });

let upstream: Upstream;
const sent = () => upstream.calls.filter(({ message }) => message.method === "tools/call");
const done = { resultType: "complete", content: [{ type: "text", text: "deleted" }] };
const answers = (call: UpstreamCall): Response | undefined => {
  const { method, params: given } = call.message;
  if (method === "server/discover")
    return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
  if (method !== "tools/call") return undefined;
  return answerWith(call, given?.["inputResponses"] === undefined ? roundOf({ ok: formInput }, "the state") : done);
};

let tests = 0;
beforeEach(async () => {
  tests += 1;
  travel(tests * 60_000);
  upstream = scriptUpstream();
  upstream.answer = answers;
  await configureServers({ new: { url, protocol: "2026" } });
  await configure("policy", { ...policy, rules });
});

const brief: typeof gateway = (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init);
const patient = (): StatelessClient => new StatelessClient("new");

const seen = new Set<string>();
/** The run of a review that no test has seen yet. */
const opened = (gate = "request"): Promise<string> =>
  eventually("a review", async () => {
    const run = (await notices()).find((each) => each.gate === gate && each.state === "sent" && !seen.has(gate + each.run))?.run;
    if (run !== undefined) seen.add(gate + run);
    return run;
  });
const pageText = async (link: string): Promise<string> => (await gateway(pathOf(link))).text();

/** The server's round, after a first attempt that somebody approved. */
async function asked(call: object = params): Promise<string> {
  const answer = patient().says("tools/call", call, options);
  await decide("request", "approve", await opened());
  return String((await answer).result?.requestState);
}

describe("an attempt that answers its server", () => {
  test("shows the answers on its page, and sends them as they were shown", async () => {
    const requestState = await asked();
    const inputResponses = accepted({ reason: "because of the tidy branch", size: 1e22 });
    const answer = patient().says("tools/call", { ...params, requestState, inputResponses }, options);
    const run = await opened();
    expect(await pageText((await openNotice("request", run)).link)).toContain("because of the tidy branch");
    await decide("request", "approve", run);
    expect((await answer).result?.["content"]).toEqual(done.content);
    expect(sent()).toHaveLength(2);
    expect(responsesTo(sent()[1] as UpstreamCall)).toEqual(inputResponses);
  });

  test("gets no approval of other answers, nor of the call without any", async () => {
    const requestState = await asked();
    const hasty = new StatelessClient("new", { send: brief });
    const say = (inputResponses: object) => hasty.says("tools/call", { ...params, requestState, inputResponses }, options);
    const first = await say(accepted({ reason: "shown" }));
    expect(first.result?.["resultType"]).toBe("input_required");
    const run = await opened();
    await decide("request", "approve", run);
    await eventually("the approval", async () => ((await stubOf(run).snapshot())?.state === "generating" ? true : null));
    const second = await say(accepted({ reason: "never shown" }));
    expect(second.result?.["resultType"]).toBe("input_required");
    await hasty.says("tools/call", params, options);
    // Nor by the state of the first, with other answers beside it.
    const { requestState: waits } = first.result ?? {};
    await hasty.says("tools/call", { ...params, requestState: waits, inputResponses: accepted({ reason: "put in later" }) }, options);
    expect(sent()).toHaveLength(1);
    // Each is a review of its own.
    expect(new Set([run, await opened(), await opened(), await opened()]).size).toBe(4);
    // Its own answers find it, once.
    const last = await patient().says("tools/call", { ...params, requestState: waits }, options);
    expect(last.result?.["content"]).toEqual(done.content);
    expect(sent()).toHaveLength(2);
    expect(responsesTo(sent()[1] as UpstreamCall)).toEqual(accepted({ reason: "shown" }));
  });

  test("is not run again where its result waits: the call gets that, with its answers or without", async () => {
    const requestState = await asked({ ...params, name: "both_read" });
    const hasty = new StatelessClient("new", { send: brief });
    const call = { ...params, name: "both_read" };
    const come = (more: object) => hasty.says("tools/call", { ...call, ...more }, options);
    let waiting = come({ requestState, inputResponses: accepted({}) });
    const run = await opened();
    await decide("request", "approve", run);
    // Where it was told to come back before the approval, it does.
    for (let isSent = false; !isSent;) {
      const { result } = await waiting;
      expect(result?.["resultType"]).toBe("input_required");
      isSent = sent().length === 2;
      if (!isSent) waiting = come({ requestState: result?.requestState });
    }
    await decide("response", "approve", run);
    const again = await patient().says("tools/call", call, options);
    expect(again.result?.["content"]).toEqual(done.content);
    expect(sent()).toHaveLength(2);
  });

  test("is masked as the policy's rules say, on the page and to the server", async () => {
    const redaction = { rules: [{ name: "keys", when: { subject: "toolCall" }, pattern: "sk-[a-z]+" }] };
    await configure("policy", { ...policy, rules, redaction });
    const requestState = await asked();
    const inputResponses = accepted({ key: "sk-abcdef", reason: "kept" });
    const answer = patient().says("tools/call", { ...params, requestState, inputResponses }, options);
    const run = await opened();
    expect(await pageText((await openNotice("request", run)).link)).not.toContain("sk-abcdef");
    await decide("request", "approve", run);
    await answer;
    expect(sent()[1]?.text).not.toContain("sk-abcdef");
    expect(responsesTo(sent()[1] as UpstreamCall)).toEqual(accepted({ key: "[redacted: keys]", reason: "kept" }));
    expect(sent()[1]?.message.params?.["requestState"]).toBe("the state");
  });

  test("has the digests of what its client answers in its receipt", async () => {
    await configureServers({ new: { url, protocol: "2026", receipts: true } });
    const requestState = await asked();
    const answer = patient().says("tools/call", { ...params, requestState, inputResponses: accepted({ reason: "tidy" }) }, options);
    await decide("request", "approve", await opened());
    await answer;
    const receipt = (call: number) => (sent()[call]?.message.params?.["_meta"] as Record<string, unknown> | undefined)?.[receiptKey];
    const { keys } = await (await gateway("/.well-known/jwks.json", { key: null })).json<{ keys: ReceiptJwk[] }>();
    const verdictOn = (got: object, of = 1) =>
      verifyReceipt(receipt(of), { issuer: publicUrl, audience: "new", keys, now: null, request: { method: "tools/call", params: got } });
    const got = sent()[1]?.message.params ?? {};
    expect(await verdictOn(got)).toMatchObject({
      ok: true,
      claims: { mode: "human", request: { inputResponses: { ok: expect.any(String) } } },
    });
    expect(await verdictOn({ ...got, inputResponses: accepted({ reason: "other" }) })).toEqual({ ok: false, error: "otherRequest" });
    expect(await verdictOn(params)).toEqual({ ok: false, error: "otherRequest" });
    expect(await verdictOn(params, 0)).not.toHaveProperty("claims.request.inputResponses");
  });

  test("is refused where two readers could see two answers in it", async () => {
    const meta = JSON.stringify({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    });
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool };
    for (const responses of ['{"ok":{"action":"decline"},"ok":{"action":"accept"}}', '{"ok":{"content":{"a":1,"a":2}}}', '["ok"]']) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{},"inputResponses":${responses},"_meta":${meta}}}`;
      expect([responses, await lastOf(await patient().post(body, headers))]).toEqual([
        responses,
        expect.objectContaining({ error: expect.anything() }),
      ]);
    }
    expect(sent()).toHaveLength(0);
  });
});
