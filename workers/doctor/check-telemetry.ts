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
  const name = "OTEL_EXPORTER_OTLP_ENDPOINT";
  if (failure === null) return [good(name, "The collector answers, and takes spans.")];
  if ("error" in failure) return [fix(name, "The collector does not answer, so spans are lost: correct the address, or start it.")];
  const { status } = failure;
  if (status === 401 || status === 403)
    return [fix(name, `The collector refuses the credential (${status}), so spans are lost: set OTEL_EXPORTER_OTLP_HEADERS again.`)];
  if (status === 404)
    return [
      fix(name, "The collector has nothing at its /v1/traces (404), so spans are lost: the address must be the one before /v1/traces."),
    ];
  return [fix(name, `The collector answers with status ${status}, so spans are lost: see its own log.`)];
}
