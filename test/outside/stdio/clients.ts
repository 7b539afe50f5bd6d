// Clients of both SDK generations that know nothing of sampling, on a server behind the stdio
// command or without it.

import { fileURLToPath } from "node:url";
import { Client as ClientOfV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportOfV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as ClientOfV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportOfV2 } from "@modelcontextprotocol/client/stdio";
import { BIN, KEY, NOWHERE } from "./wrapped.ts";

export const EVERYTHING = [
  process.execPath,
  fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js")),
  "stdio",
];

export type Told = { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined };

/** What both generations can do, under one name each. */
export type AnyClient = {
  readonly callTool: (
    call: { name: string; arguments?: Record<string, unknown> },
    onprogress?: (told: Told) => void,
    signal?: AbortSignal,
  ) => Promise<unknown>;
  readonly listTools: () => Promise<{ tools: { name: string }[] }>;
  readonly listPrompts: () => Promise<{ prompts: { name: string }[] }>;
  readonly listResources: () => Promise<{ resources: { uri: string }[] }>;
  readonly listResourceTemplates: () => Promise<unknown>;
  readonly getPrompt: (params: { name: string; arguments?: Record<string, string> }) => Promise<unknown>;
  readonly readResource: (params: { uri: string }) => Promise<unknown>;
  readonly complete: (params: { ref: { type: "ref/prompt"; name: string }; argument: { name: string; value: string } }) => Promise<unknown>;
  readonly about: () => unknown;
  /** Every progress notification that came in, oldest first, heard or not. */
  readonly progress: () => readonly Told[];
  readonly pid: () => number;
  readonly stderr: () => string;
  readonly close: () => Promise<void>;
};

export type Through = { readonly url?: string; readonly options?: readonly string[] } | "direct";

type CallOptions = { timeout: number; onprogress?: (told: Told) => void; signal?: AbortSignal };
const optionsOf = (onprogress: ((told: Told) => void) | undefined, signal: AbortSignal | undefined): CallOptions => ({
  timeout: 150_000,
  ...(onprogress === undefined ? {} : { onprogress }),
  ...(signal === undefined ? {} : { signal }),
});

const capabilities = { roots: {}, elicitation: { form: {} } };
const info = { name: "no-sampling", version: "1" };
const roots = { roots: [{ uri: "file:///somewhere", name: "somewhere" }] };

export function parametersOf([command = "", ...args]: readonly string[], through: Through) {
  const env = { PATH: process.env["PATH"] ?? "", SOME_VALUE: "kept" };
  if (through === "direct") return { command, args, env, stderr: "pipe" as const };
  const { url = NOWHERE, options = [] } = through;
  return {
    command: process.execPath,
    args: [BIN, "stdio", "--server", "everything", "--url", url, ...options, "--", command, ...args],
    env: { ...env, COUNTERSIGN_API_KEY: KEY },
    stderr: "pipe" as const,
  };
}

const collected = (transport: { stderr: NodeJS.ReadableStream | null } | { stderr: unknown }): (() => string) => {
  let text = "";
  const { stderr } = transport;
  if (typeof stderr === "object" && stderr !== null && "on" in stderr && typeof stderr.on === "function")
    stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
};

/**
 * Progress as it comes in: both SDKs drop a notification that they read in the same moment as the
 * answer that it belongs to, and how much is read in one moment is a matter of how busy the machine
 * is.
 */
export function heardBy<Message extends object, Extra>(transport: {
  onmessage?: ((message: Message, extra: Extra) => void) | undefined;
}): readonly Told[] {
  const heard: Told[] = [];
  const next = transport.onmessage;
  // The SDKs' transports have this one handler.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onmessage = (message, extra) => {
    if ("method" in message && message.method === "notifications/progress" && "params" in message) {
      const { progressToken: _ours, ...told } = message.params as Told & { progressToken: unknown }; // as the protocol has it
      heard.push(told);
    }
    next?.(message, extra);
  };
  return heard;
}

export const connectV1 = async (command: readonly string[], through: Through): Promise<AnyClient> => {
  const client = new ClientOfV1(info, { capabilities });
  client.setRequestHandler(ListRootsRequestSchema, () => roots);
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada", check: true } }));
  const transport = new TransportOfV1(parametersOf(command, through));
  const stderr = collected(transport);
  await client.connect(transport);
  const heard = heardBy(transport);
  return {
    callTool: (call, onprogress, signal) => client.callTool(call, undefined, optionsOf(onprogress, signal)),
    listTools: () => client.listTools(),
    listPrompts: () => client.listPrompts(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    getPrompt: (params) => client.getPrompt(params),
    readResource: (params) => client.readResource(params),
    complete: (params) => client.complete(params),
    about: () => [client.getServerCapabilities(), client.getServerVersion(), client.getInstructions()],
    progress: () => heard,
    pid: () => transport.pid ?? 0,
    stderr,
    close: () => client.close(),
  };
};

export const connectV2 = async (command: readonly string[], through: Through): Promise<AnyClient> => {
  const client = new ClientOfV2(info, { capabilities });
  client.setRequestHandler("roots/list", () => roots);
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada", check: true } }));
  const transport = new TransportOfV2(parametersOf(command, through));
  const stderr = collected(transport);
  await client.connect(transport);
  const heard = heardBy(transport);
  return {
    callTool: (call, onprogress, signal) => client.callTool(call, optionsOf(onprogress, signal)),
    listTools: () => client.listTools(),
    listPrompts: () => client.listPrompts(),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    getPrompt: (params) => client.getPrompt(params),
    readResource: (params) => client.readResource(params),
    complete: (params) => client.complete(params),
    about: () => [client.getServerCapabilities(), client.getServerVersion(), client.getInstructions()],
    progress: () => heard,
    pid: () => transport.pid ?? 0,
    stderr,
    close: () => client.close(),
  };
};

export const GENERATIONS = [
  ["SDK 1.x", connectV1],
  ["SDK 2.x", connectV2],
] as const;
