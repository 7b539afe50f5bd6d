// Whether the Worker works at all: every part of it that a request passes, once.

import { expect, test } from "vitest";
import { answerOf, gateway, model, runReaches, sample } from "./support/gateway.ts";
import { recordLines } from "./support/record.ts";
import { decide } from "./support/reviewer.ts";

test("it is well", async () => {
  expect(await (await gateway("/healthz")).json()).toEqual({ status: "ok", problems: [] });
});

test("a request that the policy lets through gets the model's reply", async () => {
  const { result } = await answerOf(sample({ server: "open" }));
  expect(result).toMatchObject({ role: "assistant", model: "vendor/first", stopReason: "endTurn" });
  expect(model.calls).toHaveLength(1);
});

test("a request that is approved at the request gate and at the response gate, gets the reply, and the record has both", async () => {
  const waiting = answerOf(sample({ server: "both gates" }));
  const { run } = await decide("request", "approve");
  await decide("response", "approve", run);
  expect((await waiting).result).toMatchObject({ role: "assistant" });
  expect((await runReaches(run, "completed")).result).toBeDefined();
  const facts = (await recordLines()).filter((event) => event.run === run).map(({ fact }) => fact.kind);
  expect(facts.filter((kind) => kind === "approved")).toHaveLength(2);
});

test("a request that somebody denies reaches no model", async () => {
  const waiting = answerOf(sample({ server: "request-gate" }));
  await decide("request", "deny");
  expect((await waiting).error).toMatchObject({ code: -1 });
  expect(model.calls).toHaveLength(0);
});

test("a request without a key is refused", async () => {
  expect((await sample({}, { key: null })).status).toBe(401);
});
