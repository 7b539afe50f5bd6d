// The clients that people have for OpenAI's API, behind one function each: what they ask and how,
// and what they make of the answer.

import { spawn } from "node:child_process";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, type LanguageModel, Output, RetryError, generateText, isStepCount, streamText, tool } from "ai";
import * as openai7 from "openai";
import * as helpers7 from "openai/helpers/zod";
import * as openai6 from "openai-6";
import * as helpers6 from "openai-6/helpers/zod";
import { expect } from "vitest";
import * as z from "zod";

export type Asked = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly prompt: string;
  readonly stream?: boolean;
  /** The tool `add`, which the client calls as often as the model asks for it. */
  readonly tools?: boolean;
  /** A `data:` URL. */
  readonly image?: string;
  /** A `data:` URL too. */
  readonly pdf?: string;
  /** Whether the reply is to be `{ "sum": number }`. */
  readonly json?: boolean;
  readonly temperature?: number;
  /** The client's own time-out for one attempt, and how often it asks again. */
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for each attempt, and when a response begins. */
  readonly onAttempt?: () => void;
  readonly onResponse?: () => void;
};

export type Said = {
  readonly text: string;
  readonly finish?: string | undefined;
  readonly json?: unknown;
};

/** What the client throws, as far as it tells. */
export class V1Error extends Error {
  override readonly name = "V1Error";
  readonly status: number | undefined;
  readonly code: unknown;
  readonly param: unknown;

  constructor({ status, code, param }: { readonly status?: number | undefined; readonly code?: unknown; readonly param?: unknown }) {
    super(`${status} ${String(code)} ${String(param)}`);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

export type V1Client = {
  readonly name: string;
  /**
   * Whether a request says that it is a retry; without that, only an `Idempotency-Key` shows it.
   */
  readonly saysRetry: boolean;
  /** Why a whole reply ended, in its words. */
  readonly finish: string | undefined;
  /** What it makes of a denial after the response has begun: what was said, or what it throws. */
  readonly lateDenial: object;
  readonly ask: (asked: Asked) => Promise<Said>;
};

/** Of the clients of chat completions. */
export const chatEndings = { finish: "stop", lateDenial: { text: "User rejected sampling request", finish: "content_filter" } };

const sums = z.object({ a: z.number(), b: z.number() });
const sum = z.object({ sum: z.number() });
const aNumber = { type: "number" as const };
const addTool = {
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object" as const, properties: { a: aNumber, b: aNumber }, required: ["a", "b"] },
};
const added = ({ a, b }: z.infer<typeof sums>): string => String(a + b);
const mostTokens = 50;

const pdfName = "bill.pdf";

const partsOf = ({ prompt, image, pdf }: Asked) =>
  image === undefined && pdf === undefined
    ? prompt
    : [
        { type: "text" as const, text: prompt },
        ...(image === undefined ? [] : [{ type: "image_url" as const, image_url: { url: image } }]),
        ...(pdf === undefined ? [] : [{ type: "file" as const, file: { file_data: pdf, filename: pdfName } }]),
      ];

/** fetch that tells when it is called and when the response begins. */
const telling =
  ({ onAttempt, onResponse }: Asked): typeof fetch =>
  async (input, init) => {
    onAttempt?.();
    const response = await fetch(input, init);
    onResponse?.();
    return response;
  };

const ownRetries = 0;

const sdkOf = (sdk: typeof openai7, asked: Asked): openai7.OpenAI =>
  new sdk.OpenAI({
    apiKey: asked.apiKey,
    baseURL: asked.baseUrl,
    maxRetries: asked.retries ?? ownRetries,
    fetch: telling(asked),
    ...(asked.timeoutMs === undefined ? {} : { timeout: asked.timeoutMs }),
    ...(asked.headers === undefined ? {} : { defaultHeaders: asked.headers }),
  });

const openaiClient = (name: string, sdk: typeof openai7, { zodResponseFormat }: typeof helpers7): V1Client => ({
  name,
  saysRetry: true,
  ...chatEndings,
  ask: async (asked) => {
    const { temperature, stream = false } = asked;
    const { chat } = sdkOf(sdk, asked);
    const body = {
      model: "scripted",
      messages: [{ role: "user" as const, content: partsOf(asked) }],
      max_completion_tokens: mostTokens,
      ...(temperature === undefined ? {} : { temperature }),
    };
    try {
      if (asked.json === true) {
        const { choices } = await chat.completions.parse({ ...body, response_format: zodResponseFormat(sum, "sum") });
        return { text: choices[0]?.message.content ?? "", json: choices[0]?.message.parsed };
      }
      if (asked.tools === true) {
        const run = {
          type: "function" as const,
          function: { ...addTool, parse: (text: string) => sums.parse(JSON.parse(text)), function: added },
        };
        const runner = stream
          ? chat.completions.runTools({ ...body, stream, tools: [run] })
          : chat.completions.runTools({ ...body, tools: [run] });
        return { text: (await runner.finalContent()) ?? "" };
      }
      const { choices } = stream ? await chat.completions.stream(body).finalChatCompletion() : await chat.completions.create(body);
      const [choice] = choices;
      return { text: choice?.message.refusal ?? choice?.message.content ?? "", finish: choice?.finish_reason };
    } catch (error) {
      throw error instanceof sdk.APIError ? new V1Error(error) : error;
    }
  },
});

/** The same SDK at the Responses API. Each round sends what was said before: nothing is stored. */
const openaiResponses = (name: string, sdk: typeof openai7, { zodTextFormat }: typeof helpers7): V1Client => ({
  name,
  saysRetry: true,
  finish: "completed",
  lateDenial: { text: "User rejected sampling request", finish: "failed" },
  ask: async (asked) => {
    const { temperature, stream = false, prompt, image, pdf } = asked;
    const { responses } = sdkOf(sdk, asked);
    const content =
      image === undefined && pdf === undefined
        ? prompt
        : [
            { type: "input_text" as const, text: prompt },
            ...(image === undefined ? [] : [{ type: "input_image" as const, detail: "auto" as const, image_url: image }]),
            ...(pdf === undefined ? [] : [{ type: "input_file" as const, file_data: pdf, filename: pdfName }]),
          ];
    const input: openai7.OpenAI.Responses.ResponseInput = [{ role: "user", content }];
    const terms = { model: "scripted", input, max_output_tokens: mostTokens, ...(temperature === undefined ? {} : { temperature }) };
    try {
      if (asked.json === true) {
        const { output_text, output_parsed } = await responses.parse({ ...terms, text: { format: zodTextFormat(sum, "sum") } });
        return { text: output_text, json: output_parsed };
      }
      const body = { ...terms, ...(asked.tools === true ? { tools: [{ type: "function" as const, ...addTool, strict: false }] } : {}) };
      for (;;) {
        const answer = stream ? await responses.stream(body).finalResponse() : await responses.create(body);
        const calls = answer.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
        if (calls.length === 0) return { text: answer.error?.message ?? answer.output_text, finish: answer.status };
        input.push(...answer.output.flatMap((item) => (item.type === "message" || item.type === "function_call" ? [item] : [])));
        for (const { call_id, arguments: given } of calls)
          input.push({ type: "function_call_output", call_id, output: added(sums.parse(JSON.parse(given))) });
      }
    } catch (error) {
      throw error instanceof sdk.APIError ? new V1Error(error) : error;
    }
  },
});

type Terms = { readonly baseURL: string; readonly apiKey: string; readonly fetch: typeof fetch; readonly headers?: Record<string, string> };

const compatible = (terms: Terms): LanguageModel =>
  createOpenAICompatible({ name: "countersign", includeUsage: true, supportsStructuredOutputs: true, ...terms })("scripted");

const vercelClient = (modelOf: (terms: Terms) => LanguageModel, about: Pick<V1Client, "name" | "finish" | "lateDenial">): V1Client => ({
  ...about,
  saysRetry: false,
  ask: async (asked) => {
    const { baseUrl, apiKey, timeoutMs, retries = ownRetries, headers, image, pdf, prompt, json, temperature, stream = false } = asked;
    const content = [
      { type: "text" as const, text: prompt },
      ...(image === undefined ? [] : [{ type: "file" as const, data: image, mediaType: "image/png" }]),
      ...(pdf === undefined ? [] : [{ type: "file" as const, data: pdf, mediaType: "application/pdf", filename: pdfName }]),
    ];
    const call = {
      model: modelOf({ baseURL: baseUrl, apiKey, fetch: telling(asked), ...(headers === undefined ? {} : { headers: { ...headers } }) }),
      providerOptions: { openai: { store: false } },
      messages: [{ role: "user" as const, content }],
      maxOutputTokens: mostTokens,
      maxRetries: retries,
      ...(temperature === undefined ? {} : { temperature }),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
      ...(asked.tools === true
        ? { tools: { add: tool({ description: addTool.description, inputSchema: sums, execute: added }) }, stopWhen: isStepCount(5) }
        : {}),
    };
    const once = async (): Promise<Said> => {
      if (json === true) {
        const { text, output } = await generateText({ ...call, output: Output.object({ schema: sum }) });
        return { text, json: output };
      }
      if (!stream) {
        const { text, rawFinishReason } = await generateText(call);
        return { text, finish: rawFinishReason };
      }
      let error: unknown;
      const streamed = streamText({ ...call, onError: (event) => void ({ error } = event) });
      await streamed.consumeStream();
      if (error !== undefined) throw error;
      return { text: await streamed.text, finish: await streamed.rawFinishReason };
    };
    // Its own time-out ends the whole call, with all retries: who calls it asks again.
    for (let left = retries; ; left -= 1) {
      try {
        return await once();
      } catch (thrown) {
        const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
        if (APICallError.isInstance(error)) throw new V1Error({ ...errorIn(error.responseBody ?? {}), status: error.statusCode });
        if (isTimeout(error) && left > 0) continue;
        // An error in a stream is given as it came.
        throw error instanceof Error ? error : new V1Error(error as object);
      }
    }
  },
});

const isTimeout = (error: unknown): boolean => error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name);

type Completion = {
  readonly choices: readonly {
    readonly message?: Message;
    readonly delta?: Message;
    readonly finish_reason: string | null;
  }[];
  readonly error?: object;
};
type Message = {
  readonly role?: string;
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
};

/** A body, or what the AI SDK has read of a response that failed. */
const errorIn = (body: string | object): object =>
  ((typeof body === "string" ? JSON.parse(body) : body) as { readonly error: object }).error;

/** One request by curl, without an SDK. */
async function curl(asked: Asked, messages: readonly object[]): Promise<Completion["choices"][number] & { readonly message: Message }> {
  const { baseUrl, apiKey, timeoutMs, retries = ownRetries, headers = {}, temperature, stream = false } = asked;
  const body = {
    model: "scripted",
    messages,
    max_completion_tokens: mostTokens,
    stream,
    ...(temperature === undefined ? {} : { temperature }),
    ...(asked.tools === true ? { tools: [{ type: "function", function: addTool }] } : {}),
    ...(asked.json === true
      ? { response_format: { type: "json_schema", json_schema: { name: "sum", schema: z.toJSONSchema(sum), strict: true } } }
      : {}),
  };
  const sent = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", ...headers };
  const child = spawn("curl", [
    "--silent",
    "--verbose",
    "--no-buffer",
    ...Object.entries(sent).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    ...(timeoutMs === undefined ? [] : ["--max-time", String(timeoutMs / 1000)]),
    "--retry",
    String(retries),
    "--retry-delay",
    "1",
    "--write-out",
    "\n%{http_code}",
    "--data-binary",
    "@-",
    `${baseUrl}/chat/completions`,
  ]);
  child.stdin.end(JSON.stringify(body));
  child.stderr.on("data", (chunk) => {
    for (const _ of String(chunk).matchAll(/^> POST /gm)) asked.onAttempt?.();
  });
  let printed = "";
  child.stdout.on("data", (chunk) => {
    if (printed === "") asked.onResponse?.();
    printed += String(chunk);
  });
  const exit = await new Promise((resolve) => {
    child.on("close", resolve);
  });
  const end = printed.lastIndexOf("\n");
  const status = Number(printed.slice(end));
  const text = printed.slice(0, end);
  if (exit !== 0) throw new Error(`curl ended with ${String(exit)}`);
  if (status !== 200) throw new V1Error({ ...errorIn(text), status });
  const events = stream
    ? text.split("\n\n").flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice("data: ".length)) as Completion] : []))
    : [JSON.parse(text) as Completion];
  for (const { error } of stream ? events : []) if (error !== undefined) throw new V1Error(error);
  const deltas = events.flatMap(({ choices }) => choices).map((choice) => ({ ...choice, message: choice.message ?? choice.delta ?? {} }));
  const calls = deltas.flatMap(({ message }) => message.tool_calls ?? []);
  const [first] = deltas;
  return {
    finish_reason: deltas.at(-1)?.finish_reason ?? null,
    message: {
      role: "assistant",
      content: deltas.map(({ message }) => message.content ?? "").join(""),
      refusal: first?.message.refusal ?? null,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  };
}

const byCurl: V1Client = {
  name: "curl",
  saysRetry: false,
  ...chatEndings,
  ask: async (asked) => {
    const messages: object[] = [{ role: "user", content: partsOf(asked) }];
    for (;;) {
      const { message, finish_reason: finish } = await curl(asked, messages);
      const { content, refusal, tool_calls: calls = [] } = message;
      const text = refusal ?? content ?? "";
      if (calls.length === 0)
        return { text, finish: finish ?? undefined, ...(asked.json === true ? { json: JSON.parse(text) as unknown } : {}) };
      messages.push(
        message,
        ...calls.map(({ id, function: { arguments: given } }) => ({
          role: "tool",
          tool_call_id: id,
          content: added(sums.parse(JSON.parse(given))),
        })),
      );
    }
  },
};

export const v1Clients: readonly V1Client[] = [
  openaiClient("openai-7", openai7, helpers7),
  openaiClient("openai-6", openai6, helpers6),
  vercelClient(compatible, { name: "ai", ...chatEndings }),
  byCurl,
];

export const responsesClients: readonly V1Client[] = [
  openaiResponses("openai-7", openai7, helpers7),
  openaiResponses("openai-6", openai6, helpers6),
  vercelClient((terms) => createOpenAI(terms)("scripted"), {
    name: "ai",
    finish: undefined,
    lateDenial: expect.objectContaining({ code: "review_denied" }) as object,
  }),
];
