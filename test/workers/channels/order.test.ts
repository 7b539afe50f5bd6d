// Which channels a reviewer is asked by, and which one stands in where another failed or is not
// configured any more.

import { expect, test } from "vitest";
import type { Channel } from "../../../workers/channels/channel.ts";
import { channelsFor, nextChannel } from "../../../workers/channels/registry.ts";
import type { LinkChannel } from "../../../shared/notice-channels.ts";
import { linkChannels } from "../../../shared/review/link.ts";

const sent = async () => ({ kind: "sent", receipt: null }) as const;
const channelOf = (name: LinkChannel): Channel => ({
  name,
  reaches: (reviewer) => name === "outbox" || reviewer[name] !== undefined,
  send: sent,
  ended: sent,
  say: sent,
});
const only = (...names: LinkChannel[]): Channel[] => linkChannels.filter((name) => names.includes(name)).map(channelOf);

const ann = { name: "Ann", email: "ann@example.com", slack: "U012ABC", webhook: "TEAMS" };
const ordered = { ...ann, notify: ["email", "slack"] } as const;

const namesFor = (...given: Parameters<typeof channelsFor>): Record<"first" | "then", string[]> => {
  const { first, then } = channelsFor(...given);
  return { first: first.map(({ name }) => name), then: then.map(({ name }) => name) };
};

test("a reviewer without an order is asked by every channel that reaches them", () => {
  expect(namesFor(ann, only("email", "slack", "webhook"))).toEqual({ first: ["email", "slack", "webhook"], then: [] });
});

test("a reviewer with an order is asked by the first of it that is configured, and by no channel that is not in it", () => {
  expect(namesFor(ordered, only("email", "slack", "webhook"))).toEqual({ first: ["email"], then: ["slack"] });
  expect(namesFor(ordered, only("slack", "webhook"))).toEqual({ first: ["slack"], then: [] });
  expect(namesFor(ordered, only("webhook"))).toEqual({ first: [], then: [] });
  expect(namesFor(ordered, only("outbox", "email"))).toEqual({ first: ["email", "outbox"], then: [] });
});

test("where one failed, the first by which they were not asked stands in", () => {
  const all = only("outbox", "email", "slack");
  expect(nextChannel(ordered, all, new Set(["outbox", "email"]))?.name).toBe("slack");
  expect(nextChannel(ordered, all, new Set(["outbox", "email", "slack"]))).toBeUndefined();
  expect(nextChannel(ann, all, new Set(["outbox", "email", "slack"]))).toBeUndefined();
});

test("where the one that failed is not configured any more, the next of the order stands in all the same", () => {
  expect(nextChannel(ordered, only("slack"), new Set(["email"]))?.name).toBe("slack");
});
