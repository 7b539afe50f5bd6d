import { describe, expect, test } from "vitest";
import {
  type AssociationSetting,
  type Originating,
  type Signs,
  associationOf,
  namedTask,
} from "../../../shared/association/relay-association.ts";

const tool: Originating = { id: 1, method: "tools/call", name: "summarize" };
const asTask: Originating = { id: 2, method: "tools/call", name: "research", asTask: true };
const prompt: Originating = { id: 3, method: "prompts/get", name: "brief" };
const list: Originating = { id: 4, method: "tools/list", name: "" };
const subscription: Originating = { id: 5, method: "resources/subscribe", name: "a:b" };
const otherTask: Originating = { id: 6, method: "tasks/result", name: "another task" };
const nothing: Signs = { stream: null, task: null, inFlight: [] };

describe("a sampling request serves", () => {
  test.each<[string, Partial<Signs>, AssociationSetting, [unknown, string] | string]>([
    ["the request on whose response stream it came", { stream: tool, inFlight: [prompt] }, "strict", [1, "responseStream"]],
    ["that one, whatever task it names", { stream: tool, task: asTask }, "auto", [1, "responseStream"]],
    ["the request whose task it names", { task: asTask, inFlight: [tool, prompt] }, "strict", [2, "namedTask"]],
    ["that one, whatever its method", { stream: list, inFlight: [tool] }, "strict", [4, "responseStream"]],
    ["that one too on the stream of a task's result", { stream: otherTask, task: asTask }, "auto", [2, "namedTask"]],
    ["none by a task whose request is itself about a task", { task: otherTask, inFlight: [tool] }, "strict", "nothingShown"],
    ["none by the stream of an unknown task's result", { stream: otherTask, inFlight: [tool] }, "inFlight", "unknownTask"],
    ["the only request in flight, beside a list", { inFlight: [list, tool] }, "auto", [1, "onlyInFlight"]],
    ["a subscription that is the only request in flight", { inFlight: [subscription] }, "auto", [5, "onlyInFlight"]],
    ["the only request in flight", { inFlight: [tool] }, "auto", [1, "onlyInFlight"]],
    ["and with inFlight no more surely", { inFlight: [tool] }, "inFlight", [1, "onlyInFlight"]],
    ["none in flight where the setting is strict", { inFlight: [tool] }, "strict", "nothingShown"],
    ["none of several", { inFlight: [prompt, tool] }, "auto", "severalInFlight"],
    ["the newest of several where the setting says so", { inFlight: [prompt, tool] }, "inFlight", [3, "newestInFlight"]],
    ["none where nothing is in flight", {}, "inFlight", "noneInFlight"],
    [
      "by a task that is not known yet the one that asked for a task",
      { task: "unknown", inFlight: [tool, asTask] },
      "auto",
      [2, "onlyInFlight"],
    ],
    ["by such a task none that did not", { task: "unknown", inFlight: [tool] }, "inFlight", "noneInFlight"],
  ])("%s", (_what, signs, setting, expected) => {
    const found = associationOf(setting, { ...nothing, ...signs });
    expect(found.ok ? [found.value.originating.id, found.value.evidence] : found.error).toEqual(expected);
  });
});

test("the task that it names is read from its related-task metadata alone, and whatever else stands there is none", () => {
  const related = "io.modelcontextprotocol/related-task";
  expect(namedTask({ _meta: { [related]: { taskId: "t" } }, taskId: "u" })).toBe("t");
  for (const params of [
    null,
    {},
    { _meta: [] },
    { _meta: { [related]: "t" } },
    { _meta: { [related]: { taskId: 1 } } },
    { task: { taskId: "t" } },
  ])
    expect(namedTask(params)).toBeNull();
});
