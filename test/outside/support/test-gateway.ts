// Starts the gateway on Miniflare with Workers that were built once for the run. `npm start` runs wrangler's local server, which builds
// them at each start, for three times the CPU time: the tests in walk/ and those of emails on disk run that.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { type Gateway, type GatewayOptions, localUrl, startServer } from "../../../scripts/local-gateway.ts";

const script = fileURLToPath(new URL("serve-built.ts", import.meta.url));

/** As `startGateway`, and with none of the variables of `.dev.vars`. */
export function startTestGateway({ port, persistTo, variables = {} }: Omit<GatewayOptions, "mailToDisk">): Promise<Gateway> {
  const [gateway, ...others] = inject("builtWorkers");
  const workers = [{ ...gateway, bindings: { PUBLIC_URL: localUrl(port), ...variables } }, ...others];
  mkdirSync(persistTo, { recursive: true });
  return startServer(port, script, { port, persistTo, workers });
}
