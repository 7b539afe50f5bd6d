// A call of 2026-07-28 that goes from round to round with its owner's own login, which ends on the
// way: the server has nothing of an attempt that it refused, so the call goes on with that attempt
// once its owner is signed in, and nothing of it is done or decided twice.

import { beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import { recordWith } from "../objects/inside.ts";
import { configure, eventually, notices, openNotice, policy, publicUrl, travel } from "../support/gateway.ts";
import { addresses } from "../support/inbox.ts";
import { RelayClient, type UpstreamCall, configureServers } from "../support/mcp-server.ts";
import { atCall, auth, bearerOf, connect, disconnect, key, login, prepareOwnLogin, url } from "../support/own-login.ts";
import { decide } from "../support/reviewer.ts";
import { readUntil } from "../support/stream.ts";
import { type Said, StatelessClient, answerWith, formInput, lastOf, roundOf } from "../support/stateless.ts";

const review = { request: "review", response: "allow", selfApproval: true, reviewers: ["chat"] };
const tool = { name: "delete_branch", arguments: { branch: "main" } };
const accept = { action: "accept", content: { ok: true } };

/** The calls that the server took, and those that it refused for their token. */
let taken: UpstreamCall[];
let refused: UpstreamCall[];
/** What happens as the answers to the round arrive: once, and the login ends with it. */
let atAnswers: (() => Promise<void>) | null;

const answersIn = ({ message }: UpstreamCall): unknown => message.params?.["inputResponses"];

/** Asks for a form first, and is done with its answer. */
async function asksOnce(call: UpstreamCall): Promise<Response | undefined> {
  const isBack = answersIn(call) !== undefined;
  if (isBack && atAnswers !== null) {
    const act = atAnswers;
    atAnswers = null;
    login.good.clear();
    login.refresh.clear();
    await act();
  }
  if (!login.good.has(bearerOf(call))) {
    refused.push(call);
    return undefined;
  }
  taken.push(call);
  const done = { resultType: "complete", content: [{ type: "text", text: "done" }] };
  return answerWith(call, isBack ? done : roundOf({ confirm: formInput }, "theirs"));
}

/** The first attempt once, and the second with what belongs to it. */
function expectEachOnce(): void {
  expect(taken.map((call) => [call.message.params?.["requestState"], answersIn(call)])).toEqual([
    [undefined, undefined],
    ["theirs", { confirm: accept }],
  ]);
}

beforeEach(async () => {
  await prepareOwnLogin();
  [taken, refused, atAnswers] = [[], [], async () => {}];
  atCall.decide = asksOnce;
  atCall.discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
  await configureServers({ own: { url, auth, protocol: "2026" } });
  await configure("policy", {
    ...policy,
    rules: [{ name: "calls", when: { subject: "toolCall" }, then: review }],
    reviewers: { everyone: [{ name: "Ada", email: addresses.Ada }], chat: [{ name: "Ben" }] },
  });
  await connect();
  // One that was issued just now, and is refused, is not renewed.
  travel(60_000);
});

test("a task keeps the round, says why it waits, and goes on with it", async () => {
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: { form: {} } };
  const client = new StatelessClient("own", { key });
  const say = async (method: string, params: object): Promise<JsonObject> =>
    (await client.says(method, params, { capabilities })).result ?? {};
  const { taskId } = await say("tools/call", tool);
  const task = () => say("tasks/get", { taskId: String(taskId) });
  await openNotice("request", String(taskId));
  await decide("request", "approve", String(taskId));
  const asks = await eventually("the question", async () => ((await task())["inputRequests"] as JsonObject | undefined) ?? null);
  const [question = ""] = Object.keys(asks);
  await say("tasks/update", { taskId, inputResponses: { [question]: accept } });
  const waiting = await eventually("its wait", async () => (String((await task())["statusMessage"]).includes("signed in") ? task() : null));
  expect(waiting).toMatchObject({ status: "working" });
  expect([taken.length, refused.length]).toEqual([1, 1]);
  await connect();
  await eventually("the result", async () => ((await task())["status"] === "completed" ? true : null));
  expectEachOnce();
  expect(await notices()).toHaveLength(1);
  const facts = (await recordWith(String(taskId), "finished")).map(({ fact }) => fact.kind);
  expect(facts.filter((kind) => kind === "called" || kind === "callFailed")).toEqual(["called"]);
});

describe("a client that is held", () => {
  const capabilities = { elicitation: { form: {}, url: {} } };

  test("of 2026-07-28 comes back, signs in, and its approved attempt goes on", async () => {
    const client = new StatelessClient("own", { key });
    const send = async (params: object = {}): Promise<Said> => client.call({ ...tool, ...params }, { capabilities });
    const first = send();
    const { run } = await openNotice("request");
    await decide("request", "approve", run);
    const asked = (await first).result;
    const answers = { requestState: asked?.requestState, inputResponses: { confirm: accept } };
    const second = send(answers);
    const other = await eventually("its review", async () => (await notices()).find((notice) => notice.run !== run));
    await decide("request", "approve", other.run);
    // Not a result: that would be the end of it for its client.
    const waits = (await second).result;
    expect(waits).toMatchObject({ resultType: "input_required" });
    const offered = (await send({ requestState: waits?.requestState })).result;
    const [[name, offer] = ["", undefined]] = Object.entries(offered?.inputRequests ?? {});
    expect(offer?.params).toMatchObject({ mode: "url", url: `${publicUrl}/inbox/connections` });
    await connect();
    const last = await send({ requestState: offered?.requestState, inputResponses: { [name]: { action: "accept" } } });
    expect(last.result).toMatchObject({ content: [{ text: "done" }] });
    expectEachOnce();
    expect([refused.length, (await notices()).length]).toEqual([1, 2]);
  });

  test("of 2026-07-28 that signs in between two rounds has not lost what it was asked", async () => {
    await configure("policy", { ...policy, reviewers: { everyone: [{ name: "Ada", email: addresses.Ada }] } });
    const client = new StatelessClient("own", { key });
    const asked = (await client.call(tool, { capabilities })).result;
    await disconnect();
    const answers = { requestState: asked?.requestState, inputResponses: { confirm: accept } };
    const offered = (await client.call({ ...tool, ...answers }, { capabilities })).result;
    const [[name] = [""]] = Object.entries(offered?.inputRequests ?? {});
    const back = { requestState: offered?.requestState, inputResponses: { [name]: { action: "accept" } } };
    // The state is of this call alone.
    expect((await client.call({ ...tool, arguments: { branch: "other" }, ...back }, { capabilities })).error).toMatchObject({
      code: -32_602,
    });
    await connect();
    atAnswers = null;
    expect((await client.call({ ...tool, ...back }, { capabilities })).result).toMatchObject({ content: [{ text: "done" }] });
    expectEachOnce();
  });

  /** A client of 2025-11-25 up to the refusal of its round: what it gets from then on. */
  async function refusedInSession(declared: object) {
    const client = new RelayClient("own", { key });
    await client.connect(declared);
    const answer = client.call(1, tool);
    await openNotice("request");
    await decide("request", "approve");
    const reader = ((await answer).body as ReadableStream<Uint8Array>).getReader();
    const [, id = ""] = await readUntil(reader, /"id":("[^"]+"),"method":"elicitation\/create"/);
    await client.post({ jsonrpc: "2.0", id: JSON.parse(id) as string, result: accept });
    return reader;
  }

  test("of 2025-11-25 is offered the page, and the round goes on", async () => {
    const reader = await refusedInSession(capabilities);
    await readUntil(reader, /"mode":"url"/);
    await connect();
    await readUntil(reader, /"text":"done"/);
    expectEachOnce();
    expect([refused.length, (await notices()).length]).toEqual([1, 1]);
  });

  test("of 2025-11-25 whose owner is another account there by now is told so, and the approval is spent", async () => {
    atAnswers = async () => {
      await disconnect();
      login.account = "ada-at-work";
      await connect();
    };
    const reader = await refusedInSession({ elicitation: { form: {} } });
    await readUntil(reader, /another account since this call came.*what it did before that stands/);
    expect([taken.length, refused.length]).toEqual([1, 1]);
    const again = new RelayClient("own", { key });
    await again.connect();
    void again.call(2, tool).then(lastOf);
    await eventually("another review", async () => (await notices()).length === 2);
  });
});
