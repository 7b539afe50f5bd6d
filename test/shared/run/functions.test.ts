import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { registeredFunction, toolResultOf } from "../../../shared/run/functions.ts";
import { fits } from "../../../shared/json/fields.ts";
import { toolResult } from "../../../shared/model/subject/tool-call.ts";
import { parseServers, type Servers } from "../../../shared/relay/servers.ts";

function serversWith(functions: Record<string, readonly string[]>): Servers {
  const url = "https://tools.example.com/mcp";
  const parsed = parseServers({
    servers: Object.fromEntries(Object.entries(functions).map(([name, own]) => [name, { url, functions: own }])),
  });
  if (!parsed.ok) throw new Error(parsed.error.map(({ pointer, message }) => `${pointer} ${message}`).join("; "));
  return parsed.value;
}

describe("the function that a name means", () => {
  const servers = serversWith({ weather: ["weather_query"], notes: ["find", "sub/find"], idle: [] });

  test.each([
    ["weather_query", { server: "weather", tool: "weather_query" }],
    ["weather/weather_query", { server: "weather", tool: "weather_query" }],
    ["sub/find", { server: "notes", tool: "sub/find" }],
    ["notes/sub/find", { server: "notes", tool: "sub/find" }],
  ])("%s is %j", (name, found) => {
    expect(registeredFunction(servers, name)).toEqual(found);
  });

  test.each(["Weather_query", "notes/weather_query", "idle/find", "weather/", "/find", "", "constructor", "__proto__", "weather_query "])(
    "%j is none of ours",
    (name) => {
      expect(registeredFunction(servers, name)).toBeUndefined();
    },
  );

  test("is one, whatever document was taken: each function is found by both of its names", () => {
    const name = fc.constantFrom("a", "b", "a/b", "b/a", "a/a/b", "c");
    const documents = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.array(name, { maxLength: 3 }), { noNullPrototype: true });
    fc.assert(
      fc.property(documents, (functions) => {
        const url = "https://tools.example.com/mcp";
        const parsed = parseServers({
          servers: Object.fromEntries(Object.entries(functions).map(([id, own]) => [id, { url, functions: own }])),
        });
        if (!parsed.ok) return;
        for (const [server, own] of Object.entries(functions))
          for (const tool of own)
            for (const called of [tool, `${server}/${tool}`]) expect(registeredFunction(parsed.value, called)).toEqual({ server, tool });
      }),
    );
  });
});

describe("the result of a tool", () => {
  const png = "iVBORw0KGgo=";
  const every = [
    { type: "text", text: "Rain." },
    { type: "image", data: png, mimeType: "image/png" },
    { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
    { type: "resource_link", uri: "https://example.com/c", name: "c" },
    { type: "resource", resource: { uri: "file:///a", text: "a" } },
    { type: "resource", resource: { uri: "file:///b", mimeType: "image/png", blob: png } },
  ];

  test("keeps every kind of content, structured content and whether it is an error, and nothing else", () => {
    const annotated = every.map((block) => ({ ...block, annotations: { priority: 1 }, _meta: { "example.com/x": 1 } }));
    const result = { kind: "toolResult", content: every, structuredContent: { rain: true }, isError: true };
    const read = toolResultOf({ content: annotated, structuredContent: { rain: true }, isError: true, _meta: {}, more: 1 });
    expect(read).toEqual({ ok: true, value: result });
    expect(fits(toolResult, result)).toBe(true);
  });

  test("may have no content, or structured content that is no object", () => {
    expect(toolResultOf({ structuredContent: { a: 1 } })).toMatchObject({
      ok: true,
      value: { content: [], structuredContent: { a: 1 } },
    });
    expect(toolResultOf({ content: [], structuredContent: [1] })).toMatchObject({
      ok: true,
      value: { structuredContent: { result: [1] } },
    });
  });

  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

  test.each<[string, unknown, string]>([
    ["no object", "done", ""],
    ["content that is no list", { content: "done" }, "/content"],
    ["a block of an unknown kind", { content: [{ type: "video", data: png }] }, "/content/0/type"],
    ["a block without its text", { content: [{ type: "text" }] }, "/content/0/text"],
    ["an image that is no base64", { content: [{ type: "image", data: "a-b_", mimeType: "image/png" }] }, "/content/0/data"],
    ["an image that is none by its type", { content: [{ type: "image", data: png, mimeType: "text/html" }] }, "/content/0/mimeType"],
    [
      "a type with something to add to it",
      { content: [{ type: "image", data: png, mimeType: "image/png;base64,AAAA" }] },
      "/content/0/mimeType",
    ],
    ["a tool use, which is a model's to say", { content: [{ type: "tool_use", id: "1", name: "x", input: {} }] }, "/content/0/type"],
    [
      "a resource of two contents",
      { content: [{ type: "resource", resource: { uri: "a:b", text: "", blob: "" } }] },
      "/content/0/resource",
    ],
    ["a lone surrogate", { content: [{ type: "text", text: "\ud800" }] }, "/content/0/text"],
    ["too many levels", { content: [], structuredContent: { a: deep(70) } }, `/structuredContent/a${"/0".repeat(62)}`],
    ["an answer to whether it is an error that is none", { content: [], isError: "no" }, "/isError"],
  ])("is a fault with %s, at its place", (_name, result, pointer) => {
    const read = toolResultOf(result);
    expect(read.ok ? [] : read.error.map((error) => error.pointer)).toContain(pointer);
  });

  test("is read or refused, whatever it is, and what is read is a result", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue(), (content, structuredContent) => {
        const read = toolResultOf({ content, structuredContent });
        if (read.ok) expect(fits(toolResult, read.value)).toBe(true);
      }),
    );
  });
});
