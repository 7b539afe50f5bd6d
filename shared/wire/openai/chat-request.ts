// Reads a request of the Chat Completions API as the neutral request. Every member of the API is
// passed on, noted or refused: a member that no shape here names is noted in the answer.

import {
  type ReadOf,
  anyObject,
  flag,
  list,
  numberWithin,
  object,
  oneOf,
  oneOrMore,
  optional,
  record,
  tagged,
  text,
} from "../../json/fields.ts";
import { checkJson } from "../../json/json-rules.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { type Result, ok } from "../../result.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";
import { chatConversation, messagesField } from "./chat-messages.ts";
import { metadataValue, modeOr, never, nullable, ofKinds, parameters, refused, tokenLimit } from "./openai-fields.ts";
import { type ParsedRequest, type ReadChoice, messageRequest } from "./openai-request.ts";

export type ParsedChat = ParsedRequest & { readonly includeUsage: boolean };

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

const functionTool = object({
  type: oneOf(["function"]),
  function: object({ name: text({ min: 1, max: 256 }), description: nullable(text()), parameters: nullable(parameters) }),
});

const tool = ofKinds(["function"], "must be one of function: custom tools are not supported", functionTool);

const namedTool = object({ type: oneOf(["function"]), function: object({ name: text({ min: 1 }) }) });
const toolObjects = tagged("type", {
  function: namedTool,
  allowed_tools: object({
    type: oneOf(["allowed_tools"]),
    allowed_tools: object({ mode: oneOf(["auto", "required"]), tools: list(namedTool, { min: 1, max: mostMembers.tools }) }),
  }),
});
const responseFormat = tagged("type", {
  text: object({ type: oneOf(["text"]) }),
  json_object: object({ type: oneOf(["json_object"]) }),
  json_schema: object({
    type: oneOf(["json_schema"]),
    json_schema: object({ name: text({ min: 1, max: 128 }), schema: optional(anyObject), strict: nullable(flag) }),
  }),
});

const bodyMembers = {
  model: text({ min: 1, max: 256 }),
  messages: messagesField,
  max_completion_tokens: tokenLimit,
  max_tokens: tokenLimit,
  temperature: nullable(numberWithin(0, 2)),
  top_p: nullable(numberWithin(0, 1)),
  stop: nullable(oneOrMore(text({ min: 1 }), { max: mostMembers.stopSequences })),
  stream: nullable(flag),
  stream_options: nullable(object({ include_usage: nullable(flag) })),
  response_format: nullable(responseFormat),
  tools: nullable(list(tool, { max: mostMembers.tools })),
  tool_choice: nullable(modeOr(toolObjects)),
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
const members = new Set([...notPassedOn, ...Object.keys(bodyMembers)]);

/**
 * The neutral request of a body, as JSON.parse gave it (any value). `model` is an id, a name or an
 * alias of the routing table, or `auto` with MCP preferences in `metadata`: `mcp.hints` (names,
 * with commas between them), `mcp.costPriority`, `mcp.speedPriority` and `mcp.intelligencePriority`
 * (0 to 1).
 *
 * Refused, each at its JSON pointer: values of a wrong type; `n` above 1, log probabilities,
 * functions (before tools), audio replies, web searches, custom tools, files other than PDFs; a
 * choice of a tool that is not offered; a schema that replies cannot be checked by; tool messages
 * that answer no call, and calls without a result. Never throws.
 */
export function parseChat(value: unknown): Result<ParsedChat, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const read = body.read(issues.full ? undefined : value, "", issues);
  const { response_format: format, tool_choice: choice } = read;
  if (format?.type === "json_schema" && format.json_schema.strict === false) issues.ignore("/response_format/json_schema", "strict");
  const limits = [read.max_completion_tokens, read.max_tokens].filter((limit) => limit !== undefined);
  const parsed = messageRequest(
    {
      ...read,
      tools: (read.tools ?? []).map(({ function: about }, i) => ({ ...about, at: `/tools/${i}/function/name` })),
      choice: choice === undefined || typeof choice === "string" ? choice : chosenTools(choice),
      json:
        format === undefined || format.type === "text"
          ? null
          : { ...(format.type === "json_schema" ? format.json_schema : {}), at: "/response_format/json_schema/schema" },
      limit: { name: "max_completion_tokens", tokens: limits.length === 0 ? undefined : Math.min(...limits) },
      conversation: (errors) => chatConversation(read.messages, errors),
      members,
    },
    issues,
  );
  return parsed.ok ? ok({ ...parsed.value, includeUsage: read.stream_options?.include_usage === true }) : parsed;
}

const chosenTools = (choice: ReadOf<typeof toolObjects>): ReadChoice =>
  choice.type === "function"
    ? { only: [choice.function.name], mode: "required" }
    : { only: choice.allowed_tools.tools.map(({ function: { name } }) => name), mode: choice.allowed_tools.mode };
