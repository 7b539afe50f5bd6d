// Which stop is for a request: operators' and reviewers'.

import { expect, test } from "vitest";
import { type Stops, stoppedBy, toolStopFrom } from "../../../shared/policy/stops.ts";

const none: Stops = { everything: false, servers: [], keys: [], tools: [] };
const of = { key: "key_a", server: "files", tool: "rm", by: "Ann" };
const hour = 3_600_000;

test("a reviewer's stop of a session is for the calls of that tool in it, for a day", () => {
  const stops = { ...none, tools: [toolStopFrom({ ...of, session: "s" }, 0)] };
  const asked = (more: object = {}, session: string | null = "s", now = 1) =>
    stoppedBy(stops, { key: "key_a", server: "files", call: { tool: "rm", session }, ...more }, now);
  expect(asked()).toBe("tool");
  expect([asked({}, "other"), asked({}, null)]).toEqual([null, null]);
  expect([asked({ key: "key_b" }), asked({ server: "web" }), asked({ call: { tool: "ls", session: "s" } })]).toEqual([null, null, null]);
  // What the tool's server has sampled is no call.
  expect(asked({ call: undefined })).toBeNull();
  expect([asked({}, "s", 24 * hour - 1), asked({}, "s", 24 * hour)]).toEqual(["tool", null]);
});

test("without a session it is for every session of the key, for an hour", () => {
  const stops = { ...none, tools: [toolStopFrom({ ...of, session: null }, 0)] };
  const asked = (session: string | null, now: number) =>
    stoppedBy(stops, { key: "key_a", server: "files", call: { tool: "rm", session } }, now);
  expect([asked("s", hour - 1), asked(null, hour - 1), asked("s", hour)]).toEqual(["tool", "tool", null]);
});

test("the widest stop is named", () => {
  const tools = [toolStopFrom({ ...of, session: null }, 0)];
  const asked = (stops: Stops) => stoppedBy(stops, { key: "key_a", server: "files", call: { tool: "rm", session: null } }, 1);
  expect(asked({ everything: true, servers: ["files"], keys: ["key_a"], tools })).toBe("everything");
  expect(asked({ everything: false, servers: ["files"], keys: ["key_a"], tools })).toBe("server");
  expect(asked({ everything: false, servers: [], keys: ["key_a"], tools })).toBe("key");
});
