// Reads a request of the Responses API as the neutral request: the same one as for chat
// completions, by other members. Nothing is stored, so that a request brings its whole
// conversation.

import { type ReadOf, anyObject, flag, list, numberWithin, object, oneOf, record, tagged, text } from "../../json/fields.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { checkJson } from "../../json/json-rules.ts";
import type { JsonObject } from "../../encoding.ts";
import { type Result, ok } from "../../result.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";
import { metadataValue, modeOr, never, noted, nullable, ofKinds, parameters, refused, tokenLimit } from "./openai-fields.ts";
import { type ParsedRequest, type ReadChoice, messageRequest } from "./openai-request.ts";
import { inputConversation, inputField } from "./responses-items.ts";

/** `echo`: the members that an answer repeats, as they hold. */
type ParsedResponses = ParsedRequest & { readonly echo: JsonObject };

/** Members of the API that no model gets here. What the API may add is `other`. */
const notPassedOn = new Set([
  "access_programs",
  "context_management",
  "image",
  "max_tool_calls",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "reasoning",
  "safety_identifier",
  "service_tier",
  "user",
]);

const tool = ofKinds(
  ["function"],
  "must be function: other tools are not supported, since no reviewer sees what they send out",
  object({
    type: oneOf(["function"]),
    name: text({ min: 1, max: 256 }),
    description: nullable(text()),
    parameters: nullable(parameters),
    strict: noted((value) => value === false),
  }),
);

const namedTool = object({ type: oneOf(["function"]), name: text({ min: 1 }) });
const toolObjects = tagged("type", {
  function: namedTool,
  allowed_tools: object({
    type: oneOf(["allowed_tools"]),
    mode: oneOf(["auto", "required"]),
    tools: list(namedTool, { min: 1, max: mostMembers.tools }),
  }),
});

const format = tagged("type", {
  text: object({ type: oneOf(["text"]) }),
  json_object: object({ type: oneOf(["json_object"]) }),
  json_schema: object({
    type: oneOf(["json_schema"]),
    name: text({ min: 1, max: 128 }),
    schema: anyObject,
    // A reply is always checked by its schema: not to be strict is what cannot be asked for.
    strict: noted((value) => value === true),
  }),
});

const isFalse = (value: unknown): boolean => value === false;
const probabilities = "message.output_text.logprobs";

const bodyMembers = {
  model: text({ min: 1, max: 256 }),
  input: inputField,
  instructions: nullable(text()),
  max_output_tokens: tokenLimit,
  temperature: nullable(numberWithin(0, 2)),
  top_p: nullable(numberWithin(0, 1)),
  stream: nullable(flag),
  stream_options: nullable(object({})),
  text: nullable(object({ format: nullable(format) })),
  tools: nullable(list(tool, { max: mostMembers.tools })),
  tool_choice: nullable(modeOr(toolObjects)),
  parallel_tool_calls: nullable(flag),
  metadata: nullable(record(metadataValue)),
  truncation: noted((value) => value === "disabled"),
  store: refused(isFalse, "must be false: replies are not stored"),
  previous_response_id: refused(never, "is not supported, since replies are not stored: send the whole conversation in input"),
  conversation: refused(never, "is not supported, since conversations are not stored: send the whole conversation in input"),
  background: refused(isFalse, "must be false: the response is held, or streamed, until it is decided"),
  prompt: refused(never, "is not supported: it names a prompt that only OpenAI has"),
  // The rest of what it may ask for is of hosted tools and of reasoning, which no reply has.
  include: refused(
    (value) => !(Array.isArray(value) && value.includes(probabilities)),
    `must not have ${probabilities}: a reply that people may edit has no probabilities`,
  ),
  top_logprobs: refused((value) => value === 0, "is not supported: a reply that people may edit has no probabilities"),
  moderation: refused(never, "is not supported: content is not sent to another model"),
};
const body = object(bodyMembers);
const members = new Set([...notPassedOn, ...Object.keys(bodyMembers)]);

/**
 * The neutral request of a body, as JSON.parse gave it (any value); `model` and `metadata` are
 * those of chat completions.
 *
 * Refused, each at its JSON pointer: what `messageRequest` refuses; values of a wrong type; what
 * asks for stored responses or conversations, or for work in the background; hosted and custom
 * tools, their items, files, and items by reference; log probabilities. Never throws.
 */
export function parseResponses(value: unknown): Result<ParsedResponses, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const read = body.read(issues.full ? undefined : value, "", issues);
  const { tools = [], tool_choice: choice } = read;
  const wanted = read.text?.format ?? { type: "text" };
  const parsed = messageRequest(
    {
      ...read,
      tools: tools.map((each, i) => ({ ...each, at: `/tools/${i}/name` })),
      choice: choice === undefined || typeof choice === "string" ? choice : chosenTools(choice),
      json: wanted.type === "text" ? null : { ...(wanted.type === "json_schema" ? wanted : {}), at: "/text/format/schema" },
      limit: { name: "max_output_tokens", tokens: read.max_output_tokens },
      conversation: (errors) => inputConversation(read.input, errors),
      members,
    },
    issues,
  );
  if (!parsed.ok) return parsed;
  const echo: JsonObject = {
    instructions: read.instructions ?? null,
    max_output_tokens: parsed.value.request.maxTokens,
    metadata: read.metadata ?? {},
    parallel_tool_calls: read.parallel_tool_calls ?? true,
    temperature: read.temperature ?? null,
    text: { format: wanted.type === "json_schema" ? { ...wanted, strict: true } : wanted },
    tool_choice: choice ?? "auto",
    tools: tools.map((each) => ({ parameters: null, ...each, strict: false })),
    top_p: read.top_p ?? null,
  };
  return ok({ ...parsed.value, echo });
}

const chosenTools = (choice: ReadOf<typeof toolObjects>): ReadChoice =>
  choice.type === "function"
    ? { only: [choice.name], mode: "required" }
    : { only: choice.tools.map(({ name }) => name), mode: choice.mode };
