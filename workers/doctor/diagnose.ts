// The doctor's visit: all checks in parallel, stored with the versions of the documents that they
// were about. A write of a document has it come again behind the answer, so that what is shown of a
// gateway's health is about the configuration in use.

import { jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { configStub } from "../stubs/stubs.ts";
import { type DocumentVersions, type Latest, documentNames } from "../stubs/config-calls.ts";
import { channelChecks, keyChecks } from "./check-channels.ts";
import { type Check, guarded } from "./check.ts";
import { documentChecks, freshDocuments } from "./check-documents.ts";
import { issuerChecks } from "./check-issuers.ts";
import { providerChecks } from "./check-providers.ts";
import { recordChecks } from "./check-record.ts";
import { serverChecks } from "./check-servers.ts";
import { settingsChecks } from "./check-settings.ts";
import { telemetryChecks } from "./check-telemetry.ts";
import { workerChecks } from "./check-workers.ts";
import { peopleChecks, signInChecks } from "./people.ts";

/**
 * What the doctor found last. `at`: Unix milliseconds. `documents`: the versions that were checked.
 */
type Diagnosis = { readonly at: number; readonly documents: DocumentVersions; readonly checks: readonly Check[] };

/** Never throws: where the ConfigObject is what fails, the checks run all the same. */
export async function diagnose(env: Env): Promise<readonly Check[]> {
  // Read before the checks: a document that is written meanwhile counts as not checked.
  const documents = await latestVersions(env).catch(() => null);
  const checks = (await allChecks(env)).flat().map(onOneLine);
  try {
    if (documents !== null) await configStub(env).keepDiagnosis(jsonOf(documents), jsonOf(checks));
  } catch (error) {
    logEvent("config.recordFailed", { error: errorClass(error) });
  }
  return checks;
}

/** For after a write. A gateway that nobody ever had checked is left alone. Never throws. */
export async function diagnoseAgain(env: Env): Promise<void> {
  const last = await configStub(env)
    .diagnosis()
    .catch(() => null);
  if (last !== null) await diagnose(env);
}

/** What the doctor found last, and the versions of now; null where nobody ever had it look. */
export async function lastDiagnosis(env: Env): Promise<(Diagnosis & { readonly current: DocumentVersions }) | null> {
  const [last, current] = await Promise.all([configStub(env).diagnosis(), latestVersions(env)]);
  if (last === null) return null;
  const { at, documents, checks } = last;
  return { at, documents: readJsonOf(documents), checks: readJsonOf(checks), current };
}

const latestVersions = async (env: Env): Promise<DocumentVersions> => versionsOf(await configStub(env).latest());

const versionsOf = (latest: Latest): DocumentVersions =>
  Object.fromEntries(documentNames.map((name) => [name, latest[name].version])) as DocumentVersions; // every name is there

export const onOneLine = (check: Check): Check => ({ ...check, text: check.text.replaceAll(/\s+/g, " ").trim() });

/** In parallel, so that all take as long as the slowest. */
async function allChecks(env: Env): Promise<readonly (readonly Check[])[]> {
  const documents = freshDocuments(env);
  return Promise.all([
    guarded({ key: "settings" }, () => settingsChecks(env)),
    guarded({ key: "workers" }, () => workerChecks(env)),
    guarded({ key: "documents" }, async () => documentChecks(env, await documents)),
    guarded({ key: "reviewers" }, async () => {
      const { policy } = await documents;
      return [...peopleChecks(env, policy), ...(await signInChecks(env, policy))];
    }),
    guarded({ key: "providers" }, async () => providerChecks(env, (await documents).routing)),
    guarded({ key: "channels" }, () => channelChecks(env)),
    guarded({ key: "servers" }, () => serverChecks(env)),
    guarded({ key: "issuers" }, () => issuerChecks(env)),
    guarded({ key: "telemetry" }, () => telemetryChecks(env)),
    guarded({ key: "record" }, () => recordChecks(env, Date.now())),
    guarded({ key: "keys" }, async () => keyChecks(env, (await documents).policy)),
  ]);
}
