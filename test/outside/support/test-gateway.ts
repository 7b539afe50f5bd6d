// Starts the gateway with the Workers that were built for the run, and without the variables of
// `.dev.vars`.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import { type Gateway, type GatewayOptions, localUrl, startServer } from "../../../scripts/local-gateway.ts";

const script = fileURLToPath(new URL("../../../scripts/serve.ts", import.meta.url));

/** As `startGateway`, and with none of the variables of `.dev.vars`. */
export function startTestGateway({ port, persistTo, variables = {} }: Omit<GatewayOptions, "mailToDisk">): Promise<Gateway> {
  const [gateway, ...others] = inject("builtWorkers");
  const workers = [{ ...gateway, bindings: { PUBLIC_URL: localUrl(port), ...variables } }, ...others];
  mkdirSync(persistTo, { recursive: true });
  return startServer(port, script, { port, persistTo, workers });
}
