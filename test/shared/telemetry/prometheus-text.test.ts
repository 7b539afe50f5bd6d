// Metrics as Prometheus reads them, against a strict reader that has faults of its own to find.

import { describe, expect, test } from "vitest";
import type { RecordFact } from "../../../shared/record/record.ts";
import { numberEvents } from "../../../shared/record/record.ts";
import { families } from "../../../shared/telemetry/metric-families.ts";
import { type MetricSums, addedSums, countEvents, mostSeries } from "../../../shared/telemetry/metric-sums.ts";
import { type Gauges, prometheusText } from "../../../shared/telemetry/prometheus-text.ts";
import { readPrometheusText, valueOf } from "../../support/prometheus-text.ts";

const nothing: Gauges = {
  countersign_open_requests: [],
  countersign_budget_used_ratio: [],
  countersign_budget_parts_used_up: [],
  countersign_budget_parts_left_out: [],
  countersign_behind: [],
};
const begun = 1_800_000_000_000;
const received = (endpoint: string): RecordFact =>
  ({ kind: "received", endpoint, provenance: "claimed", requestGate: "review", responseGate: "allow" }) as unknown as RecordFact; // of what is counted
const opened = { kind: "reviewOpened", gate: "request", reviewers: ["Ada"], version: 1, digest: "", deadlineAt: "" } as const;
const approved = { kind: "approved", gate: "request", by: "Ada", channel: "email", version: 1, digest: "", reasonGiven: false } as const;
const answered = (model: string, durationMs: number): RecordFact => ({
  kind: "answered",
  call: 1,
  model,
  realModel: model,
  stopReason: "endTurn",
  usage: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 3 },
  costUsd: 0.5,
  digest: "",
  notes: [],
  attempts: [{ model: "other-model", provider: "p", at: begun, durationMs: 5, fault: { kind: "timeout", then: "next" } }],
  took: { at: begun, durationMs },
});
const eventsOf = (run: string, ...facts: readonly (readonly [number, RecordFact])[]) =>
  facts.map(([after, fact], index) => ({ ...numberEvents(run, { seq: index }, begun + after, [fact])[0]! }));

describe("what is counted", () => {
  const run = eventsOf(
    "run_a",
    [0, received("relay")],
    [0, opened],
    [10, { kind: "noticed", gate: "request", channel: "email", reviewer: "Ada", why: "asked", state: "sent" }],
    [45_000, approved],
    [45_000, { kind: "called", call: 1, models: ["m"], digest: "", again: false }],
    [46_500, answered("m", 1_500)],
    [46_500, { kind: "finished", outcome: "completed" }],
  );

  test("is the same in whatever parts the events come", () => {
    const whole: MetricSums = {};
    countEvents(whole, run, () => []);
    for (let at = 1; at < run.length; at += 1) {
      const parts: MetricSums = {};
      countEvents(parts, run.slice(0, at), () => []);
      countEvents(parts, run.slice(at), () => run.slice(0, at));
      expect(parts).toEqual(whole);
    }
    const read = readPrometheusText(prometheusText(whole, nothing));
    expect([...read.keys()]).toEqual(Object.keys(families));
    expect(valueOf(read, "countersign_requests_total", { endpoint: "relay", outcome: "completed" })).toBe(1);
    expect(valueOf(read, "countersign_review_seconds_sum", { gate: "request", outcome: "approved" })).toBe(45);
    expect(valueOf(read, "countersign_review_seconds_bucket", { gate: "request", outcome: "approved", le: "30" })).toBe(0);
    expect(valueOf(read, "countersign_review_seconds_bucket", { gate: "request", outcome: "approved", le: "60" })).toBe(1);
    expect(valueOf(read, "countersign_model_seconds_bucket", { model: "m", le: "1" })).toBe(0);
    expect(valueOf(read, "countersign_model_seconds_bucket", { model: "m", le: "2" })).toBe(1);
    expect(valueOf(read, "countersign_model_attempts_total", { model: "other-model", outcome: "timeout" })).toBe(1);
    expect(valueOf(read, "countersign_tokens_total", { model: "m", direction: "cache_read" })).toBe(3);
    expect(valueOf(read, "countersign_cost_usd_total", { model: "m" })).toBe(0.5);
    expect(valueOf(read, "countersign_notices_total", { channel: "email", state: "sent" })).toBe(1);
  });

  test.each(["expired", "undeliverable"] as const)("a review that nobody decides is %s, once", (kind) => {
    const sums: MetricSums = {};
    countEvents(
      sums,
      eventsOf(
        "run_b",
        [0, received("sampling")],
        [0, opened],
        [600_000, { kind, gate: "request" }],
        [600_000, { kind: "finished", outcome: kind }],
      ),
      () => [],
    );
    expect(sums.countersign_review_seconds).toMatchObject({ [JSON.stringify(["request", kind])]: expect.arrayContaining([600]) });
    expect(Object.keys(sums.countersign_review_seconds ?? {})).toHaveLength(1);
  });

  test("an observation longer than every bucket is in the last", () => {
    const sums: MetricSums = {};
    countEvents(sums, eventsOf("run_c", [0, answered("slow", 500_000)]), () => []);
    const read = readPrometheusText(prometheusText(sums, nothing));
    expect(valueOf(read, "countersign_model_seconds_bucket", { model: "slow", le: "120" })).toBe(0);
    expect(valueOf(read, "countersign_model_seconds_bucket", { model: "slow", le: "+Inf" })).toBe(1);
  });

  test("has a bound: what comes later is counted together", () => {
    const sums: MetricSums = {};
    for (let index = 0; index < mostSeries + 50; index += 1)
      countEvents(sums, eventsOf("run_d", [0, answered(`model-${index}`, 1)]), () => []);
    expect(Object.keys(sums.countersign_cost_usd_total ?? {})).toHaveLength(mostSeries + 1);
    expect(sums.countersign_cost_usd_total?.['["other"]']).toEqual([25]);
  });

  test("in several shards adds up, and no series decreases when one of them grows", () => {
    const [one, two]: [MetricSums, MetricSums] = [{}, {}];
    countEvents(one, run, () => []);
    countEvents(two, run, () => []);
    const before = addedSums([one, two]);
    countEvents(two, eventsOf("run_e", [0, answered("new", 1)]), () => []);
    const after = addedSums([one, two]);
    for (const [name, series] of Object.entries(before))
      for (const [labels, amounts] of Object.entries(series))
        expect(after[name as keyof MetricSums]?.[labels]?.every((amount, index) => amount >= (amounts[index] ?? 0))).toBe(true);
    expect(after.countersign_cost_usd_total).toEqual({ '["m"]': [1], '["new"]': [0.5] });
  });
});

test("label values are escaped, and read back as they were", () => {
  const name = 'a "model" \\ with\na line';
  const text = prometheusText({ countersign_cost_usd_total: { [JSON.stringify([name])]: [1.5e-7] } }, nothing);
  expect(valueOf(readPrometheusText(text), "countersign_cost_usd_total", { model: name })).toBe(1.5e-7);
});

describe("the strict reader", () => {
  const family = "# HELP a_total A.\n# TYPE a_total counter\n";
  test.each([
    ["no end of the last line", `${family}a_total 1`],
    ["a sample before its family", "a_total 1\n"],
    ["a family twice", `${family}${family}`],
    ["a series twice", `${family}a_total 1\na_total 2\n`],
    ["a sample of another family", `${family}b_total 1\n`],
    ["a counter without its ending", "# HELP a A.\n# TYPE a counter\na 1\n"],
    ["a value that is none", `${family}a_total one\n`],
    ["a quote that is not escaped", `${family}a_total{b="c"d"} 1\n`],
    ["a label twice", `${family}a_total{b="c",b="d"} 1\n`],
    ["buckets that fall", '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n'],
    ["a count that is not the last bucket's", '# HELP h H.\n# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n'],
    ["a histogram without +Inf", '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'],
  ])("refuses %s", (_, text) => {
    expect(() => readPrometheusText(text)).toThrow();
  });
});
