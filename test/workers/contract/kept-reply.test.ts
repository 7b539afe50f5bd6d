// When the requestor gave up: the run goes on, and its reply waits an hour for an identical
// request, which is asked about no second time.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { keyStub } from "../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import {
  type Asked,
  type RpcAnswer,
  answerOf,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  model,
  notices,
  openNotice,
  policy,
  runReaches,
  sample,
  travel,
} from "../support/gateway.ts";
import { quiet, ringNextAlarm, stubOf } from "../objects/inside.ts";
import { recordLines } from "../support/record.ts";
import { decide, pathOf } from "../support/reviewer.ts";

const runOfAnswer = ({ result }: RpcAnswer): string | undefined => result?._meta?.["countersign/run"]?.id;

/** A run whose requestor has left for good, still waiting for a person. */
async function abandoned(asked: Asked = {}, key?: string): Promise<{ run: string; link: string }> {
  const response = await sample({ server: "request-gate", ...asked }, key === undefined ? {} : { key });
  const notice = await openNotice("request");
  await response.body?.cancel();
  await eventually("the requestor gone", async () =>
    (await (await gateway(pathOf(notice.link), { key: null })).text()).includes("has disconnected"),
  );
  // Past the moment in which a dropped connection may come back.
  travel(3_500);
  await ringNextAlarm(stubOf(notice.run));
  return notice;
}

const nextTry: Asked = { id: "next", server: "request-gate", originating: "another", session: "sess-2" };

describe("on the durable path", () => {
  test.each([
    ["a waiting run", false],
    ["a kept reply", true],
  ])("%s is for the same tool of the same server, and its record says for whom it was taken over", async (_what, isOver) => {
    const { run } = await abandoned();
    if (isOver) {
      await decide("request", "approve", run);
      await runReaches(run, "completed");
    }
    const as = (name: string, method = "tools/call", more: object = {}): Asked => ({
      ...nextTry,
      id: `${method} ${name} ${JSON.stringify(more)}`,
      meta: { "countersign/originatingRequest": { id: "another", method, name, server: "request-gate", ...more } },
    });
    for (const other of [as("delete_all_files"), as("summarize", "prompts/get"), as("summarize", "tools/call", { inferred: true })]) {
      const seen = (await notices()).length;
      void sample(other);
      await eventually("a review of its own", async () => (await notices()).length > seen);
    }
    const answer = answerOf(sample(as("summarize")));
    if (!isOver) {
      await eventually("the second requestor", async () => (await recordLines()).some(({ fact }) => fact.kind === "adopted"));
      await decide("request", "approve", run);
    }
    expect(runOfAnswer(await answer)).toBe(run);
    const adopted = await eventually("the record", async () => {
      const lines = (await recordLines()).filter(({ fact }) => fact.kind === "adopted");
      return lines.length > 0 && lines;
    });
    expect(adopted.map((line) => [line.run, line.fact])).toEqual([
      [
        run,
        {
          kind: "adopted",
          server: "request-gate",
          method: "tools/call",
          name: "summarize",
          provenance: "claimed",
          endpoint: "sampling",
          request: expect.stringMatching(/^[\w-]{20,}$/) as unknown,
        },
      ],
    ]);
  });

  test("the page says that the requestor has gone; an identical request adopts the waiting run", async () => {
    const { run } = await abandoned();
    const again = answerOf(sample(nextTry));
    await eventually(
      "the second requestor",
      async () =>
        !(await (await gateway(pathOf((await openNotice("request", run)).link), { key: null })).text()).includes("has disconnected"),
    );
    await decide("request", "approve", run);
    expect(runOfAnswer(await again)).toBe(run);
    expect(model.calls).toHaveLength(1);
    expect(await notices()).toHaveLength(1);
  });

  test("the reply that nobody took is kept an hour, and given once", async () => {
    const { run } = await abandoned();
    await decide("request", "approve", run);
    await runReaches(run, "completed");
    travel(59 * 60_000);
    expect(runOfAnswer(await answerOf(sample(nextTry)))).toBe(run);
    expect(model.calls).toHaveLength(1);
    // A third one is a new question.
    void sample({ ...nextTry, id: "third", originating: "third" });
    await eventually("a second review", async () => (await notices()).length === 2);
  });

  test("after an hour it is asked again", async () => {
    const { run } = await abandoned();
    await decide("request", "approve", run);
    await runReaches(run, "completed");
    await quiet(run);
    travel(61 * 60_000);
    void sample(nextTry);
    await eventually("a second review", async () => (await notices()).length === 2);
  });

  test("a no is not kept: the next try is asked about", async () => {
    const { run } = await abandoned();
    await decide("request", "deny", run);
    await runReaches(run, "rejected");
    void sample(nextTry);
    await eventually("a second review", async () => (await notices()).length === 2);
  });

  test.each<[string, Asked]>([
    ["other params", { params: { maxTokens: 51 } }],
    ["another server", { server: "request-gate-too" }],
  ])("%s are not identical, though the same rule asks the same people", async (_name, change) => {
    await configure("policy", {
      ...policy,
      rules: [{ name: "request gate", when: { server: "request-gate*" }, then: { request: "review", response: "allow" } }],
    });
    await abandoned();
    void sample({ ...nextTry, ...change });
    await eventually("a second review", async () => (await notices()).length === 2);
  });

  test("another key's identical request finds nothing", async () => {
    await abandoned();
    const other = await createKey();
    void sample(nextTry, { key: other.key });
    await eventually("a second review", async () => (await notices()).length === 2);
  });

  test("a requestor who is still there is not taken from: an identical request is a request of its own", async () => {
    void answerOf(sample({ server: "request-gate" }));
    await openNotice("request");
    void answerOf(sample(nextTry));
    await eventually("a second review", async () => (await notices()).length === 2);
  });

  test.each([
    ["other people", { reviewers: ["others"] }],
    ["more of them", { reviewers: ["everyone", "others"], quorum: 2 }],
  ])("where %s would be asked now, what these saw does not count: the reply goes to nobody unseen by them", async (_, then) => {
    const { run } = await abandoned();
    await decide("request", "approve", run);
    await runReaches(run, "completed");
    const others = { ...policy.reviewers, others: [{ name: "Grace" }] };
    await configure("policy", {
      ...policy,
      rules: [{ name: "request gate", when: { server: "request-gate" }, then: { request: "review", response: "allow", ...then } }],
      reviewers: others,
    });
    void sample(nextTry);
    await eventually("another review", async () => (await notices()).some((notice) => notice.run !== run && notice.state === "sent"));
    expect(model.calls).toHaveLength(1);
  });

  test("where the policy has closed another gate since, the run is not adopted", async () => {
    await abandoned();
    await configure("policy", { ...policy, rules: [] });
    void sample(nextTry);
    await eventually("a second review", async () => (await notices()).length === 2);
  });
});

describe("on the fast path", () => {
  async function abandonedFast(): Promise<void> {
    let answerNow = (): void => {};
    model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: {} });
    const response = await sample({ server: "open" }, { headers: { Accept: "text/event-stream" } });
    await eventually("the call", async () => model.calls.length === 1);
    await response.body?.cancel();
    answerNow();
  }

  /** The key knows of a run that an identical request may find. */
  const indexed = (): Promise<boolean> =>
    runInDurableObject(keyStub(env, devKeyId), (_, { storage }) => storage.sql.exec("SELECT 1 FROM identical").toArray().length > 0);

  test("a reply whose requestor left while the model was at work is kept for an identical request", async () => {
    await abandonedFast();
    await eventually("the key's index of it", indexed);
    expect(await answerOf(sample({ ...nextTry, server: "open" }))).toHaveProperty("result");
    expect(model.calls).toHaveLength(1);
  });

  test("it is not kept for another key", async () => {
    await abandonedFast();
    const other = await createKey();
    await eventually("the key's index of it", indexed);
    expect(await answerOf(sample({ ...nextTry, server: "open" }, { key: other.key }))).toHaveProperty("result");
    expect(model.calls).toHaveLength(2);
  });

  test("a reply that was taken is kept for nobody", async () => {
    await answerOf(sample({ server: "open" }));
    await answerOf(sample({ ...nextTry, server: "open" }));
    expect(model.calls).toHaveLength(2);
  });
});
