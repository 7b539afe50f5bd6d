import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import { declaresSampling, isOurs, withSampling } from "../../../shared/relay/capability-2025.ts";
import { features2025 } from "../../../shared/wire/mcp-2025/features.ts";

const initialize = (protocolVersion: string, capabilities: JsonObject = {}): JsonObject => ({
  protocolVersion,
  capabilities,
  clientInfo: { name: "host", version: "1" },
  unknown: [1, 2],
});

const extended = { experimental: { "countersign/responseFormat": {} } };

describe("initialize on its way to a server", () => {
  test.each(Object.keys(features2025))("declares sampling in %s, tools and tasks only where the revision has them", (revision) => {
    const { capabilities, ...others } = withSampling(initialize(revision), { tools: true, tasks: true, context: false });
    const { capabilities: _none, ...asked } = initialize(revision);
    expect(others).toEqual(asked);
    expect(capabilities).toEqual({
      ...extended,
      ...(revision === "2025-11-25"
        ? { sampling: { tools: {} }, tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } } }
        : { sampling: {} }),
    });
  });

  test("declares no tools and no tasks to a server whose entry says so", () => {
    expect(withSampling(initialize("2025-11-25"), { tools: false, tasks: false, context: false })["capabilities"]).toEqual({
      ...extended,
      sampling: {},
    });
  });

  test("declares context only to a server whose entry says so, in the revision that has it", () => {
    const declared = (revision: string) =>
      withSampling(initialize(revision), { tools: false, tasks: false, context: true })["capabilities"];
    expect(declared("2025-11-25")).toEqual({ ...extended, sampling: { context: {} } });
    expect(declared("2025-06-18")).toEqual({ ...extended, sampling: {} });
  });

  test("declares sampling alone in a revision that nobody knows", () => {
    expect(withSampling(initialize("2027-01-01"), { tools: true, tasks: true, context: true })["capabilities"]).toEqual({ sampling: {} });
  });

  test("keeps everything else that the client declared", () => {
    const capabilities = {
      roots: { listChanged: true },
      elicitation: {},
      experimental: { odd: [1] },
      tasks: { requests: { elicitation: { create: {} } } },
    };
    expect(withSampling(initialize("2025-11-25", capabilities), { tools: true, tasks: true, context: false })["capabilities"]).toEqual({
      ...capabilities,
      experimental: { odd: [1], ...extended.experimental },
      sampling: { tools: {} },
      tasks: { cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
    });
  });

  test("says that tasks can be listed only where the client says so, who would get the question", () => {
    const declared = (tasks: JsonObject) =>
      withSampling(initialize("2025-11-25", { tasks }), { tools: true, tasks: true, context: false })["capabilities"];
    expect(declared({})).not.toHaveProperty("tasks.list");
    expect(declared({ list: {} })).toHaveProperty("tasks.list");
  });

  test.each<[string, JsonObject | null]>([
    ["no params", null],
    ["no capabilities", {}],
    ["capabilities that are a list", { capabilities: [] }],
    ["sampling that is no object", { capabilities: { sampling: true } }],
    ["null", { capabilities: { sampling: null } }],
  ])("sees no sampling of the client in %s", (_name, params) => {
    expect(declaresSampling(params)).toBe(false);
    if (params !== null)
      expect(withSampling(params, { tools: true, tasks: true, context: false })["capabilities"]).toEqual({ sampling: {} });
  });
});

test.each([
  ["fulfil", false, true],
  ["fulfil", true, true],
  ["forward", false, false],
  ["forward", true, false],
  ["fallback", false, true],
  ["fallback", true, false],
] as const)("with %s and a client that samples (%s), sampling is ours: %s", (mode, clientSamples, expected) => {
  expect(isOurs(mode, clientSamples)).toBe(expected);
});
