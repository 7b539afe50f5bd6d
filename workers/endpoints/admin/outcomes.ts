// GET /admin/outcomes: what model calls, requests and reviews of the last five minutes and of the
// last hour came to. One call to each shard of the ledger, and none of its rows.

import { Hono } from "hono";
import { type ShownOutcomes, minuteMs, nowMinutes } from "../../../shared/telemetry/recent-outcomes.ts";
import { iso } from "../../http/iso-time.ts";
import { paths } from "../../platform/urls.ts";
import { outcomesOf } from "../../stores/outcomes.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { type OutcomeLine, type Outcomes, outcomes } from "./answers/outcomes.ts";

export const outcomeRoutes = new Hono<App>();

const mostListed = 200;

const getOutcomes = describe("getOutcomes", {
  summary: "What fails now: calls by provider and model, requests by server, of the last five minutes and the last hour, with their times",
  200: asJson(outcomes, "The outcomes, what fails first"),
});

outcomeRoutes.get(paths.admin.outcomes, getOutcomes, async (c) => {
  const now = Date.now();
  const { providers, models, servers, reviews, isPartial } = await outcomesOf(c.env, now, (work) => c.executionCtx.waitUntil(work));
  const minute = Math.floor(now / minuteMs) + 1;
  const answer: Outcomes = {
    at: iso(now),
    nowSince: iso((minute - nowMinutes) * minuteMs),
    hourSince: iso((minute - 60) * minuteMs),
    isPartial: isPartial || [providers, models, servers].some(({ length }) => length > mostListed),
    providers: providers.slice(0, mostListed).map(lineOf),
    models: models.slice(0, mostListed).map(lineOf),
    servers: servers.slice(0, mostListed).map(lineOf),
    reviews,
  };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
});

const lineOf = ({ lastFailedAt, ...each }: ShownOutcomes): OutcomeLine => ({
  ...each,
  lastFailedAt: lastFailedAt === null ? null : iso(lastFailedAt),
});
