import { describe, expect, test } from "vitest";
import { describeOutcome } from "../../../shared/wire/describe.ts";
import type { Attempt, ProviderError } from "../../../shared/model/call.ts";
import {
  cancelledError,
  errorOfStatus,
  isUnasked,
  queueError,
  outOfTimeError,
  retryAfterMs,
} from "../../../shared/provider/provider-error.ts";

describe("what a status means for what is done next", () => {
  test.each([408, 409, 429, 500, 502, 503, 504, 529])("%d may be asked again", (status) => {
    expect(errorOfStatus(status)).toMatchObject({ status, then: "retry" });
  });

  test.each([300, 301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 410, 413, 415, 422, 451])(
    "%d stops: nobody else is asked",
    (status) => {
      expect(errorOfStatus(status)).toMatchObject({ status, then: "stop" });
    },
  );
});

describe("how long a provider asks us to wait", () => {
  const now = Date.UTC(2026, 10, 21, 12, 0, 0);
  test.each([
    ["250", null, 250],
    ["250", "9", 250],
    [null, "2", 2000],
    [null, "0", 0],
    [null, "1.5", 1500],
    [null, "Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
    [null, "Sat, 21 Nov 2026 11:00:00 GMT", 0],
    ["soon", "3", 3000],
    [null, "-5", undefined],
    [null, "soon", undefined],
    [null, "1e9", undefined],
    [null, null, undefined],
  ])("retry-after-ms %s and Retry-After %s are %s", (milliseconds, retryAfter, expected) => {
    expect(retryAfterMs({ retryAfterMs: milliseconds, retryAfter }, now)).toBe(expected);
  });
});

describe("attempts at which nobody was asked", () => {
  const attempt = (fault: ProviderError): Attempt => ({ model: "m", provider: "p", at: 0, durationMs: 0, fault });
  const [full, late, left] = (["full", "timeout", "cancelled"] as const).map((why) => attempt(queueError(why)));
  const outOfTime = attempt(outOfTimeError);
  const asked = attempt(errorOfStatus(503));
  const cut = attempt(cancelledError);

  test.each<[string, (Attempt | undefined)[], boolean]>([
    ["a full queue", [full], true],
    ["a queue that was too slow", [late], true],
    ["a caller who left while it waited", [left], true],
    ["a full queue, then one that was too slow, then no time for a third", [full, late, outOfTime], true],
    ["a full queue, then a provider that failed", [full, asked], false],
    ["a provider that failed, then a full queue", [asked, full], false],
    ["a call that was cut", [cut], false],
    ["no time at all", [outOfTime], false],
    ["none", [], false],
  ])("%s", (_name, attempts, expected) => {
    const made = attempts.flatMap((each) => each ?? []);
    expect(isUnasked(made)).toBe(expected);
    expect(describeOutcome({ kind: "failed", attempts: made }).code).toBe(expected ? -32013 : -32011);
  });
});
