import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { beginningOf, excerptOf, startOf } from "../../../shared/channels/excerpt.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import type { MessageView } from "../../../shared/review/view.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";

const asked = (request: Partial<ChatRequest>): MessageView => ({
  ...openRequest,
  request: { kind: "chat", messages: [], maxTokens: 1, ...request },
});
const says = (role: "user" | "assistant", ...texts: string[]): ChatRequest["messages"][number] => ({
  role,
  content: texts.map((text) => ({ type: "text", text })),
});

describe("an excerpt", () => {
  test("at the request gate has the system prompt, messages and results of tools in their order, and nothing that is no text", () => {
    const view = asked({
      systemPrompt: "Be brief.",
      messages: [
        says("user", "One", "Two"),
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "read", input: { secret: "input" } }] },
        {
          role: "user",
          content: [
            { type: "image", data: "AAAA", mimeType: "image/png" },
            {
              type: "tool_result",
              toolUseId: "1",
              content: [
                { type: "text", text: "Three" },
                { type: "resource", resource: { uri: "file:///a", text: "Four" } },
                { type: "resource", resource: { uri: "file:///b", blob: "AAAA" } },
              ],
              structuredContent: { hidden: "structured" },
            },
          ],
        },
        says("assistant", "Five"),
      ],
    });
    expect(excerptOf(view)).toEqual({
      pieces: [
        { from: "systemPrompt", text: "Be brief." },
        { from: "user", text: "One" },
        { from: "user", text: "Two" },
        { from: "toolResult", text: "Three" },
        { from: "toolResult", text: "Four" },
        { from: "assistant", text: "Five" },
      ],
      more: 0,
    });
  });

  test("at the response gate has the reply alone", () => {
    const view: MessageView = {
      ...asked({ systemPrompt: "Be brief.", messages: [says("user", "Hello?")] }),
      gate: "response",
      reply: { model: "m", content: [{ type: "text", text: "Hello." }] },
    };
    expect(excerptOf(view)).toEqual({ pieces: [{ from: "reply", text: "Hello." }], more: 0 });
    expect(excerptOf({ ...view, reply: null })).toEqual({ pieces: [], more: 0 });
  });

  test.each([
    [1_499, 0],
    [1_500, 0],
    [1_501, 1],
    [1_000_000, 998_500],
  ])("of %d characters says that %d follow", (length, more) => {
    const { pieces, more: said } = excerptOf(asked({ messages: [says("user", "x".repeat(length))] }));
    expect([pieces[0]?.text.length, said]).toEqual([Math.min(length, 1_500), more]);
  });

  test("is not cut inside a character of two code units", () => {
    const { pieces, more } = excerptOf(asked({ messages: [says("user", `${"x".repeat(1_499)}😀 and more`)] }));
    expect(pieces).toEqual([{ from: "user", text: "x".repeat(1_499) }]);
    expect(more).toBe("😀 and more".length);
  });

  test("has no holes: after a cut nothing is shown, however short", () => {
    const { pieces } = excerptOf(asked({ messages: [says("user", `${"x".repeat(1_499)}😀`), says("user", "y")] }));
    expect(pieces.map(({ text }) => text)).toEqual(["x".repeat(1_499)]);
  });

  test("of a thousand tiny messages shows a few and counts the rest", () => {
    const { pieces, more } = excerptOf(asked({ messages: Array.from({ length: 1_000 }, () => says("user", "hi")) }));
    expect([pieces.length, more]).toEqual([8, 2_000 - 16]);
  });

  test("shows and counts every character once, whatever the texts are", () => {
    const texts = fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.nat(100), (texts, limit) => {
        const { pieces, more } = excerptOf(asked({ messages: [says("user", ...texts)] }), limit);
        const shown = pieces.map(({ text }) => text).join("");
        expect(texts.join("").startsWith(shown)).toBe(true);
        expect(shown.length).toBeLessThanOrEqual(limit);
        expect(shown.length + more).toBe(texts.join("").length);
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });
});

test("the beginning of a text of one pair is nothing where there is room for half of it", () => {
  expect([beginningOf("😀", 0), beginningOf("😀", 1), beginningOf("😀", 2)]).toEqual(["", "", "😀"]);
});

describe("who wrote the system prompt of an excerpt", () => {
  const { excerpt: words } = catalogues.en;
  const requestor = {
    server: "notes",
    method: "tools/call",
    name: "t",
    client: "desk",
    owner: null,
    gone: false,
    provenance: "claimed",
  } as const;
  const startIn = (request: Partial<ChatRequest>, provenance: "claimed" | "own" = "claimed"): string =>
    startOf({ ...asked(request), requestor: { ...requestor, provenance } }, "systemPrompt", catalogues.en);

  test("is the server, and Countersign where the server requires a format of the reply", () => {
    expect(startIn({})).toBe("From the server: system prompt");
    expect(startIn({ responseFormat: { type: "json" } })).toBe(words.formatted);
    expect(words.formatted).toContain("Countersign’s words for the format of the reply");
  });

  test("is the client and Countersign for a client's own task", () => {
    expect(startIn({ responseFormat: { type: "json" } }, "own")).toBe(words.ownStart.systemPrompt);
  });
});
