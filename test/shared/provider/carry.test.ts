import { describe, expect, test } from "vitest";
import type { Block, Message, ChatRequest } from "../../../shared/model/sampling.ts";
import { cannotCarry } from "../../../shared/provider/carry.ts";
import { type ReasonPhrase, reasonText } from "../../../shared/words/reasons.ts";
import type { Model } from "../../../shared/routing/table.ts";
import { pdf } from "../../support/pdf-file.ts";
import { assistant, candidate, png, request, round, text, user, weather } from "../../support/providers/requests.ts";

const image = (mimeType: string): Block => ({ type: "image", data: png, mimeType });
const audio = (mimeType: string): Block => ({ type: "audio", data: png, mimeType });
const reason = (kind: "anthropic" | "openai" | "demo", changes: Partial<ChatRequest>, model: Partial<Model> = {}) =>
  inEnglish(cannotCarry(request(changes), candidate(kind, model).model, kind));
const inEnglish = (why: ReasonPhrase | undefined): string | undefined => (why === undefined ? undefined : reasonText(why));
const result = (...content: Extract<Block, { type: "tool_result" }>["content"]): Message[] =>
  round({ type: "tool_result", toolUseId: "a", content });
const blob = (mimeType: string) => ({ type: "resource" as const, resource: { uri: "file:///x", mimeType, blob: png } });

test("an API that answers a blank text with 400 gets none to make a vector of", () => {
  const messages = [user(text("Oslo")), user(text(" "))];
  const embeds = (kind: "openai" | "demo", texts: Message[]) =>
    inEnglish(cannotCarry({ kind: "embedding", messages: texts }, candidate(kind).model, kind));
  expect(embeds("openai", messages)).toBe("its API makes no vector of a blank text");
  expect(embeds("openai", messages.slice(0, 1))).toBeUndefined();
  expect(embeds("demo", messages)).toBeUndefined();
});

describe("what a model cannot take makes it ineligible, and nothing is dropped", () => {
  test.each([
    ["anthropic", audio("audio/wav"), "its API does not take audio"],
    ["anthropic", image("image/tiff"), "its API does not take this kind of image"],
    ["openai", image("image/svg+xml"), "its API does not take this kind of image"],
    ["openai", audio("audio/ogg"), "its API does not take this kind of audio"],
  ] as const)("%s: %o", (kind, block, why) => {
    expect(reason(kind, { messages: [user(block)] })).toBe(why);
  });

  test.each(["image/jpeg", "image/png", "image/gif", "image/webp", "IMAGE/PNG; a=b"])("both APIs take %s", (mimeType) => {
    expect(reason("anthropic", { messages: [user(image(mimeType))] })).toBeUndefined();
    expect(reason("openai", { messages: [user(image(mimeType))] })).toBeUndefined();
  });

  test.each(["audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"])("Chat Completions takes %s where the model does", (mimeType) => {
    expect(reason("openai", { messages: [user(audio(mimeType))] })).toBeUndefined();
    expect(reason("openai", { messages: [user(audio(mimeType))] }, { accepts: ["text", "image"] })).toBe("it does not support audio");
  });

  test("both APIs take a PDF from a user where the model does", () => {
    const messages = [user({ type: "pdf" as const, data: pdf })];
    for (const kind of ["openai", "anthropic"] as const) {
      expect(reason(kind, { messages })).toBeUndefined();
      expect(reason(kind, { messages }, { accepts: ["text", "image"] })).toBe("it does not support PDFs");
      expect(reason(kind, { messages: [user(text("a")), assistant({ type: "pdf", data: pdf })] })).toContain("assistant message");
    }
  });

  test("a model of text alone takes no image, not in a tool result either", () => {
    const accepts: Model["accepts"] = ["text"];
    expect(reason("openai", { messages: [user(image("image/png"))] }, { accepts })).toBe("it does not support images");
    expect(reason("openai", { messages: result({ type: "image", data: png, mimeType: "image/png" }) }, { accepts })).toBe(
      "it does not support images",
    );
    expect(reason("openai", { messages: result(blob("image/png")) }, { accepts })).toBe("it does not support images");
  });

  test("bytes that are neither text, image nor audio are taken by nobody", () => {
    for (const kind of ["anthropic", "openai", "demo"] as const)
      expect(reason(kind, { messages: result(blob("application/zip")) })).toBe(
        "it does not support resources that are neither text, image nor audio",
      );
  });

  test("a model without tools takes neither tools nor their uses and results", () => {
    expect(reason("openai", { tools: [weather] }, { tools: false })).toBe("it does not support tools");
    expect(reason("openai", { messages: result() }, { tools: false })).toBe("it does not support tool uses");
  });

  test("media in an assistant's message is taken by neither API", () => {
    expect(reason("openai", { messages: [user(text("a")), assistant(image("image/png"))] })).toContain("assistant message");
    expect(reason("anthropic", { messages: [user(text("a")), assistant(image("image/png"))] })).toContain("assistant message");
  });

  test("a message of blank text alone is refused by Anthropic's API and taken by the other", () => {
    expect(reason("anthropic", { messages: [user(text(" \n"))] })).toContain("blank text");
    expect(reason("openai", { messages: [user(text(" \n"))] })).toBeUndefined();
  });

  test("a long stop list, any temperature and any metadata leave a model eligible", () => {
    const changes = { stopSequences: Array.from({ length: 20 }, (_, at) => `${at}`), temperature: 9, metadata: { a: 1 } };
    expect(reason("openai", changes)).toBeUndefined();
    expect(reason("anthropic", changes)).toBeUndefined();
  });
});
