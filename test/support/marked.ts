// Reviews of the control endpoint with a marker somewhere in the content, for what must not show
// any of it.

import * as fc from "fast-check";
import type { JsonObject } from "../../shared/encoding.ts";
import type { SamplingReply, ToolResultBlock } from "../../shared/model/sampling.ts";
import type { ToolResult } from "../../shared/model/subject/tool-call.ts";
import type { MessageView, ReviewView, ToolCallView } from "../../shared/review/view.ts";
import { control } from "../outside/pages/examples.ts";

/** No part of it is a word of ours, and no escaping changes it. */
export const marker = "zqxmarkerzqx";

const around = fc.oneof(fc.constant(""), fc.string({ maxLength: 30 }), fc.string({ unit: "binary", maxLength: 30 }));
const text = fc.tuple(around, around).map(([before, after]) => `${before}${marker}${after}`);
const input: fc.Arbitrary<JsonObject> = fc.oneof(
  text.map((value) => ({ value })),
  text.map((name) => ({ [name]: 1 })),
  text.map((value) => ({ outer: [null, { inner: [value] }] })),
);
const media = fc.record({ data: text, mimeType: text });

const resultContent: fc.Arbitrary<ToolResultBlock["content"][number]> = fc.oneof(
  text.map((text) => ({ type: "text" as const, text })),
  media.map((media) => ({ type: "image" as const, ...media })),
  media.map((media) => ({ type: "audio" as const, ...media })),
  fc.record({ uri: text, name: text, description: text, mimeType: text }).map((link) => ({ type: "resource_link" as const, ...link })),
  fc.record({ uri: text, mimeType: text, text }).map((resource) => ({ type: "resource" as const, resource })),
  fc.record({ uri: text, mimeType: text, blob: text }).map((resource) => ({ type: "resource" as const, resource })),
);

const result: fc.Arbitrary<ToolResult> = fc
  .record({
    content: fc.array(resultContent, { maxLength: 4 }),
    structuredContent: fc.option(input, { nil: undefined }),
    isError: fc.boolean(),
  })
  .map(({ structuredContent, ...rest }) => ({
    kind: "toolResult",
    ...rest,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  }));

const call = fc.record({ id: text, name: text, input }).map((call) => ({ type: "tool_use" as const, ...call }));

const answering = (asked: MessageView, reply: SamplingReply): MessageView => ({
  ...asked,
  gate: "response",
  progress: "responseReview",
  reply,
  replyAsGenerated: reply,
  answeredBy: asked.models[0] ?? null,
  usage: { inputTokens: 1, outputTokens: 1 },
  costUsd: 0,
});

const embedding = fc.array(text, { minLength: 1, maxLength: 12 }).map((texts): MessageView => ({
  ...control.embedding,
  request: {
    ...control.embedding.request,
    messages: texts.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
  },
}));

/** A tool that is to run; the edits of a reviewer are content too. */
const run = fc.tuple(input, input).map(([now, before]): ToolCallView => {
  const { request } = control.toolCall;
  return { ...control.toolCall, request: { ...request, arguments: now }, requestAsAsked: { ...request, arguments: before } };
});

/** Text for a model, with all that a client can put beside it. */
const asked = fc
  .record({
    text,
    systemPrompt: text,
    stop: text,
    schema: input,
    metadata: input,
    media,
    tool: text,
    name: fc.constantFrom("text_generation", "translation", "function_call", "multimodal_generation"),
  })
  .map(({ text, systemPrompt, stop, schema, metadata, media, tool, name }): MessageView => ({
    ...control.json,
    requestor: { ...control.json.requestor, name },
    request: {
      ...control.json.request,
      systemPrompt,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text },
            { type: "image", ...media },
            { type: "pdf", data: media.data, name: media.mimeType },
          ],
        },
      ],
      stopSequences: [stop],
      responseFormat: { type: "json", schema },
      metadata,
      tools: [{ name: tool, description: tool, inputSchema: schema }],
    },
  }));

const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 40 });

/**
 * Reviews at either gate of each of the endpoint's tasks, with the marker in some or all of the
 * content.
 */
export const markedView: fc.Arbitrary<ReviewView> = fc.oneof(
  embedding,
  run,
  asked,
  fc
    .tuple(run, result)
    .map(([view, reply]): ToolCallView => ({ ...view, gate: "response", progress: "responseReview", reply, replyAsGenerated: reply })),
  fc
    .tuple(asked, text, call)
    .map(([view, text, call]) => answering(view, { content: [{ type: "text", text }, call], model: "demo", stopReason: "toolUse" })),
  fc
    .tuple(embedding, fc.array(numbers, { minLength: 1, maxLength: 6 }))
    .map(([view, vectors]) =>
      answering(view, { content: vectors.map((vector) => ({ type: "embedding" as const, vector })), model: "demo" }),
    ),
);

/** A number that no notice holds by chance, for vectors: their content is numbers. */
export const markedNumber = 0.7319;
export const markedVectors: ReviewView = answering(control.embedding, {
  content: [1, 2, 3].map(() => ({ type: "embedding" as const, vector: [markedNumber, ...Array.from({ length: 63 }, () => markedNumber)] })),
  model: "demo",
});
