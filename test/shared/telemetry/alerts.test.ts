// When an alert begins and ends: once each, whatever comes between.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { alertKinds } from "../../../shared/policy/alert-terms.ts";
import { type Observation, type OpenAlert, alertStep, observed, topicKey } from "../../../shared/telemetry/alerts.ts";
import { minuteMs } from "../../../shared/telemetry/recent-outcomes.ts";

const counts = { failed: 0, count: 0 };
const topics = fc.constantFrom(
  { kind: "providerFailing", provider: "acme" } as const,
  { kind: "providerFailing", provider: "mine" } as const,
  { kind: "reviewsExpire" } as const,
);
const looks = fc.array(
  fc.uniqueArray(fc.record({ topic: topics, is: fc.constantFrom("on" as const, "between" as const, "off" as const) }), {
    selector: ({ topic }) => topicKey(topic),
  }),
  { maxLength: 40 },
);

test("a topic begins only where it is on and not open, and ends only where it is off or gone: in turns", () => {
  fc.assert(
    fc.property(looks, (all) => {
      let open: OpenAlert[] = [];
      const said = new Map<string, string[]>();
      for (const [i, look] of all.entries()) {
        const observations = look.map((each): Observation => ({ ...each, counts }));
        const { began, ended } = alertStep(open, observations, alertKinds);
        const is = new Map(look.map((each) => [topicKey(each.topic), each.is]));
        for (const { topic } of began) expect(is.get(topicKey(topic))).toBe("on");
        for (const { topic } of ended) expect(is.get(topicKey(topic)) ?? "off").toBe("off");
        const note = (topic: OpenAlert["topic"], what: string) => said.set(topicKey(topic), [...(said.get(topicKey(topic)) ?? []), what]);
        for (const { topic } of began) note(topic, "began");
        for (const { topic } of ended) note(topic, "ended");
        const over = new Set(ended.map(({ id }) => id));
        open = [...open.filter(({ id }) => !over.has(id)), ...began.map(({ topic }, n) => ({ id: `${i}.${n}`, topic, since: i }))];
      }
      for (const words of said.values()) expect(words).toEqual(words.map((_, i) => (i % 2 === 0 ? "began" : "ended")));
    }),
  );
});

test("of what nobody wants to hear nothing begins", () => {
  const on: Observation = { topic: { kind: "reviewsExpire" }, is: "on", counts };
  expect(alertStep([], [on], ["providerFailing"]).began).toEqual([]);
});

describe("a provider", () => {
  const now = Date.UTC(2026, 10, 22, 14, 15);
  const none = { now: 0, hour: 0 };
  const isOf = (last: { count: number; failed: number }, lastFailedAt: number | null): string | undefined =>
    observed(
      {
        providers: [{ name: "acme", provider: null, isFailing: false, now: last, hour: last, p50Ms: null, p95Ms: null, lastFailedAt }],
        reviews: { expired: none, undeliverable: none },
      },
      now,
    )[0]?.is;
  test.each<[string, { count: number; failed: number }, number | null]>([
    ["on", { count: 5, failed: 3 }, now],
    ["between", { count: 2, failed: 2 }, now],
    ["between", { count: 10, failed: 3 }, now],
    ["off", { count: 10, failed: 2 }, now],
    ["between", { count: 0, failed: 0 }, now - 10 * minuteMs],
    ["off", { count: 0, failed: 0 }, now - 31 * minuteMs],
    ["off", { count: 1, failed: 0 }, null],
  ])("is %s with %j in the last minutes", (is, last, lastFailedAt) => expect(isOf(last, lastFailedAt)).toBe(is));
});
