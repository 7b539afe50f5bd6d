// The operator's JSON: configuration, keys, notices. Everything here wants the admin token.

import { parseJson } from "../../../shared/json/values.ts";
import type { NoticeRow } from "../../stubs/ledger-calls.ts";
import { type DocumentName, type StoredDocument, documentNames } from "../../stubs/config-calls.ts";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import * as z from "zod";
import { fromBase64url } from "../../../shared/encoding.ts";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { ruleWithoutOwner } from "../../../shared/policy/own-requests.ts";
import { type Policy, parsePolicy, policyJsonSchema } from "../../../shared/policy/rules.ts";
import { issuersJsonSchema, parseIssuers } from "../../../shared/credential/issuers.ts";
import { parseServers, serversJsonSchema } from "../../../shared/relay/servers.ts";
import type { NamedModel, ChatRequest, EmbeddingRequest } from "../../../shared/model/sampling.ts";
import { parseSampling } from "../../../shared/wire/mcp-2025/request.ts";
import { cannotCarry } from "../../../shared/provider/carry.ts";
import { linkToken } from "../../../shared/review/link.ts";
import { explainRouting } from "../../../shared/routing/explain.ts";
import { parseRoutingTable, routingJsonSchema } from "../../../shared/routing/table.ts";
import { randomOfRunId } from "../../../shared/sealed-id.ts";
import type { Result } from "../../../shared/result.ts";
import type { Env } from "../../platform/env.ts";
import { configStub, keyStub, ledgerShards, ledgerStub } from "../../stubs/stubs.ts";
import { readBody } from "../../http/body.ts";
import { readyIn } from "../../pipeline/plan-request.ts";
import { settingsOf } from "../../platform/settings.ts";
import { documentsOf, serveWritten, standardDocument } from "../../stores/documents.ts";
import { type KeyRecord, acceptedKeys, forgetKeys, keyRequestSchema, newKey, randomKeyBytes } from "../../stores/keys.ts";
import { paths, reviewUrl } from "../../platform/urls.ts";
import { requireAdmin } from "../auth.ts";
import type { App, AppContext } from "../context.ts";
import { onInvalid } from "../../http/invalid.ts";
import { iso, isoTime } from "../../http/iso-time.ts";

const documentLimitBytes = 1_000_000;
type Writable = DocumentName;
const isWritable = (name: string | undefined): name is Writable => documentNames.some((known) => known === name);

const parsers: Record<Writable, (value: unknown) => Result<{ readonly version: number }, readonly PointedError[]>> = {
  routing: parseRoutingTable,
  policy: parsePolicy,
  servers: parseServers,
  issuers: parseIssuers,
};

const schemas: Record<Writable, () => object> = {
  routing: routingJsonSchema,
  policy: policyJsonSchema,
  servers: serversJsonSchema,
  issuers: issuersJsonSchema,
};

export const adminRoutes = new Hono<App>();
adminRoutes.use("/admin/*", requireAdmin);

// Documents

const explainSchema = z.strictObject({
  preferences: z.unknown().optional(),
  params: z.unknown().optional(),
  /** As in an envelope of the control endpoint: with `version` "latest" or without one it is the same. */
  namedModel: z
    .strictObject({ name: z.string().min(1).max(256), version: z.string().max(256).optional(), provider: z.string().max(256).optional() })
    .optional(),
  task: z.enum(["chat", "embedding"]).default("chat"),
  server: z.string().min(1).max(512).default("any"),
  key: z.strictObject({ id: z.string(), name: z.string() }).default({ id: "key_none", name: "none" }),
});

/** Answers for any preferences, for whole sampling params, or for a model by name, without calling a model. */
adminRoutes.post(paths.admin.explain, zValidator("json", explainSchema, onInvalid), async (c) => {
  const { preferences, params, namedModel, task, server, key } = c.req.valid("json");
  const asked = params ?? {
    messages: [{ role: "user", content: { type: "text", text: "" } }],
    maxTokens: 1,
    ...(preferences === undefined ? {} : { modelPreferences: preferences }),
  };
  const parsed = parseSampling(asked);
  if (!parsed.ok) return c.json({ error: "The params are not those of sampling/createMessage", details: parsed.error }, 400);
  const request = task === "chat" ? parsed.value.request : asEmbedding(parsed.value.request);
  const { routing } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  return c.json(
    explainRouting({
      table: routing,
      request: namedModel === undefined ? request : { ...request, namedModel: withoutLatest(namedModel) },
      key,
      server,
      ready: readyIn(c.env),
      cannotCarry: (request, model, provider) => cannotCarry(request, model, provider.kind),
    }),
  );
});

const asEmbedding = ({ messages, modelPreferences }: ChatRequest): EmbeddingRequest => ({
  kind: "embedding",
  messages,
  ...(modelPreferences === undefined ? {} : { modelPreferences }),
});

const withoutLatest = ({ name, version, provider }: NonNullable<z.infer<typeof explainSchema>["namedModel"]>): NamedModel => ({
  name,
  ...(provider !== undefined && { provider }),
  ...(version !== undefined && version !== "latest" && { version }),
});

adminRoutes.get(paths.admin.schema, (c) => {
  const name = c.req.param("document");
  if (!isWritable(name)) return c.notFound();
  return c.json(schemas[name]());
});

for (const name of documentNames) {
  adminRoutes.get(paths.admin[name], async (c) => {
    const current = await currentDocument(c.env, name);
    return c.json(JSON.parse(current.text) as object, 200, { ETag: `"${current.version}"` });
  });

  adminRoutes.put(paths.admin[name], async (c) => {
    const body = await readBody(c.req.raw, documentLimitBytes);
    if (body === "tooLarge") return c.json({ error: `The document is over the limit of ${documentLimitBytes} bytes` }, 413);
    const expected = ifMatch(c);
    if (expected === null) return c.json({ error: "Send the version that you changed as If-Match: <version>; GET shows it" }, 428);
    const value = body === "notUtf8" ? undefined : parseJson(body.text);
    if (value === undefined) return c.json({ error: "The body is not JSON" }, 400);
    return write(c, name, expected, value, null);
  });
}

adminRoutes.get(paths.admin.versions, async (c) => {
  const name = c.req.param("document");
  if (!isWritable(name)) return c.notFound();
  const versions = await configStub(c.env).versions(name);
  return c.json({ versions: versions.map(({ version, at }) => ({ version, at: iso(at) })) });
});

adminRoutes.get(paths.admin.version, async (c) => {
  const found = await storedVersion(c);
  return found === null ? c.json({ error: "No such version; the last 20 are kept" }, 404) : c.json(JSON.parse(found.stored.text) as object);
});

/** Writes an old version again, as the newest. */
adminRoutes.post(paths.admin.restore, async (c) => {
  const found = await storedVersion(c);
  if (found === null) return c.json({ error: "No such version; the last 20 are kept" }, 404);
  const named = ifMatch(c);
  if (named === null && c.req.header("If-Match") !== undefined)
    return c.json({ error: "If-Match is not a version's number; send If-Match: <version>, or leave it out. Nothing was changed" }, 400);
  const expected = named ?? (await currentDocument(c.env, found.name)).version;
  return write(c, found.name, expected, JSON.parse(found.stored.text), found.stored.version);
});

async function write(c: AppContext, name: Writable, expected: number, value: unknown, restored: number | null): Promise<Response> {
  const parsed = parsers[name](value);
  if (!parsed.ok) return c.json({ error: `The ${name} document is not valid; nothing was changed`, details: parsed.error }, 400);
  const cutOff = name === "policy" && c.req.query("cutOffKeys") !== "yes" ? await keysCutOff(c, value) : [];
  if (cutOff.length > 0)
    return c.json(
      {
        error:
          "This policy bars people from approving their own requests (selfApproval: false), and the owner of these keys is no reviewer of it, so that they would be refused. Nothing was changed. Revoke them, make them again with a reviewer's name or email as owner, or write the policy all the same with ?cutOffKeys=yes",
        keys: cutOff,
      },
      409,
    );
  const written = await configStub(c.env).write(name, expected, JSON.stringify(value), { by: c.var.operator, restored });
  if (written.kind === "conflict") {
    const current = written.current.version === 0 ? standardDocument(name) : (JSON.parse(written.current.text) as object);
    return c.json(
      {
        error: `Somebody was faster: the current version is ${written.current.version}. Nothing was changed`,
        version: written.current.version,
        current,
      },
      412,
    );
  }
  const text = JSON.stringify({ ...(value as object), version: written.version }); // a parsed document is an object
  serveWritten(c.env, name, { version: written.version, text }, Date.now());
  return c.json(JSON.parse(text) as object, 200, { ETag: `"${written.version}"` });
}

type CutOffKey = { readonly id: string; readonly name: string; readonly owner: string | null; readonly rule: string };

/** The keys that this policy would refuse for want of an owner, and the current one does not. */
async function keysCutOff(c: AppContext, document: unknown): Promise<CutOffKey[]> {
  const next = parsePolicy(document);
  if (!next.ok) return [];
  const current = await currentPolicy(c);
  return (await acceptedKeys(c.env, Date.now())).flatMap((key) => {
    const rule = ruleWithoutOwner(next.value, key);
    if (rule === null || ruleWithoutOwner(current, key) !== null) return [];
    return [{ id: key.id, name: key.name, owner: key.owner ?? null, rule }];
  });
}

/** The policy as it was written last; where this version of the gateway cannot read that, the one that serves. */
async function currentPolicy(c: AppContext): Promise<Policy> {
  const parsed = parsePolicy(JSON.parse((await currentDocument(c.env, "policy")).text));
  return parsed.ok ? parsed.value : (await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work))).policy;
}

/** Version 0 is the document that a fresh gateway serves until somebody writes one. */
async function currentDocument(env: Env, name: Writable): Promise<StoredDocument> {
  const current = await configStub(env).current(name);
  return current ?? { version: 0, at: 0, text: JSON.stringify(standardDocument(name)) };
}

async function storedVersion(c: AppContext): Promise<{ name: Writable; stored: StoredDocument } | null> {
  const name = c.req.param("document");
  const version = Number(c.req.param("version"));
  if (!isWritable(name) || !Number.isSafeInteger(version)) return null;
  const stored = await configStub(c.env).version(name, version);
  return stored === null ? null : { name, stored };
}

function ifMatch(c: AppContext): number | null {
  const text = /^\s*(?:W\/)?"?(\d{1,9})"?\s*$/.exec(c.req.header("If-Match") ?? "")?.[1];
  return text === undefined ? null : Number(text);
}

// Keys

adminRoutes.post(paths.admin.keys, zValidator("json", keyRequestSchema, onInvalid), async (c) => {
  const request = c.req.valid("json");
  const rule = ruleWithoutOwner(await currentPolicy(c), request);
  if (rule !== null) {
    const where = rule === "default" ? "the default of the policy" : `the rule "${rule}"`;
    const error = `Where ${where} applies, people may not approve their own requests (selfApproval: false), so it has to be known whose they are: give as owner the name or email of a reviewer of the policy. No key was made`;
    return c.json({ error, rule }, 409);
  }
  const { key, id, hash } = newKey(settingsOf(c.env).keys, randomKeyBytes());
  const record = { ...request, id, createdAt: Date.now() };
  await configStub(c.env).addKey(id, hash, JSON.stringify(record), c.var.operator);
  return c.json({ ...shownKey(record), key }, 201, { "Cache-Control": "no-store" });
});

adminRoutes.get(paths.admin.keys, async (c) => {
  const keys = await configStub(c.env).keys();
  return c.json({
    keys: keys.map(({ record, revokedAt }) => ({
      ...shownKey(JSON.parse(record) as KeyRecord), // written by the route above
      revokedAt: revokedAt === null ? null : iso(revokedAt),
    })),
  });
});

/** A key as an operator sees it: times as text. */
const shownKey = ({ createdAt, expiresAt, ...key }: KeyRecord) => ({
  ...key,
  createdAt: iso(createdAt),
  ...(expiresAt === undefined ? {} : { expiresAt: iso(expiresAt) }),
});

adminRoutes.delete(paths.admin.key, async (c) => {
  const id = c.req.param("id");
  if ((await configStub(c.env).keyOfId(id)) === null) return c.json({ error: "No such key" }, 404);
  // First where every endpoint asks: cut off after that, the key is dead, and whoever revokes it again completes the rest.
  await keyStub(c.env, id).revoke();
  await configStub(c.env).revokeKey(id, c.var.operator);
  forgetKeys();
  return c.body(null, 204);
});

// Notices

const noticesQuery = z.object({
  state: z.enum(["open", "all"]).default("all"),
  before: isoTime.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

adminRoutes.get(paths.admin.notices, zValidator("query", noticesQuery, onInvalid), async (c) => {
  const { state: wanted, before, limit } = c.req.valid("query");
  const query = { open: wanted === "open", limit, ...(before === undefined ? {} : { before }) };
  const { keys, publicUrl } = settingsOf(c.env);
  const shards = await eachShard(async (shard) => JSON.parse(await ledgerStub(c.env, shard).notices(query)) as NoticeRow[]);
  const notices = shards
    .flat()
    .sort((a, b) => a.at - b.at)
    .slice(-limit);
  return c.json(
    {
      notices: notices.map(({ at, channel, reviewer, run, gate, state, fault, link }) => ({
        at: iso(at),
        channel,
        reviewer,
        run,
        gate,
        link: link === null || publicUrl === undefined ? null : linkOf({ run, gate, ...link }),
        state,
        ...(fault === undefined ? {} : { fault }),
      })),
    },
    200,
    { "Cache-Control": "no-store" },
  );

  function linkOf({
    run,
    gate,
    reviewer,
    expiresAtSeconds,
    random,
  }: { run: string; gate: NoticeRow["gate"] } & NonNullable<NoticeRow["link"]>): string | null {
    const runRandom = randomOfRunId(run);
    const randomBytes = fromBase64url(random);
    if (runRandom === undefined || randomBytes === undefined || publicUrl === undefined) return null;
    return reviewUrl(publicUrl, linkToken(keys, { runRandom, gate, reviewer, channel: "outbox", expiresAtSeconds, random: randomBytes }));
  }
});

const eachShard = <T>(ask: (shard: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: ledgerShards }, (_, shard) => ask(shard)));
