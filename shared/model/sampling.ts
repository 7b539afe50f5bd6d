// The neutral sampling request and reply: what every wire is translated to, and what reviewers
// approve.
//
// Each `content` is a list of blocks here, whatever the wire had. What no provider ever gets
// (annotations, `_meta`, titles of tools, unknown fields) is left out, so that the digest a
// reviewer approves covers exactly what is sent.

import {
  anyObject,
  flag,
  integerWithin,
  list,
  number,
  numberWithin,
  object,
  oneOf,
  optional,
  tagged,
  text,
  withEither,
  type ReadOf,
} from "../json/fields.ts";

/**
 * The members of each kind of block. A wire has the same, with its own rules on their values, and
 * members that it leaves out.
 */
export const blockMembers = {
  text: { type: oneOf(["text"]), text: text() },
  image: { type: oneOf(["image"]), data: text(), mimeType: text() },
  audio: { type: oneOf(["audio"]), data: text(), mimeType: text() },
  /** `data`: base64 of a file that begins as a PDF does. `name`: the client's; a model reads it. */
  pdf: { type: oneOf(["pdf"]), data: text(), name: optional(text()) },
  resource_link: {
    type: oneOf(["resource_link"]),
    uri: text(),
    name: text(),
    description: optional(text()),
    mimeType: optional(text()),
  },
  tool_use: { type: oneOf(["tool_use"]), id: text(), name: text(), input: anyObject },
  tool_result: { type: oneOf(["tool_result"]), toolUseId: text(), structuredContent: optional(anyObject), isError: optional(flag) },
} as const;

/** The contents of an embedded resource: a text or a blob, not both. */
export const resourceMembers = {
  text: { uri: text(), mimeType: optional(text()), text: text() },
  blob: { uri: text(), mimeType: optional(text()), blob: text() },
} as const;

const textBlock = object(blockMembers.text);
const image = object(blockMembers.image);
const audio = object(blockMembers.audio);
const pdf = object(blockMembers.pdf);
const resourceLink = object(blockMembers.resource_link);
const embeddedResource = object({
  type: oneOf(["resource"]),
  resource: withEither("blob", object(resourceMembers.blob), object(resourceMembers.text)),
});
const toolUse = object(blockMembers.tool_use);
/** What a tool's result may have in it. */
export const resultContents = { text: textBlock, image, audio, resource_link: resourceLink, resource: embeddedResource };
const toolResult = object({ ...blockMembers.tool_result, content: list(tagged("type", resultContents)) });

const replyBlocks = { text: textBlock, image, audio, tool_use: toolUse, tool_result: toolResult };
const blocks = { ...replyBlocks, pdf };
/** A message may have no block, as in the official schema; a wire or a provider may refuse that. */
const message = object({ role: oneOf(["user", "assistant"]), content: list(tagged("type", blocks)) });
const tool = object({ name: text(), description: optional(text()), inputSchema: anyObject });

/** More hints than this are no advice, and the review page shows every hint. */
export const mostHints = 64;

/**
 * Preferences are advice (design: routing). They are kept for the page and the record; no provider
 * gets them.
 */
export const modelPreferences = object({
  costPriority: optional(numberWithin(0, 1)),
  speedPriority: optional(numberWithin(0, 1)),
  intelligencePriority: optional(numberWithin(0, 1)),
  hints: optional(list(object({ name: optional(text()) }), { max: mostHints })),
});

/**
 * A model that was asked for by name: only it, or what the routing table gives as its equivalents,
 * may serve (design: POST /control).
 */
const namedModel = object({ name: text(), version: optional(text()), provider: optional(text()) });

/** A request for a message from a model. MCP's own sampling knows only these. */
const chatRequest = object({
  kind: oneOf(["chat"]),
  namedModel: optional(namedModel),
  messages: list(message),
  systemPrompt: optional(text()),
  /** Tokens; the model may give fewer. */
  maxTokens: integerWithin(1),
  temperature: optional(number),
  /** 0 to 1: the share of the probability that is sampled from. */
  topP: optional(numberWithin(0, 1)),
  /** How many of the likeliest tokens are sampled from. */
  topK: optional(integerWithin(1)),
  /**
   * The reply's text must be JSON, and fit the schema where there is one. `orText`: a reply without
   * JSON is one too, for models that give the value and no object around it.
   */
  responseFormat: optional(object({ type: oneOf(["json"]), schema: optional(anyObject), orText: optional(flag) })),
  stopSequences: optional(list(text())),
  metadata: optional(anyObject),
  modelPreferences: optional(modelPreferences),
  includeContext: optional(oneOf(["none", "thisServer", "allServers"])),
  tools: optional(list(tool)),
  toolChoice: optional(oneOf(["auto", "required", "none"])),
  /** False: the reply may have one tool call at most. */
  parallelToolCalls: optional(flag),
});

/** A model makes one vector for each message, which is one user text. */
const embeddingRequest = object({
  kind: oneOf(["embedding"]),
  namedModel: optional(namedModel),
  modelPreferences: optional(modelPreferences),
  messages: list(message),
  /** The size of the vectors. */
  dimensions: optional(integerWithin(1)),
});

export const samplingRequest = tagged("kind", { chat: chatRequest, embedding: embeddingRequest });

export type TextBlock = ReadOf<typeof textBlock>;
export type ImageBlock = ReadOf<typeof image>;
export type AudioBlock = ReadOf<typeof audio>;
export type PdfBlock = ReadOf<typeof pdf>;
export type EmbeddedResourceBlock = ReadOf<typeof embeddedResource>;
export type ToolUseBlock = ReadOf<typeof toolUse>;
export type ToolResultBlock = ReadOf<typeof toolResult>;
export type Message = ReadOf<typeof message>;
export type Block = Message["content"][number];
export type ToolDefinition = ReadOf<typeof tool>;
export type ToolChoice = "auto" | "required" | "none";
export type NamedModel = ReadOf<typeof namedModel>;
export type ModelPreferences = ReadOf<typeof modelPreferences>;
export type ChatRequest = ReadOf<typeof chatRequest>;
type ChatOnly = Exclude<keyof ChatRequest, "kind" | "messages">;
/** The members of `chat` alone can be read of the other kind too, and are undefined. */
type Without<Name extends string> = { readonly [N in Name]?: never };
export type EmbeddingRequest = ReadOf<typeof embeddingRequest> & Without<Exclude<ChatOnly, "namedModel" | "modelPreferences">>;
export type SamplingRequest = ChatRequest | EmbeddingRequest;

/** The size that vectors must have; undefined where the model decides, and for a message. */
export const dimensionsOf = (request: SamplingRequest): number | undefined =>
  request.kind === "embedding" ? request.dimensions : undefined;

/** The most output tokens; 0 for vectors. */
export const outputLimit = ({ maxTokens = 0 }: SamplingRequest): number => maxTokens;

const embedding = object({ type: oneOf(["embedding"]), vector: list(number) });

/**
 * What a model said, before it is put on a wire. `model` is the real name that the provider gave.
 */
export const samplingReply = object({
  content: list(tagged("type", { ...replyBlocks, embedding })),
  model: text(),
  /**
   * endTurn, stopSequence, maxTokens, toolUse, or the provider's own word; absent where not given.
   */
  stopReason: optional(text()),
});

export type EmbeddingBlock = ReadOf<typeof embedding>;
export type SamplingReply = ReadOf<typeof samplingReply>;
export type ReplyBlock = SamplingReply["content"][number];
/** What both a message and a reply may have. */
export type SaidBlock = Exclude<ReplyBlock, EmbeddingBlock>;
