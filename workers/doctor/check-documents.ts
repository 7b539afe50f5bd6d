// Checks the configuration documents: which version is in use, whether it is the latest, and what
// is wrong with it.

import type { Issue } from "../../shared/routing/issues.ts";
import { parsePolicy } from "../../shared/policy/rules.ts";
import type { Result } from "../../shared/result.ts";
import { parseRoutingTable } from "../../shared/routing/table.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { configStub } from "../stubs/stubs.ts";
import { type Documents, documentIssues, documentsOf } from "../stores/documents.ts";
import { type Check, type Title, good, isOnThisMachine, fix, note } from "./check.ts";

const names = ["routing", "policy"] as const;
type Name = (typeof names)[number];

const parsers: Record<Name, (value: unknown) => Result<unknown, readonly Issue[]>> = {
  routing: parseRoutingTable,
  policy: parsePolicy,
};

/** The documents in use, after they were read again. */
export async function freshDocuments(env: Env): Promise<Documents> {
  const refreshes: Promise<unknown>[] = [];
  await documentsOf(env, Date.now(), (work) => void refreshes.push(work));
  await Promise.all(refreshes);
  return documentsOf(env, Date.now(), (work) => void work.catch(() => {}));
}

export async function documentChecks(env: Env, serving: Documents): Promise<readonly Check[]> {
  return Promise.all(names.map((name) => documentCheck(env, name, serving[name].version)));
}

async function documentCheck(env: Env, name: Name, version: number): Promise<Check> {
  const title: Title = { key: name };
  const issue = documentIssues(env).find(({ document }) => document === name);
  if (issue !== undefined) return fix(title, await withFirstIssue(env, name, issue.says));
  const written = await configStub(env).current(name);
  if (written === null) return (isOnThisMachine(env) ? good : note)(title, { key: "builtIn", values: { document: name } });
  const inUse = String(version);
  if (written.version > version) return note(title, { key: "versionComes", values: { version: inUse, written: String(written.version) } });
  return good(title, { key: `${name}Valid`, values: { version: inUse } });
}

/**
 * With the pointer and message of the written document's first issue, never its value: an upgrade
 * may refuse what was valid before.
 */
async function withFirstIssue(env: Env, name: Name, malformed: DoctorPhrase): Promise<DoctorPhrase> {
  const text = (await configStub(env).current(name))?.text;
  if (text === undefined) return malformed;
  const parsed = parsers[name](JSON.parse(text));
  const [first] = parsed.ok ? [] : parsed.error;
  if (first === undefined) return malformed;
  const { pointer, message, says } = first;
  return { key: "firstIssue", values: { malformed, pointer: pointer === "" ? { key: "itsTop" } : pointer, issue: says ?? message } };
}
