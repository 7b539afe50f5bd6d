// Reads the params of `sampling/createMessage` in revision 2025-11-25, of which every older
// revision's are a subset, into the neutral request, or finds everything that is wrong at once.
// Whether the request may be made at all is for later stages.

import {
  type Field,
  type ReadOf,
  anyObject,
  integerWithin,
  list,
  membersOf,
  number,
  object,
  oneOf,
  optional,
  text,
  withDefault,
} from "../../json/fields.ts";
import { checkJson } from "../../json/json-rules.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { type JsonObject, canonicalJson } from "../../encoding.ts";
import { type Message, type ChatRequest, modelPreferences, mostHints } from "../../model/sampling.ts";
import { type Result, err, ok } from "../../result.ts";
import { joinPrompt } from "../asked.ts";
import { jsonPrompt } from "../json-sentence.ts";
import { type BlockPointer, conversationError } from "./content-rules.ts";
import { type ContentFields, content2025 } from "./content.ts";
import { type SamplingMeta, TOKEN_META, type TokenAsked, samplingRequestMeta, tokenAsked } from "./meta.ts";
import { responseFormatKey } from "../extension-keys.ts";
import { type ResponseFormat, responseFormat } from "./response-format.ts";

export type ParsedSampling = {
  readonly request: ChatRequest;
  readonly meta: SamplingMeta;
  /** Present where the request is to run as a task. `ttl`: milliseconds, as asked for. */
  readonly task?: { readonly ttl?: number };
  /**
   * The context that was asked for and that this parser does not add: for the record, or for an
   * endpoint that adds it.
   */
  readonly contextIgnored?: "thisServer" | "allServers";
};

/**
 * The neutral request and its metadata, from params as JSON.parse gave them (any value at all).
 *
 * Takes one block or a list as content, and empty lists, as the official schema does. Members that
 * the schema does not name are ignored; annotations, titles, icons and `_meta` of blocks are
 * checked and left out, as no provider gets them. `toolChoice` without a mode is auto;
 * `includeContext` is never in the neutral request. `_meta["countersign/responseFormat"]`, or the
 * same member of `metadata`, becomes `responseFormat`, with sentences at the end of the system
 * prompt. The session and the originating request may be absent here.
 *
 * Refused, beyond the official schema: what cannot be hashed or carried (`checkJson`), `maxTokens`
 * under 1, empty stop sequences (every text contains one, so they could only stop a reply before it
 * starts), a negative `ttl`, media that is not base64 or not of its kind, resources with both a
 * text and a blob, malformed `countersign/…` fields (a format whose schema cannot be checked is
 * one), and conversations that break the rules on tool use (`conversationError`). Errors carry JSON
 * pointers into the params, 50 at most.
 */
export const parseSampling = (params: unknown): Result<ParsedSampling, ParamsRefusal> => parseWith(params2025, params);

/** The same by the fields of a revision. */
export function parseWith(fields: ParamsFields, params: unknown): Result<ParsedSampling, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(params, issues);
  // Params with that many errors are not walked again.
  const read = fields.read(issues.full ? undefined : params, "", issues);
  const { task, includeContext = "none", toolChoice, _meta: { responseFormat: formatInMeta, ...meta } = {}, metadata, ...rest } = read;
  const { token = meta.token, format = formatInMeta, left } = withoutOurs(metadata, issues);
  if (issues.found.length === 0 && (differ(token, meta.token) || differ(format, formatInMeta)))
    issues.add("/metadata", "must not differ from _meta in what it asks of the gateway");
  const refusal = issues.invalid() ?? conversationError(rest.messages, pointerInto(params));
  if (refusal !== undefined) return err(refusal);
  const request: ChatRequest = {
    kind: "chat",
    ...rest,
    ...(left !== undefined && { metadata: left }),
    ...(toolChoice !== undefined && { toolChoice: toolChoice.mode }),
  };
  return ok({
    request: inFormat(request, format),
    meta: token === undefined ? meta : { ...meta, token },
    ...(task !== undefined && { task }),
    ...(includeContext !== "none" && { contextIgnored: includeContext }),
  });
}

/** The request with the format of its reply, which the system prompt then asks for too. */
function inFormat(request: ChatRequest, responseFormat: ResponseFormat | undefined): ChatRequest {
  if (responseFormat === undefined) return request;
  const systemPrompt = joinPrompt([request.systemPrompt, jsonPrompt(responseFormat.schema, (request.tools ?? []).length > 0)]);
  return { ...request, ...(systemPrompt !== undefined && { systemPrompt }), responseFormat };
}

const differ = (one: object | undefined, other: object | undefined): boolean =>
  other !== undefined && canonicalJson(one) !== canonicalJson(other);

const ours = object({ [TOKEN_META]: optional(tokenAsked), [responseFormatKey]: optional(responseFormat) });

/**
 * What `metadata` asks of the gateway, and what is left of it for the provider. In 2026-07-28 a
 * request for sampling is inside a result and has no `_meta`, so that SDKs that keep to the schema
 * send none.
 */
function withoutOurs(
  metadata: JsonObject | undefined,
  issues: IssueCollector,
): { readonly token?: TokenAsked | undefined; readonly format?: ResponseFormat | undefined; readonly left: JsonObject | undefined } {
  if (metadata === undefined || !(Object.hasOwn(metadata, TOKEN_META) || Object.hasOwn(metadata, responseFormatKey)))
    return { left: metadata };
  const { [TOKEN_META]: token, [responseFormatKey]: format } = ours.read(metadata, "/metadata", issues);
  const { [TOKEN_META]: _token, [responseFormatKey]: _format, ...left } = metadata;
  return { token, format, left: Object.keys(left).length === 0 ? undefined : left };
}

/**
 * How many there may be of each, whatever the size of the body: a page shows every one to a person,
 * a reply is cut at every stop sequence, and a few bytes each would make both cost megabytes and
 * seconds.
 */
export const mostMembers = { messages: 2_000, blocks: 5_000, tools: 500, stopSequences: 256, hints: mostHints } as const;

const messagesOf = (message: Field<Message>): Field<Message[]> => ({
  read(value, at, issues) {
    const read: Message[] = [];
    let blocks = 0;
    for (const [i, given] of membersOf(value, at, issues, { max: mostMembers.messages }).entries()) {
      if (issues.full) break;
      const one = message.read(given, `${at}/${i}`, issues);
      blocks += one.content.reduce((sum, block) => sum + 1 + (block.type === "tool_result" ? block.content.length : 0), 0);
      if (blocks > mostMembers.blocks) {
        issues.add(at, `must not hold more than ${mostMembers.blocks} content blocks in all`);
        break;
      }
      read.push(one);
    }
    return read;
  },
  schema: list(message, { max: mostMembers.messages }).schema,
});

type ParamsFields = Field<ReadOf<ReturnType<typeof plainParams>> & { readonly task?: { readonly ttl?: number } | undefined }>;

/** The members of the params that every revision has. */
const plainMembers = ({ message, tool }: ContentFields) => ({
  includeContext: optional(oneOf(["none", "thisServer", "allServers"])),
  maxTokens: integerWithin(1),
  messages: messagesOf(message),
  systemPrompt: optional(text()),
  temperature: optional(number),
  stopSequences: optional(list(text({ min: 1 }), { max: mostMembers.stopSequences })),
  metadata: optional(anyObject),
  modelPreferences: optional(modelPreferences),
  tools: optional(list(tool, { max: mostMembers.tools })),
  toolChoice: optional(object({ mode: withDefault("auto", oneOf(["auto", "required", "none"])) })),
  _meta: optional(samplingRequestMeta),
});

/** The params of a revision without tasks. */
export const plainParams = (content: ContentFields) => object(plainMembers(content));

const params2025 = object({ task: optional(object({ ttl: optional(integerWithin(0)) })), ...plainMembers(content2025) });

/**
 * Where a block of the neutral request stands in params that were read without an error: content of
 * one block has no index.
 */
export function pointerInto(params: unknown): BlockPointer {
  const { messages } = params as { readonly messages: readonly { readonly content: unknown }[] };
  return (message, block) => `/messages/${message}/content${Array.isArray(messages[message]?.content) ? `/${block}` : ""}`;
}
