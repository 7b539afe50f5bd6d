// GET /admin/overview: what waits, what the requests of a period came to, spend and budgets, and
// what the gateway knows to be wrong with itself. One call to each shard of the ledger and to a
// bounded number of budgets; nothing outside is asked.

import { Hono } from "hono";
import * as z from "zod";
import { causeSentence } from "../../../shared/record/cause.ts";
import { shownUsage, summedUsage } from "../../../shared/record/usage.ts";
import { iso } from "../../http/iso-time.ts";
import { paths } from "../../platform/urls.ts";
import type { ShardOpen, UsageAt } from "../../stubs/ledger-calls.ts";
import type { App } from "../app-context.ts";
import { healthOf } from "../health.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { type Failures, dayMs, failuresSince, hourMs, openNow, usageOf } from "./ledger-usage.ts";
import { type Overview, overview } from "./answers/overview.ts";
import { spendNow } from "./spend.ts";

export const overviewRoutes = new Hono<App>();

/** The hours or days of a period, the current one among them. */
const periods = { day: { steps: 24, stepMs: hourMs }, week: { steps: 7, stepMs: dayMs }, month: { steps: 30, stepMs: dayMs } } as const;
const mostBudgets = 20;

const overviewQuery = z.strictObject({
  period: z
    .enum(["day", "week", "month"])
    .default("day")
    .describe("The last 24 hours, 7 days or 30 days; the current hour or day is the last"),
});

const getOverview = describe("getOverview", {
  summary: "What waits, what the requests of a period came to, spend and budgets, and what needs attention",
  200: asJson(overview, "The overview"),
});

overviewRoutes.get(paths.admin.overview, getOverview, validQuery(overviewQuery), async (c) => {
  const { steps, stepMs } = periods[c.req.valid("query").period];
  const now = Date.now();
  const until = (Math.floor(now / stepMs) + 1) * stepMs;
  const since = until - steps * stepMs;
  // The period before it, too.
  const asked = { since: since - steps * stepMs, until };
  const month = { since: monthBegin(now), until: (Math.floor(now / dayMs) + 1) * dayMs };
  const isByHour = stepMs === hourMs;
  const [usage, open, { budgets, isPartial }, { status, issues }, failures] = await Promise.all([
    usageOf(c.env, isByHour ? { hours: asked, days: month } : { days: { ...asked, since: Math.min(asked.since, month.since) } }),
    openNow(c.env),
    spendNow(c, mostBudgets),
    healthOf(c),
    failuresSince(c.env, now - hourMs),
  ]);
  const steppedUsage = isByHour ? usage.hours : usage.days;
  const within = (from: number, to: number): readonly UsageAt[] => steppedUsage.filter(([at]) => at >= from && at < to);
  return c.json(
    {
      since: iso(since),
      until: iso(until),
      step: isByHour ? "hour" : "day",
      isComplete: usage.isComplete,
      isEmpty: usage.isEmpty,
      open: shownOpen(open),
      total: sumOf(within(since, until)),
      before: sumOf(within(asked.since, since)),
      steps: within(since, until).map(([at, sum]) => ({ at: iso(at), ...shownUsage(sum) })),
      spend: {
        since: iso(month.since),
        days: usage.days
          .filter(([at]) => at >= month.since)
          .map(([at, sum]) => ({ day: iso(at).slice(0, 10), costUsd: shownUsage(sum).costUsd })),
      },
      budgets,
      moreBudgets: isPartial,
      health: {
        status: status === "ok" && failures.requests > 0 ? "degraded" : status,
        problems: issues.map(({ text }) => text),
        issues,
        failures: shownFailures(now - hourMs, failures),
      },
    } satisfies Overview,
    200,
    { "Cache-Control": "no-store" },
  );
});

const sumOf = (all: readonly UsageAt[]) => shownUsage(summedUsage(all.map(([, usage]) => usage)));

/** The beginning of the month, in UTC. */
const monthBegin = (now: number): number => Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth());

const mostFailures = 20;

const shownFailures = (since: number, { isPartial, requests, by }: Failures) => ({
  since: iso(since),
  requests,
  isPartial: isPartial || by.length > mostFailures,
  by: by.slice(0, mostFailures).map(({ lastAt, cause, ...each }) => ({
    ...each,
    lastAt: iso(lastAt),
    cause: causeSentence(cause),
    causeFacts: cause,
  })),
});

const shownOpen = ({ isPartial, open, waiting, oldestAt, firstDue }: ShardOpen) => ({
  requests: open,
  waiting,
  isPartial,
  oldestAt: oldestAt === null ? null : iso(oldestAt),
  firstDue:
    firstDue === null ? null : { id: firstDue.run, server: firstDue.server, tool: firstDue.name, expiresAt: iso(firstDue.deadlineAt) },
});
