// Checks the configuration documents: which version is in use, whether it is the latest, and what
// is wrong with it.

import type { PointedError } from "../../shared/model/outcome.ts";
import { parsePolicy } from "../../shared/policy/rules.ts";
import type { Result } from "../../shared/result.ts";
import { parseRoutingTable } from "../../shared/routing/table.ts";
import type { Env } from "../platform/env.ts";
import { configStub } from "../stubs/stubs.ts";
import { type Documents, documentIssues, documentsOf } from "../stores/documents.ts";
import { type Check, good, isOnThisMachine, fix, note } from "./check.ts";

const names = ["routing", "policy"] as const;
type Name = (typeof names)[number];

const titles = { routing: "The routing table", policy: "The policy" } as const;

const parsers: Record<Name, (value: unknown) => Result<unknown, readonly PointedError[]>> = {
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
  const issue = documentIssues(env).find((text) => text.startsWith(`The ${name} document`));
  if (issue !== undefined) return fix(name, `${issue}${await firstIssue(env, name)}`);
  const written = await configStub(env).current(name);
  if (written === null) {
    const text = `The built-in default is in use, because no document has been written. GET /admin/${name} shows it, and PUT /admin/${name} writes your own.`;
    return isOnThisMachine(env) ? good(name, text) : note(name, text);
  }
  if (written.version > version)
    return note(name, `Version ${version} is in use and version ${written.version} was written: a new version takes up to a minute.`);
  return good(name, `${titles[name]} is valid; version ${version} is in use.`);
}

/**
 * The pointer and message of the written document's first issue, never its value: an upgrade may
 * refuse what was valid before.
 */
async function firstIssue(env: Env, name: Name): Promise<string> {
  const text = (await configStub(env).current(name))?.text;
  if (text === undefined) return "";
  const parsed = parsers[name](JSON.parse(text));
  const [first] = parsed.ok ? [] : parsed.error;
  return first === undefined ? "" : ` The first issue is at ${first.pointer === "" ? "its top" : first.pointer}: ${first.message}.`;
}
