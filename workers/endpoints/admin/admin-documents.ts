// The operator reads and writes the configuration's documents whole; each keeps its last versions.

import { Hono } from "hono";
import { type Budgets, parseBudgets } from "../../../shared/budget/budgets.ts";
import { parseJson } from "../../../shared/json/values.ts";
import { type Policy, parsePolicy } from "../../../shared/policy/rules.ts";
import { type RoutingTable, parseRoutingTable } from "../../../shared/routing/table.ts";
import { readBody } from "../../http/body.ts";
import { iso } from "../../http/iso-time.ts";
import { diagnoseAgain } from "../../doctor/diagnose.ts";
import type { Env } from "../../platform/env.ts";
import { documentPaths } from "../../platform/urls.ts";
import { budgetsOf, documentsOf, serveWritten, standardDocument } from "../../stores/documents.ts";
import { type DocumentName, type StoredDocument, documentNames } from "../../stubs/config-calls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { documentKinds } from "./document-kinds.ts";
import { endSessionsOfChanged } from "./inbox-sessions.ts";
import { keysThatWouldEnd } from "./keys-cut-off.ts";
import { asJson, inHeader, inPath, inQuery, jsonBody, jsonObject, jsonSchema } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import {
  type Document,
  type DocumentCheck,
  type KeysCutOff,
  type VersionConflict,
  type Versions,
  documentAnswer,
  documentCheck,
  keysCutOff,
  versionConflict,
  versions,
} from "./answers/documents.ts";

const documentLimitBytes = 1_000_000;

export const documentRoutes = new Hono<App>();

const version = inPath("version", "Its number");
export const ifMatchHeader = inHeader("If-Match", "The version that was read, as a number or an ETag");
const cutOffKeys = inQuery("cutOffKeys", "yes: write a policy although it cuts API keys off");
const eTag = { ETag: "Its version" };
const noVersion = "There is no such version; the last 20 are kept, and version 0, the built-in one";
const written = {
  200: asJson(documentAnswer, "The document in use", eTag),
  412: asJson(versionConflict, "Version conflict; the current document"),
};
const cutsOff = asJson(keysCutOff, "The policy would cut off these API keys; nothing was changed");

for (const name of documentNames) {
  addDocument(name, documentPaths(name));
  addCheck(name, documentPaths(name));
  addVersions(name, documentPaths(name));
}

type DocumentPaths = ReturnType<typeof documentPaths>;

function addDocument(name: DocumentName, at: DocumentPaths): void {
  const get = describe(`get-${name}`, {
    summary: `The ${name} document; version 0 is the built-in one`,
    200: asJson(documentAnswer, "The document", eTag),
  });

  documentRoutes.get(at.document, get, async (c) => {
    const current = await currentDocument(c.env, name);
    return c.json(documentIn(current), 200, { ETag: `"${current.version}"` });
  });

  const put = describe(`put-${name}`, {
    summary: `Replaces the ${name} document whole`,
    parameters: [{ ...ifMatchHeader, required: true }, ...(name === "policy" ? [cutOffKeys] : [])],
    body: jsonBody(documentKinds[name]),
    ...written,
    400: "Not a valid document; nothing was changed",
    ...(name === "policy" ? { 409: cutsOff } : {}),
    413: "Over a megabyte",
    428: "Without a version",
  });

  documentRoutes.put(at.document, put, async (c) => {
    const sent = await documentSent(c);
    if (sent instanceof Response) return sent;
    const expected = ifMatch(c);
    if (expected === null) return c.json({ error: "Send If-Match: <version> with the version that you changed; GET shows it" }, 428);
    return write(c, name, expected, sent.value, null);
  });
}

/** What a write would refuse, without writing: for an editor, while somebody types. */
function addCheck(name: DocumentName, at: DocumentPaths): void {
  const check = describe(`check-${name}`, {
    summary: `Whether the ${name} document is valid, and what is wrong with it. Writes nothing`,
    body: jsonBody(jsonObject),
    200: asJson(documentCheck, "What is wrong with it"),
    400: "Not JSON",
    413: "Over a megabyte",
  });

  documentRoutes.post(at.check, check, async (c) => {
    const sent = await documentSent(c);
    if (sent instanceof Response) return sent;
    const parsed = documentKinds[name].parse(sent.value);
    const cutOff = name === "policy" && parsed.ok ? await keysThatWouldEnd(c.env, await currentPolicy(c), sent.value) : [];
    return c.json({
      valid: parsed.ok,
      details: parsed.ok ? [] : parsed.error,
      ...(name === "policy" ? { keysCutOff: cutOff } : {}),
    } satisfies DocumentCheck);
  });
}

/** The body as JSON, or why it cannot be a document. */
async function documentSent(c: AppContext): Promise<{ readonly value: unknown } | Response> {
  const body = await readBody(c.req.raw, documentLimitBytes);
  if (body === "tooLarge") return c.json({ error: `The document is larger than the limit of ${documentLimitBytes} bytes` }, 413);
  const value = body === "notUtf8" ? undefined : parseJson(body.text);
  return value === undefined ? c.json({ error: "The body is not JSON" }, 400) : { value };
}

function addVersions(name: DocumentName, at: DocumentPaths): void {
  const getSchema = describe(`get-${name}-schema`, {
    summary: `The JSON Schema of the ${name} document`,
    200: asJson(jsonSchema, "The schema"),
  });

  documentRoutes.get(at.schema, getSchema, (c) => c.json(documentKinds[name].schema()));

  const listVersions = describe(`list-${name}-versions`, {
    summary: `The last 20 versions of the ${name} document, newest first`,
    200: asJson(versions, "Versions, times and who wrote them"),
  });

  documentRoutes.get(at.versions, listVersions, async (c) => {
    const stored = await configStub(c.env).versions(name);
    return c.json({ versions: stored.map(({ version, at, by, restored }) => ({ version, at: iso(at), by, restored })) } satisfies Versions);
  });

  const getVersion = describe(`get-${name}-version`, {
    summary: `One version of the ${name} document`,
    parameters: [version],
    200: asJson(documentAnswer, "The document as it was"),
    404: noVersion,
  });

  documentRoutes.get(at.version, getVersion, async (c) => {
    const stored = await storedVersion(c, name);
    return stored === null ? c.json({ error: noVersion }, 404) : c.json(documentIn(stored));
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
  const parsed = documentKinds[name].parse(value);
  if (!parsed.ok) return c.json({ error: `The ${name} document is not valid; nothing was changed`, details: parsed.error }, 400);
  const cutOff =
    name === "policy" && c.req.query("cutOffKeys") !== "yes" ? await keysThatWouldEnd(c.env, await currentPolicy(c), value) : [];
  if (cutOff.length > 0)
    return c.json(
      {
        error:
          "This policy does not allow self-approval (selfApproval: false), and the owner of these keys is not a reviewer of it, so their requests would be refused. Nothing was changed. Revoke them, make them again with a reviewer's name or email as owner, or write the policy all the same with ?cutOffKeys=yes",
        keys: cutOff,
      } satisfies KeysCutOff,
      409,
    );
  const before = name === "policy" ? await currentPolicy(c) : null;
  const written = await configStub(c.env).write(name, expected, JSON.stringify(value), { by: c.var.operator, restored });
  if (written.kind === "conflict") {
    const current = written.current.version === 0 ? builtIn(name) : written.current;
    return c.json(
      {
        error: `Version conflict: the current version is ${written.current.version}. Nothing was changed; read that version, then send your change with its number in If-Match`,
        version: written.current.version,
        current: documentIn(current),
      } satisfies VersionConflict,
      412,
    );
  }
  const text = serveDocument(c, name, value as object, written.version); // an object, since it parsed
  const after = before === null ? null : parsePolicy(value);
  if (before !== null && after?.ok === true) await endSessionsOfChanged(c.env, before, after.value);
  return c.json(documentIn({ text }), 200, { ETag: `"${written.version}"` });
}

/** Serves what was just written; returns its text. */
export function serveDocument(c: AppContext, name: DocumentName, value: object, version: number): string {
  const text = JSON.stringify({ ...value, version });
  serveWritten(c.env, name, { version, text }, Date.now());
  c.executionCtx.waitUntil(diagnoseAgain(c.env));
  return text;
}

/**
 * The policy that was written last; where this version of the gateway cannot read it, the one in
 * use.
 */
export async function currentPolicy(c: AppContext): Promise<Policy> {
  const parsed = parsePolicy(JSON.parse((await currentDocument(c.env, "policy")).text));
  return parsed.ok ? parsed.value : (await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work))).policy;
}

/** The routing table as `currentPolicy` is. */
export async function currentTable(c: AppContext): Promise<RoutingTable> {
  const parsed = parseRoutingTable(JSON.parse((await currentDocument(c.env, "routing")).text));
  return parsed.ok ? parsed.value : (await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work))).routing;
}

/** The budgets as `currentPolicy` is. */
export async function currentBudgets(c: AppContext): Promise<Budgets> {
  const parsed = parseBudgets(JSON.parse((await currentDocument(c.env, "budgets")).text));
  return parsed.ok ? parsed.value : budgetsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
}

/** Version 0 is the built-in document, until an operator writes one. */
export async function currentDocument(env: Env, name: DocumentName): Promise<StoredDocument> {
  return (await configStub(env).current(name)) ?? builtIn(name);
}

const documentIn = ({ text }: Pick<StoredDocument, "text">): Document => JSON.parse(text) as Document; // valid, with its version, since it was written

const builtIn = (name: DocumentName): StoredDocument => ({ version: 0, at: 0, text: JSON.stringify(standardDocument(name)) });

async function storedVersion(c: AppContext, name: DocumentName): Promise<StoredDocument | null> {
  const text = c.req.param("version") ?? "";
  if (text === "0") return builtIn(name);
  const version = Number(text);
  return Number.isSafeInteger(version) ? configStub(c.env).version(name, version) : null;
}

/** The version that the request names; null where it names none. */
export function ifMatch(c: AppContext): number | null {
  const text = /^\s*(?:W\/)?"?(\d{1,9})"?\s*$/.exec(c.req.header("If-Match") ?? "")?.[1];
  return text === undefined ? null : Number(text);
}
