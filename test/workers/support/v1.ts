// The API under /v1 as a client has it: the official SDK, whose requests go to the Worker under
// test.

import OpenAI from "openai";
import { exports } from "cloudflare:workers";
import { devKey, gateway, publicUrl } from "./gateway.ts";

/** A client of this key or token. It sends a request again only where a test lets it. */
export const clientOf = (apiKey: string = devKey, more: { readonly maxRetries?: number } = {}): OpenAI =>
  new OpenAI({
    apiKey,
    baseURL: `${publicUrl}/v1`,
    maxRetries: 0,
    fetch: async (input, init) => exports.default.fetch(new Request(input instanceof URL ? input.href : input, init)),
    ...more,
  });

/** A chat completions request that names the model `first`. */
export const chatOf = (text: string, more: object = {}) => ({
  model: "first",
  messages: [{ role: "user" as const, content: text }],
  max_completion_tokens: 100,
  ...more,
});

/** The same as a request to the Responses API. */
export const inputOf = (text: string, more: object = {}) => ({ model: "first", input: text, max_output_tokens: 100, ...more });

/** Posts a body as it is. */
export const postV1 = (path: string, body: unknown, headers: Record<string, string> = {}, key: string | null = devKey): Promise<Response> =>
  gateway(`/v1${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
    key,
  });

/** The run that answered, from the member of ours. */
export const runIn = (answer: object): string => (answer as { readonly countersign: { readonly run: string } }).countersign.run;
