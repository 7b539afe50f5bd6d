// POST /admin/doctor: what is wrong with this gateway's configuration, one line each. It changes nothing and calls no model; a POST
// because it sends requests to providers and channels. GET: what the last POST found, without asking anybody.

import { Hono } from "hono";
import { channelChecks, keyChecks } from "../../doctor/check-channels.ts";
import { type Check, guarded } from "../../doctor/check.ts";
import { documentChecks, freshDocuments } from "../../doctor/check-documents.ts";
import { issuerChecks } from "../../doctor/check-issuers.ts";
import { peopleChecks } from "../../doctor/people.ts";
import { providerChecks } from "../../doctor/check-providers.ts";
import { serverCheck, serverChecks } from "../../doctor/check-servers.ts";
import { settingsChecks } from "../../doctor/check-settings.ts";
import { telemetryChecks } from "../../doctor/check-telemetry.ts";
import { workerChecks } from "../../doctor/check-workers.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { iso } from "../../http/iso-time.ts";
import { configStub } from "../../stubs/stubs.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";

export const doctorRoutes = new Hono<App>();

const doctor = describe("doctor", {
  summary: "Checks the configuration, asks the providers and channels too, and says what to fix; changes nothing",
  200: asJson("Diagnosis", "The checks"),
});

doctorRoutes.post(paths.admin.doctor, doctor, async (c) => {
  await recordAsked(c);
  const checks = (await allChecks(c.env)).flat().map(onOneLine);
  await keepDiagnosis(c.env, checks);
  // `publicUrl`: the caller tries it from outside, since a Worker cannot call itself.
  return c.json({ checks, publicUrl: settingsOf(c.env).publicUrl ?? null }, 200, { "Cache-Control": "no-store" });
});

const lastDiagnosis = describe("lastDiagnosis", {
  summary: "What the last `POST /admin/doctor` found, and when",
  200: asJson("LastDiagnosis", "The checks; none where it was never asked"),
});

doctorRoutes.get(paths.admin.doctor, lastDiagnosis, async (c) => {
  const last = await configStub(c.env).diagnosis();
  const checks = last === null ? [] : (JSON.parse(last.checks) as Check[]); // written below
  return c.json({ at: last === null ? null : iso(last.at), checks }, 200, { "Cache-Control": "no-store" });
});

/** Never throws, as recording does not. */
async function keepDiagnosis(env: Env, checks: readonly Check[]): Promise<void> {
  try {
    await configStub(env).keepDiagnosis(JSON.stringify(checks));
  } catch (error) {
    logEvent("config.recordFailed", { error: errorClass(error) });
  }
}

const doctorOfServer = describe("doctorOfServer", {
  summary: "Asks one MCP server of the relay whether it answers",
  parameters: [inPath("server", "Its name in the servers document")],
  200: asJson("DoctorCheck", "The check"),
  404: "The servers document has no such server",
});

doctorRoutes.post(paths.admin.doctorServer, doctorOfServer, async (c) => {
  await recordAsked(c);
  const checked = await serverCheck(c.env, c.req.param("server"));
  if (checked === null) return c.json({ error: "The servers document has no server of this name; GET /admin/servers shows it" }, 404);
  return c.json(onOneLine(checked), 200, { "Cache-Control": "no-store" });
});

const onOneLine = (check: Check): Check => ({ ...check, text: check.text.replaceAll(/\s+/g, " ").trim() });

/** Never throws: where the ConfigObject is what fails, the checks run all the same. */
async function recordAsked(c: AppContext): Promise<void> {
  try {
    await configStub(c.env).record({ kind: "doctorAsked", by: c.var.operator });
  } catch (error) {
    logEvent("config.recordFailed", { error: errorClass(error) });
  }
}

/** In parallel, so that all take as long as the slowest. */
async function allChecks(env: Env): Promise<readonly (readonly Check[])[]> {
  const documents = freshDocuments(env);
  return Promise.all([
    guarded("settings", () => settingsChecks(env)),
    guarded("workers", () => workerChecks(env)),
    guarded("documents", async () => documentChecks(env, await documents)),
    guarded("reviewers", async () => peopleChecks(env, (await documents).policy)),
    guarded("providers", async () => providerChecks(env, (await documents).routing)),
    guarded("channels", () => channelChecks(env)),
    guarded("servers", () => serverChecks(env)),
    guarded("issuers", () => issuerChecks(env)),
    guarded("telemetry", () => telemetryChecks(env)),
    guarded("keys", async () => keyChecks(env, (await documents).policy)),
  ]);
}
