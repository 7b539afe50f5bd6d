// Providers inside workerd. What a provider does on the wire is tested over real sockets in
// test/shared/provider/send.test.ts.

import { describe, expect, test } from "vitest";
import type { Candidate } from "../../../shared/routing/choose.ts";
import { createSender } from "../../../workers/providers/send.ts";
import { anthropicMessage } from "../../support/providers/anthropic-wire.ts";
import { chatCompletion } from "../../support/providers/openai-wire.ts";
import { candidate, request } from "../../support/providers/requests.ts";

const answer = { model: "real", text: "Hi", calls: [], usage: { input: 1, output: 1 } };
const options = { totalTimeoutMs: 60_000, attemptTimeoutMs: 60_000, maxAttemptsPerCandidate: 2 };

function senderWith(fetch: typeof globalThis.fetch) {
  return createSender({ lookup: () => "sk-test", fetch, now: () => Date.now(), sleep: async () => {}, random: () => 0 });
}

describe.each([
  ["anthropic", "https://api.anthropic.com/v1/messages", anthropicMessage({ ...answer, stop: "end_turn" })],
  ["openai", "https://api.openai.com/v1/chat/completions", chatCompletion({ ...answer, stop: "stop" })],
] as const)("%s in workerd", (kind, url, body) => {
  const one: Candidate[] = [candidate(kind)];

  test("each request is sent with its own body and the same headers", async () => {
    const seen: Request[] = [];
    const sender = senderWith(async (input, init) => {
      seen.push(new Request(input, init));
      return Response.json(body);
    });
    for (const maxTokens of [10, 20])
      expect(await sender.send(request({ maxTokens }), one, options)).toMatchObject({
        ok: true,
        value: { modelReply: { reply: { model: "real" } } },
      });
    expect(seen.map((sent) => [sent.url, sent.method, sent.redirect])).toEqual([
      [url, "POST", "manual"],
      [url, "POST", "manual"],
    ]);
    expect(await Promise.all(seen.map(async (sent) => (await sent.json<{ max_tokens: number }>()).max_tokens))).toEqual([10, 20]);
    expect(new Set(seen.map((sent) => JSON.stringify([...sent.headers])))).toHaveProperty("size", 1);
    expect(seen[0]?.headers.get("authorization")).toBe("Bearer sk-test");
  });

  test("a fetch that fails is a connection fault", async () => {
    const result = await senderWith(() => Promise.reject(new TypeError("Network connection lost."))).send(request(), one, options);
    expect(result.ok || result.error.attempts.map(({ fault }) => fault.kind)).toEqual(["connection", "connection"]);
  });

  test("a fetch that never answers is cut when its time is over", async () => {
    const never = (_input: RequestInfo | URL, init?: RequestInit): Promise<Response> =>
      new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))));
    const result = await senderWith(never).send(request(), one, { ...options, attemptTimeoutMs: 20 });
    expect(result.ok || result.error.attempts.map(({ fault }) => fault.kind)).toEqual(["timeout"]);
  });

  test("no setting of an SDK is taken from the environment", async () => {
    process.env["OPENAI_BASE_URL"] = process.env["ANTHROPIC_BASE_URL"] = "https://elsewhere.example.com";
    process.env["OPENAI_ORG_ID"] = "org-of-the-environment";
    let sent: Request | undefined;
    await senderWith(async (input, init) => {
      sent = new Request(input, init);
      return Response.json(body);
    }).send(request(), one, options);
    expect(sent?.url).toBe(url);
    expect(JSON.stringify([...(sent?.headers ?? [])])).not.toContain("org-of-the-environment");
  });
});
