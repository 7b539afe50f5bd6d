// One tool call through the gateway from end to end: an MCP host, our notes server, its sampling
// request, and the tool's result.

import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createSamplingHandler } from "../client/sampling-handler.ts";

export type WalkOptions = {
  /** The gateway's base address. */
  readonly url: string;
  readonly apiKey: string;
  /** Called with the gateway's progress messages, which say what the request waits for. */
  readonly onWaiting?: (message: string) => void;
  /** The text to summarize. */
  readonly text?: string;
};

const TEXT =
  "Sampling lets an MCP server ask its client for a model's reply. The server needs no account of its own; the client picks the model.";
const TIMEOUT_MS = 15 * 60_000;

/**
 * Starts the notes server and returns its tool's result, with `isError` for a denial. Throws
 * where the gateway cannot be used.
 */
export async function walk({ url, apiKey, onWaiting, text = TEXT }: WalkOptions): Promise<Awaited<ReturnType<Client["callTool"]>>> {
  const sampling = createSamplingHandler({ url, apiKey, onProgress: ({ message }) => onWaiting?.(message ?? "waiting") });
  const client = new Client({ name: "countersign-walk", version: "1.0.0" });
  sampling.attach(client, { server: "notes" });
  const args = [fileURLToPath(new URL("notes-server.ts", import.meta.url))];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  try {
    return await client.callTool({ name: "summarize", arguments: { text } }, undefined, {
      timeout: TIMEOUT_MS,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
    });
  } finally {
    await client.close();
    await sampling.flush();
  }
}
