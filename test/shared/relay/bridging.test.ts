// What a client of 2026-07-28 and a server with sessions say, in the words of the other.

import { describe, expect, test } from "vitest";
import {
  bridgedAnswer,
  bridgedClient,
  bridgedMeta,
  discoverResult,
  initializeParams,
  inputParams,
  isLogged,
  isRemoved,
} from "../../../shared/relay/bridging.ts";

test.each([
  ["initialize", true],
  ["ping", true],
  ["logging/setLevel", true],
  ["resources/subscribe", true],
  ["resources/unsubscribe", true],
  ["tasks/get", true],
  ["tasks/cancel", true],
  ["tools/call", false],
  ["resources/read", false],
  ["tasksfor/me", false],
])("a client's %s would change the session of others or means something else there: %s", (method, removed) => {
  expect(isRemoved(method)).toBe(removed);
});

describe("a client", () => {
  test("declares what means something in the 2025 family, and no tasks of its own revision", () => {
    const { capabilities, clientInfo } = bridgedClient(
      { sampling: {}, roots: true, tasks: {}, extensions: { "io.modelcontextprotocol/tasks": {}, "com.example/x": {} } },
      { name: "notes", version: "1" },
    );
    expect(capabilities).toEqual({ sampling: {}, extensions: { "com.example/x": {} } });
    expect(clientInfo).toEqual({ name: "notes", version: "1" });
    expect(bridgedClient({ extensions: { "io.modelcontextprotocol/tasks": {} } }, null)).toEqual({ capabilities: {}, clientInfo: null });
    expect(initializeParams({ capabilities: {}, clientInfo: null })).toMatchObject({ protocolVersion: "2025-11-25" });
  });

  test("sends no member of its own revision in `_meta`, and no progress token but the gateway's", () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": {},
      "io.modelcontextprotocol/logLevel": "info",
      "io.modelcontextprotocol/subscriptionId": 1,
      progressToken: "the client's",
      "com.example/trace": "kept",
    };
    expect(bridgedMeta(meta, null)).toEqual({ "com.example/trace": "kept" });
    expect(bridgedMeta(meta, "ours")).toEqual({ "com.example/trace": "kept", progressToken: "ours" });
  });
});

describe("a server", () => {
  test("asks for an address to be opened without an id, and for a form without a task", () => {
    const params = { mode: "url", url: "https://example.com", elicitationId: "1", task: {} };
    expect(inputParams("elicitation/create", params)).toEqual({ mode: "url", url: "https://example.com" });
    expect(inputParams("sampling/createMessage", { task: {} })).toEqual({ task: {} });
    expect(inputParams("elicitation/create", null)).toBeNull();
  });

  test("says what it can do in its `initialize`, and no more than the revision has", () => {
    const told = discoverResult({ capabilities: { tools: {}, tasks: {}, logging: 1 }, serverInfo: { name: "old" }, instructions: 7 });
    expect(told).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "old" } },
    });
  });

  test("gives results that are complete, tools without how they run as tasks, and lists that are not kept", () => {
    const tools = [{ name: "a", execution: { taskSupport: "required" } }];
    expect(bridgedAnswer("tools/list", { result: { tools } })).toEqual({
      result: { tools: [{ name: "a" }], resultType: "complete", ttlMs: 0, cacheScope: "private" },
    });
    expect(bridgedAnswer("tools/call", { result: { tools } })).toEqual({ result: { tools, resultType: "complete" } });
    const notFound = { error: { code: -32_002, message: "no" } };
    expect(bridgedAnswer("resources/read", notFound)).toEqual({ error: { code: -32_602, message: "no" } });
    expect(bridgedAnswer("tools/call", notFound)).toEqual(notFound);
  });

  test.each([
    ["warning", "warning", true],
    ["error", "warning", true],
    ["info", "warning", false],
    ["loud", "debug", false],
    [undefined, "debug", false],
    ["emergency", null, false],
  ])("logs at %j: a client that wants %j gets it: %s", (level, wanted, expected) => {
    expect(isLogged(level, wanted)).toBe(expected);
  });
});
