// GET /admin/notices: the notices to reviewers, and the links of the outbox channel, which only
// this list delivers. A link decides, so an operator reads links only with the role `change`, and
// the record has who was given which.

import { Hono } from "hono";
import * as z from "zod";
import { allows } from "../../../shared/credential/operator-roles.ts";
import { fromBase64url } from "../../../shared/encoding.ts";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { linkToken } from "../../../shared/review/link.ts";
import { randomOfRunId } from "../../../shared/sealed-id.ts";
import { iso, isoTime } from "../../http/iso-time.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths, reviewUrl } from "../../platform/urls.ts";
import type { NoticeRow } from "../../stubs/ledger-calls.ts";
import { configStub, ledgerShards, ledgerStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { type NoticeList, noticeList } from "./answers/reviewers.ts";

export const noticeRoutes = new Hono<App>();

const noticesQuery = z.object({
  state: z.enum(["open", "all"]).default("all").describe("open: of reviews that still wait"),
  before: isoTime.optional().describe("Older notices: a time or a day in ISO 8601"),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe("1 to 500"),
});

const listNotices = describe("listNotices", {
  summary:
    "Notices to reviewers, newest last; links of the outbox channel only, and only for the role `change`. The record has who read them",
  200: asJson(noticeList, "The notices"),
});

noticeRoutes.get(paths.admin.notices, listNotices, validQuery(noticesQuery), async (c) => {
  const { state: wanted, before, limit } = c.req.valid("query");
  const query = { open: wanted === "open", limit, ...(before === undefined ? {} : { before }) };
  const { keys, publicUrl } = settingsOf(c.env);
  const shards = await eachShard(async (shard) => readJsonOf(await ledgerStub(c.env, shard).notices(query)));
  const notices = shards
    .flat()
    .sort((a, b) => a.at - b.at)
    .slice(-limit);
  const links = new Map(allows(c.var.role, "change") ? notices.map((notice) => [notice.id, linkOf(notice)]) : []);
  const given = notices.filter(({ id }) => links.get(id) != null).map(({ id, run, gate, reviewer }) => ({ id, run, gate, reviewer }));
  // Recorded before anything is given. A HEAD gives nothing.
  if (given.length > 0 && c.req.method === "GET") await configStub(c.env).giveLinks(given, c.var.operator);
  return c.json(
    {
      notices: notices.map(({ id, at, channel, reviewer, run, gate, state, fault }) => ({
        at: iso(at),
        channel,
        reviewer,
        run,
        gate,
        link: links.get(id) ?? null,
        state,
        ...(fault === undefined ? {} : { fault }),
      })),
    } satisfies NoticeList,
    200,
    { "Cache-Control": "no-store" },
  );

  function linkOf({ run, gate, link }: NoticeRow): string | null {
    const runRandom = randomOfRunId(run);
    const random = link === null ? undefined : fromBase64url(link.random);
    if (link === null || runRandom === undefined || random === undefined || publicUrl === undefined) return null;
    return reviewUrl(publicUrl, linkToken(keys, { ...link, runRandom, gate, channel: "outbox", random }));
  }
});

const eachShard = <T>(ask: (shard: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: ledgerShards }, (_, shard) => ask(shard)));
