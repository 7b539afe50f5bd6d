// The gateway's address and key for the examples: flags first, then the environment.

import { parseArgs } from "node:util";

export type GatewaySettings = { readonly url: string; readonly apiKey: string };

/**
 * Reads `--url` and `--key`, else COUNTERSIGN_URL and COUNTERSIGN_API_KEY. Without a key it ends
 * the process with advice.
 */
export function gatewaySettings(): GatewaySettings {
  const { values } = parseArgs({ options: { url: { type: "string" }, key: { type: "string" } } });
  const url = values.url ?? process.env["COUNTERSIGN_URL"] ?? "http://localhost:8787";
  const apiKey = values.key ?? process.env["COUNTERSIGN_API_KEY"];
  if (apiKey !== undefined && apiKey !== "") return { url, apiKey };
  console.error("Set COUNTERSIGN_API_KEY to an API key of the gateway (POST /admin/keys makes one).");
  process.exit(2);
}

/** The text of a tool's result. */
export function textOf(result: { readonly [name: string]: unknown }): string {
  const blocks: unknown[] = Array.isArray(result["content"]) ? result["content"] : [];
  return blocks.map((block) => (typeof block === "object" && block !== null && "text" in block ? String(block.text) : "")).join("\n");
}
