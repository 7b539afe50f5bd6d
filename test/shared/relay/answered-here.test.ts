import { describe, expect, test } from "vitest";
import { addedCapabilities, answeredHere, clientDoes, declaring, rootsResult } from "../../../shared/relay/answered-here.ts";

const plain = { mode: "forward", elicitation: "forward", context: false, tools: true, tasks: true } as const;
const does = (capabilities: object) => clientDoes({ capabilities: { ...capabilities } });
const forms = "elicitation/create";

describe("what the gateway answers", () => {
  test.each<["forward" | "fulfil" | "fallback", object, boolean]>([
    ["forward", {}, false],
    ["forward", { elicitation: {} }, false],
    ["fallback", {}, true],
    ["fallback", { elicitation: {} }, false],
    ["fallback", { elicitation: { url: {} } }, false],
    ["fulfil", {}, true],
    ["fulfil", { elicitation: { form: {}, url: {} } }, true],
  ])("forms with %s, for a client that declared %j: %s", (elicitation, capabilities, isHere) => {
    expect(answeredHere({ ...plain, elicitation }, does(capabilities)).includes(forms)).toBe(isHere);
  });

  test("roots where its entry has some and the client declared none", () => {
    const roots = [{ uri: "file:///work" }];
    expect(answeredHere({ ...plain, roots }, does({}))).toEqual(["roots/list"]);
    expect(answeredHere({ ...plain, roots }, does({ roots: {} }))).toEqual([]);
    expect(answeredHere(plain, does({}))).toEqual([]);
    expect(rootsResult({ roots: [{ uri: "file:///a", name: "A" }, ...roots] })).toEqual({
      roots: [{ uri: "file:///a", name: "A" }, { uri: "file:///work" }],
    });
  });
});

test.each<[string, object]>([
  ["2025-11-25", { form: {}, url: {} }],
  ["2025-06-18", {}],
  ["2024-11-05", {}],
  ["2099-01-01", {}],
])("in %s forms are declared as %j, beside what the client declared", (protocolVersion, elicitation) => {
  const params = { protocolVersion, capabilities: { roots: { listChanged: true } }, clientInfo: { name: "c", version: "1" } };
  expect(declaring(params, plain, [forms])).toEqual({ ...params, capabilities: { roots: { listChanged: true }, elicitation } });
  expect(declaring(params, plain, [])).toEqual(params);
});

test("a server of 2026-07-28 is told with each request, and of nothing where the client answers all", () => {
  expect(addedCapabilities(plain, {}, [forms, "roots/list"])).toEqual({ elicitation: { form: {}, url: {} }, roots: {} });
  expect(addedCapabilities(plain, {}, [])).toBeNull();
});
