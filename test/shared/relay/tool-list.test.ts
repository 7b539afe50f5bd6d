import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listedTool } from "../../../shared/relay/tool-definition.ts";
import { toolListsIn } from "../../../shared/relay/tool-list.ts";

const tool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object" },
  ...more,
});
const list = (tools: readonly object[], more: object = {}): object => ({ jsonrpc: "2.0", id: 1, result: { tools, ...more } });
const without = (text: string, ...names: readonly string[]): string =>
  toolListsIn(text, listedTool)?.shown((page, index) => !names.includes(page.tools[index]?.name ?? "")) ?? "no list";
const namesIn = (text: string): string[] =>
  (JSON.parse(text) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
const digestOf = (value: object): string | undefined => listedTool(value as never)?.digest;

describe("a list that passes", () => {
  test("is the same without the hidden tools, and every other byte stays", () => {
    const text = `{ "jsonrpc":"2.0", "id": 10000000000000000001, "result": {"ttlMs":1.50, "tools": [${JSON.stringify(tool("a"))} , ${JSON.stringify(tool("b"))}], "nextCursor":"x" } }`;
    expect(without(text, "a")).toBe(text.replace(`${JSON.stringify(tool("a"))} , `, ""));
    expect(namesIn(without(text, "a", "b"))).toEqual([]);
  });

  test("of several pages says which is the last", () => {
    const lastOf = (more: object): boolean | undefined =>
      toolListsIn(JSON.stringify(list([tool("a")], more)), listedTool)?.pages[0]?.isLast;
    expect([lastOf({}), lastOf({ nextCursor: null }), lastOf({ nextCursor: "x" })]).toEqual([true, true, false]);
  });

  test("in a batch is found among its messages", () => {
    const text = JSON.stringify([{ jsonrpc: "2.0", id: 2, result: {} }, list([tool("a"), tool("b")]), list([tool("a")])]);
    expect(JSON.parse(without(text, "a"))).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }, list([tool("b")]), list([])]);
  });

  test("passes whatever its order of members is", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/)), fc.boolean(), (names, isEscaped) => {
        const text = JSON.stringify(list(names.map((name) => tool(name))));
        const written = isEscaped ? text.replaceAll("tools", String.raw`\u0074ools`) : text;
        if (names.length > 0) expect(namesIn(without(written, names[0] ?? ""))).toEqual(names.slice(1));
      }),
    );
  });
});

describe("what is no list", () => {
  test.each([
    ["another result", { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "tools" }] } }],
    ["a request", { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: { tools: [tool("a")] } }],
    ["capabilities", { jsonrpc: "2.0", id: 1, result: { capabilities: { tools: {} } } }],
    ["an empty list", list([])],
  ])("%s passes as it is", (_, message) => {
    expect(toolListsIn(JSON.stringify(message), listedTool)).toBeNull();
  });

  test("text that is no JSON passes as it is", () => expect(toolListsIn(`{"result":{"tools":[}`, listedTool)).toBeNull());
});

describe("what clients could read in two ways", () => {
  const evil = JSON.stringify(tool("evil"));
  test.each([
    ["a second list", `{"id":1,"result":{"tools":[${evil}],"tools":[]}}`],
    ["a list before it in another result", `{"id":1,"result":{"tools":[${evil}]},"result":{}}`],
    ["a list under another case", `{"id":1,"result":{"Tools":[${evil}]}}`],
    ["a list under a name that folds to it", `{"id":1,"result":{"tool\u017f":[${evil}]}}`],
    ["a result under another case", `{"id":1,"Result":{"tools":[${evil}]}}`],
    ["a list beside one under another case", `{"id":1,"result":{"tools":[],"TOOLS":[${evil}]}}`],
  ])("%s becomes an error", (_, text) => {
    expect(JSON.parse(without(text))).toMatchObject({ id: 1, error: { code: -32_603 } });
    expect(without(text)).not.toContain("evil");
  });

  test("a tool with two names has the one that was judged", () => {
    const text = `{"id":1,"result":{"tools":[{"name":"evil","name":"a"}]}}`;
    expect(without(text, "evil")).toBe(`{"id":1,"result":{"tools":[{"name":"a"}]}}`);
  });

  test("a tool with a member that is read as its name, or without one, does not pass", () => {
    for (const other of [{ name: "a", Name: "evil" }, { name: "a", NAME: "evil" }, { name: 5 }, { title: "evil" }, "evil", null, ["evil"]])
      expect(namesIn(without(JSON.stringify(list([tool("b"), other as object]))))).toEqual(["b"]);
  });

  test("members of a definition that stand twice pass once", () => {
    const text = `{"id":1,"result":{"tools":[{"name":"a","inputSchema":{"description":"evil","description":"good"}}]}}`;
    expect(without(text)).not.toContain("evil");
  });

  test("a tool that is nested too deep for a digest does not pass", () => {
    const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`) as object;
    expect(namesIn(without(JSON.stringify(list([tool("a", { x: deep }), tool("b")]))))).toEqual(["b"]);
  });
});

describe("the digest of a definition", () => {
  const base = { name: "a", title: "A", description: "Does a.", inputSchema: { type: "object", properties: { n: { maximum: 5 } } } };
  test("is the same for another order of members, and for what may differ with each list", () => {
    const { name, ...rest } = base;
    expect(digestOf({ ...rest, name, _meta: { at: 1 }, icons: [{ src: "x" }] })).toBe(digestOf(base));
  });

  test("is the same for clients of both families", () => {
    expect(digestOf({ ...base, execution: { taskSupport: "optional" } })).toBe(digestOf(base));
    const array = { ...base, outputSchema: { type: "array", description: "Evil." } };
    expect(digestOf(array)).toBe(digestOf(base));
    // What no digest has does not pass where definitions are pinned.
    const text = JSON.stringify(list([array, { ...base, outputSchema: { type: "object" } }]));
    expect(toolListsIn(text, listedTool)?.shown(() => true, true)).toBe(
      JSON.stringify(list([base, { ...base, outputSchema: { type: "object" } }])),
    );
    expect(toolListsIn(text, listedTool)?.shown(() => true)).toBe(text);
  });

  test.each([
    { ...base, title: "B" },
    { ...base, description: "Does a. " },
    { ...base, inputSchema: { type: "object", properties: { n: { maximum: 6 } } } },
    { ...base, outputSchema: { type: "object" } },
    { ...base, annotations: { readOnlyHint: true } },
    { ...base, Description: "Does b." },
    { ...base, description: "Does a.\u200b" },
  ])("is another one for %j", (changed) => expect(digestOf(changed)).not.toBe(digestOf(base)));

  test("exists for every text and number that JSON has", () => {
    expect(digestOf({ name: "a", description: "\ud800", n: JSON.parse("1e999") as number })).toEqual(expect.any(String));
  });
});
