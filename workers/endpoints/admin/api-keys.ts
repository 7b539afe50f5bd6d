// The operator makes, lists and revokes API keys. A key is shown once, when it is made.

import { Hono } from "hono";
import { ruleWithoutOwner } from "../../../shared/policy/own-requests.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { iso } from "../../http/iso-time.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import { keyChangeSchema, keyRequestSchema } from "../../../shared/budget/key-request.ts";
import { type KeyRecord, forgetKeys, newKey, randomKeyBytes } from "../../stores/keys.ts";
import { keyVersion } from "../../stubs/config-calls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { endKey } from "../oauth/end-key.ts";
import { inPath, asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validJson } from "../validated.ts";
import { currentPolicy, ifMatch, ifMatchHeader } from "./admin-documents.ts";
import {
  type KeyConflict,
  type KeyList,
  type NewKey,
  type ShownKey,
  changedKey,
  keyConflict,
  keyList,
  newKey as newKeyAnswer,
} from "./answers/keys.ts";

export const apiKeyRoutes = new Hono<App>();

const createKey = describe("createKey", {
  summary: "Makes an API key; the key itself is in this answer and never again",
  201: asJson(newKeyAnswer, "The key"),
  409: "A rule bars own requests, and the owner is no reviewer of the policy; or a key of the same `once` was made before",
});

apiKeyRoutes.post(paths.admin.keys, createKey, validJson("KeyRequest", keyRequestSchema), async (c) => {
  const request = c.req.valid("json");
  const rule = ruleWithoutOwner(await currentPolicy(c), request);
  if (rule !== null) {
    const where = rule === "default" ? "the default of the policy" : `the rule "${rule}"`;
    const error = `Where ${where} applies, self-approval is not allowed (selfApproval: false), so a key needs an owner: give the name or email of a reviewer of the policy as owner. No key was created`;
    return c.json({ error, rule }, 409);
  }
  const { key, id, hash } = newKey(settingsOf(c.env).keys, randomKeyBytes());
  const record = { ...request, id, createdAt: Date.now() };
  const earlier = await configStub(c.env).addKey(id, hash, jsonOf(record), c.var.operator);
  if (earlier !== null) {
    const error = `This request made the key ${earlier} before, which is not shown again. No second key was created. To create another, send another \`once\``;
    return c.json({ error, id: earlier }, 409);
  }
  return c.json({ ...shownKey(record), key } satisfies NewKey, 201, { "Cache-Control": "no-store" });
});

const listKeys = describe("listKeys", {
  summary: "All keys, without the keys themselves",
  200: asJson(keyList, "The keys"),
});

apiKeyRoutes.get(paths.admin.keys, listKeys, async (c) => {
  const keys = await configStub(c.env).keys();
  return c.json({
    keys: keys.map(({ record, revokedAt }) => ({
      ...shownKey(readJsonOf(record)),
      revokedAt: revokedAt === null ? null : iso(revokedAt),
    })),
  } satisfies KeyList);
});

/** A key as the operator gets it: times in ISO 8601. */
const shownKey = ({ createdAt, expiresAt, once: _once, oauthClient, changes = 0, ...key }: KeyRecord): ShownKey => ({
  ...key,
  ...(oauthClient === undefined ? {} : { oauthClient: { host: oauthClient.host } }),
  version: keyVersion({ changes }),
  createdAt: iso(createdAt),
  ...(expiresAt === undefined ? {} : { expiresAt: iso(expiresAt) }),
});

const changeKey = describe("changeKey", {
  summary: "Changes what a key may do: its name, servers, models, tools, limits and budget, whole. Open requests go on as they began",
  parameters: [inPath("id", "The key's id"), { ...ifMatchHeader, required: true }],
  200: asJson(changedKey, "The key; in effect within a minute everywhere"),
  404: "No such key",
  409: "The key is revoked",
  412: asJson(keyConflict, "Another version is current: nothing was changed"),
  428: "No `If-Match`",
});

apiKeyRoutes.put(paths.admin.key, changeKey, validJson("KeyChange", keyChangeSchema), async (c) => {
  const expected = ifMatch(c);
  if (expected === null)
    return c.json({ error: "Read the key, and send the change with its version: If-Match: <version>. Nothing was changed" }, 428);
  const changed = await configStub(c.env).changeKey(c.req.param("id"), expected, jsonOf(c.req.valid("json")), c.var.operator);
  switch (changed.kind) {
    case "noSuchKey":
      return c.json({ error: "No such key" }, 404);
    case "revoked":
      return c.json({ error: "The key is revoked, and cannot be changed. Make another one" }, 409);
    case "conflict": {
      const current = shownKey(readJsonOf(changed.record));
      const error = `Version conflict: the current version is ${current.version}. Nothing was changed; read the key, then send your change with its number in If-Match`;
      return c.json({ error, current } satisfies KeyConflict, 412);
    }
    case "changed":
      forgetKeys();
      return c.json(shownKey(readJsonOf(changed.record)) satisfies ShownKey);
    default:
      return changed satisfies never;
  }
});

const revokeKey = describe("revokeKey", {
  summary: "Revokes a key at once",
  parameters: [inPath("id", "The key's id")],
  204: "It is revoked",
  404: "No such key",
});

apiKeyRoutes.delete(paths.admin.key, revokeKey, async (c) => {
  const id = c.req.param("id");
  const stored = await configStub(c.env).keyOfId(id);
  if (stored === null) return c.json({ error: "No such key" }, 404);
  await endKey(c, readJsonOf(stored.record), c.var.operator);
  return c.body(null, 204);
});
