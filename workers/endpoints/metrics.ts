// GET /metrics: counters that the ledger's shards add up, how many requests are open, and how much
// of the budgets is used.

import { Hono } from "hono";
import type { Allowance } from "../../shared/budget/budgets.ts";
import { equalBytes, utf8ToBytes } from "../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { addedSums } from "../../shared/telemetry/metric-sums.ts";
import { type Gauges, prometheusText, prometheusType } from "../../shared/telemetry/prometheus-text.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { paths } from "../platform/urls.ts";
import { budgetsOf } from "../stores/documents.ts";
import { acceptedKeys } from "../stores/keys.ts";
import type { ShardMetrics } from "../stubs/ledger-calls.ts";
import { budgetStub, ledgerShards, ledgerStub } from "../stubs/stubs.ts";
import { everyAllowance } from "./admin/spend.ts";
import type { App, AppContext } from "./app-context.ts";
import { bearerToken, isFlooding, operatorOf, wrongToken } from "./auth.ts";
import { adminRefusals, asText } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";

export const metricsRoutes = new Hono<App>();

/** Parts of budgets that are read at once: each is an object that is asked. */
const mostParts = 200;

const metrics = describe("metrics", {
  summary: "Metrics in the text format of Prometheus: requests, refusals, model calls, tokens, cost, reviews, notices, budgets",
  auth: "metrics",
  200: asText("text/plain", "Counters, which never decrease, and gauges"),
  ...adminRefusals,
  503: "A part of the record cannot be read now: a sum without it would look as if the counters had begun anew",
});

metricsRoutes.get(paths.metrics, metrics, async (c) => {
  if (!mayRead(c)) return refuse(c);
  const { env, executionCtx } = c;
  try {
    const [shards, budgets] = await Promise.all([
      Promise.all(Array.from({ length: ledgerShards }, (_, shard) => shardMetrics(env, shard))),
      budgetGauges(env, (work) => executionCtx.waitUntil(work)),
    ]);
    const gauges: Gauges = { ...budgets, ...gaugesOf(shards) };
    const text = prometheusText(addedSums(shards.map(({ sums }) => sums)), gauges);
    return c.body(text, 200, { "Content-Type": prometheusType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
  } catch (error) {
    logEvent("metrics.failed", { error: errorClass(error) });
    return c.json({ error: "The metrics cannot be read now; try again" }, 503, { "Cache-Control": "no-store" });
  }
});

const shardMetrics = async (env: Env, shard: number): Promise<ShardMetrics> => readJsonOf(await ledgerStub(env, shard).metrics());

function gaugesOf(shards: readonly ShardMetrics[]): Pick<Gauges, "countersign_open_requests" | "countersign_behind"> {
  const open = new Map<string, number>();
  for (const [state, requests] of shards.flatMap((shard) => shard.open)) open.set(state, (open.get(state) ?? 0) + requests);
  return {
    countersign_open_requests: ["waiting", "generating", "responseReview"].map((state) => [[state], open.get(state) ?? 0] as const),
    countersign_behind: [[[], shards.some(({ isBehind }) => isBehind) ? 1 : 0]],
  };
}

type BudgetGauges = Omit<Gauges, "countersign_open_requests" | "countersign_behind">;

async function budgetGauges(env: Env, later: (work: Promise<unknown>) => void): Promise<BudgetGauges> {
  const now = Date.now();
  const [budgets, keys] = await Promise.all([budgetsOf(env, now, later), acceptedKeys(env, now)]);
  const all = everyAllowance(budgets, keys);
  const read = await Promise.all(all.slice(0, mostParts).map(async (part) => ({ part, used: await usedOf(env, part) })));
  const groups = [...Map.groupBy(read, ({ part: { budget, unit, per } }) => jsonOf<string[]>([budget, unit, per]))].map(
    ([labels, parts]) => [readJsonOf(labels), parts.map(({ used }) => used)] as const,
  );
  return {
    countersign_budget_used_ratio: groups.map(([labels, used]) => [labels, Math.max(...used)] as const),
    countersign_budget_parts_used_up: groups.map(([labels, used]) => [labels, used.filter((share) => share >= 1).length] as const),
    countersign_budget_parts_left_out: [[[], Math.max(0, all.length - mostParts)]],
  };
}

async function usedOf(env: Env, allowance: Allowance): Promise<number> {
  const { spent, unaccounted } = await budgetStub(env, allowance).usage(allowance);
  return allowance.limit === 0 ? 1 : (spent + unaccounted) / allowance.limit;
}

/** The metrics token, or the admin token. */
function mayRead(c: AppContext): boolean {
  const presented = bearerToken(c.req.raw.headers);
  const { metricsToken } = settingsOf(c.env);
  const isMetrics = metricsToken !== undefined && presented !== undefined && equalBytes(utf8ToBytes(presented), utf8ToBytes(metricsToken));
  return isMetrics || operatorOf(c.env, presented) !== null;
}

async function refuse(c: AppContext): Promise<Response> {
  if (await isFlooding(c, "admin tokens"))
    return c.json({ error: "Too many attempts from this address; wait a minute" }, 429, { "Retry-After": "60" });
  const error = wrongToken(c.req.raw.headers, "the METRICS_TOKEN or ADMIN_TOKEN of this gateway", "Bearer <METRICS_TOKEN>");
  return c.json({ error }, 401, { "WWW-Authenticate": "Bearer" });
}
