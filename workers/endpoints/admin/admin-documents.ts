// The operator reads and writes the configuration's documents whole; each keeps its last versions.

import { Hono } from "hono";
import { type Budgets, budgetsJsonSchema, parseBudgets } from "../../../shared/budget/budgets.ts";
import { issuersJsonSchema, parseIssuers } from "../../../shared/credential/issuers.ts";
import { parseJson } from "../../../shared/json/values.ts";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { ruleWithoutOwner } from "../../../shared/policy/own-requests.ts";
import { type Policy, parsePolicy, policyJsonSchema } from "../../../shared/policy/rules.ts";
import { parseServers, serversJsonSchema } from "../../../shared/relay/servers.ts";
import type { Result } from "../../../shared/result.ts";
import { parseRoutingTable, routingJsonSchema } from "../../../shared/routing/table.ts";
import { readBody } from "../../http/body.ts";
import { iso } from "../../http/iso-time.ts";
import type { Env } from "../../platform/env.ts";
import { documentPaths } from "../../platform/urls.ts";
import { budgetsOf, documentsOf, serveWritten, standardDocument } from "../../stores/documents.ts";
import { acceptedKeys } from "../../stores/keys.ts";
import { type DocumentName, type StoredDocument, documentNames } from "../../stubs/config-calls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { endSessionsOfChanged } from "./inbox-sessions.ts";
import { inHeader, inPath, inQuery, asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import type { SchemaName } from "../openapi/schemas.ts";

const documentLimitBytes = 1_000_000;

type Kind = {
  readonly parse: (value: unknown) => Result<{ readonly version: number }, readonly PointedError[]>;
  readonly schema: () => object;
  /** The schema's name in the description. */
  readonly name: SchemaName;
};

const kinds: Record<DocumentName, Kind> = {
  routing: { parse: parseRoutingTable, schema: routingJsonSchema, name: "Routing" },
  policy: { parse: parsePolicy, schema: policyJsonSchema, name: "Policy" },
  servers: { parse: parseServers, schema: serversJsonSchema, name: "Servers" },
  issuers: { parse: parseIssuers, schema: issuersJsonSchema, name: "Issuers" },
  budgets: { parse: parseBudgets, schema: budgetsJsonSchema, name: "Budgets" },
};

export const documentRoutes = new Hono<App>();

const version = inPath("version", "Its number");
const ifMatchHeader = inHeader("If-Match", "The version that was read, as a number or an ETag");
const cutOffKeys = inQuery("cutOffKeys", "yes: write a policy although it cuts API keys off");
const eTag = { ETag: "Its version" };
const noVersion = "There is no such version; the last 20 are kept";
const written = { 200: asJson("Document", "The document in use", eTag), 412: asJson("Conflict", "Version conflict; the current document") };
const cutsOff = asJson("CutOff", "The policy would cut off these API keys; nothing was changed");

for (const name of documentNames) {
  addDocument(name, documentPaths(name));
  addVersions(name, documentPaths(name));
}

type DocumentPaths = ReturnType<typeof documentPaths>;

function addDocument(name: DocumentName, at: DocumentPaths): void {
  const get = describe(`get-${name}`, {
    summary: `The ${name} document; version 0 is the built-in one`,
    200: asJson("Document", "The document", eTag),
  });

  documentRoutes.get(at.document, get, async (c) => {
    const current = await currentDocument(c.env, name);
    return c.json(JSON.parse(current.text) as object, 200, { ETag: `"${current.version}"` });
  });

  const put = describe(`put-${name}`, {
    summary: `Replaces the ${name} document whole`,
    parameters: [{ ...ifMatchHeader, required: true }, ...(name === "policy" ? [cutOffKeys] : [])],
    body: { type: "application/json", schema: kinds[name].name },
    ...written,
    400: "Not a valid document; nothing was changed",
    ...(name === "policy" ? { 409: cutsOff } : {}),
    413: "Over a megabyte",
    428: "Without a version",
  });

  documentRoutes.put(at.document, put, async (c) => {
    const body = await readBody(c.req.raw, documentLimitBytes);
    if (body === "tooLarge") return c.json({ error: `The document is larger than the limit of ${documentLimitBytes} bytes` }, 413);
    const expected = ifMatch(c);
    if (expected === null) return c.json({ error: "Send If-Match: <version> with the version that you changed; GET shows it" }, 428);
    const value = body === "notUtf8" ? undefined : parseJson(body.text);
    if (value === undefined) return c.json({ error: "The body is not JSON" }, 400);
    return write(c, name, expected, value, null);
  });
}

function addVersions(name: DocumentName, at: DocumentPaths): void {
  const getSchema = describe(`get-${name}-schema`, {
    summary: `The JSON Schema of the ${name} document`,
    200: asJson("JsonSchema", "The schema"),
  });

  documentRoutes.get(at.schema, getSchema, (c) => c.json(kinds[name].schema()));

  const listVersions = describe(`list-${name}-versions`, {
    summary: `The last 20 versions of the ${name} document, newest first`,
    200: asJson("Versions", "Versions and times"),
  });

  documentRoutes.get(at.versions, listVersions, async (c) => {
    const versions = await configStub(c.env).versions(name);
    return c.json({ versions: versions.map(({ version, at }) => ({ version, at: iso(at) })) });
  });

  const getVersion = describe(`get-${name}-version`, {
    summary: `One version of the ${name} document`,
    parameters: [version],
    200: asJson("Document", "The document as it was"),
    404: noVersion,
  });

  documentRoutes.get(at.version, getVersion, async (c) => {
    const stored = await storedVersion(c, name);
    return stored === null ? c.json({ error: noVersion }, 404) : c.json(JSON.parse(stored.text) as object);
  });

  const restoreVersion = describe(`restore-${name}-version`, {
    summary: `Writes an old version of the ${name} document again, as the newest`,
    parameters: [version, ifMatchHeader, ...(name === "policy" ? [cutOffKeys] : [])],
    ...written,
    400: "No longer valid",
    404: noVersion,
    ...(name === "policy" ? { 409: cutsOff } : {}),
  });

  documentRoutes.post(at.restore, restoreVersion, async (c) => {
    const stored = await storedVersion(c, name);
    if (stored === null) return c.json({ error: noVersion }, 404);
    const named = ifMatch(c);
    if (named === null && c.req.header("If-Match") !== undefined)
      return c.json({ error: "If-Match is not a version number; send If-Match: <version>, or leave it out. Nothing was changed" }, 400);
    const expected = named ?? (await currentDocument(c.env, name)).version;
    return write(c, name, expected, JSON.parse(stored.text), stored.version);
  });
}

async function write(c: AppContext, name: DocumentName, expected: number, value: unknown, restored: number | null): Promise<Response> {
  const parsed = kinds[name].parse(value);
  if (!parsed.ok) return c.json({ error: `The ${name} document is not valid; nothing was changed`, details: parsed.error }, 400);
  const cutOff = name === "policy" && c.req.query("cutOffKeys") !== "yes" ? await keysCutOff(c, value) : [];
  if (cutOff.length > 0)
    return c.json(
      {
        error:
          "This policy does not allow self-approval (selfApproval: false), and the owner of these keys is not a reviewer of it, so their requests would be refused. Nothing was changed. Revoke them, make them again with a reviewer's name or email as owner, or write the policy all the same with ?cutOffKeys=yes",
        keys: cutOff,
      },
      409,
    );
  const before = name === "policy" ? await currentPolicy(c) : null;
  const written = await configStub(c.env).write(name, expected, JSON.stringify(value), { by: c.var.operator, restored });
  if (written.kind === "conflict") {
    const current = written.current.version === 0 ? standardDocument(name) : (JSON.parse(written.current.text) as object);
    return c.json(
      {
        error: `Version conflict: the current version is ${written.current.version}. Nothing was changed; read that version, then send your change with its number in If-Match`,
        version: written.current.version,
        current,
      },
      412,
    );
  }
  const text = JSON.stringify({ ...(value as object), version: written.version }); // an object, since it parsed
  serveWritten(c.env, name, { version: written.version, text }, Date.now());
  const after = before === null ? null : parsePolicy(value);
  if (before !== null && after?.ok === true) await endSessionsOfChanged(c.env, before, after.value);
  return c.json(JSON.parse(text) as object, 200, { ETag: `"${written.version}"` });
}

type CutOffKey = { readonly id: string; readonly name: string; readonly owner: string | null; readonly rule: string };

/** The keys that this policy would refuse because they have no owner, and the current policy does not. */
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

/** The policy that was written last; where this version of the gateway cannot read it, the one in use. */
export async function currentPolicy(c: AppContext): Promise<Policy> {
  const parsed = parsePolicy(JSON.parse((await currentDocument(c.env, "policy")).text));
  return parsed.ok ? parsed.value : (await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work))).policy;
}

/** The budgets as `currentPolicy` is. */
export async function currentBudgets(c: AppContext): Promise<Budgets> {
  const parsed = parseBudgets(JSON.parse((await currentDocument(c.env, "budgets")).text));
  return parsed.ok ? parsed.value : budgetsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
}

/** Version 0 is the built-in document, until an operator writes one. */
async function currentDocument(env: Env, name: DocumentName): Promise<StoredDocument> {
  const current = await configStub(env).current(name);
  return current ?? { version: 0, at: 0, text: JSON.stringify(standardDocument(name)) };
}

async function storedVersion(c: AppContext, name: DocumentName): Promise<StoredDocument | null> {
  const version = Number(c.req.param("version"));
  return Number.isSafeInteger(version) ? configStub(c.env).version(name, version) : null;
}

function ifMatch(c: AppContext): number | null {
  const text = /^\s*(?:W\/)?"?(\d{1,9})"?\s*$/.exec(c.req.header("If-Match") ?? "")?.[1];
  return text === undefined ? null : Number(text);
}
