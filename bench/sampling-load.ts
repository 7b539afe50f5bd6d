// Shared by the benchmarks of the sampling endpoint: a gateway with one mock model and open gates,
// and requests to it.

import { createHash } from "node:crypto";
import type { Configured } from "./gateway-on-workerd.ts";
import { post } from "./load.ts";
import { mostConnections } from "./options.ts";

/** One for each connection. */
export const keys = Array.from({ length: mostConnections }, (_, index) => `bench-key-${String(index).padStart(4, "0")}`);

/** The gateway's configuration. */
export const configured = (providerUrl: string): Configured => ({
  documents: {
    routing: {
      providers: { mock: { kind: "openai", baseUrl: `${providerUrl}/v1`, keyless: true, allowPrivate: true } },
      models: [
        {
          id: "mock",
          provider: "mock",
          name: "mock-1",
          tools: true,
          contextTokens: 10_000_000,
          maxOutputTokens: 10_000,
          price: { inputPerMTok: 1, outputPerMTok: 1 },
          scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
        },
      ],
    },
    policy: {
      rules: [{ name: "bench", when: {}, then: { request: "allow", response: "allow" } }],
      default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
      reviewers: { everyone: [{ name: "Nobody" }] },
    },
  },
  keys: Object.fromEntries(
    keys.map((key, index) => [
      createHash("sha256").update(key).digest("hex"),
      {
        id: `key_${index}`,
        name: `bench ${index}`,
        createdAt: 0,
        limits: { requestsPerMinute: 100_000, concurrent: 10_000, roundsPerOriginatingRequest: 10_000, bodyBytes: 8 * 1024 * 1024 },
      },
    ]),
  ),
});

export const message = { role: "user", content: "What is the capital of France? Answer in one short sentence, please." };

let serial = 0;
/** A sampling request that was never sent before. */
export const sampling = (connection: number): Buffer => samplingOf({ connection, content: message.content });

export function samplingOf({ connection, content }: { readonly connection: number; readonly content: string }): Buffer {
  serial += 1;
  return post(
    "/sampling",
    {
      jsonrpc: "2.0",
      id: serial,
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: content } }],
        maxTokens: 100,
        modelPreferences: { hints: [{ name: "mock" }], intelligencePriority: 0.5 },
        _meta: {
          "countersign/session": `bench-${connection}`,
          // A tool call that samples eight times, then the next.
          "countersign/originatingRequest": { id: serial >> 3, method: "tools/call", name: "ask", server: "notes" },
        },
      },
    },
    { Authorization: `Bearer ${keys[connection]}` },
  );
}

/**
 * A text generation at the control endpoint that was never sent before. Its session is the
 * connection's.
 */
export const control = (connection: number, stream = false): Buffer => {
  serial += 1;
  return post(
    "/control",
    {
      protocol_version: "2.1",
      request_id: `bench-${serial}`,
      model: { name: "mock" },
      task: { type: "text_generation", parameters: { prompt: message.content, max_tokens: 100, ...(stream ? { stream } : {}) } },
      context: { session_id: `bench-${connection}` },
    },
    { Authorization: `Bearer ${keys[connection]}`, ...(stream ? { Accept: "text/event-stream" } : {}) },
  );
};

/** A chat completion under /v1. */
export const completion = (connection: number, stream = false): Buffer =>
  post(
    "/v1/chat/completions",
    { model: "mock", max_tokens: 100, messages: [message], ...(stream ? { stream } : {}) },
    { Authorization: `Bearer ${keys[connection]}` },
  );
