import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationError, isBase64, mediaType } from "../../../../shared/wire/mcp-2025/content-rules.ts";
import { pointerInto } from "../../../../shared/wire/mcp-2025/sampling-params.ts";
import type { Block, Message } from "../../../../shared/model/sampling.ts";

describe("base64", () => {
  test("is what an encoder writes, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(isBase64(Buffer.from(bytes).toString("base64"))).toBe(true);
      }),
    );
  });

  test("is exactly what a decoder takes that allows no white space and no missing padding", () => {
    const nearly = fc.string({ unit: fc.constantFrom("A", "z", "9", "+", "/", "=", "-", "_", " ", "\n", "é"), maxLength: 12 });
    fc.assert(
      fc.property(nearly, (text) => {
        expect(isBase64(text)).toBe(text.length % 4 === 0 && !/\s/.test(text) && decodes(text));
      }),
      { numRuns: 2000 },
    );
  });

  function decodes(text: string): boolean {
    try {
      atob(text);
      return true;
    } catch {
      return false;
    }
  }

  test("of many megabytes with one wrong letter at the end is found out without running out of stack", () => {
    const long = "A".repeat(8_000_000);
    expect(isBase64(long)).toBe(true);
    expect(isBase64(`${long}AAA-`)).toBe(false);
    expect(isBase64("=".repeat(8_000_000))).toBe(false);
  });
});

describe("a media type", () => {
  test.each([
    ["image", "image/png", "image/png"],
    ["image", "IMAGE/SVG+XML", "image/svg+xml"],
    ["audio", "audio/wav", "audio/wav"],
    ["audio", "Audio/Ogg; codecs=Opus", "audio/ogg; codecs=Opus"],
    ["audio", "audio/L16;rate=16000;channels=2", "audio/l16;rate=16000;channels=2"],
    ["any", "text/plain; charset=utf-8", "text/plain; charset=utf-8"],
    ["any", "application/vnd.ms-excel", "application/vnd.ms-excel"],
  ] as const)("of %s: %s is one", (kind, text, normal) => {
    expect(mediaType(kind, text)).toBe(normal);
  });

  test.each([
    ["image", ""],
    ["image", "png"],
    ["image", "image/"],
    ["image", "image/*"],
    ["image", "audio/wav"],
    ["image", "text/html"],
    ["image", " image/png"],
    ["image", "image/png\n"],
    ["image", "image/png;base64,AAAA"],
    ["image", "image/png;charset=x"],
    ["image", `image/${"x".repeat(300)}`],
    ["audio", "image/png"],
    ["audio", "audio/wav;base64"],
    ["audio", "audio/wav;base64,AAAA"],
    ["audio", "audio/wav;x=1,2"],
    ["audio", 'audio/wav"onerror=1'],
    ["any", "json"],
    ["any", "a/b/c"],
  ] as const)("of %s: %j is none", (kind, text) => {
    expect(mediaType(kind, text)).toBeUndefined();
  });
});

describe("the tool uses and results of a conversation", () => {
  const say = (text: string): Block => ({ type: "text", text });
  const use = (id: string): Block => ({ type: "tool_use", id, name: "t", input: {} });
  const result = (toolUseId: string): Block => ({ type: "tool_result", toolUseId, content: [] });
  const user = (...content: Block[]): Message => ({ role: "user", content });
  const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
  const check = (messages: Message[]) => conversationError(messages, pointerInto({ messages }));

  test.each<[string, Message[]]>([
    ["no tools at all", [user(say("a")), assistant(say("b")), user(say("c"))]],
    ["one use and its result", [user(say("a")), assistant(use("1")), user(result("1"))]],
    ["a use beside text", [user(say("a")), assistant(say("let me see"), use("1")), user(result("1"))]],
    ["parallel uses", [assistant(use("1"), use("2"), use("3")), user(result("1"), result("2"), result("3"))]],
    ["results in another order", [assistant(use("1"), use("2")), user(result("2"), result("1"))]],
    ["several rounds", [assistant(use("1")), user(result("1")), assistant(use("2")), user(result("2")), assistant(say("done"))]],
    [
      "ids that are names of object members",
      [assistant(use("__proto__"), use("constructor")), user(result("constructor"), result("__proto__"))],
    ],
  ])("stand: %s", (_what, messages) => {
    expect(check(messages)).toBeUndefined();
  });

  const missing = (pointer: string) => ({ kind: "toolResultMissing", pointer });
  const mixed = (pointer: string) => ({ kind: "toolResultsMixed", pointer });
  const invalid = (...pointers: string[]) => ({
    kind: "invalid",
    errors: pointers.map((pointer) => ({ pointer, message: expect.any(String) })),
  });

  test.each<[string, Message[], object]>([
    ["a last message with a use", [user(say("a")), assistant(use("1"))], missing("/messages/1/content/0")],
    ["one of two results missing", [assistant(use("1"), use("2")), user(result("1"))], missing("/messages/0/content/1")],
    ["text where results belong", [assistant(use("1")), user(say("no"))], missing("/messages/0/content/0")],
    ["an empty message where results belong", [assistant(use("1")), user()], missing("/messages/0/content/0")],
    ["another message in between", [assistant(use("1")), assistant(say("b")), user(result("1"))], missing("/messages/0/content/0")],
    [
      "results spread over two messages",
      [assistant(use("1"), use("2")), user(result("1")), user(result("2"))],
      missing("/messages/0/content/1"),
    ],
    ["results before their uses", [user(result("1")), assistant(use("1"))], missing("/messages/1/content/0")],
    ["a result with another id", [assistant(use("1")), user(result("2"))], missing("/messages/0/content/0")],
    ["text before a result", [assistant(use("1")), user(say("here"), result("1"))], mixed("/messages/1")],
    ["text after a result", [assistant(use("1")), user(result("1"), say("there"))], mixed("/messages/1")],
    ["mixed and missing", [assistant(use("1"), use("2")), user(say("here"), result("1"))], mixed("/messages/1")],
    ["an extra result", [assistant(use("1")), user(result("1"), result("2"))], invalid("/messages/1/content/1/toolUseId")],
    ["a result without any use", [user(result("1"))], invalid("/messages/0/content/0/toolUseId")],
    ["a result to text", [assistant(say("a")), user(result("1"))], invalid("/messages/1/content/0/toolUseId")],
    ["a use by the user", [user(use("1")), user(result("1"))], invalid("/messages/0/content/0")],
    ["a result by the assistant", [assistant(use("1")), assistant(result("1"))], invalid("/messages/1/content/0")],
    ["one id used twice at once", [assistant(use("1"), use("1")), user(result("1"))], invalid("/messages/0/content/1/id")],
    ["one use answered twice", [assistant(use("1")), user(result("1"), result("1"))], invalid("/messages/1/content/1/toolUseId")],
    [
      "one id in two rounds",
      [assistant(use("1")), user(result("1")), assistant(use("1")), user(result("1"))],
      invalid("/messages/2/content/0/id", "/messages/3/content/0/toolUseId"),
    ],
  ])("are refused: %s", (_what, messages, fault) => {
    expect(check(messages)).toEqual(fault);
  });

  test("give at most fifty errors, however many there are", () => {
    const fault = check([user(...Array.from({ length: 500 }, (_, i) => use(String(i))))]);
    expect(fault?.kind === "invalid" && fault.errors.length).toBe(50);
  });
});
