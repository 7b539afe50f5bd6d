import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { endStates } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { type RequestUseInput, features, useOf } from "../../../shared/record/request-use.ts";
import { monthAt } from "../../../shared/record/operators.ts";
import { type ServerMonths, type ServerUse, addedShards, addedUse, useOfLine } from "../../../shared/record/server-use.ts";
import { movingToV1, sunsetLine, sunsetText } from "../../../shared/record/sunset.ts";

const at = Date.UTC(2026, 10, 2, 9, 14);
const secret = "what was asked";
const plain: ChatRequest = { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text: secret }] }], maxTokens: 500 };
const asked = (request: Partial<ChatRequest> = {}, more: Partial<RequestUseInput> = {}): RequestUseInput => ({
  request: { ...plain, ...request },
  endpoint: "relay",
  revision: "2025-11-25",
  asksForContext: false,
  isTask: false,
  isReviewed: false,
  ...more,
});

const line = (more: Partial<RunSummary> = {}): RunSummary => ({
  run: "run_a",
  key: "key_a",
  server: "notes",
  name: "summarize",
  createdAt: at,
  endedAt: at + 10,
  state: "completed",
  cause: null,
  model: "first",
  inputTokens: 12,
  outputTokens: 5,
  costUsd: 0.001,
  reviews: [],
  use: useOf(asked()),
  ...more,
});

const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
const tool = { name: "look", inputSchema: {} };
const result = (content: readonly (typeof image)[]) => ({ type: "tool_result" as const, toolUseId: "1", content: [...content] });

describe("what a request used", () => {
  test.each<[string, RequestUseInput, readonly string[]]>([
    ["text alone", asked(), []],
    ["tools", asked({ tools: [tool] }), ["tools"]],
    ["an empty list of tools", asked({ tools: [] }), []],
    ["the result of a tool, without the tool", asked({ messages: [{ role: "user", content: [result([])] }] }), ["tools"]],
    ["an image", asked({ messages: [{ role: "user", content: [image] }] }), ["images"]],
    ["an image in a tool's result", asked({ messages: [{ role: "user", content: [result([image])] }] }), ["tools", "images"]],
    ["audio", asked({ messages: [{ role: "user", content: [audio] }] }), ["audio"]],
    ["JSON", asked({ responseFormat: { type: "json" } }), ["json"]],
    ["stop sequences", asked({ stopSequences: ["\n"] }), ["stopSequences"]],
    ["preferences", asked({ modelPreferences: { hints: [{ name: "a" }] } }), ["preferences"]],
    ["preferences without any", asked({ modelPreferences: {} }), []],
    ["context", asked({}, { asksForContext: true }), ["context"]],
    ["a task under review", asked({}, { isTask: true, isReviewed: true }), ["task", "review"]],
  ])("%s", (_what, given, used) => {
    expect(useOf(given)).toEqual({ endpoint: "relay", revision: "2025-11-25", features: used, maxTokens: 500 });
    expect(JSON.stringify(useOf(given))).not.toContain(secret);
  });

  test("an embedding has no features of a chat, and asks for no tokens", () => {
    const request = { kind: "embedding", messages: plain.messages } as const;
    expect(useOf({ ...asked(), request })).toMatchObject({ features: [], maxTokens: 0 });
  });
});

describe("the use of a server", () => {
  test("has a request once it has ended, and nothing that is no sampling of a named server", () => {
    expect(useOfLine(line())).toMatchObject({ server: "notes", use: { requests: 1, firstAt: at, lastAt: at, maxTokens: 500 } });
    expect(useOfLine(line({ endedAt: null, state: "waiting" }))).toBeNull();
    expect(useOfLine(line({ server: null }))).toBeNull();
    const { use: _use, ...other } = line();
    expect([useOfLine(other), useOfLine({ ...other, state: "refused" })]).toEqual([null, null]);
  });

  test("counts by outcome, by what brought it, by model and by feature", () => {
    const uses = [
      line(),
      line({ createdAt: at - 5, use: useOf(asked({ tools: [tool], maxTokens: 900 }, { endpoint: "sampling", revision: "2025-06-18" })) }),
      line({
        createdAt: at + 7,
        state: "refused",
        model: null,
        inputTokens: 0,
        outputTokens: 0,
        costUsd: 0,
        use: useOf(asked({}, { revision: null })),
      }),
    ].map((each) => useOfLine(each)?.use as ServerUse);
    expect(uses.reduce(addedUse)).toEqual({
      firstAt: at - 5,
      lastAt: at + 7,
      requests: 3,
      outcomes: [
        ["completed", 2],
        ["refused", 1],
      ],
      broughtBy: [
        ["relay 2025-11-25", 1],
        ["sampling 2025-06-18", 1],
      ],
      models: [["first", 2]],
      features: [["tools", 1]],
      maxTokens: 900,
      inputTokens: 24,
      outputTokens: 10,
      costUsd: 0.002,
    });
  });

  test("has requests at /v1 beside its sampling: they change nothing of that", () => {
    const sampled = useOfLine(line())?.use as ServerUse;
    const called = [5, 9].map((later) => {
      const use = useOf(asked({ tools: [tool], maxTokens: 9_000 }, { endpoint: "v1", revision: null }));
      return useOfLine(line({ createdAt: at + later, use }))?.use as ServerUse;
    });
    const expected = { ...sampled, v1: { requests: 2, lastAt: at + 9 } };
    expect([sampled, ...called].reduce(addedUse)).toEqual(expected);
    expect(JSON.parse(JSON.stringify([...called, sampled].reduce(addedUse)))).toEqual(expected);
  });

  const anyLine = fc
    .record({
      server: fc.constantFrom("a", "b", "\uffff", "\u{1f600}", "__proto__"),
      createdAt: fc.integer({ min: at, max: at + 90 * 24 * 3_600_000 }),
      state: fc.constantFrom(...endStates),
      model: fc.constantFrom("first", "constructor", null),
      inputTokens: fc.nat(1_000),
      used: fc.subarray([...features]),
      revision: fc.constantFrom("2025-11-25", "2026-07-28", null),
      shard: fc.nat(3),
    })
    .map(({ used, revision, shard, ...more }) => ({
      shard,
      line: line({ ...more, costUsd: 0, use: { endpoint: "relay", revision, features: used, maxTokens: 1 } }),
    }));

  /** The lines' use by server, added up one after the other. */
  function monthsOf(lines: readonly RunSummary[]): ServerMonths[] {
    const groups = Map.groupBy(lines, ({ server }) => server ?? "");
    return [...groups].map(([server, ofServer]) => {
      const uses = ofServer.map((each) => useOfLine(each)?.use as ServerUse);
      const months = Map.groupBy(ofServer, ({ createdAt }) => monthAt(createdAt));
      const counts = [...months].map(([month, those]) => [month, those.length] as const).sort(([a], [b]) => (a < b ? -1 : 1));
      return { server, use: uses.reduce(addedUse), months: counts };
    });
  }

  test("is the same however its requests are spread over shards, and nothing is lost", () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 30 }), (given) => {
        const all = given.map((each) => each.line);
        const shards = [0, 1, 2, 3].map((shard) => monthsOf(given.filter((each) => each.shard === shard).map((each) => each.line)));
        const sums = addedShards(shards, 100);
        const byName = (servers: readonly ServerMonths[]) => Object.fromEntries(servers.map((each) => [`server ${each.server}`, each]));
        expect(byName(sums)).toEqual(byName(monthsOf(all)));
        expect(sums.reduce((sum, { use }) => sum + use.requests, 0)).toBe(all.length);
        expect(sums.every(({ use, months }) => months.reduce((sum, [, count]) => sum + count, 0) === use.requests)).toBe(true);
      }),
    );
  });

  test("comes in the order of UTF-8 bytes, as the shards' tables do, and at most so many", () => {
    const names = ["b", "\u{1f600}", "a", "\uffff", "ab"];
    const shards = names.map((server) => monthsOf([line({ server })]));
    expect(addedShards(shards, 9).map(({ server }) => server)).toEqual(["a", "ab", "b", "\uffff", "\u{1f600}"]);
    expect(addedShards(shards, 2).map(({ server }) => server)).toEqual(["a", "ab"]);
  });
});

describe("what a move to /v1 changes", () => {
  test("is a sentence for each feature, and each feature has its own", () => {
    const without = movingToV1([], 500, "withV1Tokens");
    const sentences = features.map((feature) => {
      const more = movingToV1([feature], 500, "withV1Tokens").filter((sentence) => !without.includes(sentence));
      expect(more).toHaveLength(1);
      return more[0];
    });
    expect(new Set(sentences).size).toBe(features.length);
    expect(movingToV1(features, 500, "withV1Tokens")).toEqual([...without, ...sentences]);
  });

  test("says the largest maxTokens where one is known, and where its credential comes from", () => {
    expect(movingToV1([], 4_096, "none").join(" ")).toContain("max_completion_tokens; the most that it asked for is 4096.");
    expect(movingToV1([], 0, "none").join(" ")).not.toContain("max_completion_tokens");
    expect(movingToV1([], 0, "none")[0]).toContain("POST /tokens");
    expect(movingToV1([], 0, "withoutV1Tokens")[0]).toContain("write v1Tokens into its entry");
    expect(movingToV1([], 0, "withV1Tokens")[0]).toContain("its entry in the servers document has v1Tokens");
  });
});

describe("the report as text", () => {
  const use = useOfLine(line({ use: useOf(asked({ tools: [tool] })) }))?.use as ServerUse;
  const server = (name: string) => sunsetLine({ server: name, use, months: [["2026-11", 1]] }, "none");

  test("has a paragraph for each server", () => {
    expect(sunsetText([server("notes")], true)).toBe(
      [
        "notes",
        "  sampled      first 2026-11-02T09:14:00.000Z, last 2026-11-02T09:14:00.000Z",
        "  requests     1: 1 completed",
        "  by month     2026-11 1",
        "  brought by   relay in 2025-11-25 1",
        "  models       first 1",
        "  usage        12 input tokens, 5 output tokens, $0.001",
        "  moving to /v1",
        ...server("notes").moving.map((sentence) => `  - ${sentence}`),
        "",
      ].join("\n"),
    );
    expect(sunsetText([server("a"), server("b")], true).split("\n\n")).toHaveLength(2);
  });

  test("says that there is none, and that it is not complete", () => {
    expect(sunsetText([], true)).toBe("No MCP server has sampled.\n");
    expect(sunsetText([server("notes")], false)).toMatch(/^Not every request is counted yet: ask again\.\n\nnotes\n/);
  });

  test("of a server that has moved says since when it calls /v1, and nothing of sampling", () => {
    const moved = useOfLine(line({ use: useOf(asked({}, { endpoint: "v1", revision: null })) }))?.use as ServerUse;
    const of = sunsetLine({ server: "notes", use: moved, months: [] }, "withV1Tokens");
    expect(of).toMatchObject({
      requests: 0,
      firstAt: null,
      lastAt: null,
      moving: [],
      v1: { requests: 1, lastAt: new Date(at).toISOString() },
    });
    expect(sunsetText([of], true)).toBe("notes\n  sampled      never\n  at /v1       1 requests, last 2026-11-02T09:14:00.000Z\n");
    const both = sunsetLine({ server: "notes", use: addedUse(use, moved), months: [["2026-11", 1]] }, "none");
    expect(sunsetText([both], true)).toContain("  at /v1       1 requests, last");
  });

  test("has no character of a name that moves a cursor or hides", () => {
    const text = sunsetText([server("no\u001b[2Jtes\u202e\u200b")], true);
    expect(text).toContain("no\ufffd[2Jtes\ufffd\ufffd");
    expect(/[^\P{C}\n]/u.test(text)).toBe(false);
  });
});
