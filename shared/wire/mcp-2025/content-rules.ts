// The rules on content that the schema cannot say: what media data and types are, which role may
// use tools, and how tool uses and their results must follow each other ("Message Content
// Constraints" of the sampling page, revision 2025-11-25). Never throws.

import { IssueCollector, type ParamsRefusal } from "../../json/issue-collector.ts";
import type { Message } from "../../model/sampling.ts";

/**
 * Whether a text is base64 in the standard alphabet with its padding (RFC 4648 section 4); "" is,
 * being no bytes at all. White space and the URL alphabet are not. Stray bits in the last letter
 * are let through: every decoder reads the same bytes.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  // A search for one wrong letter is linear; a pattern that repeats over the whole text keeps a
  // state to backtrack to for every letter.
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(padding === 0 ? text : text.slice(0, -padding));
}

/**
 * The media type with its type and subtype in lower case, or undefined where it is none (RFC 6838
 * section 4.2 for the names). Parameters are for audio and resources, and need a value: an image's
 * type goes into `data:` URLs, where a bare `;base64,` in it would put other bytes before the model
 * than those the reviewer saw.
 */
export function mediaType(kind: "image" | "audio" | "any", text: string): string | undefined {
  if (text.length > 255) return undefined;
  const match = /^([a-z0-9][\w!#$&^.+-]*)(\/[a-z0-9][\w!#$&^.+-]*)((?:[ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=[\w!#$%&'*+.^`|~-]+)*)$/i.exec(text);
  if (match === null) return undefined;
  const [, type = "", subtype = "", parameters = ""] = match;
  if (kind !== "any" && type.toLowerCase() !== kind) return undefined;
  if (kind === "image" && parameters !== "") return undefined;
  return type.toLowerCase() + subtype.toLowerCase() + parameters;
}

/** Where block `block` of message `message` stands in the document that the errors point into. */
export type BlockPointer = (message: number, block: number) => string;

/**
 * What is wrong with a conversation, if anything; the first of: a role that may not have such a
 * block, and ids used twice (`invalid`, all of them); results beside other content; a use without
 * its result in the very next message, the last message included; a result that answers no use of
 * the message before it (`invalid`); no message, or a message without content (`invalid`). The
 * order of results within their message is free. An id may be used once in a request: providers
 * refuse a second use.
 */
export function conversationError(messages: readonly Message[], pointer: BlockPointer): ParamsRefusal | undefined {
  // Most requests have no tools, and skip these four checks.
  const error = messages.some(hasTools)
    ? (rolesAndIds(messages, pointer) ?? mixedResults(messages) ?? missingResult(messages, pointer) ?? unaskedResults(messages, pointer))
    : undefined;
  return error ?? emptiness(messages);
}

/**
 * The official schema allows a request without messages and a message without content. No model can
 * be sent either.
 */
function emptiness(messages: readonly Message[]): ParamsRefusal | undefined {
  const issues = new IssueCollector();
  if (messages.length === 0) issues.add("/messages", "must hold at least one message");
  for (const [m, { content }] of messages.entries())
    if (content.length === 0) issues.add(`/messages/${m}/content`, "must hold at least one content block");
  return issues.invalid();
}

const hasTools = (message: Message): boolean => message.content.some(({ type }) => type === "tool_use" || type === "tool_result");

const usedIds = (message: Message | undefined): string[] =>
  message?.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) ?? [];

const answeredIds = (message: Message | undefined): string[] =>
  message?.content.flatMap((block) => (block.type === "tool_result" ? [block.toolUseId] : [])) ?? [];

function rolesAndIds(messages: readonly Message[], pointer: BlockPointer): ParamsRefusal | undefined {
  const issues = new IssueCollector();
  const used = new Set<string>();
  const answered = new Set<string>();
  for (const [m, { role, content }] of messages.entries()) {
    for (const [b, block] of content.entries()) {
      if (block.type === "tool_use") {
        if (role !== "assistant") issues.add(pointer(m, b), "a tool_use belongs in an assistant message");
        if (used.has(block.id)) issues.add(`${pointer(m, b)}/id`, "another tool use has this id");
        used.add(block.id);
      } else if (block.type === "tool_result") {
        if (role !== "user") issues.add(pointer(m, b), "a tool_result belongs in a user message");
        if (answered.has(block.toolUseId)) issues.add(`${pointer(m, b)}/toolUseId`, "another tool result answers this tool use");
        answered.add(block.toolUseId);
      }
    }
  }
  return issues.invalid();
}

function mixedResults(messages: readonly Message[]): ParamsRefusal | undefined {
  for (const [m, { content }] of messages.entries()) {
    const results = content.filter(({ type }) => type === "tool_result").length;
    if (results > 0 && results < content.length) return { kind: "toolResultsMixed", pointer: `/messages/${m}` };
  }
  return undefined;
}

function missingResult(messages: readonly Message[], pointer: BlockPointer): ParamsRefusal | undefined {
  for (const [m, { content }] of messages.entries()) {
    const answered = new Set(answeredIds(messages[m + 1]));
    const b = content.findIndex((block) => block.type === "tool_use" && !answered.has(block.id));
    if (b !== -1) return { kind: "toolResultMissing", pointer: pointer(m, b) };
  }
  return undefined;
}

function unaskedResults(messages: readonly Message[], pointer: BlockPointer): ParamsRefusal | undefined {
  const issues = new IssueCollector();
  for (const [m, { content }] of messages.entries()) {
    const used = new Set(usedIds(messages[m - 1]));
    for (const [b, block] of content.entries()) {
      if (block.type === "tool_result" && !used.has(block.toolUseId)) {
        issues.add(`${pointer(m, b)}/toolUseId`, "answers no tool use of the message before it");
      }
    }
  }
  return issues.invalid();
}
