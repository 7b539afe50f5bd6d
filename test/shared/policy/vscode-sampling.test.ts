// The shape is that of VS Code's settings schema (microsoft/vscode, chat.contribution.ts:
// "Configures which models are exposed to MCP servers for sampling"). The first three examples
// stand in public documentation: of semcp/mcp-sinstaller, of a legacy code analyzer for VS Code's
// global settings, and of a workspace's `.vscode/settings.json`.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judge } from "../../../shared/policy/evaluate.ts";
import { parsePolicy } from "../../../shared/policy/rules.ts";
import { type ImportedServer, importVscodeSampling } from "../../../shared/policy/vscode-sampling.ts";

const models = [
  { id: "gpt", name: "openai/gpt-4.1" },
  { id: "claude-sonnet-4", name: "anthropic/claude-sonnet-4-5" },
  { id: "local", name: "llama" },
];
const known = { models, ruleNames: ["risky"] };

function imported(setting: unknown): readonly ImportedServer[] {
  const read = importVscodeSampling(typeof setting === "string" ? setting : JSON.stringify({ "chat.mcp.serverSampling": setting }), known);
  if (!read.ok) throw new Error(read.error);
  return read.value;
}

/** What the rules make of a request during a tool call, or during another request. */
function outcome(setting: unknown, { server = "notes", method = "tools/call", model = "gpt" } = {}): string {
  const policy = parsePolicy({
    rules: imported(setting).flatMap(({ rules }) => rules),
    default: { reviewers: ["all"] },
    reviewers: { all: [{ name: "Ann" }] },
  });
  if (!policy.ok) throw new Error(JSON.stringify(policy.error));
  const judgement = judge(policy.value, {
    subject: "message",
    server,
    tool: "t",
    method,
    keyName: "k",
    keyOwner: null,
    provenance: "claimed",
    hasMedia: false,
    hasTools: false,
    maxTokens: 1,
    risk: "none",
    models: [{ id: model, worstCostUsd: 0 }],
    isOnce: false,
  });
  return judgement.kind === "refused"
    ? "refused"
    : `${judgement.gates.request} ${judgement.gates.response} by ${judgement.gates.rule === "default" ? "default" : "it"}`;
}

describe("documented settings", () => {
  test.each([
    ['"chat.mcp.serverSampling": {\n    "Global in Code - Insiders: sampling": {\n        "allowedDuringChat": true\n    }\n}', "sampling"],
    [
      '{ "chat.mcp.serverSampling": { "Global in Code: legacy-code-analyzer-server-v1-01": { "allowedDuringChat": true } } }',
      "legacy-code-analyzer-server-v1-01",
    ],
    [
      '{\n  // sampling\n  "chat.mcp.serverSampling": {\n        "agent-gate/.vscode/mcp.json: agentils": {\n      "allowedDuringChat": true,\n    }, /* all */\n  },\n}',
      "agentils",
    ],
  ])("%s", (text, server) => {
    const [only] = imported(text);
    expect(only).toMatchObject({
      server,
      rules: [
        { name: `VS Code: ${server}, tool calls`, when: { server, method: "tools/call" }, then: { request: "allow", response: "allow" } },
        { name: `VS Code: ${server}, other`, when: { server }, then: {} },
      ],
      notCarried: [{ kind: "place" }],
    });
    expect(outcome(text, { server })).toBe("allow allow by it");
    expect(outcome(text, { server, method: "prompts/get" })).toBe("review review by it");
    expect(outcome(text, { server: "another" })).toBe("review review by default");
  });

  test("models that are listed answer, and no others do", () => {
    const setting = {
      "Global in Code: XcodeBuildMCP": {
        allowedDuringChat: true,
        allowedModels: ["copilot/claude-sonnet-4", "copilot/auto", "copilot/gpt-4.1"],
      },
    };
    expect(imported(setting)[0]?.notCarried).toContainEqual({ kind: "noSuchModel", model: "copilot/auto" });
    const at = { server: "XcodeBuildMCP" };
    expect(outcome(setting, at)).toBe("allow allow by it");
    expect(outcome(setting, { ...at, model: "claude-sonnet-4" })).toBe("allow allow by it");
    expect(outcome(setting, { ...at, model: "local" })).toBe("refused");
    expect(outcome(setting, { ...at, method: "prompts/get" })).toBe("review review by it");
  });

  test('people are asked where no listed model is known, as with ["*"], which is no model of VS Code either', () => {
    const setting = { "dynamics/.vscode/mcp.json: tempo.session": { allowedDuringChat: true, allowedModels: ["*"] } };
    expect(imported(setting)[0]?.notCarried).toContainEqual({ kind: "noModelLeft" });
    expect(outcome(setting, { server: "tempo.session" })).toBe("review review by it");
  });
});

describe("what is not carried over is said", () => {
  test.each([
    [{ filesystem: true }, "filesystem", [{ kind: "unreadable" }]],
    [{ "A: n*": { allowedDuringChat: true } }, "n*", [{ kind: "badName" }]],
    [{ "A: n": {} }, "n", [{ kind: "nothingSaid" }, { kind: "place", label: "A" }]],
    [{ "A: n": { allowedOutsideChat: true } }, "n", [{ kind: "outside" }, { kind: "place", label: "A" }]],
    [
      { "jmeter: j": { command: "node", allowedDuringChat: false } },
      "j",
      [
        { kind: "unknownMember", member: "command" },
        { kind: "place", label: "jmeter" },
      ],
    ],
  ])("%j", (setting, server, notCarried) => {
    expect(imported(setting)[0]).toMatchObject({ server, notCarried });
  });

  test("a second entry of one name adds no rule", () => {
    const both = imported({ "A: n": { allowedDuringChat: false }, "B: n": { allowedDuringChat: true } });
    expect(both.map(({ rules }) => rules.length)).toEqual([2, 0]);
    expect(both[1]?.notCarried).toEqual([{ kind: "sameServer" }]);
  });

  test("never and never is one rule that refuses", () => {
    const setting = { "A: notes": { allowedDuringChat: false, allowedOutsideChat: false } };
    expect(imported(setting)[0]?.rules).toEqual([{ name: "VS Code: notes", when: { server: "notes" }, then: { request: "refuse" } }]);
  });

  test.each([
    ["no JSON", "notJson"],
    ["{}", "noServers"],
    ['{ "editor.fontSize": 12 }', "noServers"],
    ['{ "chat.mcp.serverSampling": true }', "noServers"],
    ["[]", "noServers"],
  ])("%s is refused", (text, error) => {
    expect(importVscodeSampling(text, known)).toEqual({ ok: false, error });
  });
});

test("whatever is pasted, the rules are a valid policy with names of their own, and none opens a gate that VS Code asks about", () => {
  const flag = fc.constantFrom(true, false, undefined, "yes", null);
  const entry = fc.oneof(
    fc.anything(),
    fc.record({
      allowedDuringChat: flag,
      allowedOutsideChat: flag,
      allowedModels: fc.option(fc.array(fc.constantFrom("copilot/gpt-4.1", "x")), { nil: undefined }),
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary", maxLength: 120 }), entry, { maxKeys: 4 }), (setting) => {
      const text = JSON.stringify({ "chat.mcp.serverSampling": setting });
      const read = importVscodeSampling(text, known);
      if (!read.ok) return;
      const rules = [{ name: "risky" }, ...read.value.flatMap((server) => server.rules)].filter(({ name }) => name !== "");
      const policy = parsePolicy({ rules, default: { reviewers: ["all"] }, reviewers: { all: [{ name: "Ann" }] } });
      expect(policy).toMatchObject({ ok: true });
      for (const { key, rules: made } of read.value) {
        const said = (JSON.parse(text) as Record<string, Record<string, Record<string, unknown>>>)["chat.mcp.serverSampling"]?.[key];
        const allowed = said?.["allowedDuringChat"] === true || said?.["allowedOutsideChat"] === true;
        if (!allowed) expect(made.filter(({ then }) => then["request"] === "allow")).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});
