// Clients of both families and SDK generations, for what is tried with each. None has sampling of
// its own; each has forms and roots.

import { Client as ClientV2, ProtocolError, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioTransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { until } from "./raw-client.ts";

export const cellClients = ["SDK 1.x", "SDK 2.x, 2025", "SDK 2.x, 2026"] as const;
export type CellClientKind = (typeof cellClients)[number];

export type Called = { readonly text: string; readonly isError: boolean };

export type CellClient = {
  readonly agreed: () => string | undefined;
  readonly tools: () => Promise<string[]>;
  readonly call: (name: string, given?: Record<string, unknown>, options?: CallOptions) => Promise<Called>;
  readonly prompt: (name: string, given: Record<string, string>) => Promise<string>;
  readonly read: (uri: string) => Promise<string>;
  readonly complete: (prompt: string, argument: string, value: string) => Promise<string[]>;
  /** What the client was asked for. */
  readonly asked: string[];
  /** The notifications about lists that came. */
  readonly heard: string[];
  /**
   * How often the client sent a call of a tool: more than once where it was asked to come back.
   * Over HTTP alone.
   */
  readonly legs: () => number;
  /** Asks to be told of changes of lists, where that is a request. */
  readonly listen: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type CallOptions = { readonly signal?: AbortSignal; readonly onprogress?: (progress: { message?: string | undefined }) => void };

type Content = readonly { readonly type: string; readonly text?: string }[];
const textOf = (result: unknown): Called => {
  const { content, isError = false } = result as { content: Content; isError?: boolean };
  return { text: content.map(({ text }) => text ?? "").join(""), isError };
};
const promptText = (result: unknown): string =>
  (result as { messages: readonly { content: { text?: string } }[] }).messages.map(({ content }) => content.text ?? "").join("");
const resourceText = (result: unknown): string =>
  (result as { contents: readonly { text?: string }[] }).contents.map(({ text }) => text ?? "").join("");

const about = { name: "cell", version: "1" };
const capabilities = { elicitation: { form: {} }, roots: {} };
const accepted = { action: "accept" as const, content: { confirm: true } };
const roots = { roots: [{ uri: "file:///work" }] };
/** A person may take longer than the SDKs' minute. */
const timeout = 120_000;

/**
 * How a client that declares sampling answers it: with a reply of its own, or with an error of this
 * code.
 */
export type OwnSampling = "reply" | number;
export const ownReply = "A reply of the client's own.";
const own = { role: "assistant" as const, model: "own", content: { type: "text" as const, text: ownReply } };

/**
 * `declared`: the client's capabilities, in place of forms and roots; sampling is declared where
 * `sampling` is given.
 */
export async function cellClient(
  kind: CellClientKind,
  url: string,
  headers: Record<string, string>,
  { declared = capabilities, sampling }: { readonly declared?: object; readonly sampling?: OwnSampling } = {},
): Promise<CellClient> {
  const all = sampling === undefined ? declared : { ...declared, sampling: {} };
  let legs = 0;
  const counting: typeof fetch = (input, init) => {
    if (typeof init?.body === "string" && init.body.includes('"tools/call"')) legs += 1;
    return fetch(input, init);
  };
  const [at, options] = [new URL(url), { requestInit: { headers }, fetch: counting }];
  const client =
    kind === "SDK 1.x"
      ? // The SDK's own type of its transport leaves `sessionId` open where exactOptionalPropertyTypes does not.
        await clientV1(new TransportV1(at, options) as Transport, all, sampling)
      : await clientV2(new TransportV2(at, options), all, kind === "SDK 2.x, 2026", sampling);
  return { ...client, legs: () => legs };
}

/**
 * Until a client of 2026-07-28 was asked to come back, and did; at once for one that waits on its
 * stream.
 */
export async function cameBack(client: CellClient, kind: CellClientKind, before: number): Promise<void> {
  if (kind === "SDK 2.x, 2026") await until("the client's next leg", async () => (client.legs() > before + 1 ? true : undefined));
}

/** The same on a server over stdio, without sampling. */
export async function cellClientOverStdio(
  kind: CellClientKind,
  parameters: { readonly command: string; readonly args: string[]; readonly env: Record<string, string>; readonly cwd?: string },
): Promise<CellClient> {
  return kind === "SDK 1.x"
    ? clientV1(new StdioTransportV1(parameters), capabilities, undefined)
    : clientV2(new StdioTransportV2(parameters), capabilities, kind === "SDK 2.x, 2026", undefined);
}

async function clientV1(transport: Transport, declared: object, sampling: OwnSampling | undefined): Promise<CellClient> {
  const client = new ClientV1(about, { capabilities: declared });
  const asked: string[] = [];
  const heard: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void heard.push(method));
  if ("elicitation" in declared) client.setRequestHandler(ElicitRequestSchema, () => (asked.push("elicitation/create"), accepted));
  if ("roots" in declared) client.setRequestHandler(ListRootsRequestSchema, () => (asked.push("roots/list"), roots));
  if (sampling !== undefined)
    client.setRequestHandler(CreateMessageRequestSchema, () => {
      asked.push("sampling/createMessage");
      if (sampling === "reply") return own;
      throw new McpError(sampling, "No.");
    });
  let agreed: string | undefined;
  const { setProtocolVersion } = transport;
  transport.setProtocolVersion = (version) => {
    agreed = version;
    setProtocolVersion?.call(transport, version);
  };
  await client.connect(transport);
  return {
    agreed: () => agreed,
    asked,
    heard,
    legs: () => 0,
    listen: () => Promise.resolve(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}, options = {}) =>
      textOf(await client.callTool({ name, arguments: given }, undefined, { timeout, ...(options as object) })),
    prompt: async (name, given) => promptText(await client.getPrompt({ name, arguments: given })),
    read: async (uri) => resourceText(await client.readResource({ uri })),
    complete: async (name, argument, value) =>
      (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value } })).completion.values,
    close: () => client.close(),
  };
}

async function clientV2(
  transport: Parameters<ClientV2["connect"]>[0],
  declared: object,
  isNew: boolean,
  sampling: OwnSampling | undefined,
): Promise<CellClient> {
  const client = new ClientV2(about, { capabilities: declared, ...(isNew ? { versionNegotiation: { mode: "auto" } } : {}) });
  const asked: string[] = [];
  const heard: string[] = [];
  client.setNotificationHandler("notifications/tools/list_changed", ({ method }) => void heard.push(method));
  if ("elicitation" in declared) client.setRequestHandler("elicitation/create", () => (asked.push("elicitation/create"), accepted));
  if ("roots" in declared) client.setRequestHandler("roots/list", () => (asked.push("roots/list"), roots));
  if (sampling !== undefined)
    client.setRequestHandler("sampling/createMessage", () => {
      asked.push("sampling/createMessage");
      if (sampling === "reply") return own;
      throw new ProtocolError(sampling, "No.");
    });
  await client.connect(transport);
  return {
    agreed: () => client.getNegotiatedProtocolVersion(),
    asked,
    heard,
    legs: () => 0,
    listen: async () => void (isNew && (await client.listen({ toolsListChanged: true }))),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given = {}, options = {}) =>
      textOf(await client.callTool({ name, arguments: given }, { timeout, ...(options as object) })),
    prompt: async (name, given) => promptText(await client.getPrompt({ name, arguments: given })),
    read: async (uri) => resourceText(await client.readResource({ uri })),
    complete: async (name, argument, value) =>
      (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value } })).completion.values,
    close: () => client.close(),
  };
}
