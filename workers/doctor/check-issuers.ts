// Checks the issuers of tokens: whether their signing keys can be read and fit, and whether the API
// keys that their subjects map to work.

import type { Issuer } from "../../shared/credential/issuers.ts";
import type { KeyScope } from "../../shared/model/gate.ts";
import { fitsAlgorithm, keySet, leastSecretBytes } from "../../shared/credential/key-set.ts";
import { type KeySetError, fetchKeySet, secretOf } from "../credentials/issuer-keys.ts";
import type { Env } from "../platform/env.ts";
import { lookupIn } from "../platform/lookup.ts";
import { documentIssues, issuersOf } from "../stores/documents.ts";
import { keyById } from "../stores/keys.ts";
import { type Check, good, guardedCall, howToSet, listed, fix, note } from "./check.ts";

const timeoutMs = 10_000;
const controlScope: KeyScope = "control";

export async function issuerChecks(env: Env): Promise<readonly Check[]> {
  const refreshes: Promise<unknown>[] = [];
  await issuersOf(env, Date.now(), (work) => void refreshes.push(work));
  await Promise.all(refreshes);
  const { issuers } = await issuersOf(env, Date.now(), (work) => void work.catch(() => {}));
  const issue = documentIssues(env).find((text) => text.startsWith("The issuers document"));
  const checks = await Promise.all(
    Object.entries(issuers).map(async ([name, issuer]) => [
      ...(await guardedCall(`issuer ${name}`, () => keysCheck(env, name, issuer))),
      ...(await subjectChecks(env, name, issuer)),
    ]),
  );
  return [...(issue === undefined ? [] : [fix("issuers", issue)]), ...checks.flat()];
}

async function keysCheck(env: Env, name: string, issuer: Issuer): Promise<Check> {
  const title = `issuer ${name}`;
  const { algorithm, secret, jwksUrl } = issuer;
  if (secret !== undefined) {
    if (secretOf(env, issuer) !== undefined) return good(title, `${secret} is set, and long enough for ${algorithm}.`);
    return lookupIn(env)(secret)?.trim()
      ? fix(
          title,
          `${secret} is shorter than the ${leastSecretBytes(algorithm)} bytes that ${algorithm} needs: ${howToSet(env, [secret])}.`,
        )
      : fix(title, `Its entry names ${secret}, which is not set: ${howToSet(env, [secret])}.`);
  }
  if (jwksUrl === undefined) return good(title, `Its keys are in the document, for ${algorithm}.`);
  const read = await fetchKeySet(issuer, new Headers({ Accept: "application/json" }), AbortSignal.timeout(timeoutMs));
  const place = `/issuers/${name}/jwksUrl of the issuers document`;
  if (!read.ok) return fix(title, `Its keys cannot be read, so its tokens are not accepted: ${remedy(read.error, place)}.`);
  const parsed = keySet.safeParse(read.value);
  const fitting = parsed.success ? parsed.data.keys.filter((key) => fitsAlgorithm(key, algorithm)).length : 0;
  if (fitting === 0)
    return fix(title, `It publishes no key for ${algorithm}: check that ${place} is this issuer's, and that it signs with ${algorithm}.`);
  return good(title, `It publishes ${fitting === 1 ? "one key" : `${fitting} keys`} for ${algorithm}.`);
}

function remedy(error: KeySetError, place: string): string {
  switch (error) {
    case "unreachable":
      return `check that it is running, and that ${place} is correct`;
    case "notOk":
      return `it answers with a status other than 200, and redirects are not followed; check ${place}`;
    case "tooLarge":
      return `the document there is larger than 256 KiB; check ${place}`;
    case "notKeySet":
      return `the document there is not a JSON Web Key Set; check ${place}`;
    default:
      return error satisfies never;
  }
}

/** Subjects are not shown, because they may be people's addresses. Keys are shown by their ids. */
async function subjectChecks(env: Env, name: string, { subjects }: Issuer): Promise<Check[]> {
  const title = `issuer ${name}`;
  const ids = [...new Set(Object.values(subjects))];
  if (ids.length === 0) return [note(title, "It maps no subject to an API key, so its tokens are not accepted.")];
  const found = await Promise.all(ids.map(async (id) => ({ id, caller: await keyById(env, id, Date.now()) })));
  const dead = found.flatMap(({ id, caller }) => (caller.kind === "refused" ? [`${id} (${caller.why})`] : []));
  const elsewhere = found.flatMap(({ id, caller }) => (caller.kind === "key" && !caller.record.scopes.includes(controlScope) ? [id] : []));
  const place = `/issuers/${name}/subjects`;
  return [
    ...(dead.length === 0
      ? []
      : [fix(title, `Its subjects map to keys that are not accepted: ${listed(dead)}. Create new keys, or change ${place}.`)]),
    ...(elsewhere.length === 0
      ? []
      : [
          fix(
            title,
            `Its subjects map to keys without the scope "${controlScope}": ${listed(elsewhere)}. Create new keys with that scope, and change ${place}.`,
          ),
        ]),
  ];
}
