// The neutral sampling request and reply: what every wire is translated to, and what reviewers approve.
//
// Each `content` is a list of blocks here, whatever the wire had. What no provider ever gets (annotations, `_meta`,
// titles of tools, unknown fields) is left out, so that the digest a reviewer approves covers exactly what is sent.

import * as z from "zod";
import type { JsonObject } from "../encoding.ts";

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const image = z.strictObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const audio = z.strictObject({ type: z.literal("audio"), data: z.string(), mimeType: z.string() });
const jsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject>;

const resourceLink = z.strictObject({
  type: z.literal("resource_link"),
  uri: z.string(),
  name: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
});

const embeddedResource = z.strictObject({
  type: z.literal("resource"),
  resource: z.union([
    z.strictObject({ uri: z.string(), mimeType: z.string().optional(), text: z.string() }),
    z.strictObject({ uri: z.string(), mimeType: z.string().optional(), blob: z.string() }),
  ]),
});

const toolUse = z.strictObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: jsonObject });

const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  toolUseId: z.string(),
  content: z.array(z.union([text, image, audio, resourceLink, embeddedResource])),
  structuredContent: jsonObject.optional(),
  isError: z.boolean().optional(),
});

const block = z.union([text, image, audio, toolUse, toolResult]);
/** A message may hold no block at all: the official schema allows it, and a provider that does not says so itself. */
const message = z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(block) });
const tool = z.strictObject({ name: z.string(), description: z.string().optional(), inputSchema: jsonObject });

/** Preferences are advice (design: routing). They are kept for the page and the record; no provider gets them. */
const modelPreferences = z.strictObject({
  hints: z.array(z.strictObject({ name: z.string().optional() })).optional(),
  costPriority: z.number().min(0).max(1).optional(),
  speedPriority: z.number().min(0).max(1).optional(),
  intelligencePriority: z.number().min(0).max(1).optional(),
});

/** A model that was asked for by name: only it, or what the routing table gives as its equivalents, may serve (design: POST /control). */
const namedModel = z.strictObject({ name: z.string(), version: z.string().optional(), provider: z.string().optional() });

/** A model is asked for a message. MCP's own sampling knows only these. */
export const chatRequestSchema = z.strictObject({
  kind: z.literal("chat"),
  namedModel: namedModel.optional(),
  messages: z.array(message),
  systemPrompt: z.string().optional(),
  /** Tokens; the model may give fewer. */
  maxTokens: z.int().min(1),
  temperature: z.number().optional(),
  /** 0 to 1: the share of the probability that is sampled from. */
  topP: z.number().min(0).max(1).optional(),
  /** How many of the likeliest tokens are sampled from. */
  topK: z.int().min(1).optional(),
  /** The reply's text must be JSON, and fit the schema where there is one. */
  responseFormat: z.strictObject({ type: z.literal("json"), schema: jsonObject.optional() }).optional(),
  stopSequences: z.array(z.string()).optional(),
  metadata: jsonObject.optional(),
  modelPreferences: modelPreferences.optional(),
  includeContext: z.enum(["none", "thisServer", "allServers"]).optional(),
  tools: z.array(tool).optional(),
  toolChoice: z.enum(["auto", "required", "none"]).optional(),
});

/** A model makes one vector for each message, which is one user text. */
const embeddingRequest = z.strictObject({
  kind: z.literal("embedding"),
  namedModel: namedModel.optional(),
  modelPreferences: modelPreferences.optional(),
  messages: z.array(message),
});

/** An MCP server runs one of its tools: the tool use of the one assistant message. */
const functionRequest = z.strictObject({ kind: z.literal("function"), messages: z.array(message) });

export const samplingRequestSchema = z.discriminatedUnion("kind", [chatRequestSchema, embeddingRequest, functionRequest]);

export type TextBlock = z.infer<typeof text>;
export type ImageBlock = z.infer<typeof image>;
export type AudioBlock = z.infer<typeof audio>;
export type ResourceLinkBlock = z.infer<typeof resourceLink>;
export type EmbeddedResourceBlock = z.infer<typeof embeddedResource>;
export type ToolUseBlock = z.infer<typeof toolUse>;
export type ToolResultBlock = z.infer<typeof toolResult>;
export type Block = z.infer<typeof block>;
export type Message = z.infer<typeof message>;
export type ToolDefinition = z.infer<typeof tool>;
export type ToolChoice = "auto" | "required" | "none";
export type NamedModel = z.infer<typeof namedModel>;
export type ModelPreferences = z.infer<typeof modelPreferences>;
export type ChatRequest = z.infer<typeof chatRequestSchema>;
type ChatOnly = Exclude<keyof ChatRequest, "kind" | "messages">;
/** What the other kinds do not have can be asked for all the same, and is not there. */
type Without<Name extends string> = { readonly [N in Name]?: never };
export type EmbeddingRequest = z.infer<typeof embeddingRequest> & Without<Exclude<ChatOnly, "namedModel" | "modelPreferences">>;
export type FunctionRequest = z.infer<typeof functionRequest> & Without<ChatOnly>;
export type SamplingRequest = ChatRequest | EmbeddingRequest | FunctionRequest;

/** How many tokens may be written at most: none where no model writes anything. */
export const outputLimit = ({ maxTokens = 0 }: SamplingRequest): number => maxTokens;

const embedding = z.strictObject({ type: z.literal("embedding"), vector: z.array(z.number()) });
const replyBlock = z.union([text, image, audio, toolUse, toolResult, embedding]);

/** What a model said (or a function returned), before it is put on a wire. `model` is the real name that the provider gave. */
export const samplingReplySchema = z.strictObject({
  content: z.array(replyBlock),
  model: z.string(),
  /** endTurn, stopSequence, maxTokens, toolUse, or the provider's own word; absent where the provider said nothing. */
  stopReason: z.string().optional(),
});

export type EmbeddingBlock = z.infer<typeof embedding>;
export type ReplyBlock = z.infer<typeof replyBlock>;
export type SamplingReply = z.infer<typeof samplingReplySchema>;
