// Checks the issuers of tokens: whether their signing keys can be read and fit, and whether the API
// keys that their subjects map to work.

import type { Issuer, PeoplesIssuer } from "../../shared/credential/issuers.ts";
import type { KeyScope } from "../../shared/model/gate.ts";
import { fitsAlgorithm, keySet, leastSecretBytes } from "../../shared/credential/key-set.ts";
import { type KeySetError, fetchKeySet, secretOf } from "../credentials/issuer-keys.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { lookupIn } from "../platform/lookup.ts";
import { documentIssues, issuersOf } from "../stores/documents.ts";
import { keyById } from "../stores/keys.ts";
import { type Check, type Title, good, guardedCall, howToSet, listed, fix, note } from "./check.ts";

const timeoutMs = 10_000;
const controlScope: KeyScope = "control";

export async function issuerChecks(env: Env): Promise<readonly Check[]> {
  const refreshes: Promise<unknown>[] = [];
  await issuersOf(env, Date.now(), (work) => void refreshes.push(work));
  await Promise.all(refreshes);
  const { issuers } = await issuersOf(env, Date.now(), (work) => void work.catch(() => {}));
  const issue = documentIssues(env).find(({ document }) => document === "issuers");
  const checks = await Promise.all(
    Object.entries(issuers).map(async ([name, issuer]) => [
      ...(await guardedCall({ key: "issuer", values: { name } }, () => keysCheck(env, name, issuer))),
      ...(await subjectChecks(env, name, issuer)),
      ...(await signInChecks(env, name, issuer)),
    ]),
  );
  return [...(issue === undefined ? [] : [fix({ key: "issuers" }, issue.says)]), ...checks.flat()];
}

async function keysCheck(env: Env, name: string, issuer: Issuer): Promise<Check> {
  const title: Title = { key: "issuer", values: { name } };
  const { algorithm, secret, jwksUrl } = issuer;
  if (secret !== undefined) {
    if (secretOf(env, issuer) !== undefined) return good(title, { key: "secretFits", values: { variable: secret, algorithm } });
    const values = { variable: secret, algorithm, bytes: leastSecretBytes(algorithm), how: howToSet(env, [secret]) };
    return fix(title, { key: lookupIn(env)(secret)?.trim() ? "secretShort" : "secretUnset", values });
  }
  if (jwksUrl === undefined) return good(title, { key: "keysInside", values: { algorithm } });
  const read = await fetchKeySet(issuer, new Headers({ Accept: "application/json" }), AbortSignal.timeout(timeoutMs));
  const address: DoctorPhrase = { key: "jwksUrl", values: { name } };
  if (!read.ok) return fix(title, { key: "keysUnread", values: { fix: { key: remedies[read.error], values: { address } } } });
  const parsed = keySet.safeParse(read.value);
  const fitting = parsed.success ? parsed.data.keys.filter((key) => fitsAlgorithm(key, algorithm)).length : 0;
  if (fitting === 0) return fix(title, { key: "noKeyFits", values: { algorithm, address } });
  return good(title, fitting === 1 ? { key: "oneKeyFits", values: { algorithm } } : { key: "keysFit", values: { n: fitting, algorithm } });
}

const remedies = {
  unreachable: "issuerUnreachable",
  notOk: "issuerNotOk",
  tooLarge: "issuerTooLarge",
  notKeySet: "issuerNotKeySet",
} as const satisfies Record<KeySetError, DoctorPhrase["key"]>;

async function signInChecks(env: Env, name: string, issuer: Issuer): Promise<readonly Check[]> {
  const { signIn } = issuer;
  const title: Title = { key: "issuer", values: { name } };
  return signIn === undefined ? [] : guardedCall(title, () => signInCheck(env, name, { ...issuer, signIn }));
}

/** Whether people can be led to the issuer's sign-in. Nobody is: what begins here is forgotten. */
async function signInCheck(env: Env, name: string, { issuer, allowPrivate, signIn }: PeoplesIssuer): Promise<Check> {
  const title: Title = { key: "issuer", values: { name } };
  const { clientId, secret: variable } = signIn;
  const secret = variable === undefined ? null : (lookupIn(env)(variable)?.trim() ?? "");
  if (variable !== undefined && secret === "")
    return fix(title, { key: "secretUnset", values: { variable, how: howToSet(env, [variable]) } });
  const server = { url: issuer, headers: {}, allowPrivate, secret };
  const asked = { server, clientId, redirectUri: "https://example.com/", state: "doctor", nonce: "doctor" };
  const started = await env.TOOLS.startSignIn(asked);
  if (started.kind === "started") return good(title, "signInReads");
  const address: DoctorPhrase = { key: "issuerAddress", values: { name } };
  return fix(title, { key: "signInFails", values: { why: started.why, address } });
}

/** Subjects are not shown, because they may be people's addresses. Keys are shown by their ids. */
async function subjectChecks(env: Env, name: string, { subjects, signIn }: Issuer): Promise<Check[]> {
  const title: Title = { key: "issuer", values: { name } };
  const ids = [...new Set(Object.values(subjects))];
  if (ids.length === 0) return signIn === undefined ? [note(title, "noSubjects")] : [];
  const found = await Promise.all(ids.map(async (id) => ({ id, caller: await keyById(env, id, Date.now()) })));
  const dead = found.flatMap(({ id, caller }) =>
    caller.kind === "refused" ? [{ key: "keyWhy", values: { key: id, why: { key: caller.why } } }] : [],
  );
  const elsewhere = found.flatMap(({ id, caller }) => (caller.kind === "key" && !caller.record.scopes.includes(controlScope) ? [id] : []));
  const pointer = `/issuers/${name}/subjects`;
  return [
    ...(dead.length === 0 ? [] : [fix(title, { key: "subjectsDead", values: { keys: listed(dead), pointer } })]),
    ...(elsewhere.length === 0
      ? []
      : [fix(title, { key: "subjectsElsewhere", values: { scope: controlScope, keys: listed(elsewhere), pointer } })]),
  ];
}
