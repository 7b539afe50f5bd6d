// Anthropic's Messages API as a server speaks it: what it refuses, and how it answers. Written from
// its public reference and error messages.

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

/** Why the API would answer 400, in the order of the body; empty where it takes the request. */
export function anthropicRefusals(body: unknown, version: string): string[] {
  if (!isFields(body)) return ["body: not an object"];
  const faults: string[] = [];
  const known = new Set([
    "model",
    "max_tokens",
    "messages",
    "system",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "stream",
  ]);
  for (const name of Object.keys(body)) if (!known.has(name)) faults.push(`${name}: Extra inputs are not permitted`);
  if (typeof body["model"] !== "string") faults.push("model: Field required");
  if (!Number.isSafeInteger(body["max_tokens"])) faults.push("max_tokens: Field required");
  const { temperature } = body;
  for (const name of ["temperature", "top_p", "top_k"])
    if (body[name] !== undefined && version !== "2023-06-01") faults.push(`${name}: Extra inputs are not permitted`);
  if (temperature !== undefined && body["top_p"] !== undefined)
    faults.push("`temperature` and `top_p` cannot both be specified for this model. Please use only one.");
  if (typeof temperature === "number" && (temperature < 0 || temperature > 1)) faults.push("temperature: range: 0..1");
  if (Array.isArray(body["stop_sequences"]) && body["stop_sequences"].some((text) => String(text).trim() === ""))
    faults.push("stop_sequences: each stop sequence must contain non-whitespace");
  const tools = Array.isArray(body["tools"]) ? body["tools"] : [];
  for (const tool of tools) {
    if (!isFields(tool) || !/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool["name"]))) faults.push("tools.name: String should match pattern");
    if (!isFields(tool) || !isFields(tool["input_schema"]) || tool["input_schema"]["type"] !== "object")
      faults.push("tools.input_schema.type: Input should be 'object'");
  }
  if (body["tool_choice"] !== undefined && tools.length === 0) faults.push("tool_choice: may only be specified while providing tools");
  faults.push(...messageFaults(Array.isArray(body["messages"]) ? body["messages"] : []));
  for (const block of Array.isArray(body["system"]) ? body["system"] : []) faults.push(...blockFaults(block, "user", "system"));
  const breakpoints = breakpointsIn(body);
  if (breakpoints.length > 4) faults.push(`A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints.length}.`);
  for (const { type } of breakpoints) if (type === "thinking" || type === "redacted_thinking") faults.push("cache_control: not permitted");
  return faults;
}

/** Every block, tool or other object with `cache_control`, at any depth. */
export function breakpointsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(breakpointsIn);
  if (!isFields(value)) return [];
  return [...(value["cache_control"] === undefined ? [] : [value]), ...Object.values(value).flatMap(breakpointsIn)];
}

function messageFaults(messages: readonly unknown[]): string[] {
  const faults: string[] = messages.length === 0 ? ["messages: at least one message is required"] : [];
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isFields(message)) return [`messages.${at}: not an object`];
    const blocks = typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : message["content"];
    if (!Array.isArray(blocks) || blocks.length === 0) {
      faults.push(`messages.${at}: all messages must have non-empty content`);
      continue;
    }
    const results = blocks.filter((block) => block.type === "tool_result");
    const answered = results.map((block) => String(block.tool_use_id));
    for (const id of open)
      if (!answered.includes(id))
        faults.push(`messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
    for (const id of answered)
      if (!open.includes(id)) faults.push(`messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks`);
    if (blocks.slice(0, results.length).some((block) => block.type !== "tool_result"))
      faults.push(`messages.${at}: tool_result blocks must come first`);
    for (const block of blocks) faults.push(...blockFaults(block, message["role"], `messages.${at}`));
    const last = blocks.at(-1);
    if (at === messages.length - 1 && message["role"] === "assistant" && last.type === "text" && /\s$/.test(last.text))
      faults.push("messages: final assistant content cannot end with trailing whitespace");
    open = blocks.filter((block) => block.type === "tool_use").map((block) => String(block.id));
  }
  return faults;
}

function blockFaults(block: Fields, role: unknown, where: string): string[] {
  switch (block["type"]) {
    case "text":
      return String(block["text"]).trim() === "" ? [`${where}: text content blocks must contain non-whitespace text`] : [];
    case "image": {
      const source = isFields(block["source"]) ? block["source"] : {};
      const taken =
        ["image/jpeg", "image/png", "image/gif", "image/webp"].includes(String(source["media_type"])) && source["type"] === "base64";
      return [
        ...(taken ? [] : [`${where}: image.source.media_type`]),
        ...(role === "user" ? [] : [`${where}: image blocks in an assistant turn`]),
      ];
    }
    case "document": {
      const source = isFields(block["source"]) ? block["source"] : {};
      const taken = source["type"] === "base64" && source["media_type"] === "application/pdf";
      return [
        ...(taken ? [] : [`${where}: document.source.media_type`]),
        ...(role === "user" ? [] : [`${where}: document blocks in an assistant turn`]),
      ];
    }
    case "tool_use":
      return [
        ...(role === "assistant" ? [] : [`${where}: tool_use blocks can only be in assistant messages`]),
        ...(/^[a-zA-Z0-9_-]+$/.test(String(block["id"])) ? [] : [`${where}: tool_use.id: String should match pattern`]),
        ...(/^[a-zA-Z0-9_-]{1,128}$/.test(String(block["name"])) ? [] : [`${where}: tool_use.name: String should match pattern`]),
        ...(isFields(block["input"]) ? [] : [`${where}: tool_use.input: Input should be a valid dictionary`]),
      ];
    case "tool_result": {
      const content = Array.isArray(block["content"]) ? block["content"] : [];
      const onlyText = content.every((part) => part.type === "text");
      return [
        ...(role === "user" ? [] : [`${where}: tool_result blocks can only be in user messages`]),
        ...(block["is_error"] === true && !onlyText ? [`${where}: all content must be type "text" if \`is_error\` is true`] : []),
        ...content.flatMap((part) =>
          ["text", "image"].includes(part.type) ? blockFaults(part, "user", where) : [`${where}: tool_result.content`],
        ),
      ];
    }
    default:
      return [`${where}: Input tag '${String(block["type"])}' found`];
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "request_too_large",
  422: "invalid_request_error",
  429: "rate_limit_error",
  500: "api_error",
  503: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/**
 * The documented error body of a status. `message` is a provider's own free text, which must never
 * come out of our side.
 */
export const anthropicError = (status: number, message: string): unknown => ({
  type: "error",
  error: { type: errorTypes[status] ?? "api_error", message },
  request_id: "req_test",
});

/**
 * `input` is all of it; `cached` and `written` are the parts that were read from and written to the
 * cache.
 */
export type TokenCounts = { readonly input: number; readonly output: number; readonly cached?: number; readonly written?: number };

/** The API's input tokens are the rest. */
export const inputCounts = ({ input, cached = 0, written = 0 }: TokenCounts) => ({
  input_tokens: input - cached - written,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: cached,
});

/**
 * What is answered. `stop` is the API's own word; several texts are several blocks; `thinking`
 * comes first.
 */
export type MessageAnswer = {
  readonly model: string;
  readonly text: string | readonly string[] | undefined;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly stop: string;
  readonly usage: TokenCounts;
  readonly thinking?: string;
};

const textsOf = ({ text }: MessageAnswer): readonly string[] => (text === undefined ? [] : typeof text === "string" ? [text] : text);

/** A whole answer. */
export const anthropicMessage = (answer: MessageAnswer): unknown => ({
  id: "msg_test",
  type: "message",
  role: "assistant",
  model: answer.model,
  content: [
    ...(answer.thinking === undefined ? [] : [{ type: "thinking", thinking: answer.thinking, signature: "c2lnbmVk" }]),
    ...textsOf(answer).map((text) => ({ type: "text", text, citations: null })),
    ...answer.calls.map((call) => Object.assign({ type: "tool_use" }, call)),
  ],
  stop_reason: answer.stop,
  stop_sequence: null,
  stop_details: null,
  usage: { ...inputCounts(answer.usage), output_tokens: answer.usage.output },
});

/**
 * The same answer as the raw events of a stream, its texts in the pieces that `cut` makes of them.
 */
export function anthropicEvents(answer: MessageAnswer, cut: (text: string) => readonly string[]): string[] {
  const blocks: { readonly start: object; readonly deltas: readonly object[] }[] = [
    ...(answer.thinking === undefined
      ? []
      : [
          {
            start: { type: "thinking", thinking: "", signature: "" },
            deltas: [
              ...cut(answer.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
              { type: "signature_delta", signature: "c2lnbmVk" },
            ],
          },
        ]),
    ...textsOf(answer).map((text) => ({
      start: { type: "text", text: "", citations: null },
      deltas: cut(text).map((piece) => ({ type: "text_delta", text: piece })),
    })),
    ...answer.calls.map(({ id, name, input }) => ({
      start: { type: "tool_use", id, name, input: {} },
      // The API begins with an empty piece.
      deltas: ["", ...cut(typeof input === "string" ? input : JSON.stringify(input))].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      })),
    })),
  ];
  const counted = inputCounts(answer.usage);
  const begun = {
    id: "msg_test",
    type: "message",
    role: "assistant",
    model: answer.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...counted, output_tokens: 1 },
  };
  return [
    event("message_start", { message: begun }),
    event("ping", {}),
    ...blocks.flatMap(({ start, deltas }, index) => [
      event("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", {
      delta: { stop_reason: answer.stop, stop_sequence: null, stop_details: null, container: null },
      usage: { ...counted, output_tokens: answer.usage.output },
    }),
    event("message_stop", {}),
  ];
}

const event = (type: string, fields: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** How a stream says that it broke. */
export const anthropicErrorEvent = (message: string): string => event("error", { error: { type: "overloaded_error", message } });
