// `control.priority`, and the lane of a model that is at its limit: through the endpoints, with
// models that answer when they are told to.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Priority } from "../../../../shared/model/call.ts";
import { defaultLimits } from "../../../../shared/policy/limits.ts";
import { queueStub } from "../../../../workers/stubs/stubs.ts";
import { tablesOf } from "../../objects/inside.ts";
import { type ControlAnswer, type Sent, asked, control, controlAnswerOf, gates, textEnvelope } from "../../support/control.ts";
import { answerOf, configure, createKey, env, post, routing, sample, samplingMessage } from "../../support/gateway.ts";
import { HeldModels } from "../../support/held-models.ts";
import { once } from "../../support/lane.ts";
import { decide } from "../../support/reviewer.ts";
import { Stream } from "../../support/stream.ts";

type LaneOfModel = { readonly concurrency: number; readonly queue?: number; readonly promoteAfterSeconds?: number };

let models: HeldModels;

/**
 * The model `first` has this lane, and `second` has none; `either` stands for both, in this order.
 */
const laneOfFirst = (lane: LaneOfModel): Promise<void> =>
  configure("routing", {
    ...routing,
    models: routing.models.map((each) => ("id" in each && each.id === "first" ? { ...each, lane } : each)),
    equivalents: [{ hint: "either", models: ["first", "second"] }],
  });

/** How many hold a place or wait for one, by what the lane keeps. */
const inLane = async (): Promise<number> => {
  const rows = await tablesOf(queueStub(env, { id: "first", provider: "scripted" }));
  return rows["slot"]?.length ?? 0;
};
const laneReaches = (count: number): Promise<void> => once(async () => (await inLane()) === count);

/** An envelope whose prompt is its name. */
const named = (name: string, priority: Priority = "normal", more: object = {}, members: object = {}): Sent =>
  textEnvelope({ prompt: name }, { control: { timeout: 120_000, priority, ...more }, ...members });

/** Each is in the lane before the next one asks. */
async function askInTurn(...envelopes: readonly (readonly [name: string, priority: Priority])[]): Promise<Promise<ControlAnswer>[]> {
  const answers: Promise<ControlAnswer>[] = [];
  const before = await inLane();
  for (const [name, priority] of envelopes) {
    answers.push(asked(named(name, priority)));
    await laneReaches(before + answers.length);
  }
  return answers;
}

/**
 * An answer that came before the line was held, and so has a status of its own. A refused request
 * gave its id back: it is sent as it was.
 */
async function refusedBeforeHolding(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await ask();
    if (response.status !== 200) return response;
    expect(await response.text()).toContain("modelQueue");
  }
}

const textsOf = (answers: readonly ControlAnswer[]): unknown[] => answers.map(({ result }) => result?.text);

beforeEach(async () => {
  models = new HeldModels();
  await gates();
  await laneOfFirst({ concurrency: 1, promoteAfterSeconds: 3_600 });
});

// Whoever still waited would come back to its lane in the next test.
afterEach(async () => {
  models.end();
  await laneReaches(0);
});

describe("a model that is at its limit", () => {
  test("never has more calls under way than concurrency, and gets those of high priority before normal before low", async () => {
    await laneOfFirst({ concurrency: 2, promoteAfterSeconds: 3_600 });
    const holding = await askInTurn(["a", "low"], ["b", "low"]);
    await models.came(2);
    const waiting = await askInTurn(
      ["low 1", "low"],
      ["normal 1", "normal"],
      ["high 1", "high"],
      ["low 2", "low"],
      ["high 2", "high"],
      ["normal 2", "normal"],
    );
    expect(models.underWay()).toEqual(["a", "b"]);
    for (let served = 2; served < 8; served += 1) {
      models.answer();
      await models.came(served + 1);
    }
    models.answer();
    models.answer();
    expect(models.asked.slice(2)).toEqual(["high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2"]);
    expect(models.most).toBe(2);
    expect(textsOf(await Promise.all([...holding, ...waiting]))).toEqual(
      ["a", "b", "low 1", "normal 1", "high 1", "low 2", "high 2", "normal 2"].map((name) => `Answer to ${name}`),
    );
    await laneReaches(0);
  });

  test("never has more calls under way than concurrency when forty requests come at once, and every one is answered", async () => {
    await laneOfFirst({ concurrency: 3, promoteAfterSeconds: 3_600 });
    const { key } = await createKey({ limits: { ...defaultLimits, requestsPerMinute: 1_000, concurrent: 100 } });
    const names = Array.from({ length: 40 }, (_, index) => `request ${index}`);
    const answers = names.map((name, index) => asked(named(name, (["low", "normal", "high"] as const)[index % 3]), { key }));
    for (let served = 1; served <= 40; served += 1) {
      await models.came(served);
      // As many as may are under way before one of them is answered.
      if (served >= 3) models.answer();
    }
    models.answer();
    models.answer();
    expect(textsOf(await Promise.all(answers))).toEqual(names.map((name) => `Answer to ${name}`));
    expect(models.most).toBe(3);
    await laneReaches(0);
  });

  test("serves the sampling endpoint from the same lane, with normal priority", async () => {
    const [holder] = await askInTurn(["holder", "normal"]);
    const [low] = await askInTurn(["low", "low"]);
    const params = {
      messages: [{ role: "user", content: { type: "text", text: "sampling" } }],
      modelPreferences: { hints: [{ name: "first" }] },
    };
    const sampled = answerOf(sample({ params }));
    await laneReaches(3);
    const [high] = await askInTurn(["high", "high"]);
    for (let served = 1; served < 4; served += 1) {
      models.answer();
      await models.came(served + 1);
    }
    models.answer();
    expect(models.asked).toEqual(["holder", "high", "sampling", "low"]);
    expect((await sampled).result).toMatchObject({ content: { text: "Answer to sampling" } });
    expect((await Promise.all([holder, low, high])).map((answer) => answer?.status)).toEqual(["completed", "completed", "completed"]);
    expect(models.most).toBe(1);
  });

  test("is asked for what a person approved in its turn too: the priority outlives the review", async () => {
    const [holder] = await askInTurn(["holder", "normal"]);
    const [normal] = await askInTurn(["normal", "normal"]);
    await gates({ request: "review" });
    const high = asked(named("high", "high"));
    await decide("request", "approve");
    await laneReaches(3);
    for (let served = 1; served < 3; served += 1) {
      models.answer();
      await models.came(served + 1);
    }
    models.answer();
    expect(models.asked).toEqual(["holder", "high", "normal"]);
    expect((await Promise.all([holder, normal, high])).map((answer) => answer?.status)).toEqual(["completed", "completed", "completed"]);
  });
});

describe("a queue that is full", () => {
  beforeEach(() => laneOfFirst({ concurrency: 1, queue: 1 }));

  test("is answered at once with 429, Retry-After and the reason; the same request is served when there is room", async () => {
    const [holder, waiting] = await askInTurn(["holder", "normal"], ["waiting", "low"]);
    const late = named("late", "high");
    const refused = await refusedBeforeHolding(() => control(late));
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "5"]);
    const { status, error } = await controlAnswerOf(refused);
    expect(status).toBe("rate_limited");
    expect(error).toMatchObject({
      code: -32013,
      message: "Rate limited: the model is at its concurrency limit and its queue is full; wait and try again",
      details: { limit: "modelQueue", retryAfterMs: 5_000, attempts: [{ model: "first", fault: "queueFull" }] },
    });
    expect(models.asked).toEqual(["holder"]);
    models.answer();
    await models.came(2);
    models.answer();
    expect((await Promise.all([holder, waiting])).map((answer) => answer?.status)).toEqual(["completed", "completed"]);
    const again = asked(late);
    await models.came(3);
    models.answer();
    expect(await again).toMatchObject({ status: "completed", request_id: late["request_id"], result: { text: "Answer to late" } });
  });

  test("gives the id back also for other words, in a session as without one", async () => {
    await askInTurn(["holder", "normal"], ["waiting", "low"]);
    for (const members of [{}, { context: { session_id: "lane" } }]) {
      const refused = named("late", "high", {}, members);
      expect((await refusedBeforeHolding(() => control(refused))).status).toBe(429);
      const { request_id } = refused;
      expect((await refusedBeforeHolding(() => control(named("other words", "high", {}, { ...members, request_id })))).status).toBe(429);
    }
    models.end();
  });

  test("is told to the sampling endpoint with the same code, status and header", async () => {
    await askInTurn(["holder", "normal"], ["waiting", "normal"]);
    await configure("routing", {
      ...routing,
      models: [{ ...routing.models[0], lane: { concurrency: 1, queue: 1 } }],
    });
    const message = samplingMessage();
    const refused = await refusedBeforeHolding(() => post(message));
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "5"]);
    expect((await answerOf(refused)).error).toMatchObject({
      code: -32013,
      data: { limit: "modelQueue", attempts: [{ model: "first", fault: "queueFull" }] },
    });
  });

  test("is passed over where another model can serve the request", async () => {
    await askInTurn(["holder", "normal"], ["waiting", "normal"]);
    const answer = asked(named("late", "low", {}, { model: { name: "either" } }));
    await models.came(2);
    models.answer("late");
    expect(await answer).toMatchObject({ status: "completed", model: { id: "second" } });
    expect(models.underWay()).toEqual(["holder"]);
  });

  test("ends a request that may not be retried, though another model could serve it", async () => {
    await askInTurn(["holder", "normal"], ["waiting", "normal"]);
    const answer = await asked(named("late", "high", { retryable: false }, { model: { name: "either" } }));
    expect(answer).toMatchObject({ status: "rate_limited", error: { details: { attempts: [{ model: "first", fault: "queueFull" }] } } });
    expect(models.asked).toEqual(["holder"]);
  });
});

describe("who waits in the queue", () => {
  test("waits no longer than control.timeout, is told so, and gives its place up", async () => {
    await askInTurn(["holder", "normal"]);
    const response = await control(named("hasty", "high", { timeout: 2_000 }));
    expect(await controlAnswerOf(response)).toMatchObject({
      status: "rate_limited",
      error: {
        code: -32013,
        message: expect.stringContaining("no slot became free in time"),
        details: { attempts: [{ fault: "queueTimeout" }] },
      },
    });
    await laneReaches(1);
    expect(models.asked).toEqual(["holder"]);
  });

  test.each([
    ["a whole answer", {}],
    ["a stream", { stream: true }],
  ])("for %s and hangs up frees its place in it, asks no model, and is served when it comes again", async (_name, parameters) => {
    await laneOfFirst({ concurrency: 1, queue: 1 });
    const [holder] = await askInTurn(["holder", "normal"]);
    const leaving = named("leaving");
    const task = leaving["task"] as { parameters: object };
    const envelope = { ...leaving, task: { ...task, parameters: { ...task.parameters, ...parameters } } };
    const line = new Stream(await control(envelope));
    await line.next();
    await laneReaches(2);
    await line.leave();
    await laneReaches(1);
    const [next] = await askInTurn(["next", "normal"]);
    models.answer();
    await models.came(2);
    expect(models.asked).toEqual(["holder", "next"]);
    models.answer();
    expect((await Promise.all([holder, next])).map((answer) => answer?.status)).toEqual(["completed", "completed"]);
    const again = control(envelope).then((response) => response.text());
    await models.came(3);
    models.answer("leaving");
    expect(await again).toContain("Answer to leaving");
  });
});

test("who hangs up while its call is under way keeps its place until the call is over: the model is paid for it", async () => {
  const line = new Stream(await control(named("leaving")));
  await line.next();
  await models.came(1);
  await line.leave();
  const [next] = await askInTurn(["next", "high"]);
  expect(models.underWay()).toEqual(["leaving"]);
  models.answer("leaving");
  await models.came(2);
  models.answer("next");
  expect((await next)?.status).toBe("completed");
  expect(models.most).toBe(1);
});
