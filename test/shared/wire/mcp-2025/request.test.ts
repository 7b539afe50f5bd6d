import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMessage } from "../../../../shared/wire/json-rpc.ts";
import { mostMembers, parseSampling } from "../../../../shared/wire/mcp-2025/sampling-params.ts";
import { fits } from "../../../../shared/json/fields.ts";
import { samplingRequest } from "../../../../shared/model/sampling.ts";
import { fixture } from "../official.ts";
import { paramsOf } from "../params.ts";

type Params = Record<string, unknown>;

const hello = { role: "user", content: { type: "text", text: "hello" } };
const params = (more: Params = {}): Params => ({ messages: [hello], maxTokens: 100, ...more });
const withContent = (content: unknown, role = "user"): Params => params({ messages: [{ role, content }] });

/** A conversation whose last message holds one tool result with the given content and members. */
const withResult = (content: unknown, more: Params = {}): Params =>
  params({
    messages: [
      { role: "assistant", content: { type: "tool_use", id: "1", name: "t", input: {} } },
      { role: "user", content: { type: "tool_result", toolUseId: "1", content, ...more } },
    ],
  });

function parsed(value: unknown) {
  const result = parseSampling(value);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function pointers(value: unknown): string[] {
  const result = parseSampling(value);
  if (result.ok || result.error.kind !== "invalid") throw new Error(`not invalid: ${JSON.stringify(result)}`);
  return result.error.errors.map(({ pointer }) => pointer);
}

describe("every official example", () => {
  const documentation = [
    "documentation/2024-11-05/request.json",
    "documentation/2025-06-18/request.json",
    "documentation/2025-11-25/request.json",
    "documentation/2025-11-25/request-with-tools.json",
    "documentation/2025-11-25/request-with-tool-results.json",
  ];

  test.each(documentation)("of a message is read: %s", (path) => {
    const message = parseMessage(JSON.stringify(fixture(path)));
    expect(message).toMatchObject({ ok: true, value: { kind: "request", method: "sampling/createMessage" } });
    expect(parseSampling(message.ok ? message.value.params : undefined)).toMatchObject({ ok: true });
  });

  test.each(["basic-request", "request-with-tools", "follow-up-with-tool-results"])("of params is read: %s", (name) => {
    const example = fixture(`2026-07-28/examples/CreateMessageRequestParams/${name}.json`);
    expect(fits(samplingRequest, parsed(example).request)).toBe(true);
  });

  test("of a request inside an input request is read", () => {
    const { params } = fixture("2026-07-28/examples/CreateMessageRequest/sampling-request.json") as { params: unknown };
    const { capital_of_france: inner } = fixture(
      "2026-07-28/examples/InputRequests/elicitation-and-sampling-input-requests.json",
    ) as Record<string, { params: unknown }>;
    expect(parseSampling(params).ok).toBe(true);
    expect(parseSampling(inner?.params).ok).toBe(true);
  });

  test.each([
    "documentation/2024-11-05/preferences.json",
    "documentation/2025-11-25/preferences.json",
    "2026-07-28/examples/ModelPreferences/with-hints-and-priorities.json",
  ])("of preferences is read: %s", (path) => {
    const preferences = fixture(path);
    expect(parsed(params({ modelPreferences: preferences })).request.modelPreferences).toEqual(preferences);
  });

  test.each([
    ["documentation/2025-11-25/message-one-tool-result.json", ["call_123"]],
    ["documentation/2025-11-25/message-two-tool-results.json", ["call_123", "call_456"]],
    ["2026-07-28/examples/SamplingMessage/multiple-content-blocks.json", ["call_123", "call_456"]],
    ["2026-07-28/examples/SamplingMessage/single-content-block.json", []],
  ])("of a message in a conversation is read: %s", (path, ids) => {
    const uses = { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "t", input: {} })) };
    expect(parseSampling(params({ messages: [...(ids.length === 0 ? [] : [uses]), fixture(path)] }))).toMatchObject({ ok: true });
  });

  test("of a message that is not valid is refused as the specification says", () => {
    const uses = { role: "assistant", content: { type: "tool_use", id: "call_123", name: "t", input: {} } };
    const messages = [uses, fixture("documentation/2025-11-25/message-mixed-invalid.json")];
    expect(parseSampling(params({ messages }))).toEqual({ ok: false, error: { kind: "toolResultsMixed", pointer: "/messages/1" } });
  });

  test.each(["ImageContent/image-png-content-with-annotations", "AudioContent/audio-wav-content"])(
    "of media is read, its annotations left out: %s",
    (path) => {
      const { annotations: _left, ...kept } = fixture(`2026-07-28/examples/${path}.json`) as Params;
      expect(parsed(withContent(fixture(`2026-07-28/examples/${path}.json`))).request.messages[0]?.content).toEqual([kept]);
    },
  );

  test("of a tool use and its result is read as it stands", () => {
    const use = fixture("2026-07-28/examples/ToolUseContent/get-weather-tool-use.json");
    const result = fixture("2026-07-28/examples/ToolResultContent/get-weather-tool-result.json");
    const messages = [
      { role: "assistant", content: use },
      { role: "user", content: result },
    ];
    expect(parsed(params({ messages })).request.messages.map(({ content }) => content)).toEqual([[use], [result]]);
  });

  test.each(["2024-11-05/image", "2025-06-18/image", "2025-06-18/audio", "2025-11-25/image", "2025-11-25/audio"])(
    "that has words where base64 belongs is refused at those words: %s",
    (name) => {
      const media = fixture(`documentation/${name}-placeholder.json`) as Params;
      expect(pointers(withContent(media))).toEqual(["/messages/0/content/data"]);
      expect(parseSampling(withContent({ ...media, data: "AAAA" })).ok).toBe(true);
    },
  );
});

describe("the neutral request", () => {
  test("holds what a provider gets and nothing else", () => {
    const noise = { _meta: { a: 1 }, annotations: { priority: 1, audience: ["user"], lastModified: "2025-01-01" }, unknown: [1] };
    const icons = [{ src: "https://example.com/i.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }];
    const request = parsed(
      params({
        messages: [
          { role: "user", content: { type: "text", text: "a", ...noise }, _meta: {} },
          { role: "assistant", content: { type: "tool_use", id: "1", name: "t", input: { x: null }, _meta: { cache: 1 }, unknown: 1 } },
          {
            role: "user",
            content: {
              type: "tool_result",
              toolUseId: "1",
              isError: false,
              structuredContent: { n: [1] },
              _meta: {},
              content: [
                { type: "text", text: "b", ...noise },
                { type: "image", data: "AAAA", mimeType: "IMAGE/PNG", ...noise },
                { type: "audio", data: "AAAA", mimeType: "audio/wav", ...noise },
                {
                  type: "resource_link",
                  uri: "file:///a",
                  name: "a",
                  title: "A",
                  description: "d",
                  mimeType: "text/plain",
                  size: 3,
                  icons,
                  ...noise,
                },
                { type: "resource", resource: { uri: "file:///b", text: "c", mimeType: "text/plain", _meta: {} }, ...noise },
                { type: "resource", resource: { uri: "file:///c", blob: "", mimeType: "application/pdf" } },
              ],
            },
          },
        ],
        tools: [
          {
            name: "t",
            title: "T",
            description: "d",
            inputSchema: { type: "object", x: 1 },
            outputSchema: { type: "object" },
            annotations: { title: "x", readOnlyHint: true },
            execution: { taskSupport: "optional" },
            icons,
          },
        ],
        toolChoice: { mode: "required", x: 1 },
        modelPreferences: { hints: [{ name: "sonnet", x: 1 }, {}], costPriority: 0, speedPriority: 1, x: 1 },
        metadata: { user: { id: 1 } },
        systemPrompt: "s",
        temperature: 0.5,
        stopSequences: ["STOP"],
        unknown: true,
      }),
    ).request;
    expect(request).toEqual({
      kind: "chat",
      messages: [
        { role: "user", content: [{ type: "text", text: "a" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input: { x: null } }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              toolUseId: "1",
              isError: false,
              structuredContent: { n: [1] },
              content: [
                { type: "text", text: "b" },
                { type: "image", data: "AAAA", mimeType: "image/png" },
                { type: "audio", data: "AAAA", mimeType: "audio/wav" },
                { type: "resource_link", uri: "file:///a", name: "a", description: "d", mimeType: "text/plain" },
                { type: "resource", resource: { uri: "file:///b", mimeType: "text/plain", text: "c" } },
                { type: "resource", resource: { uri: "file:///c", mimeType: "application/pdf", blob: "" } },
              ],
            },
          ],
        },
      ],
      maxTokens: 100,
      systemPrompt: "s",
      temperature: 0.5,
      stopSequences: ["STOP"],
      metadata: { user: { id: 1 } },
      modelPreferences: { hints: [{ name: "sonnet" }, {}], costPriority: 0, speedPriority: 1 },
      tools: [{ name: "t", description: "d", inputSchema: { type: "object", x: 1 } }],
      toolChoice: "required",
    });
    expect(parsed(paramsOf(request)).request).toEqual(request);
  });

  test("has one block for a single object as for a list of one", () => {
    expect(parsed(withContent({ type: "text", text: "a" })).request).toEqual(parsed(withContent([{ type: "text", text: "a" }])).request);
  });

  test("must have a message, and each message a block, which the official schema does not ask for: no model can be sent less", () => {
    const text = { role: "user", content: { type: "text", text: "a" } };
    for (const [messages, pointer] of [
      [[], "/messages"],
      [[text, { role: "assistant", content: [] }, text], "/messages/1/content"],
    ] as const) {
      const result = parseSampling(params({ messages }));
      expect(result).toMatchObject({ ok: false, error: { kind: "invalid", errors: [{ pointer }] } });
    }
  });

  test("never has the context that was asked for: that is told beside it", () => {
    for (const context of ["thisServer", "allServers"]) {
      const result = parsed(params({ includeContext: context }));
      expect(result.contextIgnored).toBe(context);
      expect(result.request).toEqual(parsed(params()).request);
    }
    expect(parsed(params({ includeContext: "none" }))).toEqual(parsed(params()));
  });

  test("has the tool choice auto where a choice has no mode", () => {
    expect(parsed(params({ toolChoice: {} })).request.toolChoice).toBe("auto");
    expect(parsed(params()).request.toolChoice).toBeUndefined();
  });

  test("takes a maxTokens that is written as 100.0", () => {
    expect(
      parsed(JSON.parse('{"messages":[{"role":"user","content":{"type":"text","text":"a"}}],"maxTokens":100.0}')).request.maxTokens,
    ).toBe(100);
  });
});

describe("what is asked about the request", () => {
  const originating = { id: 7, method: "tools/call", name: "summarize", server: "notes" };
  const meta = (more: Params) => params({ _meta: more });

  test("is read from _meta and task, each of them optional", () => {
    const value = params({
      _meta: {
        "countersign/session": "sess-1",
        "countersign/originatingRequest": { ...originating, x: 1 },
        progressToken: "p1",
        other: {},
      },
      task: { ttl: 60_000, x: 1 },
    });
    expect(parsed(value)).toMatchObject({ meta: { session: "sess-1", originating, progressToken: "p1" }, task: { ttl: 60_000 } });
    expect(parsed(params())).toEqual({ request: expect.anything(), meta: {} });
    expect(parsed(params({ _meta: {}, task: {} }))).toEqual({ request: expect.anything(), meta: {}, task: {} });
  });

  test("keeps the JSON type of the originating request's id and of the progress token", () => {
    for (const id of [0, 7, "7"]) {
      expect(parsed(meta({ "countersign/originatingRequest": { ...originating, id }, progressToken: id })).meta).toMatchObject({
        originating: { id },
        progressToken: id,
      });
    }
  });

  test.each(["s", "!~", "a".repeat(128), '"/\\'])("takes the session %j", (session) => {
    expect(parsed(meta({ "countersign/session": session })).meta.session).toBe(session);
  });

  test.each(["", "a b", "a\n", "é", "\u007f", "a".repeat(129), 1, null, {}])("refuses the session %j", (session) => {
    expect(pointers(meta({ "countersign/session": session }))).toEqual(["/_meta/countersign~1session"]);
  });

  test.each<[Params, string]>([
    [{ id: 1.5 }, "id"],
    [{ id: null }, "id"],
    [{ id: undefined }, "id"],
    [{ id: {} }, "id"],
    [{ method: "tools/list" }, "method"],
    [{ method: undefined }, "method"],
    [{ name: "" }, "name"],
    [{ name: "a".repeat(513) }, "name"],
    [{ name: "a\u0000" }, "name"],
    [{ name: "a\u0085" }, "name"],
    [{ name: 1 }, "name"],
    [{ method: "resources/read", name: `file:///${"a".repeat(4089)}` }, "name"],
    [{ server: "" }, "server"],
    [{ server: "a\u001b[0m" }, "server"],
    [{ server: undefined }, "server"],
    [{ server: "a".repeat(513) }, "server"],
    // A rule for the control endpoint must not hold for what a host says that its server asks.
    [{ server: "control" }, "server"],
    [{ server: "Control" }, "server"],
  ])("refuses the originating request with %j", (wrong, member) => {
    expect(pointers(meta({ "countersign/originatingRequest": { ...originating, ...wrong } }))).toEqual([
      `/_meta/countersign~1originatingRequest/${member}`,
    ]);
  });

  test("takes names at their bounds, and a longer one where it is a resource's URI", () => {
    const uri = `file:///${"a".repeat(4088)}`;
    expect(
      parseSampling(meta({ "countersign/originatingRequest": { ...originating, name: "a".repeat(512), server: "a".repeat(512) } })).ok,
    ).toBe(true);
    expect(parseSampling(meta({ "countersign/originatingRequest": { ...originating, method: "resources/read", name: uri } })).ok).toBe(
      true,
    );
  });
});

describe("a request for a token", () => {
  const asked = { "countersign/v1Token": { maxUsd: 0.5, models: ["first"] } };

  test.each([
    ["_meta", { _meta: asked }],
    ["metadata, which requests inside a result have", { metadata: asked }],
  ])("is in %s, and the provider gets nothing of it", (_where, more) => {
    const parsed = parseSampling(params(more));
    expect(parsed).toMatchObject({ ok: true, value: { meta: { token: { maxUsd: 0.5, models: ["first"] } } } });
    expect(parsed.ok && parsed.value.request).not.toHaveProperty("metadata");
  });

  test("may be in both where they say the same, and is refused where they differ", () => {
    expect(parseSampling(params({ _meta: asked, metadata: asked })).ok).toBe(true);
    const other = { "countersign/v1Token": { maxUsd: 1 } };
    expect(parseSampling(params({ _meta: asked, metadata: other }))).toMatchObject({
      ok: false,
      error: { errors: [{ pointer: "/metadata" }] },
    });
  });

  test("leaves the rest of metadata", () => {
    const parsed = parseSampling(params({ metadata: { ...asked, user: "ada" } }));
    expect(parsed.ok && parsed.value.request).toMatchObject({ metadata: { user: "ada" } });
    expect(JSON.stringify(parsed.ok && parsed.value.request)).not.toContain("v1Token");
  });
});

test("the format of a reply may stand in metadata too, for requests inside a result", () => {
  const format = { "countersign/responseFormat": { type: "json", schema: { type: "object" } } };
  const inMeta = parseSampling(params({ _meta: format }));
  const inMetadata = parseSampling(params({ metadata: format }));
  expect(inMeta).toMatchObject({ ok: true, value: { request: { responseFormat: { type: "json", schema: { type: "object" } } } } });
  expect(inMetadata).toEqual(inMeta);
});

describe("params are refused with a pointer to each fault", () => {
  const image = { type: "image", data: "AAAA", mimeType: "image/png" };
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

  test.each<[string, unknown, string[]]>([
    ["no params", undefined, [""]],
    ["a list as params", [], [""]],
    ["nothing that is required", {}, ["/maxTokens", "/messages"]],
    ["maxTokens missing", { messages: [] }, ["/maxTokens"]],
    ["maxTokens 0", params({ maxTokens: 0 }), ["/maxTokens"]],
    ["maxTokens 1.5", params({ maxTokens: 1.5 }), ["/maxTokens"]],
    ["maxTokens as a text", params({ maxTokens: "100" }), ["/maxTokens"]],
    ["maxTokens beyond what is exact", params({ maxTokens: 1e300 }), ["/maxTokens"]],
    ["a priority over 1", params({ modelPreferences: { costPriority: 1.01 } }), ["/modelPreferences/costPriority"]],
    ["a priority under 0", params({ modelPreferences: { speedPriority: -0.01 } }), ["/modelPreferences/speedPriority"]],
    ["a priority as a text", params({ modelPreferences: { intelligencePriority: "1" } }), ["/modelPreferences/intelligencePriority"]],
    ["a hint that is a text", params({ modelPreferences: { hints: ["sonnet"] } }), ["/modelPreferences/hints/0"]],
    ["hints that are one object", params({ modelPreferences: { hints: { name: "a" } } }), ["/modelPreferences/hints"]],
    ["messages that are one object", params({ messages: hello }), ["/messages"]],
    ["a message that is a text", params({ messages: ["hello"] }), ["/messages/0"]],
    ["the role system", params({ messages: [hello, { ...hello, role: "system" }] }), ["/messages/1/role"]],
    ["no content", params({ messages: [{ role: "user" }] }), ["/messages/0/content"]],
    ["content that is a text", withContent("hello"), ["/messages/0/content"]],
    ["a list of lists as content", withContent([[]]), ["/messages/0/content/0"]],
    ["an unknown type", withContent({ type: "video" }), ["/messages/0/content/type"]],
    ["a resource outside a tool result", withContent([{ type: "resource_link", uri: "a", name: "a" }]), ["/messages/0/content/0/type"]],
    ["text without text", withContent([image, { type: "text" }]), ["/messages/0/content/1/text"]],
    ["empty data", withContent({ ...image, data: "" }), ["/messages/0/content/data"]],
    ["data in the URL alphabet", withContent({ ...image, data: "-_-_" }), ["/messages/0/content/data"]],
    ["data without padding", withContent({ ...image, data: "AAA" }), ["/messages/0/content/data"]],
    ["data with white space", withContent({ ...image, data: "AAAA\nAAA" }), ["/messages/0/content/data"]],
    ["a data URL as data", withContent({ ...image, data: "data:image/png;base64,AAAA" }), ["/messages/0/content/data"]],
    ["an image that is audio", withContent({ ...image, mimeType: "audio/wav" }), ["/messages/0/content/mimeType"]],
    ["audio that is an image", withContent({ ...image, type: "audio" }), ["/messages/0/content/mimeType"]],
    ["no mime type", withContent({ type: "image", data: "AAAA" }), ["/messages/0/content/mimeType"]],
    ["annotations that are no object", withContent({ ...image, annotations: [] }), ["/messages/0/content/annotations"]],
    [
      "a wrong audience",
      withContent({ ...image, annotations: { audience: ["user", "me"] } }),
      ["/messages/0/content/annotations/audience/1"],
    ],
    ["a tool use by the user", withContent([{ type: "tool_use", id: "1", name: "t", input: {} }]), ["/messages/0/content/0"]],
    [
      "a tool result by the assistant",
      withContent({ type: "tool_result", toolUseId: "1", content: [] }, "assistant"),
      ["/messages/0/content"],
    ],
    ["a tool use without input", withContent({ type: "tool_use", id: "1", name: "t" }, "assistant"), ["/messages/0/content/input"]],
    [
      "a tool result that answers nothing",
      withContent({ type: "tool_result", toolUseId: "1", content: [] }),
      ["/messages/0/content/toolUseId"],
    ],
    [
      "a tool result in a tool result",
      withResult([{ type: "tool_result", toolUseId: "1", content: [] }]),
      ["/messages/1/content/content/0/type"],
    ],
    ["a tool result whose content is one block", withResult({ type: "text", text: "a" }), ["/messages/1/content/content"]],
    ["structured content that is a list", withResult([], { structuredContent: [] }), ["/messages/1/content/structuredContent"]],
    ["isError as a text", withResult([], { isError: "true" }), ["/messages/1/content/isError"]],
    ["bad media in a tool result", withResult([{ ...image, data: "?" }]), ["/messages/1/content/content/0/data"]],
    [
      "a blob that is not base64",
      withResult([{ type: "resource", resource: { uri: "a", blob: "?" } }]),
      ["/messages/1/content/content/0/resource/blob"],
    ],
    [
      "a resource with neither text nor blob",
      withResult([{ type: "resource", resource: { uri: "a" } }]),
      ["/messages/1/content/content/0/resource/text"],
    ],
    [
      "a resource with text and blob",
      withResult([{ type: "resource", resource: { uri: "a", text: "", blob: "" } }]),
      ["/messages/1/content/content/0/resource"],
    ],
    [
      "a tool with an icon without a source",
      params({ tools: [{ name: "t", inputSchema: { type: "object" }, icons: [{ src: "a" }, {}] }] }),
      ["/tools/0/icons/1/src"],
    ],
    [
      "a tool with an icon of an unknown theme",
      params({ tools: [{ name: "t", inputSchema: { type: "object" }, icons: [{ src: "a", theme: "grey" }] }] }),
      ["/tools/0/icons/0/theme"],
    ],
    ["a tool whose title is a number", params({ tools: [{ name: "t", inputSchema: { type: "object" }, title: 1 }] }), ["/tools/0/title"]],
    [
      "a tool whose hint is a text",
      params({ tools: [{ name: "t", inputSchema: { type: "object" }, annotations: { readOnlyHint: "yes" } }] }),
      ["/tools/0/annotations/readOnlyHint"],
    ],
    [
      "a tool of unknown task support",
      params({ tools: [{ name: "t", inputSchema: { type: "object" }, execution: { taskSupport: "maybe" } }] }),
      ["/tools/0/execution/taskSupport"],
    ],
    [
      "a tool whose output is a list",
      params({ tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema: { type: "array" } }] }),
      ["/tools/0/outputSchema/type"],
    ],
    [
      "a link of half a byte",
      withResult([{ type: "resource_link", uri: "a", name: "a", size: 0.5 }]),
      ["/messages/1/content/content/0/size"],
    ],
    [
      "a link with an icon without a source",
      withResult([{ type: "resource_link", uri: "a", name: "a", icons: [{}] }]),
      ["/messages/1/content/content/0/icons/0/src"],
    ],
    [
      "an originating request that is null",
      params({ _meta: { "countersign/originatingRequest": null } }),
      ["/_meta/countersign~1originatingRequest"],
    ],
    ["tools that are an object", params({ tools: {} }), ["/tools"]],
    ["a tool without a schema", params({ tools: [{ name: "t" }] }), ["/tools/0/inputSchema"]],
    ["a tool without a name", params({ tools: [{ inputSchema: { type: "object" } }] }), ["/tools/0/name"]],
    ["a tool schema of no type", params({ tools: [{ name: "t", inputSchema: {} }] }), ["/tools/0/inputSchema/type"]],
    ["a tool schema of another type", params({ tools: [{ name: "t", inputSchema: { type: "array" } }] }), ["/tools/0/inputSchema/type"]],
    [
      "a property that is no schema",
      params({ tools: [{ name: "t", inputSchema: { type: "object", properties: { "a/b": 1 } } }] }),
      ["/tools/0/inputSchema/properties/a~1b"],
    ],
    ["an unknown tool choice", params({ toolChoice: { mode: "any" } }), ["/toolChoice/mode"]],
    ["a tool choice as a text", params({ toolChoice: "auto" }), ["/toolChoice"]],
    ["an unknown context", params({ includeContext: "everything" }), ["/includeContext"]],
    ["a system prompt that is null", params({ systemPrompt: null }), ["/systemPrompt"]],
    ["a temperature as a text", params({ temperature: "hot" }), ["/temperature"]],
    ["a stop sequence that is a number", params({ stopSequences: ["a", 1] }), ["/stopSequences/1"]],
    ["an empty stop sequence", params({ stopSequences: ["a", ""] }), ["/stopSequences/1"]],
    ["metadata that is a list", params({ metadata: [] }), ["/metadata"]],
    ["a task that is true", params({ task: true }), ["/task"]],
    ["a ttl as a text", params({ task: { ttl: "60s" } }), ["/task/ttl"]],
    ["a negative ttl", params({ task: { ttl: -1 } }), ["/task/ttl"]],
    ["_meta that is a list", params({ _meta: [] }), ["/_meta"]],
    ["a progress token that is true", params({ _meta: { progressToken: true } }), ["/_meta/progressToken"]],
    ["a lone surrogate in a prompt", withContent({ type: "text", text: "a\ud800" }), ["/messages/0/content/text"]],
    ["a lone surrogate in a member that is ignored", params({ unknown: ["\udc00"] }), ["/unknown/0"]],
    ["a lone surrogate in a name", params({ metadata: { "\ud800": 1 } }), ["/metadata"]],
    ["a number that overflowed", params({ metadata: JSON.parse('{"a~b":1e999}') }), ["/metadata/a~0b"]],
    ["a member named __proto__", params({ metadata: JSON.parse('{"x":{"__proto__":{"polluted":1}}}') }), ["/metadata/x"]],
    [
      "a request for a token that is not well-formed",
      params({ metadata: { "countersign/v1Token": { maxUsd: -1 } }, _meta: { "countersign/v1Token": { models: [] } } }),
      ["/_meta/countersign~1v1Token/models", "/metadata/countersign~1v1Token/maxUsd"],
    ],
    [
      "a format of the reply that is none, in metadata",
      params({ metadata: { "countersign/responseFormat": { type: "yaml" } } }),
      ["/metadata/countersign~1responseFormat/type"],
    ],
    ["65 levels", params({ metadata: deep(64) }), [`/metadata${"/a".repeat(63)}`]],
    ["a fault under a name that is too long to repeat", params({ metadata: { ["n".repeat(129)]: "\ud800" } }), ["/metadata"]],
    [
      "several faults at once",
      params({ maxTokens: 0, temperature: "x", messages: [{ role: "x", content: { type: "text" } }] }),
      ["/maxTokens", "/messages/0/content/text", "/messages/0/role", "/temperature"],
    ],
  ])("%s", (_what, value, where) => {
    expect(pointers(value)).toEqual(where);
  });

  test("up to 64 levels are taken", () => {
    expect(parseSampling(params({ metadata: deep(63) })).ok).toBe(true);
  });

  test("a missing tool result and mixed content have kinds of their own", () => {
    const use = { role: "assistant", content: { type: "tool_use", id: "1", name: "t", input: {} } };
    expect(parseSampling(params({ messages: [use] }))).toEqual({
      ok: false,
      error: { kind: "toolResultMissing", pointer: "/messages/0/content" },
    });
    expect(parseSampling(params({ messages: [{ ...use, content: [use.content] }, hello] }))).toEqual({
      ok: false,
      error: { kind: "toolResultMissing", pointer: "/messages/0/content/0" },
    });
  });

  test("fifty at most, and a body of a million wrong messages is given up early", () => {
    expect(pointers(params({ messages: Array.from({ length: 2_000 }, () => 0) }))).toHaveLength(50);
    expect(pointers(params({ messages: Array.from({ length: 1_000_000 }, () => 0) }))).toEqual(["/messages"]);
    expect(pointers(params({ messages: [{ role: "user", content: Array.from({ length: 100_000 }, () => 0) }] }))).toHaveLength(50);
  });

  test("and never with a word of what was sent", () => {
    const secret = "c0ffee-secret";
    const result = parseSampling({
      maxTokens: secret,
      messages: [
        { role: secret, content: { type: secret } },
        { role: "user", content: { type: "image", data: secret, mimeType: secret } },
      ],
      toolChoice: { mode: secret },
      _meta: {
        "countersign/session": `${secret} `,
        "countersign/originatingRequest": { id: {}, method: secret, name: `${secret}\n`, server: 1 },
      },
    });
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain(secret);
  });
});

test("reading never throws, whatever the value, and never changes Object's prototype", () => {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 5 }),
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true, withNullPrototype: true }),
  );
  fc.assert(
    fc.property(anything, anything, (value, other) => {
      for (const given of [
        value,
        params({ messages: value, tools: other }),
        withContent(value),
        withResult(other),
        params({ metadata: value, _meta: other }),
      ]) {
        expect(typeof parseSampling(given).ok).toBe("boolean");
      }
    }),
    { numRuns: 300 },
  );
  const circle: Params = {};
  circle["circle"] = circle;
  expect(parseSampling(params({ metadata: circle })).ok).toBe(false);
  expect(parseSampling(JSON.parse('{"__proto__":{"polluted":1},"messages":[],"maxTokens":1}')).ok).toBe(false);
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
});

describe("how many members there may be", () => {
  const text = { type: "text", text: "a" };
  const message = (content: unknown) => ({ role: "user", content });
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
  const rows: [string, keyof typeof mostMembers, string, (count: number) => object][] = [
    ["messages", "messages", "/messages", (count) => ({ messages: many(count, () => message(text)) })],
    ["content blocks", "blocks", "/messages", (count) => ({ messages: [message(many(count, () => text))] })],
    ["tools", "tools", "/tools", (count) => ({ messages: [message(text)], tools: many(count, (index) => tool(`t${index}`)) })],
    [
      "stop sequences",
      "stopSequences",
      "/stopSequences",
      (count) => ({ messages: [message(text)], stopSequences: many(count, (index) => `s${index}`) }),
    ],
    [
      "hints",
      "hints",
      "/modelPreferences/hints",
      (count) => ({ messages: [message(text)], modelPreferences: { hints: many(count, () => ({ name: "a" })) } }),
    ],
  ];

  test.each(rows)("%s: so many are taken, one more is refused where it stands", (_, kind, pointer, make) => {
    expect(parseSampling({ ...make(mostMembers[kind]), maxTokens: 1 }).ok).toBe(true);
    const refused = parseSampling({ ...make(mostMembers[kind] + 1), maxTokens: 1 });
    expect(refused).toMatchObject({
      ok: false,
      error: { kind: "invalid", errors: [{ pointer, message: expect.stringContaining(String(mostMembers[kind])) }] },
    });
  });
});
