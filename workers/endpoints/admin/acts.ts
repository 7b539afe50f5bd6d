// What operators did, for reading: a month, the newest first, and whether the log has it as it was
// written. Unlike an export of the record, reading it writes no event.

import { Hono } from "hono";
import * as z from "zod";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { actsOfMonth, findActsIssue, monthAt } from "../../../shared/record/operators.ts";
import { type OperatorFact, type RecordEvent, actKinds } from "../../../shared/record/record.ts";
import { iso } from "../../http/iso-time.ts";
import type { Env } from "../../platform/env.ts";
import { paths } from "../../platform/urls.ts";
import { configStub, ledgerShardOf, ledgerStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { type ActCheck, type ActList, actCheck, actList } from "./answers/acts.ts";

export const actRoutes = new Hono<App>();

/** Events of one call to a ledger. */
const atOnce = 500;
/**
 * Calls of one answer: where a filter finds fewer acts in them than were asked for, `next` says
 * where to go on.
 */
const mostCalls = 20;

const month = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "is not a month such as 2026-11")
  .optional()
  .describe("A month of UTC, such as 2026-11; this one where it is not given");

const actsQuery = z.strictObject({
  month,
  kind: z.enum(actKinds).optional().describe("Acts of this kind alone"),
  before: z.coerce.number().int().min(1).optional().describe("`next` of the answer before: the acts before them"),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("1 to 200, 50 where it is not given"),
});

const listActs = describe("listActs", {
  summary: "What operators did in a month, newest first. Reading it is not recorded",
  200: asJson(actList, "The acts, and where to go on"),
});

actRoutes.get(paths.admin.acts, listActs, validQuery(actsQuery), async (c) => {
  const { month: asked, kind, before, limit } = c.req.valid("query");
  const of = asked ?? monthAt(Date.now());
  const found: Act[] = [];
  let position = before ?? Number.MAX_SAFE_INTEGER;
  for (let call = 0; call < mostCalls && position > 1 && found.length <= limit; call += 1) {
    const events = await eventsBefore(c.env, actsOfMonth(of), position, kind === undefined ? limit + 1 : atOnce);
    position = events.at(-1)?.seq ?? 0;
    found.push(...events.filter(isAct).filter(({ fact }) => kind === undefined || fact.kind === kind));
  }
  const acts = found.slice(0, limit);
  const next = found.length > limit ? (acts.at(-1)?.seq ?? null) : position > 1 ? position : null;
  return c.json({ month: of, acts: acts.map(({ seq, at, fact }) => ({ seq, at: iso(at), fact })), next } satisfies ActList, 200, noStore);
});

type Act = RecordEvent & { readonly fact: OperatorFact };

/** A month has what they did, and where it continues the month before. */
const isAct = (event: RecordEvent): event is Act => event.fact.kind !== "continued";

const checkQuery = z.strictObject({ month });

const checkActs = describe("checkActs", {
  summary: "Whether a month's acts are as they were written: none was changed or taken out since",
  200: asJson(actCheck, "How many events there are, and what is wrong with them"),
});

actRoutes.get(paths.admin.actsCheck, checkActs, validQuery(checkQuery), async (c) => {
  const of = c.req.valid("query").month ?? monthAt(Date.now());
  const run = actsOfMonth(of);
  // What the one writer sent last, read before the log: the log has at least that.
  const sent = await configStub(c.env).lastAct();
  const ledger = ledgerStub(c.env, ledgerShardOf(run));
  const events: RecordEvent[] = [];
  for (let last = 0; ; last = events.at(-1)?.seq ?? 0) {
    const more = readJsonOf(await ledger.events(run, last, atOnce));
    events.push(...more);
    if (more.length < atOnce) break;
  }
  const logged = await ledger.logged(run, sent?.run === run ? sent.tree : null);
  const fact = events[0]?.fact;
  const before = fact?.kind === "continued" ? await ledgerStub(c.env, ledgerShardOf(fact.run)).logged(fact.run, fact.tree) : null;
  const issue = findActsIssue(events, { run, sent, logged, before: before?.lastSeq === 0 ? null : before });
  return c.json({ month: of, events: events.length, issue: issue?.kind ?? null, at: issue?.at ?? null } satisfies ActCheck, 200, noStore);
});

const noStore = { "Cache-Control": "no-store" };

const eventsBefore = async (env: Env, run: string, seq: number, limit: number): Promise<RecordEvent[]> =>
  readJsonOf(await ledgerStub(env, ledgerShardOf(run)).eventsBefore({ run, seq }, limit));
