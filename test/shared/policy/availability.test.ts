// When a reviewer is away, and until when their notices wait, by the clock of their time zone.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Availability, isAway, quietUntil } from "../../../shared/policy/availability.ts";

const at = (iso: string): number => Date.parse(iso);
const night = { from: "22:00", until: "07:00" };

describe("a holiday", () => {
  const away = { from: "2026-12-24", until: "2027-01-03", to: "Bo" };

  test.each([
    ["Pacific/Auckland", "2026-12-23T10:59:59Z", false],
    ["Pacific/Auckland", "2026-12-23T11:00:00Z", true],
    ["America/Los_Angeles", "2026-12-24T07:59:59Z", false],
    ["America/Los_Angeles", "2026-12-24T08:00:00Z", true],
    ["America/Los_Angeles", "2027-01-04T07:59:59Z", true],
    ["America/Los_Angeles", "2027-01-04T08:00:00Z", false],
    [undefined, "2026-12-24T00:00:00Z", true],
  ])("in %s at %s: %s", (timeZone, now, expected) => {
    expect(isAway({ timeZone, away }, at(now))).toBe(expected);
  });

  test("is none without one", () => {
    expect(isAway({}, at("2026-12-24T00:00:00Z"))).toBe(false);
  });
});

describe("quiet hours", () => {
  test.each<[string, Availability["quietHours"], string, string | null]>([
    ["Europe/Berlin", night, "2026-11-28T20:59:59Z", null],
    ["Europe/Berlin", night, "2026-11-28T21:00:00Z", "2026-11-29T06:00:00Z"],
    ["Europe/Berlin", night, "2026-11-29T05:59:59Z", "2026-11-29T06:00:00Z"],
    ["Europe/Berlin", night, "2026-11-29T06:00:00Z", null],
    ["Asia/Kolkata", { from: "13:00", until: "14:00" }, "2026-11-29T07:45:30Z", "2026-11-29T08:30:00Z"],
    // The night that is an hour shorter, and the one that is an hour longer.
    ["Europe/Berlin", night, "2026-03-28T21:00:00Z", "2026-03-29T05:00:00Z"],
    ["Europe/Berlin", night, "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"],
    // The clock leaps from 02:00 to 03:00: there is no 02:30.
    ["Europe/Berlin", { from: "22:00", until: "02:30" }, "2026-03-29T00:10:00Z", "2026-03-29T01:00:00Z"],
    // Nor the only minutes that are not quiet, so that the next are those of the day after.
    ["Europe/Berlin", { from: "02:30", until: "02:10" }, "2026-03-28T03:00:00Z", "2026-03-30T00:10:00Z"],
  ])("in %s, %o, at %s wait until %s", (timeZone, quietHours, now, expected) => {
    const until = quietUntil({ timeZone, quietHours }, at(now));
    expect(until === null ? null : new Date(until).toISOString().replace(".000", "")).toBe(expected);
  });

  const minutes = fc.nat({ max: 24 * 60 - 1 }).map((each) => new Date(each * 60_000).toISOString().slice(11, 16));
  const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo", "Pacific/Apia"];
  const times = fc.date({ min: new Date("2009-01-01"), max: new Date("2031-01-01"), noInvalidDate: true }).map(Number);

  const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

  test("end in each zone at a minute that is not quiet, within a day and a bit, and the minute before is", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, minutes, times, (timeZone, from, until, now) => {
        fc.pre(from !== until);
        // A clock that leaps an hour may pass over all that is not quiet on that day.
        const mayPassOver = (minuteOf(from) - minuteOf(until) + 24 * 60) % (24 * 60) <= 60;
        const person = { timeZone, quietHours: { from, until } };
        const over = quietUntil(person, now);
        if (over === null) return;
        expect(over).toBeGreaterThan(now);
        expect(over - now).toBeLessThanOrEqual((mayPassOver ? 50 : 26) * 3_600_000);
        expect(quietUntil(person, over)).toBeNull();
        expect(quietUntil(person, over - 60_000)).toBe(over);
      }),
      { numRuns: 500 },
    );
  });
});
