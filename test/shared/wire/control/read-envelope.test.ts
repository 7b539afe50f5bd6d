import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Envelope } from "../../../../shared/wire/control/envelope.ts";
import { identityIn, parseEnvelope } from "../../../../shared/wire/control/read-envelope.ts";
import { edited, envelopes, textEnvelope } from "./envelopes.ts";

function read(value: unknown): Envelope {
  const parsed = parseEnvelope(value);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

const faults = (value: unknown): string[] => {
  const parsed = parseEnvelope(value);
  return parsed.ok ? [] : parsed.error.errors.map(({ pointer, message }) => `${pointer} ${message}`);
};
const at = (value: unknown): string[] => faults(value).map((fault) => fault.slice(0, fault.indexOf(" ")));

describe("what an answer names", () => {
  test("is read of anything at all, and nothing else of it is looked at", () => {
    const looked = (): never => {
      throw new Error("looked at");
    };
    const envelope = { protocol_version: "1.7", request_id: "req-1", get task(): never { return looked(); }, get auth(): never { return looked(); } }; // prettier-ignore
    expect(identityIn(envelope)).toEqual({ requestId: "req-1", version: "1.0" });
    for (const value of [undefined, null, 1, "text", [], {}, { protocol_version: 2, request_id: "a\nb" }])
      expect(identityIn(value)).toEqual({ requestId: null, version: null });
  });
});

describe("the examples of the source", () => {
  const folder = new URL("../../../fixtures/control/", import.meta.url);
  const fixture = (name: string): unknown => JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));

  test.each(["text-generation", "translation", "function-call", "multimodal-generation", "embedding", "all-members", "complete"])(
    "%s is taken, and nothing of it ignored",
    (name) => {
      expect(read(fixture(name)).ignored).toEqual([]);
      expect(readFileSync(new URL("README.md", folder), "utf8")).toMatch(new RegExp(`\\| \`${name}\\.json\` \\| \\S`));
    },
  );

  test("every member is where it belongs", () => {
    expect(read(fixture("all-members"))).toEqual({
      version: "1.0",
      requestId: "req-7f9a3b2d-8c1e-4d5b-9a0c-1f2e3d4c5b6a",
      model: { name: "llama3-70b", version: "2.0", provider: "meta" },
      task: {
        type: "text_generation",
        prompt: "请总结以下文章的核心观点:...",
        maxTokens: 1024,
        temperature: 0.7,
        topP: 0.9,
        topK: 50,
        stop: ["\n", "###"],
        stream: true,
        responseFormat: "json",
      },
      context: {
        sessionId: "sess-123",
        history: [
          { role: "user", content: "什么是MCP协议?" },
          { role: "assistant", content: "MCP协议是模型控制协议..." },
          { role: "user", content: "它的请求结构包含哪些部分?" },
        ],
        systemPrompt: "你是一个AI助手,需用简洁语言回答问题",
      },
      control: { timeoutMs: 30_000, priority: "normal", retryable: true, cacheSeconds: 3600 },
      auth: { apiKey: "sk-xxxxxxxxxxxxxxxxxxxx", token: "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9..." },
      ignored: [],
    });
  });
});

describe("what is left out is", () => {
  test("as the source says: 512 tokens, no stream, text, 30 seconds, normal, retryable, no cache", () => {
    expect(read(textEnvelope)).toEqual({
      version: "1.0",
      requestId: "r-1",
      model: { name: "m" },
      task: { type: "text_generation", prompt: "p", maxTokens: 512, stream: false, responseFormat: "text" },
      context: {},
      control: { timeoutMs: 30_000, priority: "normal", retryable: true },
      auth: {},
      ignored: [],
    });
  });

  test.each<[string, string, unknown, object]>([
    ["the newest of a model is what its name means", "/model/version", "latest", { model: { name: "m" } }],
    ["a cache that is on holds for an hour", "/control", { cache: { enable: true } }, { control: { cacheSeconds: 3600 } }],
    [
      "a cache that is off is none",
      "/control",
      { cache: { enable: false, ttl: 5 } },
      { control: expect.not.objectContaining({ cacheSeconds: 5 }) as object },
    ],
    ["one stop sequence is a list of one", "/task/parameters/stop", "x", { task: { stop: ["x"] } }],
    ["a number that is whole is an integer", "/task/parameters/max_tokens", 3.0, { task: { maxTokens: 3 } }],
  ])("%s", (_name, pointer, value, expected) => {
    expect(read(edited(textEnvelope, pointer, value))).toMatchObject(expected);
  });

  test("the language of a translation is told in its canonical form, or not at all", () => {
    const { translation } = envelopes;
    expect(read(edited(translation, "/task/parameters/target_lang", "ZH-hans-cn")).task).toMatchObject({ targetLang: "zh-Hans-CN" });
    expect(read(edited(translation, "/task/parameters/source_lang", undefined)).task).not.toHaveProperty("sourceLang");
  });

  test("the arguments of a function are none, and one text to embed is a list", () => {
    const call = { functions: [{ name: "f" }], function_call: { name: "f" } };
    expect(read(edited(envelopes.functionCall, "/task/parameters", call)).task).toEqual({
      type: "function_call",
      functions: [{ name: "f" }],
      call: { name: "f", parameters: {} },
    });
    expect(read(edited(envelopes.embedding, "/task/parameters/text", "t")).task).toEqual({ type: "embedding", texts: ["t"] });
  });
});

describe("a version", () => {
  test.each([
    ["1.0", "1.0"],
    ["1.1", "1.0"],
    ["1.99999", "1.0"],
    ["2.0", "2.0"],
    ["2.1", "2.1"],
    ["2.2", "2.1"],
    ["2.10", "2.1"],
    ["2.999999", "2.1"],
  ])("%s is served as %s", (given, served) => {
    expect(read(edited(textEnvelope, "/protocol_version", given)).version).toBe(served);
  });

  test.each(["0.9", "3.0", "1", "2", "1.00", "2.01", "v1.0", "1.0.0", " 1.0", "1.0\n", "", "2.1234567", 1.0, 2, null, undefined, ["1.0"]])(
    "%j is not known, and the known ones are listed",
    (given) => {
      expect(faults(edited(textEnvelope, "/protocol_version", given))).toEqual([
        expect.stringMatching(given === undefined ? /^\/protocol_version is required$/ : /^\/protocol_version .*1\.0, 2\.0, 2\.1/),
      ]);
    },
  );

  test("1.0 has no multimodal generation, and says which have", () => {
    const { multimodal } = envelopes;
    expect(faults(edited(multimodal, "/protocol_version", "1.5"))).toEqual([
      "/task/type is not in this protocol_version; 2.0 and 2.1 have it",
    ]);
    for (const version of ["2.0", "2.1"])
      expect(read(edited(multimodal, "/protocol_version", version)).task.type).toBe("multimodal_generation");
  });
});

describe("members that are not known", () => {
  test("are ignored and told, at every level", () => {
    const value = { ...textEnvelope, colour: 1, model: { name: "m", "a/b~": {} }, control: { cache: { enable: false, x: 0 } } };
    expect(read(value).ignored.toSorted()).toEqual(["/colour", "/control/cache/x", "/model/a~1b~0"]);
  });

  test("are told up to 20, and not by a name of more than 128 characters", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x${i}`, i]));
    expect(read({ ...textEnvelope, ...many }).ignored).toHaveLength(20);
    expect(read({ ...textEnvelope, ["x".repeat(129)]: 1 }).ignored).toEqual([]);
  });

  test("that the task has no use for are told too", () => {
    const context = { session_id: "s", history: [], system_prompt: "x", remember: { ttl: 5 } };
    expect(read(edited(envelopes.embedding, "/context", context)).ignored).toEqual([
      "/context/history",
      "/context/system_prompt",
      "/context/remember",
    ]);
    expect(read(edited(envelopes.functionCall, "/task/parameters/prompt", "x")).ignored).toEqual(["/task/parameters/prompt"]);
    expect(read(edited(textEnvelope, "/context", context)).ignored).toEqual([]);
  });
});

describe("everything that is wrong is told at once", () => {
  test("each at its place, with the identity as far as it can be read", () => {
    const value = {
      protocol_version: "2.0",
      request_id: "r",
      model: {},
      task: {
        type: "text_generation",
        parameters: { prompt: "", max_tokens: 0, temperature: 2, top_p: "x", stop: [""], response_format: "xml" },
      },
      context: { session_id: "a b", history: [{ role: "tool" }] },
      control: { timeout: 0, priority: "urgent", retryable: 1, cache: {} },
      auth: { token: "" },
    };
    expect(at(value).toSorted()).toEqual([
      "/auth/token",
      "/context/history/0/content",
      "/context/history/0/role",
      "/context/session_id",
      "/control/cache/enable",
      "/control/priority",
      "/control/retryable",
      "/control/timeout",
      "/model/name",
      "/task/parameters/max_tokens",
      "/task/parameters/prompt",
      "/task/parameters/response_format",
      "/task/parameters/stop/0",
      "/task/parameters/temperature",
      "/task/parameters/top_p",
    ]);
    expect(parseEnvelope(value)).toMatchObject({ error: { requestId: "r", version: "2.0" } });
  });

  test.each([null, undefined, 1, "x", [], [textEnvelope], true])("%j is no envelope", (value) => {
    expect(parseEnvelope(value)).toMatchObject({ ok: false, error: { requestId: null, version: null } });
  });

  test("50 faults at most, whatever is sent", () => {
    const history = Array.from({ length: 1_000 }, () => ({ role: 1, content: 2 }));
    expect(faults(edited(textEnvelope, "/context", { history }))).toHaveLength(50);
  });

  test("without a word of what was sent", () => {
    const secret = "hunter2\n";
    const value = {
      protocol_version: secret,
      request_id: secret,
      model: secret,
      task: { type: secret },
      control: { priority: secret },
      auth: { token: 5 },
    };
    expect(JSON.stringify(parseEnvelope(value))).not.toContain("hunter2");
  });

  test("of the schemas of functions, too", () => {
    const functions = [
      { name: "f", parameters: { type: "array" } },
      { name: "f", parameters: { properties: { a: { type: "x" } } } },
    ];
    expect(at(edited(envelopes.functionCall, "/task/parameters/functions", functions))).toEqual([
      "/task/parameters/functions/0/parameters/type",
      "/task/parameters/functions/1/name",
      "/task/parameters/functions/1/parameters/properties/a/type",
    ]);
  });
});
