// POST /admin/doctor: what is wrong with this gateway's configuration, one line each. It changes
// nothing and calls no model; a POST because it sends requests to providers and channels. GET: what
// the last POST found, without asking anybody.

import { Hono } from "hono";
import { diagnose, lastDiagnosis as readDiagnosis, onOneLine } from "../../doctor/diagnose.ts";
import { serverCheck } from "../../doctor/check-servers.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { iso } from "../../http/iso-time.ts";
import { documentNames } from "../../stubs/config-calls.ts";
import { configStub } from "../../stubs/stubs.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { type Diagnosis, type DoctorCheck, type LastDiagnosis, diagnosis, doctorCheck, lastDiagnosis } from "./answers/doctor.ts";

export const doctorRoutes = new Hono<App>();

const doctor = describe("doctor", {
  summary: "Checks the configuration, asks the providers and channels too, and says what to fix; changes nothing",
  200: asJson(diagnosis, "The checks"),
});

doctorRoutes.post(paths.admin.doctor, doctor, async (c) => {
  await recordAsked(c);
  const checks = await diagnose(c.env);
  // `publicUrl`: the caller tries it from outside, since a Worker cannot call itself.
  return c.json({ checks, publicUrl: settingsOf(c.env).publicUrl ?? null } satisfies Diagnosis, 200, { "Cache-Control": "no-store" });
});

const getDiagnosis = describe("lastDiagnosis", {
  summary: "What the doctor found last, when, and for which versions of the documents",
  200: asJson(lastDiagnosis, "The checks; none where it was never asked"),
});

doctorRoutes.get(paths.admin.doctor, getDiagnosis, async (c) => {
  const last = await readDiagnosis(c.env);
  const answer: LastDiagnosis =
    last === null
      ? { at: null, documents: [], checks: [] }
      : {
          at: iso(last.at),
          documents: documentNames.map((name) => ({ document: name, checked: last.documents[name], current: last.current[name] })),
          checks: last.checks,
        };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
});

const doctorOfServer = describe("doctorOfServer", {
  summary: "Asks one MCP server of the relay whether it answers",
  parameters: [inPath("server", "Its name in the servers document")],
  200: asJson(doctorCheck, "The check"),
  404: "The servers document has no such server",
});

doctorRoutes.post(paths.admin.doctorServer, doctorOfServer, async (c) => {
  await recordAsked(c);
  const checked = await serverCheck(c.env, c.req.param("server"));
  if (checked === null) return c.json({ error: "The servers document has no server of this name; GET /admin/servers shows it" }, 404);
  return c.json(onOneLine(checked) satisfies DoctorCheck, 200, { "Cache-Control": "no-store" });
});

/** Never throws: where the ConfigObject is what fails, the checks run all the same. */
async function recordAsked(c: AppContext): Promise<void> {
  try {
    await configStub(c.env).record({ kind: "doctorAsked", by: c.var.operator });
  } catch (error) {
    logEvent("config.recordFailed", { error: errorClass(error) });
  }
}
