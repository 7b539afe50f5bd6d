// A call of a tool, and what it returned.

import { anyObject, flag, list, object, oneOf, optional, refined, tagged, text, type ReadOf } from "../../json/fields.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import { checkJson } from "../../json/json-rules.ts";
import { compactJson, jsonLike } from "../../json/exact-json.ts";
import { isObject, objectOf } from "../../json/values.ts";
import type { JsonObject } from "../../encoding.ts";
import { blockMembers, resultContents } from "../sampling.ts";
import type { Walk } from "./walk.ts";

/** Characters; of a schema, those of its JSON. */
const longest = { title: 200, description: 20_000, inputSchema: 65_536 };

const definitionMembers = {
  title: optional(text({ max: longest.title })),
  description: optional(text({ max: longest.description })),
  inputSchema: optional(
    refined(anyObject, (schema) => (JSON.stringify(schema).length > longest.inputSchema ? undefined : schema), "must be shorter"),
  ),
  annotations: optional(
    object({
      readOnlyHint: optional(flag),
      destructiveHint: optional(flag),
      idempotentHint: optional(flag),
      openWorldHint: optional(flag),
    }),
  ),
};

/** What a server says of its tool. The hints are claims, which nothing proves. */
const toolDefinition = object(definitionMembers);

/**
 * An MCP server runs one of its tools with these arguments. `argumentsJson`: as they are sent,
 * where JSON.stringify would write `arguments` otherwise, such as a number that a parser rounds
 * (`argumentsOf`). `inputResponses`: what the client answers its server with this attempt, by the
 * server's keys (2026-07-28); `inputResponsesJson` as with the arguments. The definition is what
 * the reviewer is shown, so it is part of what they approve; it is not sent.
 */
export const toolCall = object({
  kind: oneOf(["toolCall"]),
  server: text(),
  tool: text(),
  arguments: anyObject,
  argumentsJson: optional(text()),
  inputResponses: optional(anyObject),
  inputResponsesJson: optional(text()),
  definition: optional(toolDefinition),
});

const { structuredContent, isError } = blockMembers.tool_result;
/** What a tool returned: `CallToolResult`, without what no client is shown. */
export const toolResult = object({
  kind: oneOf(["toolResult"]),
  content: list(tagged("type", resultContents)),
  structuredContent,
  isError,
});

export type ToolCall = ReadOf<typeof toolCall>;
export type CalledTool = ReadOf<typeof toolDefinition>;
export type ToolResult = ReadOf<typeof toolResult>;

/** The value of a JSON text of an object; `json`: the text, where JSON.stringify writes another. */
function exactObject(text: string): { readonly value: JsonObject; readonly json?: string } {
  const compact = compactJson(text);
  const value = objectOf(JSON.parse(compact)) ?? {};
  return { value, ...(JSON.stringify(value) === compact ? {} : { json: compact }) };
}

/** The arguments of a call from their JSON, which JSON.parse accepts and which is an object. */
export function argumentsOf(text: string): Pick<ToolCall, "arguments" | "argumentsJson"> {
  const { value, json } = exactObject(text);
  return { arguments: value, ...(json === undefined ? {} : { argumentsJson: json }) };
}

/** The same of what the client answers. */
export function inputResponsesOf(text: string): Pick<ToolCall, "inputResponses" | "inputResponsesJson"> {
  const { value, json } = exactObject(text);
  return { inputResponses: value, ...(json === undefined ? {} : { inputResponsesJson: json }) };
}

/** The same call with other arguments. */
export function withArguments(call: ToolCall, json: string): ToolCall {
  const { argumentsJson: _, ...rest } = call;
  return { ...rest, ...argumentsOf(json) };
}

/** The arguments as they are sent. */
export const argumentsJsonOf = (call: Pick<ToolCall, "arguments" | "argumentsJson">): string =>
  call.argumentsJson ?? JSON.stringify(call.arguments);

/** What the client answers, as it is sent; null where it answers nothing. */
export const inputResponsesJsonOf = ({ inputResponses, inputResponsesJson }: ToolCall): string | null =>
  inputResponses === undefined ? null : (inputResponsesJson ?? JSON.stringify(inputResponses));

/** A tool as people read it: its server and its name there. */
export const toolName = ({ server, tool }: Pick<ToolCall, "server" | "tool">): string => `${server}/${tool}`;

/**
 * A member of `tools/list` as it is kept with a call. Each part that is not as the protocol has it,
 * or is too large, is left out by itself; of a tool that cannot be carried, every part. Never
 * throws.
 */
export function definitionOf(tool: unknown): CalledTool {
  const issues = new IssueCollector();
  checkJson(tool, issues);
  const said = isObject(tool) && issues.found.length === 0 ? tool : {};
  const { annotations } = said;
  const given = { ...said, title: said["title"] ?? (isObject(annotations) ? annotations["title"] : undefined) };
  const known = Object.entries(definitionMembers).flatMap(([name, member]) => {
    const found = new IssueCollector();
    const value = member.read(given[name as keyof typeof given], "", found);
    return found.found.length > 0 || value === undefined ? [] : [[name, value] as const];
  });
  return toolDefinition.read(Object.fromEntries(known), "", issues);
}

/** The place of what the client answers. */
export const inputResponsesPath = "/inputResponses";

/**
 * The names of server and tool are the operator's, and no places of the walk. The schema's own
 * texts are shown beside the fields that it describes. What the client answers is the client's
 * own: a reviewer sees it, and changes none of it.
 */
export function walkToolCall(call: ToolCall, walk: Walk): ToolCall {
  const { title, description } = call.definition ?? {};
  if (title !== undefined) walk.claim("/definition/title", title);
  if (description !== undefined) walk.claim("/definition/description", description);
  const { argumentsJson } = call;
  const input = walk.object("/arguments", call.arguments, argumentsJson);
  const walked = argumentsJson === undefined ? { ...call, arguments: input } : withArguments(call, jsonLike(argumentsJson, input));
  return withWalkedResponses(walked, walk);
}

function withWalkedResponses(call: ToolCall, walk: Walk): ToolCall {
  const { inputResponses, inputResponsesJson: json, ...rest } = call;
  if (inputResponses === undefined) return call;
  const walked = walk.fixedObject(inputResponsesPath, inputResponses, json);
  return { ...rest, ...(json === undefined ? { inputResponses: walked } : inputResponsesOf(jsonLike(json, walked))) };
}

export function walkToolResult({ structuredContent: structured, ...result }: ToolResult, walk: Walk): ToolResult {
  const content = result.content.map((piece, i) => walkResultContent(piece, `/content/${i}`, walk));
  if (structured === undefined) return { ...result, content };
  return { ...result, content, structuredContent: walk.object("/structuredContent", structured) };
}

type ResultContent = ToolResult["content"][number];

/** Also of a tool's result within a message. */
export function walkResultContent(content: ResultContent, path: string, walk: Walk): ResultContent {
  const fixed = (at: string, name: string, value: string | undefined): Readonly<Record<string, string>> =>
    value === undefined ? {} : { [name]: walk.fixedText(`${at}/${name}`, value) };
  switch (content.type) {
    case "text":
      return { ...content, text: walk.text(`${path}/text`, content.text) };
    case "image":
    case "audio":
      return content;
    case "resource_link": {
      const { uri, name, description, mimeType } = content;
      const about = { ...fixed(path, "name", name), ...fixed(path, "description", description), ...fixed(path, "mimeType", mimeType) };
      return { ...content, ...fixed(path, "uri", uri), ...about };
    }
    case "resource": {
      const { resource } = content;
      const at = `${path}/resource`;
      const about = { ...fixed(at, "uri", resource.uri), ...fixed(at, "mimeType", resource.mimeType) };
      if ("text" in resource) return { ...content, resource: { ...resource, ...about, text: walk.text(`${at}/text`, resource.text) } };
      return { ...content, resource: { ...resource, ...about } };
    }
    default:
      return content satisfies never;
  }
}
