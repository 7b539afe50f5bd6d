// Chat Completions and Embeddings as OpenAI's server speaks them: what it refuses, and how it
// answers. Written from its public reference.

import type { TokenCounts } from "./anthropic-wire.ts";

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Why the API would answer 400; empty where it takes the request. */
export function openaiRefusals(body: unknown): string[] {
  if (!isFields(body)) return ["body: not an object"];
  const faults: string[] = [];
  if (typeof body["model"] !== "string") faults.push("you must provide a model parameter");
  const { stop, temperature, response_format: format } = body;
  if (body["stream_options"] !== undefined && body["stream"] !== true)
    faults.push("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  if (isFields(format) && format["type"] === "json_object" && !/json/i.test(JSON.stringify(body["messages"])))
    faults.push("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.");
  if (
    isFields(format) &&
    format["type"] === "json_schema" &&
    !(isFields(format["json_schema"]) && namePattern.test(String(format["json_schema"]["name"])))
  )
    faults.push("Missing required parameter: 'response_format.json_schema'");
  if (Array.isArray(stop) && (stop.length > 4 || stop.length === 0 || stop.includes(""))) faults.push("Invalid 'stop'");
  if (typeof temperature === "number" && (temperature < 0 || temperature > 2)) faults.push("Invalid 'temperature'");
  const tools = body["tools"] === undefined ? undefined : Array.isArray(body["tools"]) ? body["tools"] : [];
  if (tools?.length === 0) faults.push("Invalid 'tools': empty array");
  if (body["tool_choice"] !== undefined && tools === undefined) faults.push("'tool_choice' is only allowed when 'tools' are specified");
  for (const tool of tools ?? []) if (!namePattern.test(String(tool?.function?.name))) faults.push("Invalid 'tools[].function.name'");
  if (isFields(body["metadata"]) && Object.values(body["metadata"]).some((value) => typeof value !== "string"))
    faults.push("Invalid type for 'metadata'");
  return [...faults, ...messageFaults(Array.isArray(body["messages"]) ? body["messages"] : [])];
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

function messageFaults(messages: readonly unknown[]): string[] {
  const faults: string[] = messages.length === 0 ? ["Invalid 'messages': empty array"] : [];
  let open: string[] = [];
  for (const message of messages) {
    if (!isFields(message)) return ["Invalid type for 'messages[]'"];
    const { role, content } = message;
    if (role === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.includes(id)) faults.push("messages with role 'tool' must be a response to a preceding message with 'tool_calls'");
      open = open.filter((other) => other !== id);
      if (typeof content !== "string") faults.push("Invalid 'content' of a tool message");
      continue;
    }
    if (open.length > 0)
      faults.push("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'");
    open = [];
    const calls = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
    for (const call of calls) {
      open.push(String(call.id));
      if (!namePattern.test(String(call.function?.name)) || typeof call.function.arguments !== "string")
        faults.push("Invalid 'tool_calls[].function'");
      if (String(call.id).length > 40) faults.push("Invalid 'tool_calls[].id': string too long");
    }
    if (content === null || content === undefined) {
      if (role !== "assistant" || calls.length === 0) faults.push("Invalid value for 'content': expected a string, got null");
      continue;
    }
    const allowed = role === "user" ? ["text", "image_url", "input_audio", "file"] : ["text"];
    const parts = typeof content === "string" ? [] : Array.isArray(content) ? content : [{}];
    if (Array.isArray(content) && content.length === 0) faults.push("Invalid 'content': empty array");
    for (const part of parts) if (!allowed.includes(part.type)) faults.push(`Invalid content part for role ${String(role)}`);
    for (const part of parts)
      if (part.type === "input_audio" && !["wav", "mp3"].includes(part.input_audio.format)) faults.push("Invalid 'input_audio.format'");
    for (const part of parts)
      if (part.type === "file" && !(part.file.file_data.startsWith("data:application/pdf;base64,JVBERi0") && part.file.filename))
        faults.push("Invalid file");
    for (const part of parts)
      if (part.type === "image_url" && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(part.image_url.url)) faults.push("Invalid image");
  }
  if (open.length > 0)
    faults.push("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'");
  return faults;
}

/**
 * The documented error body. `message` is a provider's own free text, which must never come out of
 * our side.
 */
export const openaiError = (status: number, message: string): unknown => ({
  error: { message, type: status === 429 ? "requests" : status >= 500 ? "server_error" : "invalid_request_error", param: null, code: null },
});

/** What is answered. `stop` is the API's own word; `input` may be text that is no JSON. */
export type ChatAnswer = {
  readonly model: string;
  readonly text: string | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly stop: string;
  readonly usage: TokenCounts;
  readonly refusal?: string;
};

const argumentsOf = (input: unknown): string => (typeof input === "string" ? input : JSON.stringify(input));
/** Tokens read from and written to the cache are part of `prompt_tokens`. */
export const chatUsage = (usage: TokenCounts) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  ...(usage.cached === undefined && usage.written === undefined
    ? {}
    : { prompt_tokens_details: { cached_tokens: usage.cached ?? 0, cache_write_tokens: usage.written ?? 0, audio_tokens: 0 } }),
});

/** A whole answer. */
export const chatCompletion = (answer: ChatAnswer): unknown => ({
  id: "chatcmpl-test",
  object: "chat.completion",
  created: 1_700_000_000,
  model: answer.model,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: answer.text ?? null,
        refusal: answer.refusal ?? null,
        ...(answer.calls.length === 0
          ? {}
          : {
              tool_calls: answer.calls.map(({ id, name, input }) => ({
                id,
                type: "function",
                function: { name, arguments: argumentsOf(input) },
              })),
            }),
      },
      finish_reason: answer.stop,
      logprobs: null,
    },
  ],
  usage: chatUsage(answer.usage),
});

/**
 * The same answer as the raw events of a stream, its texts in the pieces that `cut` makes of them.
 * `counted`: with `include_usage`.
 */
export function chatEvents(answer: ChatAnswer, cut: (text: string) => readonly string[], counted: boolean): string[] {
  const chunk = (choices: readonly unknown[], usage: unknown = null): string =>
    dataEvent({
      id: "chatcmpl-test",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: answer.model,
      service_tier: "default",
      system_fingerprint: "fp_test",
      choices,
      ...(counted ? { usage } : {}),
      obfuscation: "aB3",
    });
  const delta = (fields: object, finish: string | null = null): string =>
    chunk([{ index: 0, delta: fields, logprobs: null, finish_reason: finish }]);
  return [
    delta({ role: "assistant", content: answer.text === undefined ? null : "", refusal: null }),
    ...cut(answer.text ?? "").map((content) => delta({ content })),
    ...cut(answer.refusal ?? "").map((refusal) => delta({ refusal })),
    ...answer.calls.flatMap(({ id, name, input }, index) => [
      delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...cut(argumentsOf(input)).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    delta({}, answer.stop),
    ...(counted ? [chunk([], chatUsage(answer.usage))] : []),
    "data: [DONE]\n\n",
  ];
}

const dataEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** How a stream says that it broke: an error document as one more event. */
export const chatErrorEvent = (message: string): string => dataEvent(openaiError(500, message));

/** Three numbers for each text. */
export const embeddings = (model: string, texts: readonly string[]): unknown => ({
  object: "list",
  data: texts.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 0.5, -0.25] })),
  model,
  usage: { prompt_tokens: texts.length, total_tokens: texts.length },
});
