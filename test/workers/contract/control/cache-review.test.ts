// The cache and the people: what they decided about a reply holds for it as long as it is kept.

import { beforeEach, describe, expect, test } from "vitest";
import { runStub } from "../../../../workers/stubs/stubs.ts";
import { tablesOf } from "../../objects/inside.ts";
import { cached, filled, hits, toldCache } from "../../support/cached.ts";
import { type ControlAnswer, asked, everyKind, gates } from "../../support/control.ts";
import { configure, env, eventually, gateway, model, notices, openNotice, policy } from "../../support/gateway.ts";
import { replyMarker } from "../../support/logs.ts";
import { decide, pathOf, press } from "../../support/reviewer.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", everyKind);
});

const text = `Hello. ${replyMarker}`;

/** With the response gate closed: one reply that a person approved. */
async function approvedReply(change?: (fields: URLSearchParams) => void): Promise<ControlAnswer> {
  await gates({ response: "review" });
  const answer = asked(cached());
  const { run } = await decide("response", "approve", undefined, change);
  return toldCache(run, answer);
}

describe("the policy is asked first", () => {
  test("what it refuses now is refused, whatever is kept", async () => {
    await filled();
    await gates({ request: "refuse" });
    expect(await asked(cached())).toMatchObject({ status: "refused" });
  });

  test("a gate that has closed since asks about the reply that is kept, and says so", async () => {
    await filled();
    const calls = model.calls.length;
    await gates({ response: "review" });
    const answer = asked(cached());
    const { link } = await openNotice("response");
    const page = await (await gateway(pathOf(link), { key: null })).text();
    expect(page).toContain(replyMarker);
    expect(page).toContain("This reply comes from the cache");
    await press(link, "approve");
    expect(hits(await answer)).toBe(true);
    expect(model.calls).toHaveLength(calls);
  });

  test("what people approved at that gate is theirs to have again, without asking, until others would be asked", async () => {
    expect((await approvedReply()).result?.text).toBe(text);
    expect(hits(await asked(cached()))).toBe(true);
    expect(await notices()).toHaveLength(1);
    await configure("policy", {
      ...policy,
      rules: [],
      default: { ...policy.default, request: "allow", response: "review", reviewers: ["others"] },
      reviewers: { ...policy.reviewers, others: [{ name: "Grace" }] },
    });
    const answer = asked(cached());
    await decide("response", "approve");
    expect(hits(await answer)).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  test("what was approved from the cache is approved from then on", async () => {
    await filled();
    await gates({ response: "review" });
    const answer = asked(cached());
    const { run } = await decide("response", "approve");
    const at = (await toldCache(run, answer)).cache?.at;
    expect((await asked(cached())).cache).toEqual({ hit: true, at });
    expect(await notices()).toHaveLength(1);
  });

  test("an approval of the request alone lets no reply through a response gate", async () => {
    await gates({ request: "review" });
    const first = asked(cached());
    const { run } = await decide("request", "approve");
    expect((await toldCache(run, first)).status).toBe("completed");
    await gates({ request: "review", response: "review" });
    const second = asked(cached());
    await eventually("a second review of the request", async () => (await notices()).filter(({ gate }) => gate === "request").length === 2);
    await decide("request", "approve");
    await decide("response", "approve");
    expect(hits(await second)).toBe(true);
    expect(model.calls).toHaveLength(1);
  });
});

describe("what people did to it", () => {
  test("a reply that was denied is not kept, and the one that was is forgotten", async () => {
    await filled();
    const calls = model.calls.length;
    await gates({ response: "review" });
    const denied = asked(cached());
    const { run } = await decide("response", "deny");
    expect((await toldCache(run, denied)).status).toBe("rejected");
    await gates();
    expect(hits(await asked(cached()))).toBe(false);
    expect(model.calls).toHaveLength(calls + 1);
  });

  test("a kept reply that was denied is nowhere in the run either", async () => {
    await filled();
    await gates({ response: "review" });
    const answer = asked(cached());
    const { run } = await decide("response", "deny");
    expect((await answer).status).toBe("rejected");
    expect(JSON.stringify(await tablesOf(runStub(env, run)))).not.toContain(replyMarker);
  });

  test("a request that was denied has nothing kept for it any more", async () => {
    await filled();
    await gates({ request: "review" });
    const denied = asked(cached());
    const { run } = await decide("request", "deny");
    await toldCache(run, denied);
    await gates();
    expect(hits(await asked(cached()))).toBe(false);
  });

  test("an edited reply is kept as it was left and says so; what it was before comes no more", async () => {
    const first = await approvedReply((fields) => fields.set("edit:/content/0/text", "Better."));
    expect(first.result?.text).toBe("Better.");
    for (const then of [{ response: "review" }, {}]) {
      await gates(then);
      expect(await asked(cached())).toMatchObject({
        result: { text: "Better." },
        cache: { hit: true },
        edited: { request: false, response: true },
      });
    }
    expect(model.calls).toHaveLength(1);
  });

  test("a kept reply that is edited when it is asked about is replaced", async () => {
    await filled();
    await gates({ response: "review" });
    const answer = asked(cached());
    const { run } = await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "Better."));
    expect(await toldCache(run, answer)).toMatchObject({ result: { text: "Better." }, cache: { hit: true } });
    await gates();
    expect(await asked(cached())).toMatchObject({ result: { text: "Better." }, cache: { hit: true }, edited: { response: true } });
  });

  test("the answer to a request that a reviewer edited is not kept, and the kept one is not its answer", async () => {
    await filled();
    const calls = model.calls.length;
    await gates({ request: "review" });
    model.script({ text: "Another answer." });
    const answer = asked(cached());
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/messages/0/content/0/text", "Another question?"));
    const edited = await answer;
    expect([edited.result?.text, hits(edited)]).toEqual(["Another answer.", false]);
    expect(model.calls).toHaveLength(calls + 1);
    await gates();
    expect(await asked(cached())).toMatchObject({ result: { text }, cache: { hit: true } });
  });
});
