// The sunset report: which MCP servers sample, how much, and what a move to /v1 would change for
// each.

import { Hono } from "hono";
import * as z from "zod";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { type ServerMonths, addedShards } from "../../../shared/record/server-use.ts";
import { type ServerEntry, sunsetLine, sunsetText } from "../../../shared/record/sunset.ts";
import type { Servers } from "../../../shared/relay/servers.ts";
import type { Env } from "../../platform/env.ts";
import { paths } from "../../platform/urls.ts";
import { serversOf } from "../../stores/documents.ts";
import type { ServerUseQuery, ShardUse } from "../../stubs/ledger-calls.ts";
import { ledgerShards, ledgerStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJsonOr } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validQuery } from "../validated.ts";
import { type Sunset, sunset } from "./answers/sunset.ts";

export const sunsetRoutes = new Hono<App>();

const sunsetQuery = z.strictObject({
  format: z.enum(["json", "text"]).default("json").describe("text: for a terminal"),
  after: z.string().min(1).max(512).optional().describe("`next` of the answer before: the servers that follow"),
  limit: z.coerce.number().int().min(1).max(200).default(100).describe("Servers: 1 to 200, 100 where it is not given"),
});

const getSunset = describe("getSunset", {
  summary:
    "Each MCP server that sampled, by name: when, by which revisions and models, how it ended, what it cost, and what a move to /v1 changes",
  200: asJsonOr("text/plain", sunset, "The servers, and where to go on"),
});

sunsetRoutes.get(paths.admin.sunset, getSunset, validQuery(sunsetQuery), async (c) => {
  const { format, after = "", limit } = c.req.valid("query");
  const [{ isComplete, servers }, { servers: entries }] = await Promise.all([
    serverUse(c.env, { after, limit: limit + 1 }),
    serversOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work)),
  ]);
  const lines = servers.slice(0, limit).map((each) => sunsetLine(each, entryOf(entries, each.server)));
  const next = servers.length > limit ? (lines.at(-1)?.server ?? null) : null;
  const headers = { "Cache-Control": "no-store" };
  if (format === "json") return c.json({ isComplete, servers: lines, next } satisfies Sunset, 200, headers);
  const more = next === null ? "" : `\nMore servers follow: ?${new URLSearchParams({ format, after: next, limit: String(limit) })}\n`;
  return c.text(sunsetText(lines, isComplete) + more, 200, headers);
});

function entryOf(entries: Servers["servers"], server: string): ServerEntry {
  const entry = Object.hasOwn(entries, server) ? entries[server] : undefined;
  return entry === undefined ? "none" : entry.v1Tokens === undefined ? "withoutV1Tokens" : "withV1Tokens";
}

/** Calls of one shard for a report: with 16 shards well within what a request may make. */
const mostCalls = 30;

/** The first servers by name, with what all shards have of them. */
async function serverUse(
  env: Env,
  query: ServerUseQuery,
): Promise<{ readonly isComplete: boolean; readonly servers: readonly ServerMonths[] }> {
  const shards = await Promise.all(Array.from({ length: ledgerShards }, (_, shard) => shardUse(env, shard, query)));
  return {
    isComplete: shards.every(({ isBehind }) => !isBehind),
    servers: addedShards(
      shards.map(({ servers }) => servers),
      query.limit,
    ),
  };
}

/** Asks again while the shard has lines to count. */
async function shardUse(env: Env, shard: number, query: ServerUseQuery): Promise<ShardUse> {
  for (let call = 1; ; call += 1) {
    const use = readJsonOf(await ledgerStub(env, shard).serverUse(query));
    if (!use.isBehind || call === mostCalls) return use;
  }
}
