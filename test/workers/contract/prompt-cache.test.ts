// The provider's prompt cache: asked for where a prompt repeats, and what it saves is in the
// result, the lists, the record and the budgets.

import { beforeEach, expect, test } from "vitest";
import { breakpointsIn } from "../../support/providers/anthropic-wire.ts";
import { adminJson, answerOf, configure, eventually, gateway, model, openNotice, routing, sample } from "../support/gateway.ts";
import { modelHost } from "../support/provider.ts";
import { recordLines } from "../support/record.ts";
import { decide, pathOf } from "../support/reviewer.ts";

const systemPrompt = "You answer questions about the manual. ".repeat(60);
const counted = { input: 1_000, output: 5, cached: 600, written: 300 };
/**
 * At a dollar for a million tokens of input, a tenth of that from the cache, five quarters into it,
 * and two dollars for output.
 */
const costUsd = (100 * 1 + 600 * 0.1 + 300 * 1.25 + 5 * 2) / 1_000_000;
const usage = { inputTokens: 1_000, outputTokens: 5, cachedInputTokens: 600, cacheWriteTokens: 300, costUsd: expect.closeTo(costUsd, 12) };

const configureClaude = (more: object = {}): Promise<void> =>
  configure("routing", {
    providers: { scripted: { kind: "anthropic", baseUrl: modelHost, keyless: true } },
    models: [{ ...routing.models[0], ...more }],
  });

type Line = { readonly id: string; readonly usage: object };
const listedUsage = (): Promise<object> =>
  eventually("a line with its usage", async () => {
    const [line] = (await adminJson<{ runs: Line[] }>("/runs?state=completed")).runs;
    return line?.usage;
  });

beforeEach(() => configureClaude());

test("a long system prompt is marked, and what the provider's cache saves is in the result, the list, the record and the budgets", async () => {
  await configure("budgets", { budgets: { all: { of: "everything", usd: 1, per: "month" } } });
  model.script({ usage: counted });
  const { result } = await answerOf(sample({ params: { systemPrompt } }));
  expect(breakpointsIn(model.calls[0]?.body)).toEqual([{ type: "text", text: systemPrompt, cache_control: { type: "ephemeral" } }]);
  expect(result?._meta?.["countersign/run"]?.["usage"]).toEqual(usage);
  expect(await listedUsage()).toEqual(usage);
  const [answered] = (await recordLines()).flatMap(({ fact }) => (fact.kind === "answered" ? [fact] : []));
  expect({ ...answered?.usage, costUsd: answered?.costUsd }).toEqual(usage);
  type Spend = { readonly budgets: readonly { readonly spent: number; readonly reserved: number }[] };
  const budgets = await eventually("what was spent", async () => {
    const { budgets: now } = await adminJson<Spend>("/budgets/spend");
    return (now[0]?.spent ?? 0) > 0 ? now : null;
  });
  expect(budgets).toMatchObject([{ spent: expect.closeTo(costUsd, 9), unaccounted: 0 }]);
});

test("a reviewer approves the request itself; the marks are added on the way to the provider, and the reply's page says what came from the cache", async () => {
  model.script({ usage: counted });
  const answer = answerOf(sample({ server: "both gates", params: { systemPrompt } }));
  await decide("request", "approve");
  const { link } = await openNotice("response");
  expect(await (await gateway(pathOf(link), { key: null })).text()).toContain(
    "1,000 input (600 from the provider’s cache), 5 output tokens",
  );
  await decide("response", "approve");
  expect((await answer).result?._meta?.["countersign/run"]?.["usage"]).toEqual(usage);
  expect(breakpointsIn(model.calls[0]?.body)).toHaveLength(1);
  expect(await listedUsage()).toEqual(usage);
  const facts = (await recordLines()).map(({ fact }) => fact);
  const approved = facts.flatMap((fact) => (fact.kind === "approved" && fact.gate === "request" ? [fact.digest] : []));
  expect(facts.flatMap((fact) => (fact.kind === "called" ? [fact.digest] : []))).toEqual(approved);
  expect(approved).toHaveLength(1);
});

test("nothing is marked where the table says so", async () => {
  await configureClaude({ promptCache: false });
  await answerOf(sample({ params: { systemPrompt } }));
  expect(model.calls[0]?.body["system"]).toBe(systemPrompt);
  expect(breakpointsIn(model.calls[0]?.body)).toEqual([]);
});
