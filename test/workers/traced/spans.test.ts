// The spans of requests, as a collector gets them: on the fast path, with people, refused, with
// failover, and through resets.

import { evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { answerOf, errorOf, eventually, gateway, jsonBody, model, openNotice, sample } from "../support/gateway.ts";
import { loggedLines } from "../support/logs.ts";
import { decide, press } from "../support/reviewer.ts";
import { scriptToolServer } from "../support/tool-server.ts";
import { control, controlAnswerOf, envelopeOf, gates } from "../support/control.ts";
import { crash, recordWith, ringAlarm, stubOf } from "../objects/inside.ts";
import { collectorAnswers, exported, exports, named, traceOf } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${callerSpan}-01`;
const ofTrace = (root: { readonly traceId: string }): boolean => root.traceId === traceId;

const sentTraces = (): (string | null)[] => model.calls.map(({ traceparent: sent }) => sent);

describe("a request that is answered at once", () => {
  test("has a span for itself and one for each step, and its model call stands under the caller's trace", async () => {
    const answer = await answerOf(sample({ meta: { traceparent, tracestate: "rojo=00f067aa0ba902b7" } }));
    const run = answer.result?._meta?.["countersign/run"]?.id;
    const spans = await traceOf(ofTrace);
    const root = named(spans, "sampling/createMessage");
    expect(root).toMatchObject({
      kind: "server",
      parentSpanId: callerSpan,
      isError: false,
      traceState: "rojo=00f067aa0ba902b7",
      flags: 0x301,
    });
    expect(root.attributes).toMatchObject({
      "mcp.method.name": "sampling/createMessage",
      "mcp.protocol.version": "2025-11-25",
      "gen_ai.tool.name": "summarize",
      "countersign.run": run,
      "countersign.endpoint": "sampling",
      "countersign.server": "open",
      "countersign.outcome": "completed",
      "countersign.gate.request": "allow",
    });
    const call = named(spans, "chat vendor/first");
    expect(call).toMatchObject({ kind: "client", parentSpanId: root.spanId, isError: false });
    expect(call.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "vendor/first",
      "gen_ai.request.max_tokens": 50,
      "gen_ai.response.model": "vendor/first",
      "gen_ai.usage.input_tokens": 12,
      "gen_ai.usage.output_tokens": 5,
    });
    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["plan", "association", "admission"]));
    // The provider's own spans belong under ours.
    expect(model.calls[0]).toMatchObject({ traceparent: `00-${traceId}-${call.spanId}-01`, tracestate: "rojo=00f067aa0ba902b7" });
  });

  test("has a trace of its own where the caller has none, or none that can be read", async () => {
    for (const bad of [
      "",
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      `ff${traceparent.slice(2)}`,
      traceparent.toUpperCase(),
    ]) {
      await answerOf(sample({}, { headers: { traceparent: bad } }));
      const root = await eventually("its root", async () => exported().find(({ kind }) => kind === "server"));
      expect(root.parentSpanId).toBe("");
      expect(root.traceId).not.toBe(traceId);
      (exported() as unknown[]).length = 0; // the test's own list
    }
  });

  test("is a child of the message's context, and linked to that of the HTTP request", async () => {
    const other = "4bf92f3577b34da6a3ce929d0e0e4736";
    await answerOf(sample({ meta: { traceparent } }, { headers: { traceparent: `00-${other}-00f067aa0ba902b7-01` } }));
    const root = named(await traceOf(ofTrace), "sampling/createMessage");
    expect(root.links).toEqual([{ traceId: other, spanId: "00f067aa0ba902b7" }]);
  });

  test("of a trace that its caller does not record is not exported, and the caller's context is passed on as it came", async () => {
    const unrecorded = `00-${traceId}-${callerSpan}-00`;
    await answerOf(sample({}, { headers: { traceparent: unrecorded } }));
    // Another request after it: what is exported by then has nothing of the first.
    await answerOf(sample({ id: "second" }));
    await eventually("the second's root", async () => exported().some(({ kind }) => kind === "server"));
    expect(exported().filter(ofTrace)).toEqual([]);
    expect(sentTraces()[0]).toBe(unrecorded);
  });

  test("has a span for each attempt where the first models fail", async () => {
    model.script({ status: 503, message: "later" }, { status: 429, message: "later" }, { status: 500, message: "no" }, {});
    await answerOf(sample({ meta: { traceparent } }));
    const spans = await traceOf(ofTrace);
    const attempts = spans.filter(({ kind }) => kind === "client");
    expect(
      attempts.map(({ attributes }) => [attributes["gen_ai.request.model"], attributes["error.type"], attributes["countersign.attempt"]]),
    ).toEqual([
      ["vendor/first", "overloaded", 1],
      ["vendor/first", "rateLimited", 2],
      ["vendor/first", "providerError", 3],
      ["vendor/second", undefined, 4],
    ]);
    expect(attempts.map(({ isError }) => isError)).toEqual([true, true, true, false]);
    // Each attempt was sent with the id of its own span.
    expect(sentTraces()).toEqual(attempts.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
  });

  test("at /v1 and at /control has its spans, with the names of GenAI's conventions alone", async () => {
    await gates();
    const body = { model: "first", messages: [{ role: "user", content: "Hello" }] };
    expect((await gateway("/v1/chat/completions", jsonBody("POST", body, { traceparent }))).status).toBe(200);
    const root = named(await traceOf(ofTrace), "v1");
    expect(root.attributes).not.toHaveProperty("mcp.method.name");
    expect((await control(envelopeOf("text_generation", { prompt: "Hello" }), { headers: { traceparent } })).status).toBe(200);
    await eventually("the envelope's root", async () => exported().some(({ name }) => name === "control"));
    expect(exported().filter(({ name }) => name === "chat vendor/first")).toHaveLength(2);
  });
});

describe("a refused request", () => {
  test("has an error span that says why, in a word", async () => {
    await errorOf(sample({ server: "refused", meta: { traceparent } }));
    const spans = await traceOf(ofTrace);
    const root = named(spans, "sampling/createMessage");
    expect(root).toMatchObject({ isError: true });
    expect(root.attributes).toMatchObject({
      "error.type": "policyRefused",
      "countersign.outcome": "refused",
      "countersign.server": "refused",
    });
    expect(spans.filter(({ kind }) => kind === "client")).toEqual([]);
  });

  test("whose params cannot be read has one too, without what was wrong in them", async () => {
    await errorOf(sample({ params: { maxTokens: "PARAM-MARKER" }, meta: { traceparent } }));
    const root = named(await traceOf(ofTrace), "sampling/createMessage");
    expect(root.attributes).toMatchObject({ "error.type": "invalidParams" });
    expect(exports().join("")).not.toContain("PARAM-MARKER");
  });
});

describe("a request that people review", () => {
  test("has a span for each gate that lasts as long as they took, through resets and evictions", async () => {
    const response = sample({ server: "notes", meta: { traceparent } });
    const first = await openNotice("request");
    await evictDurableObject(stubOf(first.run));
    await press(first.link, "approve");
    const second = await openNotice("response", first.run);
    await crash();
    await press(second.link, "approve");
    await answerOf(response);
    const spans = await traceOf(ofTrace);
    const root = named(spans, "sampling/createMessage");
    expect(root.attributes).toMatchObject({ "countersign.run": first.run, "countersign.outcome": "completed" });
    const events = await recordWith(first.run, "finished");
    const at = (kind: string, gate: string): bigint =>
      BigInt(events.find(({ fact }) => fact.kind === kind && "gate" in fact && fact.gate === gate)?.at ?? 0) * 1_000_000n;
    for (const gate of ["request", "response"]) {
      const review = named(spans, `review ${gate}`);
      expect(review).toMatchObject({
        kind: "internal",
        parentSpanId: root.spanId,
        start: at("reviewOpened", gate),
        end: at("approved", gate),
      });
      expect(review.attributes).toEqual({
        "countersign.gate": gate,
        "countersign.review.outcome": "approved",
        "countersign.review.reviewers": 1,
      });
      expect(review.events.map(({ name }) => name)).toEqual(["noticed", "opened", "approved"]);
    }
    const call = named(spans, "chat vendor/first");
    expect(sentTraces()).toEqual([`00-${traceId}-${call.spanId}-01`]);
  });

  test("that they deny says so, and no model was called", async () => {
    const response = sample({ server: "request-gate", meta: { traceparent } });
    await decide("request", "deny");
    await errorOf(response);
    const spans = await traceOf(ofTrace);
    expect(named(spans, "review request").attributes).toMatchObject({ "countersign.review.outcome": "denied" });
    expect(named(spans, "sampling/createMessage")).toMatchObject({ isError: true });
    expect(spans.filter(({ kind }) => kind === "client")).toEqual([]);
  });

  test("is exported by the object itself after a crash between the delivery and the export", async () => {
    collectorAnswers(() => new Response(null, { status: 503 }));
    const response = sample({ server: "request-gate", meta: { traceparent } });
    const { run } = await decide("request", "approve");
    await answerOf(response);
    await eventually("an export that fails", async () => exports().some((body) => body.includes(run)));
    await crash();
    collectorAnswers(() => Response.json({}));
    await eventually("the export", async () => {
      await ringAlarm(stubOf(run));
      return exported().some(({ attributes }) => attributes["countersign.run"] === run);
    });
    expect(named(await traceOf(ofTrace), "review request").attributes).toMatchObject({ "countersign.review.outcome": "approved" });
  });
});

describe("a repeat", () => {
  test("has a span of its own that says that it attached to what was running", async () => {
    const asked = { id: "twice", server: "request-gate", meta: { traceparent } };
    const first = sample(asked);
    await openNotice("request");
    const again = sample(asked);
    const roots = await eventually("the repeat's root", async () => {
      const found = exported().filter(({ kind }) => kind === "server");
      return found.length > 0 ? found : null;
    });
    expect(roots.map(({ attributes }) => attributes["countersign.outcome"])).toEqual(["attached"]);
    await decide("request", "approve");
    await Promise.all([answerOf(first), answerOf(again)]);
  });
});

describe("a function on an MCP server", () => {
  test("gets the trace in the call's _meta, under our span", async () => {
    await gates();
    const server = await scriptToolServer();
    const sent = envelopeOf("function_call", { function_call: { name: "sum", parameters: { a: 1, b: 2 } } });
    await controlAnswerOf(control(sent, { headers: { traceparent } }));
    const spans = await traceOf(ofTrace);
    const call = spans.find(({ kind }) => kind === "client");
    expect(call?.name).toMatch(/^tools\/call \S+$/);
    expect(call?.attributes).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "mcp.method.name": "tools/call",
      "gen_ai.tool.name": call?.name.slice("tools/call ".length),
    });
    expect(server.ran()[0]?.["_meta"]).toMatchObject({ traceparent: `00-${traceId}-${call?.spanId}-01` });
  });
});

describe("a collector that fails", () => {
  test("costs no request anything, and is logged once for many", async () => {
    collectorAnswers(() => new Response("no", { status: 500 }));
    for (let index = 0; index < 3; index += 1) {
      expect((await answerOf(sample())).result).toBeDefined();
      await eventually("a failed export", async () => exports().length > index);
    }
    const logged = loggedLines().filter((line) => line.includes("telemetry.exportFailed"));
    expect(logged.length).toBeLessThanOrEqual(2);
  });
});
