// The params of `sampling/createMessage` in revision 2025-11-25, of which every older revision's are a subset: from the wire to the
// neutral request, with everything that is wrong found at once. Whether the request may be made at all is for later stages.

import { err, ok, type Result } from "../../result.ts";
import { readMessage, readTool } from "./content.ts";
import { conversationFault, type BlockPointer } from "./content-rules.ts";
import { checkJson } from "../../json/json-rules.ts";
import { readMeta, type SamplingMeta } from "./meta.ts";
import { Reading, type Members, type ParamsFault } from "../../json/reading.ts";
import type { ModelPreferences, SamplingRequest, ChatRequest } from "../../model/sampling.ts";

export type { ParamsError, ParamsFault } from "../../json/reading.ts";
export { toResult, toSingleBlockResult } from "./result.ts";

export type ParsedSampling = {
  readonly request: ChatRequest;
  readonly meta: SamplingMeta;
  /** Present where the request is to run as a task. `ttl`: milliseconds, as asked for. */
  readonly task?: { readonly ttl?: number };
  /** The context that was asked for and that this parser does not give: for the record, or for an endpoint that gives context. */
  readonly contextIgnored?: "thisServer" | "allServers";
};

/**
 * The neutral request and its metadata, from params as JSON.parse gave them (unknown: anything at all).
 *
 * Takes one block or a list as content, and empty lists, as the official schema does. Members that the schema does not name are ignored;
 * annotations, titles, icons and `_meta` of blocks are checked and left out, as no provider gets them. `toolChoice` without a mode is auto;
 * `includeContext` is never in the neutral request. An absent session or originating request is no fault here.
 *
 * Refused, beyond the official schema: what cannot be hashed or carried (`checkJson`), `maxTokens` under 1, empty stop sequences (every
 * text contains one, so they could only stop a reply before it starts), a negative `ttl`, media that is not base64 or not of its
 * kind, resources with both a text and a blob, malformed `countersign/…` fields, and conversations that break the rules on tool use
 * (`conversationFault`). Errors carry JSON pointers into the params, 50 at most.
 */
export function parseSampling(params: unknown): Result<ParsedSampling, ParamsFault> {
  const reading = new Reading();
  checkJson(params, reading);
  const parsed = readParams(params, reading);
  const fault = reading.invalid() ?? conversationFault(parsed.request.messages, pointerInto(params));
  return fault === undefined ? ok(parsed) : err(fault);
}

function readParams(value: unknown, reading: Reading): ParsedSampling {
  const params = reading.object(value, "");
  if (params === undefined || reading.full) return { request: { kind: "chat", messages: [], maxTokens: 1 }, meta: {} };
  const task = params["task"] === undefined ? undefined : readTask(params["task"], reading);
  const context =
    params["includeContext"] === undefined ? "none" : reading.oneOf(["none", "thisServer", "allServers"], params, "includeContext", "");
  return {
    request: readRequest(params, reading),
    meta: params["_meta"] === undefined ? {} : readMeta(params["_meta"], reading),
    ...(task !== undefined && { task }),
    ...(context !== undefined && context !== "none" && { contextIgnored: context }),
  };
}

/**
 * How many there may be of each, whatever the size of the body: a page shows every one to a person, a reply is cut at every stop
 * sequence, and a few bytes each would make both cost megabytes and seconds.
 */
export const mostMembers = { messages: 2_000, blocks: 5_000, tools: 500, stopSequences: 256, hints: 64 } as const;

function readRequest(params: Members, reading: Reading): ChatRequest {
  const request: ChatRequest = { kind: "chat", messages: [], maxTokens: reading.integer(1, params, "maxTokens", "") };
  let blocks = 0;
  for (const [i, given] of reading.bounded(mostMembers.messages, reading.array(params["messages"], "/messages"), "/messages").entries()) {
    if (reading.full) break;
    const message = readMessage(given, `/messages/${i}`, reading);
    blocks += message.content.reduce((sum, block) => sum + 1 + (block.type === "tool_result" ? block.content.length : 0), 0);
    if (blocks > mostMembers.blocks) {
      reading.fault("/messages", `must not hold more than ${mostMembers.blocks} content blocks in all`);
      break;
    }
    request.messages.push(message);
  }
  if (params["systemPrompt"] !== undefined) request.systemPrompt = reading.string(params, "systemPrompt", "");
  if (params["temperature"] !== undefined) request.temperature = reading.number(params, "temperature", "");
  if (params["stopSequences"] !== undefined) request.stopSequences = readStopSequences(params, reading);
  if (params["metadata"] !== undefined) request.metadata = reading.json(params, "metadata", "");
  if (params["modelPreferences"] !== undefined) request.modelPreferences = readPreferences(params["modelPreferences"], reading);
  if (params["tools"] !== undefined) {
    request.tools = [];
    for (const [i, tool] of reading.bounded(mostMembers.tools, reading.array(params["tools"], "/tools"), "/tools").entries()) {
      if (reading.full) break;
      request.tools.push(readTool(tool, `/tools/${i}`, reading));
    }
  }
  if (params["toolChoice"] !== undefined) {
    const choice = reading.object(params["toolChoice"], "/toolChoice") ?? {};
    const mode = choice["mode"] === undefined ? "auto" : reading.oneOf(["auto", "required", "none"], choice, "mode", "/toolChoice");
    request.toolChoice = mode ?? "auto";
  }
  return request;
}

function readStopSequences(params: Members, reading: Reading): string[] {
  const given = params["stopSequences"];
  if (Array.isArray(given) && reading.bounded(mostMembers.stopSequences, given, "/stopSequences") !== given) return [];
  const sequences = reading.strings(params, "stopSequences", "");
  const empty = Array.isArray(given) ? given.indexOf("") : -1;
  if (empty !== -1) reading.fault(`/stopSequences/${empty}`, "must not be empty");
  return sequences;
}

function readPreferences(value: unknown, reading: Reading): ModelPreferences {
  const at = "/modelPreferences";
  const given = reading.object(value, at) ?? {};
  const preferences: ModelPreferences = {};
  for (const name of ["costPriority", "speedPriority", "intelligencePriority"] as const) {
    if (given[name] !== undefined) preferences[name] = reading.numberWithin(0, 1, given, name, at);
  }
  if (given["hints"] !== undefined) {
    preferences.hints = [];
    for (const [i, value] of reading.bounded(mostMembers.hints, reading.array(given["hints"], `${at}/hints`), `${at}/hints`).entries()) {
      if (reading.full) break;
      const hint = reading.object(value, `${at}/hints/${i}`) ?? {};
      preferences.hints.push(hint["name"] === undefined ? {} : { name: reading.string(hint, "name", `${at}/hints/${i}`) });
    }
  }
  return preferences;
}

function readTask(value: unknown, reading: Reading): { readonly ttl?: number } {
  const task = reading.object(value, "/task") ?? {};
  return task["ttl"] === undefined ? {} : { ttl: reading.integer(0, task, "ttl", "/task") };
}

/** Where a block stands in these params: content of one block has no index. Called only for params that were read without a fault. */
/** Where a block of the neutral request stands in params that `parseSampling` accepted. */
export function pointerInto(params: unknown): BlockPointer {
  const { messages } = params as { readonly messages: readonly { readonly content: unknown }[] };
  return (message, block) => `/messages/${message}/content${Array.isArray(messages[message]?.content) ? `/${block}` : ""}`;
}

/**
 * The params that say what a neutral request says, contents as lists: what a relay forwards, and how a request that a reviewer
 * edited is checked by the same rules as the server's own (`parseSampling(toParams(edited))`).
 */
export const toParams = ({ toolChoice, ...request }: SamplingRequest) =>
  toolChoice === undefined ? request : { ...request, toolChoice: { mode: toolChoice } };
