// W3C Trace Context: what is read of a request, what is ignored, and what is passed on.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type TraceContext,
  parseTraceparent,
  parseTracestate,
  traceContextIn,
  traceContextOf,
  traceMembers,
} from "../../../shared/telemetry/trace-context.ts";
import { attemptLabel, contextOfAttempt, positionIn, rootLabel, startTrace } from "../../../shared/telemetry/request-trace.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

describe("traceparent", () => {
  // The examples and rules of section 3.2 and 4.3.
  test.each<[string, boolean]>([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`00-${traceId}-${spanId}-02`, false],
    [`cc-${traceId}-${spanId}-01`, true],
    [`cc-${traceId}-${spanId}-01-what-the-future-will-be-like`, true],
    [` 00-${traceId}-${spanId}-01 `, true],
  ])("%s is read", (text, isSampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId, spanId, isSampled });
  });

  test.each<unknown>([
    "",
    undefined,
    null,
    7,
    ["00"],
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `cc-${traceId}-${spanId}-01.more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}`,
    `0-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`,
  ])("%j is ignored", (text) => {
    expect(parseTraceparent(text)).toBe(null);
  });

  const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));
  test("what is written is read as it was", () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (trace, span, isSampled) => {
        const context: TraceContext = { traceId: trace, spanId: span, isSampled };
        expect(traceContextOf(traceMembers(context).traceparent, undefined)).toEqual(context);
      }),
    );
  });

  test("other text is never read as one, and never makes the reader throw", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseTraceparent(text)).toBe(null);
      }),
    );
  });
});

describe("tracestate", () => {
  test.each<[string, string]>([
    ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ["rojo=1 , , congo=2,", "rojo=1,congo=2"],
    ["fw529a3039@dt=FfAi;1", "fw529a3039@dt=FfAi;1"],
  ])("%s is passed on", (text, passed) => {
    expect(parseTracestate(text)).toBe(passed);
  });

  test.each([
    "",
    "Rojo=1",
    "rojo",
    "rojo=a=b",
    "rojo=1,rojo=2",
    "rojo=\u00e9",
    "rojo=a\r\nSet-Cookie: b",
    `rojo=${"a".repeat(520)}`,
    Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(","),
  ])("%j is dropped", (text) => {
    expect(parseTracestate(text)).toBe(undefined);
  });

  test("does not count without a valid traceparent", () => {
    expect(traceContextIn({ _meta: { traceparent: "no", tracestate: "rojo=1" } })).toBe(null);
    expect(traceContextIn({ _meta: { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "rojo=1" } })?.state).toBe("rojo=1");
    for (const params of [null, 1, {}, { _meta: null }, { _meta: [] }]) expect(traceContextIn(params)).toBe(null);
  });
});

describe("the trace of a request", () => {
  const caller: TraceContext = { traceId, spanId, isSampled: true };
  const start = { message: null, transport: null, receivedAt: 1, isExported: true, isChosen: true };

  test.each<[string, Partial<Parameters<typeof startTrace>[0]>, boolean | undefined]>([
    ["begins here where nothing came", {}, true],
    ["is none where it is not chosen", { isChosen: false }, undefined],
    ["is recorded with its caller, chosen or not", { message: caller, isChosen: false }, true],
    ["is not recorded where its caller is not", { message: { ...caller, isSampled: false } }, false],
    ["is passed on alone where nothing is exported", { transport: caller, isExported: false }, false],
    ["is none where nothing is exported and nothing came", { isExported: false }, undefined],
  ])("%s", (_, given, isRecorded) => {
    expect(startTrace({ ...start, ...given })?.isRecorded).toBe(isRecorded);
  });

  test("passes on our own span where it is recorded, and the caller's as it came where it is not", () => {
    const recorded = startTrace({ ...start, message: { ...caller, state: "rojo=1" } });
    const own = contextOfAttempt(recorded, "run_a", 1, 2);
    expect(own).toMatchObject({ traceId, isSampled: true, state: "rojo=1" });
    expect(own?.spanId).not.toBe(spanId);
    const unrecorded = { ...caller, isSampled: false };
    expect(contextOfAttempt(startTrace({ ...start, message: unrecorded }), "run_a", 1, 2)).toEqual(unrecorded);
    expect(contextOfAttempt(undefined, "run_a", 1, 1)).toBe(null);
  });

  test("gives each span of each run an id of its own, and always the same", () => {
    const ids = ["run_a", "run_b"].flatMap((run) =>
      [rootLabel, attemptLabel(1, 1), attemptLabel(1, 2), attemptLabel(2, 1), "review request", "review response"].map(
        (label) => positionIn({ caller: null }, run, label).spanId,
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(positionIn({ caller: null }, "run_a", rootLabel)).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: ids[0],
      isSampled: true,
    });
  });
});
