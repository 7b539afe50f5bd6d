// Every text of a request or a reply that another party reads, each under its JSON pointer, with
// another in its place. Media are none: what an image shows and what is said is not looked at.
// Neither are numbers, and what no provider gets.

import type { Json, JsonObject } from "../encoding.ts";
import { type Content, isPlain, walkPlain } from "../model/subject/subject.ts";
import { walkResultContent } from "../model/subject/tool-call.ts";
import { type Walk, alike } from "../model/subject/walk.ts";
import type {
  ModelPreferences,
  PdfBlock,
  ReplyBlock,
  SaidBlock,
  SamplingReply,
  SamplingRequest,
  ToolDefinition,
} from "../model/sampling.ts";

/** What stands in place of each text. */
export type Rewriting = {
  text(pointer: string, text: string): string;
  /** A text that has no pointer of its own: the name of a member. */
  member(text: string): string;
  /** An id that two blocks share: the same for the same. */
  id(text: string): string;
  /** A name by which somebody is called. */
  name(pointer: string, text: string): string;
};

function jsonValue(value: Json, pointer: string, rewriting: Rewriting): Json {
  if (typeof value === "string") return rewriting.text(pointer, value);
  if (Array.isArray(value)) return value.map((each, i) => jsonValue(each, `${pointer}/${i}`, rewriting));
  return typeof value === "object" && value !== null ? jsonObject(value, pointer, rewriting) : value;
}

/** Two members whose names become one get a number each: none is lost. */
function jsonObject(value: JsonObject, pointer: string, rewriting: Rewriting): JsonObject {
  const taken = new Set<string>();
  const members = Object.entries(value).map(([name, each]): [string, Json] => {
    const wanted = rewriting.member(name);
    let free = wanted;
    for (let n = 2; free !== name && (taken.has(free) || Object.hasOwn(value, free)); n += 1) free = `${wanted} ${n}`;
    taken.add(free);
    return [free, jsonValue(each, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, rewriting)];
  });
  return Object.fromEntries(members);
}

/** A text as JSON, with each text in it rewritten; null where it is no JSON. */
export function rewriteJsonText(text: string, rewriting: Rewriting): string | null {
  try {
    return JSON.stringify(jsonValue(JSON.parse(text) as Json, "", rewriting));
  } catch {
    return null;
  }
}

/** The same of what has a walk. */
const walkFor = (rewriting: Rewriting): Walk =>
  alike(
    (path, value) => rewriting.text(path, value),
    (path, value) => jsonObject(value, path, rewriting),
  );

const pdfOf = (pdf: PdfBlock, pointer: string, rewriting: Rewriting): PdfBlock =>
  pdf.name === undefined ? pdf : { ...pdf, name: rewriting.text(`${pointer}/name`, pdf.name) };

function blockOf(block: SaidBlock, pointer: string, rewriting: Rewriting): SaidBlock {
  switch (block.type) {
    case "text":
      return { ...block, text: rewriting.text(`${pointer}/text`, block.text) };
    case "tool_use":
      return {
        ...block,
        id: rewriting.id(block.id),
        name: rewriting.name(`${pointer}/name`, block.name),
        input: jsonObject(block.input, `${pointer}/input`, rewriting),
      };
    case "tool_result": {
      const content = block.content.map((each, i) => walkResultContent(each, `${pointer}/content/${i}`, walkFor(rewriting)));
      const structured = block.structuredContent;
      return {
        ...block,
        toolUseId: rewriting.id(block.toolUseId),
        content,
        ...(structured === undefined ? {} : { structuredContent: jsonObject(structured, `${pointer}/structuredContent`, rewriting) }),
      };
    }
    case "image":
    case "audio":
      return block;
    default:
      return block satisfies never;
  }
}

function toolOf(tool: ToolDefinition, pointer: string, rewriting: Rewriting): ToolDefinition {
  const { description } = tool;
  return {
    ...tool,
    name: rewriting.name(`${pointer}/name`, tool.name),
    ...(description === undefined ? {} : { description: rewriting.text(`${pointer}/description`, description) }),
    inputSchema: jsonObject(tool.inputSchema, `${pointer}/inputSchema`, rewriting),
  };
}

const preferencesOf = (preferences: ModelPreferences, rewriting: Rewriting): ModelPreferences => {
  const { hints } = preferences;
  if (hints === undefined) return preferences;
  const texts = hints.map(({ name }, i) => (name === undefined ? {} : { name: rewriting.text(`/modelPreferences/hints/${i}/name`, name) }));
  return { ...preferences, hints: texts };
};

function rewriteRequestTexts(request: SamplingRequest, rewriting: Rewriting): SamplingRequest {
  const messages = request.messages.map((message, m) => ({
    ...message,
    content: message.content.map((block, c) => {
      const pointer = `/messages/${m}/content/${c}`;
      return block.type === "pdf" ? pdfOf(block, pointer, rewriting) : blockOf(block, pointer, rewriting);
    }),
  }));
  if (request.kind !== "chat") return { ...request, messages };
  const { systemPrompt, tools, stopSequences, metadata, responseFormat, modelPreferences } = request;
  const schema = responseFormat?.schema;
  return {
    ...request,
    ...(systemPrompt === undefined ? {} : { systemPrompt: rewriting.text("/systemPrompt", systemPrompt) }),
    messages,
    ...(tools === undefined ? {} : { tools: tools.map((tool, i) => toolOf(tool, `/tools/${i}`, rewriting)) }),
    ...(stopSequences === undefined ? {} : { stopSequences: stopSequences.map((stop, i) => rewriting.text(`/stopSequences/${i}`, stop)) }),
    ...(metadata === undefined ? {} : { metadata: jsonObject(metadata, "/metadata", rewriting) }),
    ...(modelPreferences === undefined ? {} : { modelPreferences: preferencesOf(modelPreferences, rewriting) }),
    ...(responseFormat === undefined || schema === undefined
      ? {}
      : { responseFormat: { ...responseFormat, schema: jsonObject(schema, "/responseFormat/schema", rewriting) } }),
  };
}

const rewriteReplyTexts = (reply: SamplingReply, rewriting: Rewriting): SamplingReply => ({
  ...reply,
  content: reply.content.map((block, i): ReplyBlock => (block.type === "embedding" ? block : blockOf(block, `/content/${i}`, rewriting))),
});

/** The content with each text rewritten. */
export function rewriteTexts<T extends Content>(content: T, rewriting: Rewriting): T {
  return rewritten(content, rewriting) as T; // of the kind that it was
}

function rewritten(content: Content, rewriting: Rewriting): Content {
  if (!isPlain(content)) return "kind" in content ? rewriteRequestTexts(content, rewriting) : rewriteReplyTexts(content, rewriting);
  return walkPlain(content, walkFor(rewriting));
}
