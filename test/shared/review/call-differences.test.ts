// What two calls of one tool have otherwise, and how notices say it.

import { describe, expect, test } from "vitest";
import { callSentences } from "../../../shared/channels/content-words.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { type ToolCall, argumentsOf } from "../../../shared/model/subject/tool-call.ts";
import { callDifferences } from "../../../shared/review/call-fields.ts";

const callOf = (json: string, definition?: ToolCall["definition"]): ToolCall => ({
  kind: "toolCall",
  server: "files",
  tool: "move",
  ...argumentsOf(json),
  ...(definition === undefined ? {} : { definition }),
});
const earlier = callOf('{"from":"/a","to":"/b","deep":{"x":1}}');

describe("two calls of one tool differ", () => {
  test.each([
    ["in a value", '{"from":"/a","to":"/c","deep":{"x":1}}', ["/arguments/to"]],
    ["in an argument that is new, and in one that is missing", '{"from":"/a","to":"/b","more":1}', ["/arguments/deep", "/arguments/more"]],
    ["in nothing", '{"from":"/a","to":"/b","deep":{"x":1}}', []],
    ["in the digits of a number", '{"from":"/a","to":"/b","deep":{"x":1.0}}', ["/arguments/deep"]],
  ])("%s, without a schema", (_, json, paths) => {
    expect(
      callDifferences(callOf(json), earlier)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(paths);
  });

  test("within an object that the later call's schema describes, whatever the earlier one had", () => {
    const inputSchema = { type: "object", properties: { deep: { type: "object", properties: { x: { type: "integer" } } } } };
    const call = callOf('{"from":"/a","to":"/b","deep":{"x":2}}', { inputSchema });
    expect(callDifferences(call, earlier)).toEqual([{ path: "/arguments/deep/x", now: "2", then: "1" }]);
  });
});

test("a notice says in how many arguments, and nothing where no call is known", () => {
  const said = (differing?: number) => callSentences({ call: earlier, differing }, catalogues.en);
  expect(said()).toEqual([]);
  expect(said(0)).toEqual(["The last approved call had the same arguments."]);
  expect(said(1)).toEqual(["1 argument differs from the last approved call."]);
  expect(said(2)).toEqual(["2 arguments differ from the last approved call."]);
});
