// What a completed request gives: the shape of the result, its metadata, and what becomes of
// includeContext.

import { describe, expect, test } from "vitest";
import { adminJson, answerOf, configure, eventually, model, policy, routing, runOf, sample } from "../support/gateway.ts";
import { replyMarker } from "../support/logs.ts";
import { expectOfficial } from "../support/official.ts";
import { recordLines } from "../support/record.ts";

const weather = { name: "weather", inputSchema: { type: "object" } };
const calls = [
  { id: "call_1", name: "weather", input: { city: "Oslo" } },
  { id: "call_2", name: "weather", input: { city: "Rome" } },
];

describe("the result", () => {
  test("of one block is a single object, with run, model, edits and cost in its metadata", async () => {
    const { result } = await answerOf(sample());
    expectOfficial("CreateMessageResult", result);
    expect(result).toEqual({
      role: "assistant",
      content: { type: "text", text: `Hello. ${replyMarker}` },
      model: "vendor/first",
      stopReason: "endTurn",
      _meta: {
        "countersign/run": {
          id: expect.stringMatching(/^run_/),
          model: { id: "first", why: expect.any(String) },
          edited: { request: false, response: false },
          usage: { inputTokens: 12, outputTokens: 5, costUsd: (12 * 1 + 5 * 2) / 1_000_000 },
        },
      },
    });
  });

  test("of several tool uses is an array, where the request had tools", async () => {
    model.script({ calls });
    const { result } = await answerOf(sample({ params: { tools: [weather], toolChoice: { mode: "required" } } }));
    expectOfficial("CreateMessageResult", result);
    expect(result).toMatchObject({ stopReason: "toolUse", content: calls.map((call) => ({ type: "tool_use", ...call })) });
    expect(model.calls[0]?.body).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "weather" } }] });
  });

  test("of one tool use is a single object too", async () => {
    model.script({ calls: calls.slice(0, 1) });
    const { result } = await answerOf(sample({ params: { tools: [weather] } }));
    expect(result?.["content"]).toEqual({ type: "tool_use", id: "call_1", name: "weather", input: { city: "Oslo" } });
  });

  test("has the shape of the revision that each caller speaks, also where it is kept for a repeat", async () => {
    model.script({ calls });
    const request = { id: 7, originating: "revisions", params: { tools: [weather] } };
    const speaking = async (revision: string) => answerOf(sample(request, { headers: { "MCP-Protocol-Version": revision } }));
    expect((await speaking("2025-11-25")).result?.["content"]).toHaveLength(2);
    expect((await speaking("2025-06-18")).error).toEqual({
      code: -32603,
      message: expect.stringContaining("revision 2025-06-18 of the protocol cannot carry as one (tool_use)"),
    });
    expect((await answerOf(sample(request))).result?.["content"]).toHaveLength(2);
    expect(model.calls).toHaveLength(1);
  });

  test("is of params that are read as the revision that each caller speaks", async () => {
    const [use] = calls;
    const toolResult = { type: "tool_result", toolUseId: "call_1", content: [], structuredContent: [18, "degrees"] };
    const messages = [
      { role: "assistant", content: { type: "tool_use", ...use } },
      { role: "user", content: toolResult },
    ];
    // A member without meaning since 2026-07-28, and a task before.
    const params = { tools: [weather], messages, task: { ttl: "long" } };
    const speaking = async (headers: Record<string, string>) => answerOf(sample({ params }, { headers }));
    expect((await speaking({ "MCP-Protocol-Version": "2026-07-28" })).result).toMatchObject({ role: "assistant" });
    expect(JSON.stringify(model.calls[0]?.body)).toContain("degrees");
    expect((await speaking({})).error).toMatchObject({ code: -32602 });
    expect(model.calls).toHaveLength(1);
  });

  test("carries a whole round of the tool loop to the model", async () => {
    const { result } = await answerOf(
      sample({
        params: {
          tools: [weather],
          messages: [
            { role: "user", content: { type: "text", text: "Weather?" } },
            { role: "assistant", content: calls.map((call) => ({ type: "tool_use", ...call })) },
            {
              role: "user",
              content: calls.map(({ id }) => ({ type: "tool_result", toolUseId: id, content: [{ type: "text", text: "18 degrees" }] })),
            },
          ],
        },
      }),
    );
    expect(result).toBeDefined();
    expect(model.calls[0]?.body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
      { role: "tool", tool_call_id: "call_1" },
      { role: "tool", tool_call_id: "call_2" },
    ]);
  });
});

test.each(["thisServer", "allServers"])("includeContext %s is treated as none, and recorded", async (includeContext) => {
  const { result } = await answerOf(sample({ params: { includeContext } }));
  expect(result).toMatchObject({ role: "assistant" });
  const run = result?._meta?.["countersign/run"]?.id;
  const received = await eventually("the record", async () =>
    (await recordLines()).find((line) => line.run === run && line.fact.kind === "received"),
  );
  expect(received.fact).toMatchObject({ contextIgnored: includeContext });
  expect(JSON.stringify(model.calls[0]?.body)).not.toMatch(/thisServer|allServers/);
});

test("hints and priorities choose the model, and metadata says why", async () => {
  const { result } = await answerOf(sample({ params: { modelPreferences: { hints: [{ name: "SECOND" }] } } }));
  expect(result).toMatchObject({ model: "vendor/second", _meta: { "countersign/run": { model: { id: "second" } } } });
});

test("without any provider's credential the built-in demo answers and says what it is", async () => {
  await configure("routing", {
    providers: { demo: { kind: "demo" } },
    models: [{ ...routing.models[0], id: "demo", provider: "demo", name: "demo", price: { inputPerMTok: 0, outputPerMTok: 0 } }],
  });
  const { result } = await answerOf(sample());
  expectOfficial("CreateMessageResult", result);
  expect(JSON.stringify(result)).toMatch(/not a model/i);
  expect(model.calls).toHaveLength(0);
});

test("without anything written both gates are closed", async () => {
  await configure("policy", { ...policy, rules: [] });
  const response = await sample({ server: "open" }, { headers: { Prefer: "respond-async" } });
  expect(response.status).toBe(202);
  const id = (response.headers.get("Location") ?? "").slice("/runs/".length);
  expect((await runOf(id)).state).toBe("waiting");
  expect((await adminJson<{ rules: unknown[] }>("/policy")).rules).toEqual([]);
});
