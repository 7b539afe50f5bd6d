// A client's `tools/call` at the relay, where the policy wants a person before it: in each pair of
// families, request by request. What the server gets, and what the client is told.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { RequestRef } from "../../../shared/run/run-input.ts";
import { stopStub } from "../../../workers/stubs/stubs.ts";
import { asObject, kindsOf, quiet, recordOf, recordWith, ringAlarm, ringNextAlarm, stubOf, tablesOf } from "../objects/inside.ts";
import { reasonMarker } from "../support/logs.ts";
import {
  type Notice,
  admin,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  gatewayWith,
  notices,
  openNotice,
  policy,
  travel,
} from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  type UpstreamCall,
  configureServers,
  eventFor,
  openStream,
  scriptUpstream,
  streamOf,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { recordLines } from "../support/record.ts";
import { decide } from "../support/reviewer.ts";
import { StatelessClient, answerWith, formInput, lastOf, messagesOf, resultFor, roundOf } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const tool = "delete_branch";
const given = { branch: "main", force: true };
const editPath = "edit:/arguments";

/** The development key has no owner, who would be barred. */
const own = { selfApproval: true };
const rules = [
  { name: "calls", when: { subject: "toolCall", tool: "delete_*" }, then: { request: "review", response: "allow", ...own } },
  { name: "told", when: { subject: "toolCall", tool: "tell_*" }, then: { request: "review", response: "allow", tellReason: true, ...own } },
  { name: "results", when: { subject: "toolCall", tool: "read_*" }, then: { request: "allow", response: "review", ...own } },
  { name: "both", when: { subject: "toolCall", tool: "both_*" }, then: { request: "review", response: "review", ...own } },
  { name: "never", when: { subject: "toolCall", tool: "drop_*" }, then: { request: "refuse", response: "allow" } },
  { name: "named", when: { subject: "toolCall", tool: "list_*" }, then: { request: "allow", response: "allow", ...own } },
];

type Result = {
  readonly content?: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
  readonly resultType?: string;
  readonly requestState?: string;
};
type Answer = { readonly id?: unknown; readonly result?: Result; readonly error?: { readonly code: number; readonly message: string } };
type Call = { readonly name?: string; readonly arguments?: object };

let upstream: Upstream;
/** The tools' calls that the server got. */
const sent = () => upstream.calls.filter(({ message }) => message.method === "tools/call");
const argumentsAt = (index: number): unknown => sent()[index]?.message.params?.["arguments"];
const done = { resultType: "complete", content: [{ type: "text", text: "deleted" }] };

let tests = 0;
beforeEach(async () => {
  // Later than the test before: what this isolate was told of stops in it counts no longer.
  tests += 1;
  travel(tests * 60_000);
  upstream = scriptUpstream();
  upstream.answer = (call) => {
    if (call.message.method === "server/discover" && call.headers.get("MCP-Protocol-Version") === "2026-07-28")
      return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    return call.message.method === "tools/call" ? answerWith(call, done) : undefined;
  };
  await configureServers({ old: { url }, new: { url, protocol: "2026" } });
  await configure("policy", { ...policy, rules });
});

type Send = typeof gateway;
const brief: Send = (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init);

/** One client of each family, at one server of each. */
type Cell = {
  /** The response to one call, once it is there. */
  readonly call: (call?: Call, options?: { send?: Send; key?: string; id?: string | number }) => Promise<Answer>;
};

/** Answers each call so, and everything else as before. */
function scriptCalls(answer: (call: UpstreamCall) => Response): void {
  const before = upstream.answer;
  upstream.answer = (call) => (call.message.method === "tools/call" ? answer(call) : before(call));
}
const unanswered = (): Response => {
  throw new Error("connection reset");
};

let ids = 0;
const session = (server: string): Cell => ({
  call: async (call = {}, { send, key, id = `s${(ids += 1)}` } = {}) => {
    const client = new RelayClient(server, { ...(send === undefined ? {} : { send }), ...(key === undefined ? {} : { key }) });
    await client.connect();
    return (await lastOf(await client.request(id, "tools/call", { name: tool, arguments: given, ...call }))) as Answer;
  },
});
const stateless = (server: string): Cell => ({
  call: async (call = {}, { send, key, id = `c${(ids += 1)}` } = {}) => {
    const client = new StatelessClient(server, { ...(send === undefined ? {} : { send }), ...(key === undefined ? {} : { key }) });
    return (await client.says("tools/call", { name: tool, arguments: given, ...call }, { id })) as Answer;
  },
});
const cells: readonly (readonly [string, Cell])[] = [
  ["2025 at 2025", session("old")],
  ["2025 at 2026", session("new")],
  ["2026 at 2025", stateless("old")],
  ["2026 at 2026", stateless("new")],
];
const [[, plain]] = cells as [[string, Cell]];

const textOf = ({ result }: Answer): string => result?.content?.map(({ text }) => text).join("\n") ?? "";
/**
 * It is told to call again: in words for a model, or in 2026-07-28 by a state that its client sends
 * back.
 */
const isWaiting = ({ result }: Answer): boolean =>
  result?.resultType === "input_required" ? typeof result.requestState === "string" : result?._meta?.["countersign/call"] === "waiting";
const opened = (): Promise<Notice> => openNotice("request");
const stop = async (path: string): Promise<void> => expect((await admin(`/stops/${path}`, { method: "PUT" })).status).toBe(204);
const resume = async (path: string): Promise<void> => expect((await admin(`/stops/${path}`, { method: "DELETE" })).status).toBe(204);

describe.each(cells)("a client of %s", (_name, cell) => {
  test("gets the result of an approved call, and the server the very call", async () => {
    const answer = cell.call();
    const { run } = await opened();
    expect(sent()).toHaveLength(0);
    await decide("request", "approve");
    expect((await answer).result?.content).toEqual(done.content);
    expect(sent()).toHaveLength(1);
    expect(argumentsAt(0)).toEqual(given);
    const kinds = (await recordWith(run, "finished")).map(({ fact }) => fact.kind).filter((kind) => !["noticed", "opened"].includes(kind));
    expect(kinds).toEqual(["received", "reviewOpened", "approved", "called", "answered", "finished"]);
  });

  test("runs what a reviewer made of it, and is told so", async () => {
    const answer = cell.call();
    await opened();
    await decide("request", "approve", undefined, (fields) => fields.set(editPath, '{"branch":"main","force":false}'));
    const said = await answer;
    expect(argumentsAt(0)).toEqual({ branch: "main", force: false });
    expect(textOf(said)).toBe("deleted\nA reviewer changed the arguments of this call: `force` from true to false. This is what ran.");
    expect(said.result?._meta).toMatchObject({ "countersign/edited": { arguments: { branch: "main", force: false } } });
  });

  test("is told that a person declined, and nothing is sent", async () => {
    const answer = cell.call();
    await opened();
    await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
    const said = await answer;
    expect(said.result?.isError).toBe(true);
    expect(textOf(said)).toBe("A person declined this call. It was not run.");
    expect(sent()).toHaveLength(0);
  });

  test("hears the reason where the policy tells it", async () => {
    const answer = cell.call({ name: "tell_all" });
    await opened();
    await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
    expect(textOf(await answer)).toContain(reasonMarker);
    expect(sent()).toHaveLength(0);
  });

  test("is told that its call waits, and the same call gets the result once", async () => {
    const waits = await cell.call({}, { send: brief });
    const { run } = await opened();
    if (isWaiting(waits) && waits.result?.resultType === undefined)
      expect(waits.result?._meta).toMatchObject({ "countersign/call": "waiting", "countersign/run": { id: run } });
    await decide("request", "approve");
    await eventually("the approval", async () => ((await stubOf(run).snapshot())?.state === "generating" ? true : null));
    expect(sent()).toHaveLength(0);
    expect(textOf(await cell.call())).toBe("deleted");
    expect(sent()).toHaveLength(1);
    // The decision is used up: the same call asks anew.
    expect(isWaiting(await cell.call({}, { send: brief }))).toBe(true);
    await eventually("a review of its own", async () => (await notices()).some((each) => each.gate === "request" && each.run !== run));
    expect(sent()).toHaveLength(1);
  });

  test.each<[string, (call: UpstreamCall) => Response]>([
    ["breaks before the server answers", unanswered],
    ["ends in the middle of the answer", () => streamOf(": more to come\n\n")],
  ])("is told that the outcome is unknown where the connection %s", async (_what, broken) => {
    scriptCalls(broken);
    const answer = cell.call();
    const { run } = await decide("request", "approve");
    expect(textOf(await answer)).toContain("it may have run or not");
    const failed = (await recordWith(run, "finished")).find(({ fact }) => fact.kind === "callFailed");
    expect(JSON.stringify(failed)).toContain("outcomeUnknown");
    expect(sent()).toHaveLength(1);
  });

  test("gets the server's own error as it is, also in the words of the gateway", async () => {
    const message = "The MCP server cannot be reached";
    scriptCalls(({ message: { id } }) => Response.json({ jsonrpc: "2.0", id, error: { code: -32_603, message } }));
    const answer = cell.call();
    const { run } = await decide("request", "approve");
    expect((await answer).error?.message).toBe(message);
    expect(JSON.stringify(await recordWith(run, "finished"))).not.toContain("outcomeUnknown");
  });

  test("is told no by a rule, and nothing is sent", async () => {
    const said = await cell.call({ name: "drop_table" });
    expect(said.result?.isError).toBe(true);
    expect(textOf(said)).toContain("policy does not allow");
    expect(sent()).toHaveLength(0);
  });

  test("calls what a rule allows at once, with a line in the record; and what no rule names without one", async () => {
    expect(textOf(await cell.call({ name: "list_branches" }))).toBe("deleted");
    expect(textOf(await cell.call({ name: "other" }))).toBe("deleted");
    expect(sent()).toHaveLength(2);
    const lines = await eventually("the line", async () => {
      const found = (await recordLines()).filter(({ fact }) => fact.kind === "received");
      return found.length > 0 ? found : null;
    });
    expect(lines.map(({ fact }) => (fact as { name?: string }).name)).toEqual(["list_branches"]);
  });

  test("calls nothing once an operator stopped its server, whatever the rules say, and everything after that", async () => {
    await Promise.all([stop("servers/old"), stop("servers/new")]);
    for (const name of [tool, "list_branches", "read_secret", "other"]) {
      const said = await cell.call({ name });
      expect(said.result).toMatchObject({ isError: true, _meta: { "countersign/call": "refused" } });
      expect(textOf(said)).toContain("An operator has stopped calls like this one. It was not run");
    }
    expect(sent()).toHaveLength(0);
    expect(await notices()).toEqual([]);
    const facts = await eventually("the lines", async () => {
      const found = (await recordLines()).map(({ fact }) => fact).filter(({ kind }) => kind === "refused");
      return found.length === 4 ? found : null;
    });
    expect(facts).toContainEqual(expect.objectContaining({ name: "other", reason: expect.objectContaining({ kind: "stopped" }) }));
    for (const server of ["old", "new"]) await resume(`servers/${server}`);
    travel(2_000);
    expect(textOf(await cell.call({ name: "other" }))).toBe("deleted");
  });

  test("is asked nothing by a rule in shadow, and the record has what it would have done", async () => {
    const rule = (name: string, then: object): object => ({
      name,
      when: { subject: "toolCall", tool: `${name}_*` },
      then: { shadow: true, response: "allow", ...own, ...then },
    });
    const acts = {
      refuse: { request: "refuse" },
      review: { request: "review" },
      confirm: { request: "confirm" },
      result: { response: "review" },
    };
    await configure("policy", { ...policy, rules: Object.entries(acts).map(([name, then]) => rule(name, then)) });
    const names = Object.keys(acts).map((name) => `${name}_it`);
    for (const name of names) expect(textOf(await cell.call({ name, arguments: given }))).toBe("deleted");
    expect(sent().map(({ message }) => message.params?.["name"])).toEqual(names);
    expect(await notices()).toEqual([]);
    const facts = await eventually("a line of each", async () => {
      const found = (await recordLines()).map(({ fact }) => fact).filter(({ kind }) => kind === "received");
      return found.length === names.length ? found : null;
    });
    const would = { refuse: ["refuse", "allow"], review: ["review", "allow"], confirm: ["refuse", "allow"], result: ["review", "review"] };
    for (const [name, [request, response]] of Object.entries(would))
      expect(facts).toContainEqual(
        expect.objectContaining({
          name: `${name}_it`,
          rule: "default",
          requestGate: "allow",
          shadow: expect.objectContaining({ rule: name, request, response }),
        }),
      );
  });

  test("gets a result only after its review, and as it was reviewed", async () => {
    const answer = cell.call({ name: "read_secret" });
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "all fine"));
    expect(textOf(await answer)).toBe("all fine");
    expect(sent()).toHaveLength(1);
  });

  test("gets no result that was declined", async () => {
    const answer = cell.call({ name: "read_secret" });
    await decide("response", "deny");
    expect(textOf(await answer)).toContain("declined to release its result");
    expect(sent()).toHaveLength(1);
  });

  test("gets the reviewed result by the same call, where it did not wait, and the tool ran once", async () => {
    // On a busy machine it may be told to call again before its call was sent.
    do expect(isWaiting(await cell.call({ name: "read_secret" }, { send: brief }))).toBe(true);
    while (sent().length === 0);
    await decide("response", "approve");
    expect(textOf(await cell.call({ name: "read_secret" }))).toBe("deleted");
    expect(sent()).toHaveLength(1);
  });
});

/** A client in a session of its own, at the server with sessions. */
async function connected(server = "old", options: ConstructorParameters<typeof RelayClient>[1] = {}): Promise<RelayClient> {
  const client = new RelayClient(server, options);
  await client.connect();
  return client;
}

const ask = (client: RelayClient, id: string | number = 1, params: Call & { readonly task?: object } = {}): Promise<Response> =>
  client.request(id, "tools/call", { name: tool, arguments: given, ...params });
const answerTo = async (response: Promise<Response> | Response): Promise<Answer> => (await lastOf(await response)) as Answer;
const refsOf = (run: string): Promise<RequestRef[]> => tablesOf(stubOf(run)).then(({ refs = [] }) => refs as RequestRef[]); // written by RunStore
const unknownRef: RequestRef = { session: null, originating: "", request: "" };

const ended = (run: string): Promise<string> =>
  eventually("the end", async () => {
    const snapshot = await stubOf(run).snapshot();
    return snapshot?.outcome == null ? null : snapshot.state;
  });
/** Approves a call for which nobody waits. */
async function approvedAlone(cell: Cell = plain): Promise<string> {
  await cell.call({}, { send: brief });
  const { run } = await decide("request", "approve");
  await eventually("the approval", async () => ((await stubOf(run).snapshot())?.state === "generating" ? true : null));
  return run;
}

describe("what the server gets", () => {
  test("the bytes as they came, where nobody edited the call", async () => {
    const client = await connected();
    const body = `{ "id": 7,  "jsonrpc":"2.0","method":"tools/call" , "params":{"arguments":{ "n": 1.0, "id": 12345678901234567890, "b":"\\u00e9" , "a": 1e2 },"name":"${tool}","_meta":{"x":[1,2]}}}`;
    const answer = client.send({ body });
    await opened();
    await decide("request", "approve");
    expect((await answerTo(answer)).id).toBe(7);
    expect(sent().map(({ text }) => text)).toEqual([body]);
  });

  test("other arguments where a reviewer edited them, and every other byte as it came", async () => {
    const client = await connected();
    const body = (given: string): string =>
      `{ "id": 7, "jsonrpc":"2.0","method":"tools/call" , "params":{ "arguments":${given},"name":"${tool}","_meta":{"n":1.0}}}`;
    const answer = client.send({ body: body('{ "n": 1.0 }') });
    await opened();
    await decide("request", "approve", undefined, (fields) => fields.set(editPath, '{"n":2}'));
    await answerTo(answer);
    expect(sent().map(({ text }) => text)).toEqual([body('{"n":2}')]);
  });

  test("nothing that a reviewer would be shown as another call", async () => {
    const client = await connected();
    const call = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    for (const params of [
      `{"name":"${tool}","arguments":{"a":1,"a":2}}`,
      `{"name":"${tool}","arguments":{"n":1e999}}`,
      `{"name":"${tool}","arguments":{"__proto__":1}}`,
      `{"name":"${tool}","arguments":"all"}`,
      `{"name":["${tool}"],"arguments":{}}`,
      `{"name":"${tool}","name":"other","arguments":{}}`,
      `{"name":"${tool}","arguments":{"a":1},"arguments":{"a":2}}`,
      `{"name":"${tool}","Arguments":{"a":1}}`,
      `["${tool}"]`,
    ])
      expect([params, (await answerTo(client.send({ body: call(params) }))).error]).toEqual([params, expect.anything()]);
    for (const message of [
      { jsonrpc: "2.0", method: "tools/call", params: { name: tool } },
      { jsonrpc: "2.0", id: null, method: "tools/call", params: { name: tool } },
      { jsonrpc: "2.0", id: { a: 1 }, method: "tools/call", params: { name: tool } },
    ])
      expect((await client.post(message)).status).toBe(400);
    expect(sent()).toHaveLength(0);
    expect(await notices()).toEqual([]);
  });

  test("no call that hides in a batch, and no other message of it", async () => {
    const client = await connected();
    const call = (id: number, name: string): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } });
    const before = upstream.calls.length;
    for (const batch of [
      [call(1, "other"), call(2, tool)],
      [call(1, tool)],
      [call(1, "drop_all"), { jsonrpc: "2.0", id: 2, method: "ping" }],
    ]) {
      const answer = await client.post(batch);
      const said = await answer.json<Answer[]>();
      expect(answer.status).toBe(400);
      expect(said.map(({ error }) => error?.message)).toEqual(batch.map(() => expect.stringContaining("nothing of the batch was sent")));
    }
    expect(upstream.calls).toHaveLength(before);
    await client.post([call(1, "other")]);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  test("no batch with a call that two readers could read as two", async () => {
    const client = await connected();
    const before = upstream.calls.length;
    const batch = `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{"usd":1000000,"usd":1}}}]`;
    expect((await client.send({ body: batch })).status).toBe(400);
    expect(upstream.calls).toHaveLength(before);
  });
});

describe("nothing is sent", () => {
  test("after the review's deadline, and the client is not told that somebody declined", async () => {
    const answer = plain.call();
    const { run } = await opened();
    travel(601_000);
    await ringNextAlarm(stubOf(run));
    const said = textOf(await answer);
    expect(said).toContain("Nobody decided about this call in time");
    expect(said).not.toMatch(/declin|den/);
    expect(sent()).toHaveLength(0);
  });

  test("by an approval that nobody came for in time", async () => {
    const run = await approvedAlone();
    travel(601_000);
    await ringNextAlarm(stubOf(run));
    expect((await recordWith(run, "cancelled")).map(({ fact }) => fact)).toContainEqual({ kind: "cancelled", cause: "caller" });
    expect(textOf(await plain.call({}, { send: brief }))).toContain("has not run yet");
    expect(sent()).toHaveLength(0);
  });

  test("once its client cancelled the request", async () => {
    const client = await connected();
    const answer = ask(client, "cancelled");
    const { run } = await opened();
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "cancelled" } };
    expect((await client.post(cancel)).status).toBe(202);
    expect(await ended(run)).toBe("cancelled");
    expect(textOf(await answerTo(answer))).toContain("withdrawn");
    expect(sent()).toHaveLength(0);
  });

  test("once its client cancelled the request beside another call, in a batch", async () => {
    const client = await connected();
    const answer = ask(client, "batched");
    const { run } = await opened();
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "batched" } };
    await client.post([cancel, { jsonrpc: "2.0", id: "b", method: "tools/call", params: { name: "other", arguments: {} } }]);
    expect(await ended(run)).toBe("cancelled");
    expect(textOf(await answerTo(answer))).toContain("withdrawn");
    const called = upstream.calls.filter(({ text }) => text.includes('"tools/call"'));
    expect(called.map(({ text }) => [text.includes('"other"'), text.includes(tool)])).toEqual([[true, false]]);
  });

  test("once its client cancelled the request, also where no rule is about calls any more", async () => {
    const client = await connected();
    const answer = ask(client, "unruled");
    const { run } = await opened();
    await configure("policy", { ...policy, rules: [] });
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "unruled" } });
    expect(await ended(run)).toBe("cancelled");
    expect(textOf(await answerTo(answer))).toContain("withdrawn");
    expect(sent()).toHaveLength(0);
  });

  test("once the client of the last of two same calls cancelled it", async () => {
    const client = await connected();
    expect(textOf(await plain.call({}, { send: brief }))).toContain("has not run yet");
    const { run } = await opened();
    const answer = ask(client, "last");
    await eventually("the second call", async () => ((await refsOf(run)).length === 2 ? true : null));
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "last" } });
    expect(await ended(run)).toBe("cancelled");
    expect(textOf(await answerTo(answer))).toContain("withdrawn");
    expect(sent()).toHaveLength(0);
  });

  /**
   * The gateway, where this happens between the claim of an approval and the sending of its call.
   */
  const meanwhile =
    (work: () => Promise<unknown>): Send =>
    (path, init) => {
      const getByName = (name: string) => {
        const stub = env.TOOL_DEFINITIONS.getByName(name);
        const used = (...given: Parameters<typeof stub.used>) => work().then(() => stub.used(...given));
        return { used, status: (...given: Parameters<typeof stub.status>) => stub.status(...given) };
      };
      return gatewayWith({ TOOL_DEFINITIONS: new Proxy(env.TOOL_DEFINITIONS, { get: () => getByName }) }, path, init);
    };
  const failedIn = async (run: string) =>
    eventually("that it was not sent", async () => (await recordOf(run)).find(({ fact }) => fact.kind === "callFailed")?.fact);
  const notSent = { attempts: [expect.objectContaining({ fault: expect.objectContaining({ detail: "cancelled" }) })] };

  test("once its client cancelled the request, also where its approval was claimed a moment before", async () => {
    await configureServers({ pinned: { url, pin: "warn" } });
    const client = await connected("pinned");
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "claimed" } };
    const racing = new RelayClient("pinned", { send: meanwhile(() => client.post(cancel)) });
    racing.session = client.session;
    const answer = ask(racing, "claimed");
    const { run } = await opened();
    await decide("request", "approve");
    expect(textOf(await answerTo(answer))).toContain("withdrawn");
    expect(await ended(run)).toBe("cancelled");
    expect(await failedIn(run)).toMatchObject(notSent);
    expect(sent()).toHaveLength(0);
  });

  test("where its client left in that moment, and the same call gets the approval", async () => {
    await configureServers({ pinned: { url, pin: "warn" } });
    const client = await connected("pinned");
    const leaving = new AbortController();
    const racing = new RelayClient("pinned", { send: meanwhile(async () => leaving.abort()) });
    racing.session = client.session;
    const body = JSON.stringify({ jsonrpc: "2.0", id: "left", method: "tools/call", params: { name: tool, arguments: given } });
    const answer = racing.send({ body, signal: leaving.signal }).then((response) => response.text());
    answer.catch(() => {});
    const { run } = await opened();
    await decide("request", "approve");
    expect(await failedIn(run)).toMatchObject(notSent);
    expect(sent()).toHaveLength(0);
    expect(textOf(await answerTo(ask(client, "again")))).toBe("deleted");
    expect(sent()).toHaveLength(1);
  });

  test.each([
    "McpError: MCP error -32001: Request timed out",
    "TimeoutError: The operation was aborted due to timeout",
    "context deadline exceeded",
  ])("but not where its client says that it timed out (%s): it comes back, and gets the approval", async (reason) => {
    const client = await connected();
    const left = await ask(client, "slow");
    const { run } = await opened();
    const refs = await refsOf(run);
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow", reason } });
    // Its stream was still open, and nothing is sent for it.
    expect(await left.text()).not.toContain("result");
    await decide("request", "approve");
    await eventually("the approval", async () => ((await stubOf(run).snapshot())?.state === "generating" ? true : null));
    for (const ref of refs) expect(await stubOf(run).claim(ref)).toBe('{"kind":"taken"}');
    expect(refs).toHaveLength(1);
    expect(sent()).toHaveLength(0);
    expect(textOf(await answerTo(ask(client, "again")))).toBe("deleted");
    expect(sent()).toHaveLength(1);
    expect(kindsOf(await recordOf(run))).toContain("requestorLeft");
  });

  test("but not by a timeout of its client: a denial is told once it comes back", async () => {
    const client = await connected();
    const left = await ask(client, "slow");
    await opened();
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "slow", reason: "Request timed out" } });
    await left.text();
    await decide("request", "deny");
    expect(textOf(await answerTo(ask(client, "again")))).toContain("A person declined this call");
    expect(sent()).toHaveLength(0);
  });

  test("once its session has ended", async () => {
    const client = await connected();
    void ask(client).catch(() => {});
    const { run } = await opened();
    expect((await client.send({ method: "DELETE" })).status).toBe(200);
    expect(await ended(run)).toBe("cancelled");
    expect(sent()).toHaveLength(0);
  });

  test("of a tool that changed while people decided", async () => {
    let description = "Deletes a branch.";
    const { answer: plainAnswer } = upstream;
    upstream.answer = (call) =>
      call.message.method === "tools/list"
        ? Response.json(resultFor(call, { tools: [{ name: tool, description, inputSchema: { type: "object" } }] }))
        : plainAnswer(call);
    await configureServers({ pinned: { url, pin: "hold" } });
    const client = await connected("pinned");
    await (await client.request("l1", "tools/list")).text();
    const answer = ask(client);
    await opened();
    description = "Deletes every branch.";
    await (await client.request("l2", "tools/list")).text();
    await decide("request", "approve");
    expect((await answerTo(answer)).error?.message).toContain("Unknown tool");
    expect(sent()).toHaveLength(0);
  });

  test("once its key was revoked, also where the call is approved", async () => {
    const made = await createKey();
    const waits = await plain.call({}, { send: brief, key: made.key });
    expect(textOf(waits)).toContain("has not run yet");
    const { run } = await decide("request", "approve");
    await eventually("the approval", async () => ((await stubOf(run).snapshot())?.state === "generating" ? true : null));
    await admin(`/keys/${made.id}`, { method: "DELETE" });
    const ref = { session: null, originating: "", request: "" };
    expect(await stubOf(run).claim(ref)).toBe('{"kind":"ended"}');
    expect(sent()).toHaveLength(0);
  });

  test.each(["everything", "servers/old"])("once an operator stopped %s, also where the call is approved", async (what) => {
    const run = await approvedAlone();
    expect((await admin(`/stops/${what}`, { method: "PUT" })).status).toBe(204);
    expect(await stubOf(run).claim({ session: null, originating: "", request: "" })).toBe('{"kind":"ended"}');
    const said = await plain.call();
    expect(textOf(said)).toContain("An operator has stopped calls");
    await ringAlarm(asObject(stopStub(env, 0)));
    expect(await ended(run)).toBe("cancelled");
    expect(sent()).toHaveLength(0);
    expect((await admin(`/stops/${what}`, { method: "DELETE" })).status).toBe(204);
  });
});

describe("what an operator stopped, and no rule is about", () => {
  const call = (name: string, more: object = {}): object => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name }, ...more });
  beforeEach(() => configure("policy", { ...policy, rules: [] }));

  test("is not sent many at once, in a batch, as a notification or as a task; what is no call passes", async () => {
    const client = await connected();
    await stop("everything");
    const before = upstream.calls.length;
    const texts = await Promise.all(Array.from({ length: 30 }, async (_, at) => textOf(await answerTo(ask(client, `at once ${at}`)))));
    expect(new Set(texts)).toEqual(new Set([expect.stringContaining("An operator has stopped calls")]));
    const batch = (await (await client.post([call("other"), { jsonrpc: "2.0", id: 2, method: "ping" }])).json()) as Answer[];
    expect(batch.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, -1],
      [2, -1],
    ]);
    await client.post({ ...call("other"), id: undefined });
    await client.post(call("other", { id: { a: 1 } }));
    expect((await answerTo(ask(client, 3, { name: "other", task: {} }))).error?.message).toContain("An operator has stopped calls");
    expect(upstream.calls).toHaveLength(before);
    expect((await client.post({ jsonrpc: "2.0", id: 4, method: "ping" })).status).toBe(200);
    expect(upstream.calls).toHaveLength(before + 1);
  });

  test("is for nothing else", async () => {
    await Promise.all(["servers/new", "keys/dev"].map(stop));
    const { key } = await createKey();
    expect(textOf(await plain.call({ name: "other" }, { key }))).toBe("deleted");
    expect(textOf(await plain.call({ name: "other" }))).toContain("An operator has stopped calls");
    expect(sent()).toHaveLength(1);
  });

  test("is every key's at a server that was stopped", async () => {
    await stop("servers/old");
    const { key } = await createKey();
    expect(textOf(await plain.call({ name: "other" }, { key }))).toContain("An operator has stopped calls");
    expect(sent()).toHaveLength(0);
  });

  test("is asked for once in a while, and not at each call", async () => {
    const asked = vi.spyOn(env.STOP, "getByName");
    const client = await connected();
    // No time passes.
    const now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now);
    for (let at = 0; at < 20; at += 1) expect(textOf(await answerTo(ask(client, at, { name: "other" })))).toBe("deleted");
    expect(asked.mock.calls).toHaveLength(1);
  });

  test("is not sent where that cannot be found out", async () => {
    const failing = new Proxy(env.STOP, { get: () => () => ({ stops: () => Promise.reject(new Error("no")) }) });
    const client = await connected("old", { send: (path, init) => gatewayWith({ STOP: failing }, path, init) });
    expect((await answerTo(ask(client, 1, { name: "other" }))).error?.code).toBe(-32_603);
    expect(sent()).toHaveLength(0);
  });
});

describe("one approval is one call", () => {
  test("of two that make the same call at once, the later one gets it", async () => {
    const first = ask(await connected());
    const { run } = await opened();
    const second = ask(await connected());
    await eventually("the second", async () => kindsOf(await recordOf(run)).includes("adopted"));
    await decide("request", "approve");
    const answers = await Promise.all([answerTo(first), answerTo(second)]);
    expect(answers.map(textOf)).toEqual([expect.stringContaining("the second one got the approval"), "deleted"]);
    expect(sent()).toHaveLength(1);
  });

  test.each<[string, (key: string) => Promise<Answer>]>([
    ["another key", (key) => plain.call({}, { send: brief, key })],
    ["other arguments", () => plain.call({ arguments: { ...given, force: false } }, { send: brief })],
    ["another tool", () => plain.call({ name: "delete_tag" }, { send: brief })],
    ["another server", () => session("new").call({}, { send: brief })],
  ])("%s asks anew", async (_what, call) => {
    const run = await approvedAlone();
    const { key } = await createKey();
    expect(textOf(await call(key))).toContain("has not run yet");
    await eventually("a review of its own", async () => new Set((await notices()).map((each) => each.run)).size === 2);
    expect((await stubOf(run).snapshot())?.state).toBe("generating");
    expect(sent()).toHaveLength(0);
  });

  test("another user's credential for the server asks anew", async () => {
    await configureServers({ old: { url, passAuthorization: true } });
    const as = async (user: string, send = brief): Promise<Answer> => {
      const headers = { Authorization: `Bearer ${user}`, "X-Countersign-Key": env.DEV_API_KEY ?? "" };
      const client = await connected("old", { key: null, headers, send });
      return answerTo(ask(client));
    };
    expect(textOf(await as("ann"))).toContain("has not run yet");
    const { run } = await decide("request", "approve");
    await eventually("the approval", async () => ((await stubOf(run).snapshot())?.state === "generating" ? true : null));
    expect(textOf(await as("bob"))).toContain("has not run yet");
    expect(sent()).toHaveLength(0);
    expect(textOf(await as("ann", gateway))).toBe("deleted");
    expect(sent()).toHaveLength(1);
  });

  test("a policy that asks others asks anew", async () => {
    const run = await approvedAlone();
    const asks = { request: "review", response: "allow", reviewers: ["others"], ...own };
    await configure("policy", {
      ...policy,
      rules: [{ name: "calls", when: { subject: "toolCall" }, then: asks }],
      reviewers: { ...policy.reviewers, others: [{ name: "Grace" }] },
    });
    expect(textOf(await plain.call({}, { send: brief }))).toContain("has not run yet");
    expect((await openNotice("request")).run).not.toBe(run);
    expect(sent()).toHaveLength(0);
  });

  test("an answer that is lost is said to be unknown, in the record too, and the call is not sent again", async () => {
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    const answer = plain.call();
    const { run } = await opened();
    await decide("request", "approve");
    await eventually("the call", async () => (sent().length > 0 ? true : null));
    stream.breakOff();
    expect(textOf(await answer)).toContain("it may have run or not");
    const failed = (await recordWith(run, "finished")).find(({ fact }) => fact.kind === "callFailed");
    expect(JSON.stringify(failed)).toContain("outcomeUnknown");
    expect(sent()).toHaveLength(1);
    expect(textOf(await plain.call({}, { send: brief }))).toContain("has not run yet");
    expect(sent()).toHaveLength(1);
  });

  test("a client that leaves while its call runs leaves an unknown outcome, and the call is not sent again", async () => {
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    const answer = await ask(await connected());
    const { run } = await decide("request", "approve");
    await eventually("the call", async () => (sent().length > 0 ? true : null));
    await answer.body?.cancel();
    const failed = (await recordWith(run, "finished")).find(({ fact }) => fact.kind === "callFailed");
    expect(JSON.stringify(failed)).toContain("outcomeUnknown");
    await quiet(run);
    expect(textOf(await plain.call())).toContain("it may have run or not");
    expect(sent()).toHaveLength(1);
  });

  test("a call that its server had when the gateway ended is unknown to a client that calls again at once, and nobody is asked again", async () => {
    const run = await approvedAlone();
    // As its caller does, which is gone before the server answers.
    const [ref] = await refsOf(run);
    expect(await stubOf(run).claim(ref ?? unknownRef)).toContain('"kind":"claimed"');
    expect(textOf(await plain.call())).toContain("it may have run or not");
    expect((await notices()).every((each) => each.run === run)).toBe(true);
    expect(sent()).toHaveLength(0);
  });

  test("a call whose caller is gone, and does not come back, is unknown after a grace", async () => {
    const run = await approvedAlone();
    // As its caller does, which is gone before it reports what came of the call.
    const [ref] = await refsOf(run);
    expect(await stubOf(run).claim(ref ?? unknownRef)).toContain('"kind":"claimed"');
    travel(10_000);
    await ringAlarm(stubOf(run));
    expect(await ended(run)).toBe("failed");
    const failed = (await recordWith(run, "finished")).find(({ fact }) => fact.kind === "callFailed");
    expect(JSON.stringify(failed)).toContain("outcomeUnknown");
    expect(sent()).toHaveLength(0);
  });

  test("what was exchanged after its approval is not sent", async () => {
    const run = await approvedAlone();
    await runInDurableObject(stubOf(run), (_, { storage }) => {
      storage.sql.exec("UPDATE content SET text = replace(text, 'main', 'prod') WHERE name = 'request:1'");
    });
    await evictDurableObject(stubOf(run));
    await plain.call({}, { send: brief });
    expect(sent()).toHaveLength(0);
  });

  test("a denial that nobody heard is told to the same call, and nobody is asked again", async () => {
    await plain.call({}, { send: brief });
    const { run } = await decide("request", "deny");
    await ended(run);
    expect(textOf(await plain.call())).toContain("A person declined this call");
    expect((await notices()).every((each) => each.run === run)).toBe(true);
    expect(sent()).toHaveLength(0);
  });
});

describe("the server's answer", () => {
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "t", progress: 1 } };

  test("as a stream passes as it came, once the call is approved", async () => {
    const late = eventFor({ jsonrpc: "2.0", id: 1, result: done }, "event-2");
    upstream.answer = ({ message }) => (message.method === "tools/call" ? streamOf(eventFor(progress, "event-1"), late) : undefined);
    const answer = ask(await connected());
    await opened();
    await decide("request", "approve");
    const text = await (await answer).text();
    expect(text).toContain(`event: message\ndata: ${JSON.stringify(progress)}\n\n`);
    expect(text.match(/^id: /gm)).toHaveLength(2);
    expect(text.endsWith(late.slice(late.indexOf("event:")))).toBe(true);
  });

  test("that is reviewed reaches the client by no other way: no event id, no second copy, no hidden one", async () => {
    scriptCalls(({ message: { id } }) => {
      const secret = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "the secret" }] } };
      const hidden = `: x\u2028data: ${JSON.stringify(secret)}\u2028\u2028\n\n`;
      const asRequest = eventFor({ ...secret, id: 9, method: "ping" }, "event-1");
      return streamOf(eventFor(progress, "event-0"), hidden, asRequest, eventFor(secret, "event-2"), eventFor(secret));
    });
    const answer = ask(await connected(), 1, { name: "read_secret" });
    await decide("response", "deny");
    const text = await (await answer).text();
    expect(text).toContain(JSON.stringify(progress));
    expect(text).not.toMatch(/the secret|^id:/m);
    expect(text).toContain("declined to release its result");
  });

  describe("that is reviewed reaches the client by no other request", () => {
    const secret = (id: unknown) => ({ jsonrpc: "2.0", id, result: { ...done, content: [{ type: "text", text: "the secret" }] } });
    const asJson = (...messages: readonly object[]): Response => Response.json(messages.length === 1 ? messages[0] : messages);
    const asEvents = (...messages: readonly object[]): Response => streamOf(...messages.map((each) => eventFor(each)));

    /** The server answers the call, and again where it is asked for something else. */
    function answersElsewhere(other: (call: UpstreamCall) => Response | undefined): void {
      const { answer } = upstream;
      upstream.answer = (call) => {
        if (call.message.method === "tools/call" && call.message.params?.["name"] === "read_secret")
          return Response.json(secret(call.message.id));
        return other(call) ?? answer(call);
      };
    }

    test.each<[string, (call: UpstreamCall) => Response | undefined]>([
      [
        "on its stream",
        ({ message: { method, id } }) => (method === "ping" ? asEvents(secret("s"), { jsonrpc: "2.0", id, result: {} }) : undefined),
      ],
      ["in its place", ({ message: { method } }) => (method === "ping" ? asJson(secret("s")) : undefined)],
      [
        "in a batch",
        ({ message: { method, id } }) => (method === "ping" ? asJson({ jsonrpc: "2.0", id, result: {} }, secret("s")) : undefined),
      ],
      [
        "in another encoding",
        ({ message: { method } }) =>
          method === "ping"
            ? new Response(new Uint8Array([...JSON.stringify(secret("s"))].flatMap((each) => [each.charCodeAt(0), 0])), {
                headers: { "Content-Type": "application/json; charset=utf-16le" },
              })
            : undefined,
      ],
      ["on the stand-alone stream", ({ method }) => (method === "GET" ? asEvents(secret("s"), progress) : undefined)],
      [
        "behind line ends that are some clients' own",
        ({ method }) =>
          method === "GET" ? streamOf(`: x\u2028data: ${JSON.stringify(secret("s"))}\u2028\u2028\n\n`, eventFor(progress)) : undefined,
      ],
    ])("%s", async (_, other) => {
      answersElsewhere(other);
      const client = await connected();
      const answer = ask(client, "s", { name: "read_secret" });
      await openNotice("response");
      const pong = await (await client.request("p", "ping")).text();
      const listened = await (await client.send({ method: "GET", headers: { Accept: "text/event-stream" } })).text();
      expect((pong + listened).replaceAll("\0", "")).not.toContain("the secret");
      expect(pong + listened).toMatch(/"p"|notifications\/progress/);
      await decide("response", "deny");
      expect(textOf(await answerTo(answer))).toContain("declined to release its result");
    });

    /** As the SDK's servers do it: a response goes to the newest stream of its id. */
    function answersByTheNewest(): void {
      const streams = new Map<unknown, { readonly stream: ReturnType<typeof openStream>; readonly name: unknown }>();
      const { answer } = upstream;
      upstream.answer = (call) => {
        const { method, params, id } = call.message;
        if (method !== "tools/call") return answer(call);
        const waiting = [...streams].find(([, each]) => each.name !== "other")?.[0];
        const stream = openStream();
        streams.set(id, { stream, name: params?.["name"] });
        const say = (to: unknown, text: string): void => {
          streams.get(to)?.stream.say(eventFor({ jsonrpc: "2.0", id: to, result: { content: [{ type: "text", text }] } }));
          streams.get(to)?.stream.end();
        };
        if (params?.["name"] === "other") {
          say(waiting, "the secret sk-abcdef");
          say(id, "deleted");
        }
        return stream.response();
      };
    }

    test.each([
      ["reviewed", "read_secret"],
      ["masked", "list_keys"],
    ])("of its client under the same id, where it is %s", async (how, name) => {
      const redaction = { rules: [{ name: "keys", when: { subject: "toolCall", tool: "list_*" }, pattern: "sk-[a-z]+" }] };
      await configure("policy", { ...policy, rules, redaction });
      answersByTheNewest();
      const client = await connected();
      const answer = ask(client, "s", { name });
      await eventually("the call", async () => sent().length === 1);
      const other = await lastOf(await client.request("s", "tools/call", { name: "other", arguments: {} }));
      expect(other.result).toMatchObject({ content: [{ text: "deleted" }] });
      if (how === "reviewed") await decide("response", "deny");
      const said = textOf(await answerTo(answer));
      expect(said).toContain(how === "reviewed" ? "declined to release its result" : "the secret");
      expect(said).not.toContain("sk-abcdef");
    });

    test.each(["read_secret", "list_keys"])("and its server hears of %s that it was cancelled", async (name) => {
      const redaction = { rules: [{ name: "keys", when: { subject: "toolCall", tool: "list_*" }, pattern: "sk-[a-z]+" }] };
      await configure("policy", { ...policy, rules, redaction });
      answersByTheNewest();
      const client = await connected();
      void ask(client, "s", { name });
      const id = (await eventually("the call", async () => sent()[0]))?.message.id;
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "s" } };
      expect((await client.post(cancel)).status).toBe(202);
      await eventually("its cancellation", async () => upstream.calls.some(({ message }) => message.params?.["requestId"] === id));
      await client.request("o", "tools/call", { name: "other", arguments: {} });
    });

    test("of 2026-07-28", async () => {
      answersElsewhere((call) => (call.message.method === "tools/call" ? asEvents(secret("c-secret"), resultFor(call, done)) : undefined));
      const client = new StatelessClient("new");
      const answer = client.says("tools/call", { name: "read_secret", arguments: {} }, { id: "c-secret" });
      await openNotice("response");
      const other = await (await client.request("tools/call", { name: "other", arguments: {} })).text();
      expect(other).not.toContain("the secret");
      expect(other).toContain("deleted");
      await decide("response", "deny");
      expect(textOf((await answer) as Answer)).toContain("declined to release its result");
    });
  });

  test("that is reviewed is no task of its server, also where the session's revision has none", async () => {
    const client = new RelayClient("old");
    await client.connect({}, "2025-06-18");
    const task = { ttl: 60_000 };
    const answer = client.request("t", "tools/call", { name: "read_branch", arguments: {}, task });
    await decide("response", "approve");
    expect((await lastOf(await answer)).result).toMatchObject({ content: done.content });
    expect(sent().map(({ message }) => message.params)).toEqual([{ name: "read_branch", arguments: {} }]);
  });

  test("that is an error is reviewed too", async () => {
    upstream.answer = ({ message }) =>
      message.method === "tools/call"
        ? Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32_000, message: "the secret" } })
        : undefined;
    const answer = plain.call({ name: "read_secret" });
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "It failed."));
    const said = await answer;
    expect([textOf(said), said.result?.isError]).toEqual(["It failed.", true]);
  });

  test("is masked by the policy's rules, whether people are asked or not", async () => {
    const redaction = { rules: [{ name: "keys", when: { subject: "toolCall" }, pattern: "sk-[a-z]+" }] };
    await configure("policy", { ...policy, rules, redaction });
    upstream.answer = (call) =>
      call.message.method === "tools/call" ? answerWith(call, { content: [{ type: "text", text: "the key is sk-abcdef" }] }) : undefined;
    expect(textOf(await plain.call({ name: "list_keys" }))).not.toContain("sk-abcdef");
    const answer = plain.call();
    await opened();
    await decide("request", "approve");
    expect(textOf(await answer)).toMatch(/^the key is (?!sk-abcdef)/);
  });

  test("that asks for more is passed on, and the tool's next answer is reviewed", async () => {
    upstream.answer = (call) => {
      if (call.message.method === "server/discover")
        return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
      const isFirst = call.message.params?.["inputResponses"] === undefined;
      return answerWith(call, isFirst ? roundOf({ ok: formInput }, "the state") : done);
    };
    const client = new StatelessClient("new");
    const params = { name: "read_secret", arguments: {} };
    const capabilities = { elicitation: { form: {} } };
    const round = await client.says("tools/call", params, { capabilities });
    expect(round.result?.inputRequests).toHaveProperty("ok");
    const inputResponses = { ok: { action: "accept", content: { ok: true } } };
    const last = client.says("tools/call", { ...params, inputResponses, requestState: round.result?.requestState }, { capabilities });
    await decide("response", "deny");
    expect(textOf((await last) as Answer)).toContain("declined to release its result");
  });

  test("of a session passes no gate by what only 2026-07-28 takes for a question", async () => {
    const secret = { resultType: "input_required", requestState: "x", content: [{ type: "text", text: "the secret sk-abcdef" }] };
    upstream.answer = (call) => (call.message.method === "tools/call" ? answerWith(call, secret) : undefined);
    const answer = plain.call({ name: "read_secret" });
    await decide("response", "deny");
    expect(JSON.stringify(await answer)).not.toContain("the secret");
    const redaction = { rules: [{ name: "keys", when: { subject: "toolCall" }, pattern: "sk-[a-z]+" }] };
    await configure("policy", { ...policy, rules, redaction });
    expect(JSON.stringify(await plain.call({ name: "list_keys" }))).not.toContain("sk-abcdef");
  });

  test("goes to a client that takes one JSON value alone", async () => {
    const client = await connected("old", { headers: { Accept: "application/json" } });
    const answer = ask(client);
    await opened();
    await decide("request", "approve");
    const response = await answer;
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(((await response.json()) as Answer).result?.content).toEqual(done.content);
  });
});

describe("a client of 2026-07-28 whose call waits", () => {
  const params = { name: tool, arguments: given };

  test("comes back by itself with the state alone, and gets the result; its server never sees that state", async () => {
    const waits = (await new StatelessClient("new", { send: brief }).call(params)) as Answer;
    expect(isWaiting(waits)).toBe(true);
    await decide("request", "approve");
    const { requestState } = waits.result ?? {};
    expect(textOf((await new StatelessClient("new").callToEnd({ ...params, requestState })) as Answer)).toBe("deleted");
    expect(sent()).toHaveLength(1);
    expect(sent()[0]?.text).not.toContain("requestState");
  });

  test("is told to call again before its client would throw, and gets the decision", async () => {
    const client = new StatelessClient("new", { send: brief });
    let answer = (await client.call(params)) as Answer;
    let rounds = 0;
    for (; answer.result?.resultType === "input_required"; rounds += 1)
      answer = (await client.call({ ...params, requestState: answer.result.requestState })) as Answer;
    // `inputRequired.maxRounds` of the SDK is 10.
    expect(rounds).toBe(8);
    expect(textOf(answer)).toContain("Call it again with the same arguments");
    await decide("request", "approve");
    expect(textOf((await client.callToEnd(params)) as Answer)).toBe("deleted");
    expect(sent()).toHaveLength(1);
  });

  test("takes along what the server asked it for before", async () => {
    upstream.answer = (call) => {
      if (call.message.method === "server/discover")
        return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
      const isFirst = call.message.params?.["inputResponses"] === undefined;
      return answerWith(call, isFirst ? roundOf({ ok: formInput }, "the state") : done);
    };
    const options = { capabilities: { elicitation: { form: {} } } };
    const patient = new StatelessClient("new");
    const asked = patient.says("tools/call", params, options);
    await decide("request", "approve");
    const { requestState } = ((await asked) as Answer).result ?? {};
    const inputResponses = { ok: { action: "accept", content: { ok: true } } };
    const brieflyHeld = new StatelessClient("new", { send: brief });
    const waits = (await brieflyHeld.says("tools/call", { ...params, inputResponses, requestState }, options)) as Answer;
    expect(isWaiting(waits)).toBe(true);
    const last = patient.says("tools/call", { ...params, requestState: waits.result?.requestState }, options);
    await decide("request", "approve");
    expect(textOf((await last) as Answer)).toBe("deleted");
    expect(sent().at(-1)?.message.params).toMatchObject({ inputResponses, requestState: "the state" });
  });

  test("has no use of that state for another call", async () => {
    const client = new StatelessClient("new", { send: brief });
    const { requestState } = (await client.call(params)).result ?? {};
    const other = { name: tool, arguments: { ...given, force: false }, requestState };
    expect((await client.call(other)).error?.message).toContain("not one of this call");
    expect(sent()).toHaveLength(0);
  });

  test("has its arguments repeated in headers as they were edited", async () => {
    upstream.answer = (call) => {
      if (call.message.method === "server/discover")
        return answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
      const inputSchema = { type: "object", properties: { branch: { type: "string", "x-mcp-header": "Branch" } } };
      if (call.message.method === "tools/list") return answerWith(call, { resultType: "complete", tools: [{ name: tool, inputSchema }] });
      const { branch } = (call.message.params?.["arguments"] ?? {}) as { branch?: string };
      if (call.headers.get("Mcp-Param-Branch") === branch) return answerWith(call, done);
      const error = { code: -32_020, message: "Header mismatch" };
      return Response.json({ jsonrpc: "2.0", id: call.message.id, error }, { status: 400 });
    };
    const client = new StatelessClient("new");
    const answer = client.call(params, { headers: { "Mcp-Param-Branch": "main" } });
    await opened();
    await decide("request", "approve", undefined, (fields) => fields.set(editPath, '{"branch":"other"}'));
    expect(textOf((await answer) as Answer)).toContain("deleted");
    expect(sent().at(-1)?.headers.get("Mcp-Param-Branch")).toBe("other");
  });
});

test("a header that repeats no argument of a call under review goes to nobody, and neither does the call", async () => {
  const client = new StatelessClient("new");
  for (const said of ["other", "=?base64?////?=", "main, main"]) {
    const refused = await client.call({ name: tool, arguments: given }, { headers: { "Mcp-Param-Branch": said } });
    expect([refused.error?.code, refused.error?.message]).toEqual([-32_020, expect.stringContaining("mcp-param-branch")]);
  }
  expect(await notices()).toEqual([]);
  expect(sent()).toHaveLength(0);
});

test("an argument that the policy masks is repeated in no header", async () => {
  const redaction = { rules: [{ name: "keys", when: { subject: "toolCall" }, pattern: "sk-[a-z]+" }] };
  await configure("policy", { ...policy, rules, redaction });
  const call = { name: "list_keys", arguments: { branch: "sk-abcdef" } };
  await new StatelessClient("new").call(call, { headers: { "Mcp-Param-Branch": "sk-abcdef" } });
  expect(sent()).toHaveLength(1);
  expect(JSON.stringify([...(sent()[0]?.headers ?? [])]) + sent()[0]?.text).not.toContain("sk-abcdef");
});

test("no link, nonce or token of a review reaches client or server", async () => {
  const answer = ask(await connected());
  const { link } = await opened();
  await decide("request", "approve");
  const token = link.slice(link.lastIndexOf("/") + 1);
  const said = JSON.stringify(await messagesOf(await answer));
  for (const text of [said, ...upstream.calls.map((call) => call.text + JSON.stringify([...call.headers]))])
    expect(text).not.toContain(token);
});
