// Checks the export of spans: asks the collector to take none, which shows whether it is there and
// accepts the credential.

import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { postSpans } from "../telemetry/otlp-export.ts";
import { type Check, fix, good } from "./check.ts";

/** None where no address is set; an address that is not valid is reported with the settings. */
export async function telemetryChecks(env: Env): Promise<readonly Check[]> {
  const { otlp } = settingsOf(env);
  if (otlp === undefined) return [];
  const failure = await postSpans(otlp, () => []);
  const title = { name: "OTEL_EXPORTER_OTLP_ENDPOINT" };
  if (failure === null) return [good(title, "spansTaken")];
  if ("error" in failure) return [fix(title, "spansLost")];
  const { status } = failure;
  if (status === 401 || status === 403) return [fix(title, { key: "spansRefused", values: { status: String(status) } })];
  if (status === 404) return [fix(title, "spansNowhere")];
  return [fix(title, { key: "spansFailed", values: { status: String(status) } })];
}
