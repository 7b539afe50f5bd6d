// Portkey's gateway from npm, on Node as its README runs it.

import { join } from "node:path";
import { freePort } from "../scripts/local-gateway.ts";
import type { Rig } from "./rig.ts";
import { tool } from "./tools.ts";
import type { Served } from "./workerd.ts";

const version = "1.15.2";

const mutableResponses = new URL("portkey-streams.mjs", import.meta.url).href;

/** `streams`: with what it needs on Node to answer a streamed request at all. */
export async function portkey(rig: Rig, { streams = false }: { readonly streams?: boolean } = {}): Promise<Served> {
  const port = await freePort();
  const installed = tool("@portkey-ai/gateway", version);
  const script = [join(installed, "build/start-server.js"), `--port=${port}`, "--headless"];
  return rig.node("Portkey's gateway", port, streams ? ["--import", mutableResponses, ...script] : script);
}

/** The headers that send a request to the mock provider. */
export const toPortkey = (providerUrl: string): Record<string, string> => ({
  Authorization: "Bearer k",
  "x-portkey-provider": "openai",
  "x-portkey-custom-host": `${providerUrl}/v1`,
});
