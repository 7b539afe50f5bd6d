// Reads a request of the Chat Completions API as the neutral request. Every member of the API is
// passed on, noted or refused: a member that no shape here names is noted in the answer.

import {
  type Field,
  type ReadOf,
  anyObject,
  flag,
  integerWithin,
  list,
  numberWithin,
  object,
  oneOf,
  oneOrMore,
  optional,
  parsed,
  record,
  refined,
  tagged,
  text,
} from "../../json/fields.ts";
import { checkJson } from "../../json/json-rules.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { isObject } from "../../json/values.ts";
import type { JsonObject } from "../../encoding.ts";
import { readSchema } from "../../json-schema/read-schema.ts";
import type { ChatRequest, ModelPreferences, ToolDefinition } from "../../model/sampling.ts";
import { mostHints } from "../../model/sampling.ts";
import { type Result, err, ok } from "../../result.ts";
import type { BlockPointer } from "../mcp-2025/content-rules.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";
import { joinPrompt, namedModelOf } from "../asked.ts";
import { jsonPrompt } from "../json-sentence.ts";
import { type ImageAddress, conversationOf, messagesField, never, nullable, refused } from "./chat-messages.ts";

/** The model that leaves the choice to the routing table, by the preferences in `metadata`. */
export const autoModel = "auto";

/**
 * The limit of a request that names none: the neutral request, its worst case and its review need
 * one.
 */
export const defaultMaxTokens = 4_096;

export type ParsedChat = {
  readonly request: ChatRequest;
  /** The model as it was asked for. */
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** The images that are to be fetched into the request before it is complete. */
  readonly addresses: readonly ImageAddress[];
  readonly pointerOf: BlockPointer;
  /** What is not passed on, in sentences for the caller. */
  readonly notes: readonly string[];
  /**
   * The same for reviewers, without the requestor's words: members of the API, and `other` for any
   * that it does not have.
   */
  readonly ignored: readonly string[];
};

/** Members of the API that no model gets here. What the API may add is `other`. */
const notPassedOn = new Set([
  "frequency_penalty",
  "logit_bias",
  "prediction",
  "presence_penalty",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning_effort",
  "safety_identifier",
  "seed",
  "service_tier",
  "store",
  "user",
  "verbosity",
]);

const namesOf = (pointers: readonly string[]): string[] => [
  ...new Set(
    pointers.map((pointer) => {
      const [, first = "", ...rest] = pointer.split("/");
      if (rest.length > 0) return Object.hasOwn(bodyMembers, first) ? first : "other";
      return notPassedOn.has(first) ? first : "other";
    }),
  ),
];

/** What a tool takes is an object, whether or not its schema says so. */
const parameters = refined(
  anyObject,
  (schema) => (Object.hasOwn(schema, "type") && schema["type"] !== "object" ? undefined : schema),
  'must be a JSON Schema of an object: its type must be "object"',
);

const functionTool = object({
  type: oneOf(["function"]),
  function: object({ name: text({ min: 1, max: 256 }), description: nullable(text()), parameters: nullable(parameters) }),
});

const tool: Field<ReadOf<typeof functionTool>> = {
  read(value, at, issues) {
    if (isObject(value) && value["type"] === "custom") issues.add(`${at}/type`, "must be function: custom tools are not supported");
    return functionTool.read(value, at, issues);
  },
  schema: functionTool.schema,
};

const namedTool = object({ type: oneOf(["function"]), function: object({ name: text({ min: 1 }) }) });
const toolModes = oneOf(["none", "auto", "required"]);
const toolObjects = tagged("type", {
  function: namedTool,
  allowed_tools: object({
    type: oneOf(["allowed_tools"]),
    allowed_tools: object({ mode: oneOf(["auto", "required"]), tools: list(namedTool, { min: 1, max: mostMembers.tools }) }),
  }),
});
type Choice = ReadOf<typeof toolModes> | ReadOf<typeof toolObjects>;
const toolChoice: Field<Choice> = {
  read: (value, at, issues) => (isObject(value) ? toolObjects.read(value, at, issues) : toolModes.read(value, at, issues)),
  schema: { anyOf: [toolModes.schema, toolObjects.schema] },
};

const responseFormat = tagged("type", {
  text: object({ type: oneOf(["text"]) }),
  json_object: object({ type: oneOf(["json_object"]) }),
  json_schema: object({
    type: oneOf(["json_schema"]),
    json_schema: object({ name: text({ min: 1, max: 128 }), schema: optional(anyObject), strict: nullable(flag) }),
  }),
});

/** OpenAI's metadata are texts. Numbers are taken too, so that a priority may be written as one. */
const metadataValue = parsed<string | number>(
  (value) => (typeof value === "string" || typeof value === "number" ? value : undefined),
  "must be a string or a number",
  "",
  { type: ["string", "number"] },
);

const limit = nullable(integerWithin(1));

const bodyMembers = {
  model: text({ min: 1, max: 256 }),
  messages: messagesField,
  max_completion_tokens: limit,
  max_tokens: limit,
  temperature: nullable(numberWithin(0, 2)),
  top_p: nullable(numberWithin(0, 1)),
  stop: nullable(oneOrMore(text({ min: 1 }), { max: mostMembers.stopSequences })),
  stream: nullable(flag),
  stream_options: nullable(object({ include_usage: nullable(flag) })),
  response_format: nullable(responseFormat),
  tools: nullable(list(tool, { max: mostMembers.tools })),
  tool_choice: nullable(toolChoice),
  parallel_tool_calls: nullable(flag),
  metadata: nullable(record(metadataValue)),
  n: refused((value) => value === 1, "must be 1: send a request for each reply"),
  logprobs: refused((value) => value === false, "must be false: a reply that people may edit has no probabilities"),
  top_logprobs: refused((value) => value === 0, "is not supported: a reply that people may edit has no probabilities"),
  functions: refused((value) => Array.isArray(value) && value.length === 0, "is not supported: send tools"),
  function_call: refused(never, "is not supported: send tool_choice"),
  modalities: refused(
    (value) => Array.isArray(value) && value.every((each) => each === "text"),
    'must be ["text"]: replies are text and tool calls',
  ),
  audio: refused(never, "is not supported: replies are text and tool calls"),
  web_search_options: refused(never, "is not supported: what a search sends out is seen by no reviewer"),
  moderation: refused(never, "is not supported: content is not sent to another model"),
};
const body = object(bodyMembers);

/**
 * The neutral request of a body, as JSON.parse gave it (any value). `model` is an id, a name or an
 * alias of the routing table, or `auto` with MCP preferences in `metadata`: `mcp.hints` (names,
 * with commas between them), `mcp.costPriority`, `mcp.speedPriority` and `mcp.intelligencePriority`
 * (0 to 1).
 *
 * Refused, each at its JSON pointer: values of a wrong type; `n` above 1, log probabilities,
 * functions (before tools), audio replies, web searches, custom tools, files; a choice of a tool
 * that is not offered; a schema that replies cannot be checked by; tool messages that answer no
 * call, and calls without a result. Never throws.
 */
export function parseChat(value: unknown): Result<ParsedChat, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const read = body.read(issues.full ? undefined : value, "", issues);
  const preferences = read.model === autoModel ? preferencesIn(read.metadata ?? {}, issues) : undefined;
  for (const name of Object.keys(read.metadata ?? {}))
    if (name.startsWith(ours) && (preferences === undefined || !preferenceNames.has(name))) issues.ignore("/metadata", name);
  if (read.response_format?.type === "json_schema" && read.response_format.json_schema.strict === false)
    issues.ignore("/response_format/json_schema", "strict");
  const tools = offeredTools(read, issues);
  const schema = schemaOf(read.response_format, issues);
  const invalid = issues.invalid();
  if (invalid !== undefined) return err(invalid);
  const conversation = conversationOf(read.messages);
  if (conversation.error !== undefined) return err(conversation.error);
  const maxTokens = Math.min(read.max_completion_tokens ?? Infinity, read.max_tokens ?? Infinity);
  const wantsJson = read.response_format !== undefined && read.response_format.type !== "text";
  const systemPrompt = joinPrompt([conversation.systemPrompt, wantsJson ? jsonPrompt(schema, tools !== null) : undefined]);
  const metadata = Object.entries(read.metadata ?? {}).filter(([name]) => !name.startsWith(ours));
  const request: ChatRequest = {
    kind: "chat",
    ...(preferences === undefined ? namedModelOf({ name: read.model }) : { modelPreferences: preferences }),
    messages: conversation.messages,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    maxTokens: Number.isFinite(maxTokens) ? maxTokens : defaultMaxTokens,
    ...(read.temperature === undefined ? {} : { temperature: read.temperature }),
    ...(read.top_p === undefined ? {} : { topP: read.top_p }),
    ...(wantsJson ? { responseFormat: { type: "json" as const, ...(schema === undefined ? {} : { schema }) } } : {}),
    ...(read.stop === undefined || read.stop.length === 0 ? {} : { stopSequences: read.stop }),
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
    ...(tools === null ? {} : tools),
    ...(read.parallel_tool_calls === false && tools !== null ? { parallelToolCalls: false } : {}),
  };
  return ok({
    request,
    model: read.model,
    stream: read.stream === true,
    includeUsage: read.stream_options?.include_usage === true,
    addresses: conversation.addresses,
    pointerOf: conversation.pointerOf,
    notes: [
      ...(Number.isFinite(maxTokens) ? [] : [`max_completion_tokens was not given: ${defaultMaxTokens} is the limit.`]),
      ...conversation.moved.map((pointer) => `Moved before the conversation, into the system prompt: ${pointer}.`),
      ...issues.ignored.map((pointer) => `Not passed on: ${pointer}.`),
    ],
    ignored: namesOf(issues.ignored),
  });
}

type Body = ReadOf<typeof body>;

/**
 * The tools that the model may choose from. A choice of one tool leaves only that one, and a choice
 * of some only those. Null where there are none.
 */
function offeredTools({ tools = [], tool_choice: choice }: Body, issues: IssueCollector): Pick<ChatRequest, "tools" | "toolChoice"> | null {
  const offered = tools.map(({ function: { name, description, parameters } }): ToolDefinition => ({
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters === undefined ? { type: "object", properties: {} } : { ...parameters, type: "object" },
  }));
  const names = new Set<string>();
  for (const [i, { name }] of offered.entries()) {
    if (names.has(name)) issues.add(`/tools/${i}/function/name`, "is the name of an earlier tool too");
    names.add(name);
  }
  const only = (chosen: readonly string[]): ToolDefinition[] => offered.filter(({ name }) => chosen.includes(name));
  if (choice === undefined || typeof choice === "string") {
    if (choice === "required" && offered.length === 0) issues.add("/tool_choice", "must not be required without tools");
    return offered.length === 0 ? null : { tools: offered, ...(choice === undefined ? {} : { toolChoice: choice }) };
  }
  const chosen = choice.type === "function" ? [choice.function.name] : choice.allowed_tools.tools.map(({ function: { name } }) => name);
  if (chosen.some((name) => !names.has(name))) issues.add("/tool_choice", "names a tool that is not among tools");
  return { tools: only(chosen), toolChoice: choice.type === "function" ? "required" : choice.allowed_tools.mode };
}

function schemaOf(format: Body["response_format"], issues: IssueCollector): JsonObject | undefined {
  if (format?.type !== "json_schema" || format.json_schema.schema === undefined) return undefined;
  const { schema } = format.json_schema;
  const ready = readSchema(schema, "/response_format/json_schema/schema");
  if (!ready.ok) for (const { pointer, message } of ready.error) issues.add(pointer, message);
  return schema;
}

/** Members of `metadata` that are for the gateway. */
const ours = "mcp.";
const axes = ["costPriority", "speedPriority", "intelligencePriority"] as const;
const preferenceNames = new Set([`${ours}hints`, ...axes.map((name) => ours + name)]);

function preferencesIn(metadata: { readonly [name: string]: string | number }, issues: IssueCollector): ModelPreferences {
  const preferences = Object.fromEntries(
    axes.flatMap((name) => {
      const member = `mcp.${name}`;
      const given = Object.hasOwn(metadata, member) ? metadata[member] : undefined;
      if (given === undefined) return [];
      const value = typeof given === "number" ? given : given.trim() === "" ? Number.NaN : Number(given);
      if (!(value >= 0 && value <= 1)) issues.add(`/metadata/${member}`, "must be a number from 0 to 1");
      return [[name, value]];
    }),
  );
  const given = Object.hasOwn(metadata, "mcp.hints") ? String(metadata["mcp.hints"]) : "";
  const hints = given.split(",").map((name) => name.trim());
  if (hints.length > mostHints) issues.add("/metadata/mcp.hints", `must not have more than ${mostHints} names`);
  const named = hints.filter((name) => name !== "").map((name) => ({ name }));
  return { ...preferences, ...(named.length === 0 ? {} : { hints: named }) };
}
