// Budgets: a request that may cost more than is left is refused before anything is sent, and what
// is spent is what the provider was paid.

import { beforeEach, describe, expect, test } from "vitest";
import { budgetStub, configStub } from "../../../workers/stubs/stubs.ts";
import { BudgetObject } from "../../../workers/objects/budget-object.ts";
import { asObject, crash, ringAlarm } from "../objects/inside.ts";
import { HeldModels } from "../support/held-models.ts";
import { answerAt, modelHost } from "../support/provider.ts";
import { decide } from "../support/reviewer.ts";
import { recordLines } from "../support/record.ts";
import {
  adminJson,
  answerOf,
  configure,
  createKey,
  env,
  errorOf,
  eventually,
  gatewayWith,
  jsonBody,
  model,
  notices,
  openNotice,
  policy,
  routing,
  sample,
  samplingMessage,
  travel,
  writer,
} from "../support/gateway.ts";
import { wholeOr } from "../support/whole.ts";

type Line = {
  readonly budget: string;
  readonly part: string | null;
  readonly unit: "usd" | "tokens";
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly unaccounted: number;
  readonly usedPercent: number;
  readonly resetsAt: string;
};
const spend = async (): Promise<Line[]> => (await adminJson<{ budgets: Line[] }>("/budgets/spend")).budgets;
const lineOf = async (budget: string): Promise<Line> => {
  const found = (await spend()).find((line) => line.budget === budget);
  if (found === undefined) throw new Error(`no budget ${budget}`);
  return found;
};
/** Once nothing is under way. */
const settled = (budget: string): Promise<Line> =>
  eventually(`${budget} without reservations`, async () => {
    const line = await lineOf(budget);
    return line.reserved === 0 ? line : null;
  });

const limits = { roundsPerOriginatingRequest: 10_000, requestsPerMinute: 10_000, concurrent: 2_000 };
/** The worst case of the test's request is far above this; what it costs is 12 and 5 tokens. */
const tokens = (amount: number, more: object = {}): object => ({
  budgets: { all: { of: "everything", tokens: amount, per: "day", ...more } },
});

const dayMs = 86_400_000;

let key: string;
let tests = 0;
beforeEach(async () => {
  // Noon: no test sees the end of a day. Each has minutes of its own: nothing that this isolate
  // held in the test before counts.
  tests += 1;
  travel(dayMs - ((Date.now() + dayMs / 2) % dayMs) + tests * 5 * 60_000);
  await configure("budgets", { budgets: {} });
  ({ key } = await createKey({ limits }));
});

test("a request counts what its model was paid, in money and in tokens", async () => {
  await configure("budgets", { budgets: { all: { of: "everything", usd: 1, tokens: 1_000, per: "month" } } });
  expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
  await settled("all");
  const lines = await eventually("both settled", async () => {
    const found = await spend();
    return found.every(({ reserved, spent }) => reserved === 0 && spent > 0) ? found : null;
  });
  expect(lines.map(({ unit, spent, unaccounted }) => [unit, spent, unaccounted]).toSorted()).toEqual([
    ["tokens", 17, 0],
    ["usd", 0.000022, 0],
  ]);
});

test("a request that may cost more than is left is refused with -32012, its budget and when that begins anew; nothing is sent", async () => {
  await configure("budgets", tokens(20));
  const error = await errorOf(sample({}, { key }));
  expect(error.code).toBe(-32012);
  expect(error.data).toEqual({ budget: "all", resetsAt: (await lineOf("all")).resetsAt });
  expect(error.message).toContain("Budget used up");
  expect(model.calls).toHaveLength(0);
  expect(await settled("all")).toMatchObject({ spent: 0, unaccounted: 0 });
});

test("the same id may come again once there is room: the refusal was no answer", async () => {
  await configure("budgets", tokens(20));
  expect((await errorOf(sample({ id: "same" }, { key }))).code).toBe(-32012);
  await configure("budgets", tokens(2_000));
  expect(await answerOf(sample({ id: "same" }, { key }))).toHaveProperty("result");
});

test("a day that is over gives everything back", async () => {
  await configure("budgets", tokens(150));
  await eventually("a refusal", async () => (await answerOf(sample({}, { key }))).error?.code === -32012);
  travel(dayMs);
  // The client request of the day before is over, too.
  expect(await answerOf(sample({ session: "next-day" }, { key }))).toHaveProperty("result");
});

describe("a budget of", () => {
  test("a key, made with it, is that key's alone", async () => {
    const poor = await createKey({ limits, budget: { tokens: 20, per: "day" } });
    expect(await errorOf(sample({}, { key: poor.key }))).toMatchObject({ code: -32012, data: { budget: "key" } });
    expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
    expect(await lineOf("key")).toMatchObject({ part: poor.id, limit: 20 });
  });

  test("a server counts the requests that serve it", async () => {
    await configure("budgets", { budgets: { one: { of: { server: "open-one" }, tokens: 20, per: "day" } } });
    expect((await errorOf(sample({ server: "open-one" }, { key }))).code).toBe(-32012);
    expect(await answerOf(sample({ server: "open-two" }, { key }))).toHaveProperty("result");
  });

  test("each owner is that owner's, with all keys", async () => {
    await configure("budgets", { budgets: { people: { of: { owner: "*" }, tokens: 150, per: "day" } } });
    const [ada, alsoAda, bo] = [
      await createKey({ limits, owner: "Ada" }),
      await createKey({ limits, owner: "Ada" }),
      await createKey({ limits, owner: "Bo" }),
    ];
    await eventually("Ada's is used up", async () => {
      await sample({}, { key: ada.key });
      return (await answerOf(sample({}, { key: alsoAda.key }))).error?.code === -32012;
    });
    expect(await answerOf(sample({}, { key: bo.key }))).toHaveProperty("result");
  });
});

test("hundreds of requests at once, through resets of the object: what is paid never exceeds the budget, and nothing stays reserved", async () => {
  // Of ten requests the worst case of one fits.
  const fitting = wholeOr(100, 30);
  const worst = await worstTokens();
  await configure("budgets", tokens(fitting * worst));
  // Every call really costs its worst case.
  model.script(...Array.from({ length: 10 * fitting }, () => ({ usage: { input: worst - 50, output: 50 } })));
  const answers: Promise<Response>[] = [];
  for (let burst = 0; burst < 10; burst += 1) {
    answers.push(...Array.from({ length: fitting }, () => sample({}, { key })));
    if (burst % 3 === 2) await crash();
  }
  const seen = await Promise.all(answers.map(async (each) => answerOf(each).catch(() => null)));
  expect(model.calls.length).toBeLessThanOrEqual(fitting);
  expect(model.calls.length).toBeGreaterThan(fitting / 5);
  expect(seen.filter((answer) => answer?.error?.code === -32012).length).toBeGreaterThan(8 * fitting);
  travel(10 * 60_000);
  const line = await settled("all");
  expect(line.spent).toBeLessThanOrEqual(fitting * worst);
  expect(line.spent + line.unaccounted).toBeGreaterThanOrEqual(model.calls.length * worst);
}, 120_000);

test("what was reserved stays reserved when the object is cut off right after its answer", async () => {
  const allowance = { budget: "all", part: null, unit: "tokens", limit: 100, per: "day", notify: [] } as const;
  const all = () => budgetStub(env, allowance);
  expect((await all().reserve({ allowance, id: "a", amount: 60, leaseMs: 60_000, wanted: 0 })).kind).toBe("reserved");
  await crash();
  expect((await all().usage(allowance)).reserved).toBe(60);
  expect((await all().reserve({ allowance, id: "b", amount: 60, leaseMs: 60_000, wanted: 0 })).kind).toBe("usedUp");
});

/** The budget at which one request just fits. */
async function worstTokens(): Promise<number> {
  let [low, high] = [1, 4_096];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    await configure("budgets", { budgets: { [`probe-${middle}`]: { of: "everything", tokens: middle, per: "day" } } });
    const fits = "result" in (await answerOf(sample({}, { key })));
    if (fits) high = middle;
    else low = middle + 1;
  }
  model.calls.length = 0;
  return low;
}

describe("where people are asked", () => {
  test("nobody is asked for what could not be sent", async () => {
    await configure("budgets", tokens(20));
    expect((await errorOf(sample({ server: "request-gate" }, { key }))).code).toBe(-32012);
    expect(await notices()).toEqual([]);
  });

  test("what is approved when the budget is used up is not sent, and its requestor learns why", async () => {
    await configure("budgets", tokens(2_000));
    const answer = sample({ server: "request-gate" }, { key });
    const { run } = await openNotice("request");
    await configure("budgets", tokens(20));
    await decide("request", "approve", run);
    expect(await errorOf(answer)).toMatchObject({ code: -32012, data: { budget: "all" } });
    expect(model.calls).toHaveLength(0);
  });

  test("what is sent after an approval is counted", async () => {
    await configure("budgets", tokens(2_000));
    const answer = sample({ server: "request-gate" }, { key });
    const { run } = await openNotice("request");
    await decide("request", "approve", run);
    expect(await answerOf(answer)).toHaveProperty("result");
    expect(await eventually("settled", async () => ((await lineOf("all")).spent > 0 ? lineOf("all") : null))).toMatchObject({
      spent: 17,
      reserved: 0,
    });
  });
});

describe("a model that may cost more than is left", () => {
  const dear = {
    ...routing,
    models: routing.models.map((each, i) => ({
      ...each,
      price: i === 0 ? { inputPerMTok: 1_000, outputPerMTok: 2_000 } : { inputPerMTok: 1, outputPerMTok: 2 },
    })),
  };
  const open = (cheaperWithinBudget: boolean) => ({
    ...policy,
    rules: [{ name: "open", when: { server: "open*" }, then: { request: "allow", response: "allow", cheaperWithinBudget } }],
  });
  const asked = { params: { modelPreferences: { hints: [{ name: "vendor/first" }], intelligencePriority: 1 } } };

  beforeEach(async () => {
    await configure("routing", dear);
    await configure("budgets", { budgets: { all: { of: "everything", usd: 0.01, per: "day" } } });
  });

  test("is passed over for one that fits, where the policy says so", async () => {
    await configure("policy", open(true));
    const { result } = await answerOf(sample(asked, { key }));
    expect(result?.["model"]).toBe("vendor/second");
    expect(model.calls.map(({ body }) => body["model"])).toEqual(["vendor/second"]);
  });

  test("ends the request where it does not", async () => {
    await configure("policy", open(false));
    expect((await errorOf(sample(asked, { key }))).code).toBe(-32012);
    expect(model.calls).toHaveLength(0);
  });

  test("a free model is asked whatever is left", async () => {
    await configure("routing", {
      ...routing,
      models: routing.models.map((each) => ({ ...each, price: { inputPerMTok: 0, outputPerMTok: 0 } })),
    });
    await configure("budgets", { budgets: { all: { of: "everything", usd: 0, per: "day" } } });
    expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
  });
});

test("an attempt that the provider refused costs nothing; one whose answer is lost counts in full, apart", async () => {
  await configure("budgets", tokens(2_000));
  model.script({ status: 400, message: "no" });
  expect((await errorOf(sample({}, { key }))).code).toBe(-32011);
  expect(await settled("all")).toMatchObject({ spent: 0, unaccounted: 0 });
  const models = new HeldModels();
  const waiting = sample({}, { key });
  await models.came(1);
  travel(10 * 60_000);
  expect((await lineOf("all")).unaccounted).toBeGreaterThan(17);
  models.end();
  expect(await answerOf(waiting)).toHaveProperty("result");
  // It came after all.
  await eventually("accounted", async () => (await lineOf("all")).unaccounted === 0);
});

test("an attempt whose connection breaks counts in full, and apart", async () => {
  await configure("budgets", tokens(2_000));
  answerAt(modelHost, () => Promise.reject(new TypeError("the connection broke")));
  expect((await errorOf(sample({}, { key }))).code).toBe(-32011);
  const { spent, unaccounted } = await settled("all");
  // Three attempts were made.
  expect([spent, unaccounted > 3 * 50]).toEqual([0, true]);
});

test("budgets that this version refuses are not taken for none: nothing is sent, nobody is asked, and health says so", async () => {
  const { version } = await adminJson<{ version: number }>("/budgets");
  await configStub(env).write("budgets", version, JSON.stringify({ budgets: { all: { of: "of a later version" } } }), writer);
  // An isolate that has read no document yet.
  const cold = { CONFIG: new Proxy(env.CONFIG, { get: (real, method) => Reflect.get(real, method).bind(real) as unknown }) };
  const post = (server: string) =>
    errorOf(gatewayWith(cold, "/sampling", { ...jsonBody("POST", samplingMessage({ server, session: server })), key }));
  expect(await post("open")).toMatchObject({ code: -32011, data: { attempts: [{ fault: "overBudget", detail: "unverified" }] } });
  expect((await post("request-gate")).code).toBe(-32017);
  expect(await notices()).toEqual([]);
  expect(model.calls).toHaveLength(0);
  const { problems } = await (await gatewayWith(cold, "/healthz")).json<{ problems: string[] }>();
  expect(problems).toContainEqual(expect.stringMatching(/budgets document is malformed; no model is called/));
});

test("operators hear of 80 and 100 percent once each: in the record and by email", async () => {
  const mails: string[] = [];
  answerAt("https://mail.example.com", async (request) => {
    mails.push(((await request.json()) as { subject: string }).subject);
    return Response.json({ id: "mail" });
  });
  await configure("budgets", tokens(200, { notify: ["ops@example.com"] }));
  const all = asObject<BudgetObject>(budgetStub(env, { budget: "all", part: null, unit: "tokens" }));
  const reserve = async (id: string, amount: number): Promise<void> => {
    const allowance = { budget: "all", part: null, unit: "tokens", limit: 200, per: "day", notify: ["ops@example.com"] } as const;
    await all.reserve({ allowance, id, amount, leaseMs: 1_000, wanted: 0 });
    await all.settle([{ id, spent: amount, unaccounted: 0, underWay: [] }]);
    await ringAlarm(all);
  };
  await reserve("a", 150);
  await reserve("b", 10);
  await reserve("c", 20);
  await reserve("d", 20);
  await eventually("two emails", async () => mails.length === 2);
  expect(mails).toEqual(["Countersign: 80 % of the budget all is used", "Countersign: 100 % of the budget all is used"]);
  const reached = (await recordLines({})).map(({ fact }) => fact).filter(({ kind }) => kind === "budgetReached");
  expect(reached).toMatchObject([
    { budget: "all", percent: 80 },
    { budget: "all", percent: 100 },
  ]);
});
