import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ServerContext, longestPart, withContext } from "../../../shared/relay/added-context.ts";
import type { ChatRequest } from "../../../shared/model/sampling.ts";

const request: ChatRequest = { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text: "Summarise." }] }], maxTokens: 10 };
const context = (over: Partial<ServerContext> = {}): ServerContext => ({
  instructions: "Notes of meetings.",
  request: { method: "tools/call", name: "summarize", arguments: '{"id":7}' },
  ...over,
});

describe("added context", () => {
  test("stands behind the system prompt, marked, with its parts in order", () => {
    const added = withContext({ ...request, systemPrompt: "Be brief." }, context());
    expect(added?.request.systemPrompt).toBe(
      [
        "Be brief.",
        "",
        "[Context added by Countersign, because the MCP server asked for it]",
        "The server's instructions:",
        "Notes of meetings.",
        "Arguments of tools/call summarize:",
        '{"id":7}',
        "[End of the added context]",
      ].join("\n"),
    );
    expect(added).toMatchObject({ parts: ["instructions", "arguments"], request: { messages: request.messages, maxTokens: 10 } });
  });

  test("is the whole system prompt where there was none, and nothing where there is nothing to add", () => {
    const none = { method: "tools/call", name: "summarize", arguments: null };
    expect(withContext(request, context({ request: none }))?.request.systemPrompt).toMatch(/^\[Context added/);
    expect(withContext(request, context({ instructions: " ", request: none }))).toBeNull();
  });

  test("is cut part by part, never inside a character, and says how much is missing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: longestPart - 2, maxLength: longestPart + 50 }), (instructions) => {
        const text = withContext(request, context({ instructions }))?.request.systemPrompt ?? "";
        expect(text.length).toBeLessThan(longestPart + 400);
        expect(instructions.isWellFormed() ? text.isWellFormed() : true).toBe(true);
        if (instructions.length > longestPart) expect(text).toMatch(/\[\d+ more characters\]/);
      }),
      { numRuns: 200 },
    );
  });
});
