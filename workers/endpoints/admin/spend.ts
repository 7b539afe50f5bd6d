// How much of each budget is used in the current day or month, and when a key was last used.

import { Hono } from "hono";
import * as z from "zod";
import {
  type Allowance,
  type Budgets,
  type JurorBudget,
  allowances,
  jurorAllowance,
  nanosInUsd,
  ownBudgetName,
} from "../../../shared/budget/budgets.ts";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { iso } from "../../http/iso-time.ts";
import type { Env } from "../../platform/env.ts";
import { paths } from "../../platform/urls.ts";
import { documentsOf } from "../../stores/documents.ts";
import { acceptedKeys, type KeyRecord } from "../../stores/keys.ts";
import { budgetStub, configStub, keyStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { currentBudgets } from "./admin-documents.ts";
import { type KeyUse, keyUse } from "./answers/keys.ts";
import { type BudgetLine, type Spend, spend } from "./answers/spend.ts";

export const spendRoutes = new Hono<App>();

/** Objects that are asked at the same time. */
const atOnce = 32;

const listSpend = describe("listSpend", {
  summary: "Each budget, keys' own included, with what is spent, reserved and unaccounted of it now",
  200: asJson(spend, "The budgets, those of which most is used first"),
});

spendRoutes.get(paths.admin.spend, listSpend, async (c) => {
  const { budgets } = await spendNow(c, Number.MAX_SAFE_INTEGER);
  return c.json({ budgets } satisfies Spend, 200, { "Cache-Control": "no-store" });
});

/**
 * How much of at most so many budgets is used, those of which most is used first. Where there are
 * more, those of everything are asked first.
 */
export async function spendNow(
  c: AppContext,
  most: number,
): Promise<{ readonly budgets: readonly BudgetLine[]; readonly isPartial: boolean }> {
  const keys = await acceptedKeys(c.env, Date.now());
  const [budgets, jurors] = await Promise.all([currentBudgets(c), jurorsOf(c)]);
  const { first = [], others = [] } = Object.groupBy(everyAllowance(budgets, keys, jurors), (each) =>
    isOfEverything(budgets, each) ? "first" : "others",
  );
  const asked = [...first, ...others].slice(0, most);
  const lines: BudgetLine[] = [];
  for (let i = 0; i < asked.length; i += atOnce)
    lines.push(...(await Promise.all(asked.slice(i, i + atOnce).map((each) => lineOf(c.env, each, budgets)))));
  return { budgets: lines.sort((a, b) => b.usedPercent - a.usedPercent), isPartial: first.length + others.length > most };
}

const isOfEverything = ({ budgets }: Budgets, { budget }: Allowance): boolean =>
  Object.hasOwn(budgets, budget) && budgets[budget]?.of === "everything";

/** The jurors of the policy's rules, each with a budget of its own. */
async function jurorsOf(c: AppContext): Promise<JurorBudget[]> {
  const { policy } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  return policy.rules.flatMap(({ name: rule, then: { juror } }) => (juror === null ? [] : [{ rule, usdPerDay: juror.usdPerDay }]));
}

/**
 * One for each amount that is counted by itself: a `*` budget has one for each key, or each owner.
 */
export function everyAllowance({ budgets }: Budgets, keys: readonly KeyRecord[], jurors: readonly JurorBudget[] = []): Allowance[] {
  const owners = [...new Set(keys.flatMap(({ owner }) => owner ?? []))];
  const partsOf = (of: Budgets["budgets"][string]["of"]): readonly (string | null)[] => {
    if (of !== "everything" && "key" in of && of.key === "*") return keys.map(({ id }) => id);
    return of !== "everything" && "owner" in of && of.owner === "*" ? owners : [null];
  };
  return [
    ...Object.entries(budgets).flatMap(([name, budget]) => partsOf(budget.of).flatMap((part) => allowances(name, part, budget))),
    ...keys.flatMap(({ id, budget }) => ownAllowances(id, budget)),
    ...jurors.flatMap(jurorAllowance),
  ];
}

const keyUseQuery = z.strictObject({
  ids: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.string().min(1).max(128)).max(50))
    .optional()
    .describe("Up to 50 ids of keys, with commas between them; the 50 that were made first where it is not given"),
});

const listKeyUse = describe("listKeyUse", {
  summary: "When each of these keys was last used, and what is spent of its own budget",
  200: asJson(keyUse, "The keys that there are, in the order in which they were asked for"),
});

spendRoutes.get(paths.admin.keyUse, listKeyUse, validQuery(keyUseQuery), async (c) => {
  const { ids } = c.req.valid("query");
  const documents = await currentBudgets(c);
  const stored = new Map((await configStub(c.env).keys()).map(({ id, record }) => [id, readJsonOf(record)]));
  const keys = ids === undefined ? [...stored.values()].slice(0, 50) : ids.flatMap((id) => stored.get(id) ?? []);
  const used = await Promise.all(
    keys.map(async ({ id, budget }) => ({
      id,
      lastUsedAt: await keyStub(c.env, id).lastUsedAt(),
      budgets: await Promise.all(ownAllowances(id, budget).map((each) => lineOf(c.env, each, documents))),
    })),
  );
  const lines = used.map((each) => ({ ...each, lastUsedAt: each.lastUsedAt === null ? null : iso(each.lastUsedAt) }));
  return c.json({ keys: lines } satisfies KeyUse, 200, { "Cache-Control": "no-store" });
});

const ownAllowances = (id: string, budget: KeyRecord["budget"]): Allowance[] =>
  budget === undefined ? [] : allowances(ownBudgetName, id, { ...budget, notify: [] });

async function lineOf(env: Env, allowance: Allowance, budgets: Budgets): Promise<BudgetLine> {
  const { spent, reserved, unaccounted, startsAt, endsAt } = await budgetStub(env, allowance).usage(allowance);
  const { budget, part, unit, per, limit } = allowance;
  const shown = (amount: number): number => (unit === "usd" ? amount / nanosInUsd : amount);
  return {
    budget,
    part,
    everything: isOfEverything(budgets, allowance),
    unit,
    per,
    limit: shown(limit),
    spent: shown(spent),
    reserved: shown(reserved),
    unaccounted: shown(unaccounted),
    usedPercent: limit === 0 ? 100 : Math.round(((spent + unaccounted) / limit) * 1000) / 10,
    since: iso(startsAt),
    resetsAt: iso(endsAt),
  };
}
