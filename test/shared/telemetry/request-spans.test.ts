// The spans of a request from its record, as a collector reads them.

import { describe, expect, test } from "vitest";
import { type RecordFact, numberEvents } from "../../../shared/record/record.ts";
import { otlpTraces } from "../../../shared/telemetry/otlp.ts";
import { briefSpans, requestSpans } from "../../../shared/telemetry/request-spans.ts";
import type { RequestTrace } from "../../../shared/telemetry/request-trace.ts";
import { type ReadSpan, readOtlpTraces } from "../../support/otlp-traces.ts";

const begun = 1_800_000_000_000;
const trace: RequestTrace = {
  isRecorded: true,
  caller: null,
  receivedAt: begun,
  steps: [{ name: "plan", startedAt: begun, endedAt: begun + 2 }],
};
const request = { run: "run_a", trace, endpoint: "relay", key: "key_1", server: "notes", method: "tools/call", name: "summarize" } as const;
const calls = { operation: "chat", maxTokens: 50, models: [{ id: "m", provider: "p", name: "vendor/m" }] } as const;

function spansOf(facts: readonly (readonly [number, RecordFact])[], more: Partial<typeof request> = {}): readonly ReadSpan[] {
  const events = facts.flatMap(([after, fact], index) => numberEvents("run_a", { seq: index }, begun + after, [fact]));
  return read(requestSpans({ ...request, ...more }, calls, events));
}

/** Through JSON, as a collector gets them. */
const read = (spans: Parameters<typeof otlpTraces>[1]): readonly ReadSpan[] =>
  readOtlpTraces(JSON.parse(JSON.stringify(otlpTraces({ serviceName: "countersign", version: "0" }, spans)))).spans;

const opened = { kind: "reviewOpened", gate: "request", reviewers: ["Ada", "Bob"], version: 1, digest: "", deadlineAt: "" } as const;
const called = (call: number, again: boolean) => ({ kind: "called", call, models: ["m"], digest: "", again }) as const;
const answered = (call: number): RecordFact => ({
  kind: "answered",
  call,
  model: "m",
  realModel: "vendor/m-1",
  stopReason: "endTurn",
  usage: { inputTokens: 1, outputTokens: 2 },
  costUsd: 0,
  digest: "",
  notes: [],
  attempts: [],
  took: { at: begun + 100, durationMs: 900 },
});
const finished = (outcome: string) => ({ kind: "finished", outcome }) as const;
const nanos = (after: number): bigint => BigInt(begun + after) * 1_000_000n;
const one = (spans: readonly ReadSpan[], name: string): ReadSpan => {
  const [found, ...others] = spans.filter((span) => span.name === name);
  if (found === undefined || others.length > 0) throw new Error(`${name}: ${spans.map((span) => span.name).join(", ")}`);
  return found;
};

describe("the spans of a request", () => {
  test("stand under its own, and last as long as what they are of", () => {
    const spans = spansOf([
      [10, opened],
      [70_000, { kind: "approved", gate: "request", by: "Ada", channel: "email", version: 1, digest: "", reasonGiven: false }],
      [70_000, called(1, false)],
      [71_000, answered(1)],
      [71_000, finished("completed")],
    ]);
    const root = one(spans, "sampling/createMessage");
    expect(root).toMatchObject({ start: nanos(0), end: nanos(71_000), parentSpanId: "", isError: false });
    expect(one(spans, "review request")).toMatchObject({ start: nanos(10), end: nanos(70_000), parentSpanId: root.spanId });
    expect(one(spans, "chat vendor/m")).toMatchObject({ start: nanos(100), end: nanos(1_000), parentSpanId: root.spanId });
    expect(one(spans, "chat vendor/m").attributes).toMatchObject({
      "gen_ai.response.finish_reasons": ["endTurn"],
      "countersign.cost.usd": 0,
    });
    expect(one(spans, "plan")).toMatchObject({ start: nanos(0), end: nanos(2), parentSpanId: root.spanId });
  });

  test("name nobody", () => {
    const facts: RecordFact[] = [
      opened,
      { kind: "noticed", gate: "request", channel: "email", reviewer: "Ada", why: "asked", state: "sent" },
      { kind: "handedOver", gate: "request", by: "Ada", channel: "email", to: "Cy" },
      { kind: "askedAlso", gate: "request", reviewers: ["Cy"], why: "handedOver" },
      { kind: "edited", gate: "request", by: "Cy", channel: "slack", version: 2, digestBefore: "", digestAfter: "" },
      { kind: "denied", gate: "request", by: "Cy", channel: "slack", version: 2, digest: "", reasonGiven: true, member: "U1" },
      finished("rejected"),
    ];
    const spans = spansOf(facts.map((fact, index) => [index, fact] as const));
    expect(one(spans, "review request").attributes).toEqual({
      "countersign.gate": "request",
      "countersign.review.outcome": "denied",
      "countersign.review.reviewers": 3,
    });
    expect(one(spans, "review request").events.map(({ name }) => name)).toEqual(["noticed", "handedOver", "askedAlso", "edited", "denied"]);
    expect(JSON.stringify(spans, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))).not.toMatch(/Ada|Bob|Cy|U1/);
  });

  test("show a call whose object was reset as lost, and the next one apart", () => {
    const spans = spansOf([
      [0, called(1, false)],
      [20_000, called(2, true)],
      [21_000, answered(2)],
      [21_000, finished("completed")],
    ]);
    expect(one(spans, "chat")).toMatchObject({ start: nanos(0), end: nanos(20_000), isError: true });
    expect(one(spans, "chat").attributes["error.type"]).toBe("outcomeUnknown");
    expect(one(spans, "chat").spanId).not.toBe(one(spans, "chat vendor/m").spanId);
  });

  test.each<[readonly (readonly [number, RecordFact])[], string, number]>([
    [[[5, finished("failed")]], "failed", 5],
    [
      [
        [5, finished("completed")],
        [9, { kind: "cancelled", cause: "keyRevoked" }],
      ],
      "cancelled",
      9,
    ],
    [
      [
        [5, { kind: "cancelled", cause: "caller" }],
        [5, finished("cancelled")],
      ],
      "cancelled",
      5,
    ],
  ])("end as the request did: %j", (facts, outcome, after) => {
    const root = one(spansOf(facts), "sampling/createMessage");
    expect(root).toMatchObject({ isError: true, end: nanos(after) });
    expect(root.attributes).toMatchObject({ "countersign.outcome": outcome, "error.type": outcome });
  });

  test("have one word of what outsiders call things, or none of it", () => {
    const spans = spansOf([[1, finished("completed")]], {
      server: "Please write\na poem",
      name: "about the sea",
    } as unknown as typeof request); // as it may come
    expect(one(spans, "sampling/createMessage").attributes).toMatchObject({
      "countersign.server": "(not a name)",
      "gen_ai.tool.name": "(not a name)",
    });
    // A resource's URI may have anything in it.
    const ofResource = spansOf([[1, finished("completed")]], {
      method: "resources/read",
      name: "file:///home/ada",
    } as unknown as typeof request);
    expect(JSON.stringify(one(ofResource, "sampling/createMessage").attributes)).not.toContain("ada");
  });

  test("of a refused one say why", () => {
    const spans = read(briefSpans(request, { at: begun + 3, outcome: "refused", error: "rateLimited" }));
    expect(spans.map(({ name }) => name)).toEqual(["sampling/createMessage", "plan"]);
    expect(spans[0]).toMatchObject({ isError: true, attributes: expect.objectContaining({ "error.type": "rateLimited" }) });
  });

  test("are the same however often they are made", () => {
    const facts = [
      [10, opened],
      [20, finished("cancelled")],
    ] as const;
    expect(spansOf(facts)).toEqual(spansOf(facts));
    expect(one(spansOf(facts), "review request").attributes["countersign.review.outcome"]).toBe("cancelled");
  });
});
