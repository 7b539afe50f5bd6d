// Between a client of a 2025 revision and a server of 2026-07-28: each side gets what its own
// schema allows.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { samplingCapabilities } from "../../../shared/relay/answered-here.ts";
import { clientRequest, inputId, inputPlace } from "../../../shared/relay/client-inputs.ts";
import { agreedRevision, answerFor, initializeResult, requestMeta, translatedSession } from "../../../shared/relay/translation.ts";

const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, logging: {}, extensions: { "a/b": {} } },
  instructions: "Ask politely.",
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "2" } },
};

describe("the beginning of a session", () => {
  test.each([
    ["2024-11-05", "2024-11-05"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    ["1.0", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("a client that asks for %s gets %s", (asked, agreed) => {
    expect(agreedRevision(asked === undefined ? {} : { protocolVersion: asked })).toBe(agreed);
  });

  test("says what the server said, without what has no translation", () => {
    expect(initializeResult(discovered, "2025-11-25", "notes")).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true }, logging: {} },
      serverInfo: { name: "modern", version: "2" },
      instructions: "Ask politely.",
    });
    expect(initializeResult({}, "2025-06-18", "notes")).toEqual({
      protocolVersion: "2025-06-18",
      capabilities: {},
      serverInfo: { name: "notes", version: "unknown" },
    });
  });

  test("keeps of the client what the server is told with each request", () => {
    const params = {
      capabilities: { roots: { listChanged: true }, elicitation: { url: {} }, tasks: { list: {} }, experimental: { own: {} } },
      clientInfo: { name: "client", version: "1", icons: [{ src: "data:," }] },
    };
    const session = translatedSession(params, discovered);
    expect(session).toEqual({
      capabilities: { roots: {}, elicitation: { url: {} }, experimental: { own: {} } },
      clientInfo: { name: "client", version: "1" },
      logs: true,
      listens: ["toolsListChanged", "resourcesListChanged"],
    });
    const added = samplingCapabilities({ tools: true, context: false }, session.capabilities);
    expect(added).toEqual({
      sampling: { tools: {} },
      experimental: { own: {}, "countersign/responseFormat": {} },
    });
    expect(requestMeta({ progressToken: 7, "own/key": 1 }, session, { added, logLevel: "info" })).toEqual({
      progressToken: 7,
      "own/key": 1,
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { ...session.capabilities, ...added },
      "io.modelcontextprotocol/clientInfo": { name: "client", version: "1" },
      "io.modelcontextprotocol/logLevel": "info",
    });
  });

  test("leaves out what would make a session's id too long", () => {
    const experimental = { own: { text: "x".repeat(5_000) } };
    expect(JSON.stringify(translatedSession({ capabilities: { roots: {}, experimental } }, {})).length).toBeLessThan(200);
  });

  test("the client's own `_meta` cannot say what the gateway says", () => {
    const own = { "io.modelcontextprotocol/clientCapabilities": { sampling: {} }, "io.modelcontextprotocol/protocolVersion": "1" };
    const meta = requestMeta(own, translatedSession({}, {}), { added: null, logLevel: null });
    expect(meta).toEqual({ "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
  });
});

describe("an answer", () => {
  test("loses what only the newer revision has", () => {
    const result = { resultType: "complete", ttlMs: 5, cacheScope: "public", tools: [{ name: "a", outputSchema: { type: "array" } }] };
    expect(answerFor("tools/list", { result })).toEqual({ result: { tools: [{ name: "a" }] } });
    const kept = { name: "b", outputSchema: { type: "object" } };
    expect(answerFor("tools/list", { result: { tools: [kept] } })).toEqual({ result: { tools: [kept] } });
  });

  test.each([[[1, 2]], ["text"], [7], [null]])("of a tool loses structured content that is no object: %j", (structuredContent) => {
    const content = [{ type: "text", text: "1" }];
    expect(answerFor("tools/call", { result: { content, structuredContent } })).toEqual({ result: { content } });
  });

  test("of a tool keeps an object, and an error passes", () => {
    const result = { content: [], structuredContent: { a: 1 } };
    expect(answerFor("tools/call", { result })).toEqual({ result });
    const error = { code: -32_602, message: "no" };
    expect(answerFor("tools/call", { error })).toEqual({ error });
  });
});

describe("the id of what a client is asked", () => {
  test("leads to its place again, and no other text does", () => {
    const place = fc.record({
      request: fc.oneof(fc.string({ maxLength: 100 }), fc.integer()),
      attempt: fc.string(),
      round: fc.nat(),
      index: fc.nat(63),
    });
    fc.assert(
      fc.property(place, (given) => {
        expect(inputPlace(inputId(given))).toEqual({ ...given });
      }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer(),
          fc.string().map((text) => `countersign/input/${text}`),
        ),
        (id) => {
          const found = inputPlace(id);
          if (found !== null) expect(inputId(found)).toBeTypeOf("string");
        },
      ),
    );
    for (const id of ["countersign/input/W10", "countersign/input/!", "countersign/input/_w", 7]) expect(inputPlace(id)).toBeNull();
  });

  test("an address to open has the id that 2025-11-25 wants", () => {
    const at = { request: "d", attempt: "a", round: 2, index: 1 };
    const params = { mode: "url", url: "https://example.com", message: "Open it" };
    expect(clientRequest(at, { key: "k", method: "elicitation/create", params })["params"]).toEqual({ elicitationId: "a.2.1", ...params });
    expect(clientRequest(at, { key: "k", method: "roots/list", params: null })).toEqual({
      jsonrpc: "2.0",
      id: inputId(at),
      method: "roots/list",
    });
  });
});
