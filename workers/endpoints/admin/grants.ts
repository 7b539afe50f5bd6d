// The operator lists and revokes the grants of all keys, and gives bypasses. Each KeyObject has its
// own; nothing here gives a reviewer's grant.

import { toBase64url } from "../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { Hono } from "hono";
import * as z from "zod";
import { type Grant, bypassFrom, grantState, longestBypassHours } from "../../../shared/policy/grant.ts";
import { grantIdOf, keyOfGrantId } from "../../../shared/run/granting.ts";
import type { Env } from "../../platform/env.ts";
import { configStub, keyStub } from "../../stubs/stubs.ts";
import { settingsOf } from "../../platform/settings.ts";
import { devKeyId } from "../../stores/keys.ts";
import { paths } from "../../platform/urls.ts";
import { iso } from "../../http/iso-time.ts";
import type { App } from "../app-context.ts";
import { inPath, asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validJson, validQuery } from "../validated.ts";
import { type BypassList, type GrantList, type ShownGrant, bypassList, grantList } from "./answers/grants.ts";

/** Each key costs one call to its object, and a request may make 50 calls on the smallest plan. */
const keysInAnAnswer = 40;

export const grantRoutes = new Hono<App>();

const grantsQuery = z.object({
  key: z.string().max(128).optional().describe("A key's id: the grants of that key alone"),
  after: z.string().max(128).optional().describe("`next` of the answer before: the keys that follow"),
  state: z.enum(["live", "all"]).default("all").describe("live: those that may still be used"),
});

const listGrants = describe("listGrants", {
  summary: "What reviewers allowed for later requests, key by key, the newest of each key first",
  200: asJson(grantList, "The grants of up to 40 keys, and where to go on"),
});

grantRoutes.get(paths.admin.grants, listGrants, validQuery(grantsQuery), async (c) => {
  const { key, after, state: wanted } = c.req.valid("query");
  const known = await keyIds(c.env);
  const asked = key === undefined ? known.slice(after === undefined ? 0 : known.indexOf(after) + 1) : known.filter((id) => id === key);
  const page = asked.slice(0, keysInAnAnswer);
  const now = Date.now();
  const found = await Promise.all(page.map((id) => grantsOf(c.env, id)));
  const grants = found.flat().map((grant) => lineOf(grant, now));
  return c.json(
    {
      grants: wanted === "all" ? grants : grants.filter(({ state }) => state === "live"),
      next: asked.length > page.length ? (page.at(-1) ?? null) : null,
    } satisfies GrantList,
    200,
    { "Cache-Control": "no-store" },
  );
});

const longestReason = 500;

const bypassSchema = z
  .strictObject({
    key: z.string().max(128).optional().describe("The id of the API key; absent: every key that there is now"),
    server: z.string().min(1).max(256).optional().describe("The MCP server; absent: any"),
    tool: z.string().min(1).max(256).optional().describe("One tool of the server; absent: each of them"),
    reason: z.string().min(1).max(longestReason).optional().describe("Why, for the record and the console"),
    hours: z.int().min(1).max(longestBypassHours).default(1),
  })
  .refine(({ key, server }) => key !== undefined || server !== undefined, "needs a key or a server")
  .refine(({ server, tool }) => tool === undefined || server !== undefined, { path: ["tool"], message: "needs its server" });

const giveBypass = describe("giveBypass", {
  summary: "Lets the tool calls of a key, or at a server, pass without a review for a time",
  201: asJson(bypassList, "A grant for each key; each ends with its time, or by DELETE /admin/grants/{id}"),
  404: "No such key",
  409: `A bypass is for at most ${keysInAnAnswer} keys at once: name one`,
});

/** Rules that refuse still do, and each use is in the record. */
grantRoutes.post(paths.admin.grants, giveBypass, validJson("BypassRequest", bypassSchema), async (c) => {
  const { key, server, tool, reason, hours } = c.req.valid("json");
  const known = await keyIds(c.env);
  const keys = key === undefined ? known : known.filter((id) => id === key);
  if (keys.length === 0) return c.json({ error: "There is no such key" }, 404);
  if (keys.length > keysInAnAnswer) return c.json({ error: `There are more than ${keysInAnAnswer} keys: name one` }, 409);
  const { operator } = c.var;
  const by = operator.kind === "adminToken" ? `admin token ${operator.fingerprint}` : operator.email;
  const now = Date.now();
  const grants = keys.map((id) => {
    const own = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
    return bypassFrom({ id: grantIdOf(id, own), key: id, server, tool, reason, by, hours }, now);
  });
  for (const grant of grants) {
    const words = { ...(tool === undefined ? {} : { tool }), ...(reason === undefined ? {} : { reason }) };
    const about = { key: grant.key, server: server ?? null, ...words, grant: grant.id, until: iso(grant.expiresAt) };
    await configStub(c.env).record({ kind: "bypassGiven", by: operator, ...about });
    await keyStub(c.env, grant.key).giveGrant(jsonOf(grant));
  }
  return c.json({ grants: grants.map((grant) => lineOf(grant, now)) } satisfies BypassList, 201, { "Cache-Control": "no-store" });
});

const revokeGrant = describe("revokeGrant", {
  summary: "Ends a grant at once: the next request is asked about",
  parameters: [inPath("id", "The grant's id")],
  204: "It has ended",
  404: "No such grant",
});

/** Requests that the grant let through before go on. */
grantRoutes.delete(paths.admin.grant, revokeGrant, async (c) => {
  const id = c.req.param("id");
  const key = keyOfGrantId(id);
  // A forged id wakes no object.
  const grants = key !== undefined && (await keyIds(c.env)).includes(key) ? await grantsOf(c.env, key) : [];
  const grant = grants.find((each) => each.id === id);
  if (key === undefined || grant === undefined) return c.json({ error: "There is no such grant, or it ended long ago" }, 404);
  if (grant.revokedAt === null) await configStub(c.env).record({ kind: "grantRevoked", by: c.var.operator, key, grant: id });
  await keyStub(c.env, key).revokeGrant(id);
  return c.body(null, 204);
});

const grantsOf = async (env: Env, key: string): Promise<readonly Grant[]> => readJsonOf(await keyStub(env, key).grants());

/** Every key that may have grants, oldest first. */
async function keyIds(env: Env): Promise<string[]> {
  const keys = await configStub(env).keys();
  return [...(settingsOf(env).devApiKey === undefined ? [] : [devKeyId]), ...keys.map(({ id }) => id)];
}

/** A grant as the list shows it: without the digests of what was requested. */
function lineOf(grant: Grant, now: number): ShownGrant {
  const { id, bypass, reason, pinned, replyRiskAtMost } = grant;
  return {
    id,
    ...(bypass === undefined ? {} : { bypass }),
    ...(reason === undefined ? {} : { reason }),
    ...(pinned === undefined ? {} : { pinned: pinned.map(({ name }) => name) }),
    key: grant.key,
    gate: grant.gate,
    scope: grant.scope,
    what: grant.what,
    provenance: grant.provenance,
    by: grant.by,
    run: grant.run,
    rule: grant.rule,
    riskAtMost: grant.riskAtMost,
    ...(replyRiskAtMost === undefined ? {} : { replyRiskAtMost }),
    charactersAtMost: grant.charactersAtMost,
    maxTokensAtMost: grant.maxTokensAtMost,
    state: grantState(grant, now),
    givenAt: iso(grant.givenAt),
    expiresAt: iso(grant.expiresAt),
    usesGiven: grant.usesGiven,
    usesLeft: grant.usesLeft,
    spendLeftUsd: grant.spendLeftMicroUsd / 1_000_000,
    lastUsedAt: grant.lastUsedAt === null ? null : iso(grant.lastUsedAt),
    revokedAt: grant.revokedAt === null ? null : iso(grant.revokedAt),
  };
}
