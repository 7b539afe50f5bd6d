// The kill switch: the operator stops all sampling, tool calls and forms, or those of one MCP
// server or of one API key, and lets them go on; also the calls of a tool that a reviewer stopped.
//
// A stop answers when no isolate can send any more for what is stopped. Open runs are cancelled
// from then on.

import { Hono } from "hono";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { type Stop, reachOf } from "../../../shared/policy/stops.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { iso } from "../../http/iso-time.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import { devKeyId } from "../../stores/keys.ts";
import { mostStops, stopsKnownMs, toolStopId } from "../../stubs/stop-calls.ts";
import { configStub, eachStopShard, stopStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { type StopList, stopList } from "./answers/stops.ts";

export const stopRoutes = new Hono<App>();

const listStops = describe("listStops", { summary: "What is stopped", 200: asJson(stopList, "The stops, oldest first") });

stopRoutes.get(paths.admin.stops, listStops, async (c) => {
  const stops = await stopStub(c.env, 0).list();
  return c.json({ stops: stops.map(({ stop, at }) => ({ ...lineOf(stop), at: iso(at) })) } satisfies StopList, 200, {
    "Cache-Control": "no-store",
  });
});

/** Its session is known by an id of ours, which nobody needs. */
const lineOf = (stop: Stop) => {
  if (stop.scope !== "tool") return stop;
  const { scope, key, server, tool, by, until } = stop;
  return { scope, id: toolStopId(stop), key, server, tool, of: reachOf(stop), by, until: iso(until) };
};

const full = "There are a thousand stops already: stop everything, or take some back";
const stopped = { 204: "Nothing is sent for it any more, and its open requests are being cancelled" };
const resumed = { 204: "It goes on; what was cancelled stays cancelled", 404: "It was not stopped" };
const ofServer = inPath("server", "The MCP server's name, as the servers document or the host has it");
const ofKey = inPath("key", "The API key's id, or its name where only one key has it");

stopRoutes.put(
  paths.admin.stopEverything,
  describe("stopEverything", { summary: "Stops all sampling, tool calls and forms", ...stopped }),
  (c) => stopNow(c, { scope: "everything" }),
);
stopRoutes.delete(paths.admin.stopEverything, describe("resumeEverything", { summary: "Lets everything go on", ...resumed }), (c) =>
  resume(c, { scope: "everything" }),
);
stopRoutes.put(
  paths.admin.stopServer,
  describe("stopServer", {
    summary: "Stops the sampling, tool calls and forms of one MCP server",
    parameters: [ofServer],
    ...stopped,
    409: full,
  }),
  (c) => stopNow(c, { scope: "server", server: c.req.param("server") }),
);
stopRoutes.delete(
  paths.admin.stopServer,
  describe("resumeServer", { summary: "Lets one MCP server go on", parameters: [ofServer], ...resumed }),
  (c) => resume(c, { scope: "server", server: c.req.param("server") }),
);
stopRoutes.put(
  paths.admin.stopKey,
  describe("stopKey", {
    summary: "Stops the sampling, tool calls and forms of one API key, without revoking it",
    parameters: [ofKey],
    ...stopped,
    404: "No key has this id or name: nothing was stopped. `keys` has those that there are",
    409: `${full}; or several keys have this name, and \`keys\` has them: nothing was stopped`,
  }),
  async (c) => {
    const found = keyNamed(await knownKeys(c.env), c.req.param("key"));
    return found.ok ? stopNow(c, { scope: "key", key: found.value }) : c.json(found.error.body, found.error.status);
  },
);
stopRoutes.delete(
  paths.admin.stopKey,
  describe("resumeKey", { summary: "Lets one API key go on", parameters: [ofKey], ...resumed }),
  async (c) => {
    const name = c.req.param("key");
    // A key that is stopped may be gone by now.
    const isStopped = (await stopStub(c.env, 0).list()).some(({ stop }) => stop.scope === "key" && stop.key === name);
    const found = isStopped ? ok(name) : keyNamed(await knownKeys(c.env), name);
    return found.ok ? resume(c, { scope: "key", key: found.value }) : c.json(found.error.body, found.error.status);
  },
);

stopRoutes.delete(
  paths.admin.stopTool,
  describe("resumeTool", {
    summary: "Lets a tool go on that a reviewer stopped",
    parameters: [inPath("id", "The stop's id, as the list has it")],
    ...resumed,
  }),
  async (c) => {
    const found = (await stopStub(c.env, 0).list()).find(({ stop }) => stop.scope === "tool" && toolStopId(stop) === c.req.param("id"));
    return found === undefined ? c.json(notStopped, 404) : resume(c, found.stop);
  },
);

type KnownKey = { readonly id: string; readonly name: string };

/** Every key that may be presented, the one for development too, newest first. */
async function knownKeys(env: Env): Promise<KnownKey[]> {
  const stored = await configStub(env).keys();
  const live = stored.filter(({ revokedAt }) => revokedAt === null).map(({ record }) => readJsonOf(record));
  const dev = settingsOf(env).devApiKey === undefined ? [] : [{ id: devKeyId, name: "dev" }];
  return [...live.map(({ id, name }) => ({ id, name })).toReversed(), ...dev];
}

/** Of the keys that there are so many are listed in an error. */
const mostListed = 100;

type NoKey = { readonly status: 404 | 409; readonly body: { readonly error: string; readonly keys: readonly KnownKey[] } };

/** The id of the key that a text names: by its id, or by its name where no other key has it. */
function keyNamed(keys: readonly KnownKey[], text: string): Result<string, NoKey> {
  if (keys.some(({ id }) => id === text)) return ok(text);
  const named = keys.filter(({ name }) => name === text);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return ok(only.id);
  const error =
    only === undefined
      ? "No API key has this id or name. Nothing was changed; name one of keys"
      : "Several API keys have this name. Nothing was changed; name one of keys by its id";
  return err({ status: only === undefined ? 404 : 409, body: { error, keys: (only === undefined ? keys : named).slice(0, mostListed) } });
}

function ofStop(stop: Stop): string | null {
  if (stop.scope === "tool") return stop.tool;
  return stop.scope === "everything" ? null : stop.scope === "server" ? stop.server : stop.key;
}

const notStopped = { error: "It was not stopped; GET /admin/stops shows what is" };
/**
 * Each object has the stop before this answers; where one cannot be reached it fails, and a second
 * PUT does the rest.
 */
async function stopNow(c: AppContext, stop: Stop): Promise<Response> {
  const by = c.var.operator;
  await configStub(c.env).record({ kind: "stopped", by, scope: stop.scope, of: ofStop(stop) });
  const done = await eachStopShard(c.env, async (shard, number) => shard.stop(stop, number === 0 ? by : null));
  if (done.includes(false)) return c.json({ error: `There are ${mostStops} stops already; stop everything, or take some back` }, 409);
  // Until then an isolate may still go by what it was told before.
  await new Promise((resolve) => setTimeout(resolve, stopsKnownMs));
  return c.body(null, 204);
}

async function resume(c: AppContext, stop: Stop): Promise<Response> {
  await configStub(c.env).record({ kind: "resumed", by: c.var.operator, scope: stop.scope, of: ofStop(stop) });
  const gone = await eachStopShard(c.env, async (shard) => shard.resume(stop));
  return gone.includes(true) ? c.body(null, 204) : c.json(notStopped, 404);
}
