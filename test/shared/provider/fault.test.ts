import { describe, expect, test } from "vitest";
import { faultOfStatus, retryAfterMs } from "../../../shared/provider/fault.ts";

describe("what a status means for what is done next", () => {
  test.each([408, 409, 429, 500, 502, 503, 504, 529])("%d may be asked again", (status) => {
    expect(faultOfStatus(status)).toMatchObject({ status, then: "retry" });
  });

  test.each([300, 301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 410, 413, 415, 422, 451])(
    "%d stops: nobody else is asked",
    (status) => {
      expect(faultOfStatus(status)).toMatchObject({ status, then: "stop" });
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
