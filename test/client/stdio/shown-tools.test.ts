import { describe, expect, test } from "vitest";
import { refusedCall, withShownTools } from "../../../client/stdio/shown-tools.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const names = { allow: ["read_*", "delete_branch"], deny: ["delete_*"] };
const call = (name: unknown, more: object = { id: 1 }): object => ({ jsonrpc: "2.0", method: "tools/call", params: { name }, ...more });
const refused = (message: object): unknown => JSON.parse(refusedCall(bytes(`${JSON.stringify(message)}\n`), names) ?? "null");

describe("a call", () => {
  test("of an allowed tool passes, and every other message", () => {
    expect(refused(call("read_issue"))).toBeNull();
    expect(refused({ jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "delete_branch" } })).toBeNull();
    // The relay refuses it.
    expect(refusedCall(bytes('{"method":"tools/call","Method":"ping"}\n'), names)).toBeNull();
  });

  test.each(["delete_branch", "Read_issue", "write", "", 7])("of %j is one of an unknown tool", (name) => {
    expect(refused(call(name))).toMatchObject({
      id: 1,
      error: { code: -32_602, message: expect.stringContaining("Unknown tool") as string },
    });
  });

  test("hides in no batch, and not without an id", () => {
    expect(refused([call("read_issue"), call("write", { id: 2 })])).toMatchObject([
      { id: 1, error: {} },
      { id: 2, error: {} },
    ]);
    expect(refusedCall(bytes(`${JSON.stringify(call("write", {}))}\n`), names)).not.toBeNull();
  });

  test("of a denied tool is refused in every spelling", () => {
    const denies = { deny: ["delete_*"] };
    for (const name of ["Delete_Branch", "delete_branch ", "ｄelete_branch"])
      expect(refusedCall(bytes(`${JSON.stringify(call(name))}\n`), denies)).not.toBeNull();
  });
});

describe("a list", () => {
  const shown = (text: string): string => new TextDecoder().decode(withShownTools(bytes(text), names));

  test("has the allowed tools alone, and every other byte as it came", () => {
    const list = (tools: string): string => `{"jsonrpc":"2.0", "id":1.0,"result":{ "tools":[${tools}],"nextCursor":"n" } }\n`;
    expect(shown(list('{"name":"read_issue","n":1},{"name":"write"},{"name":"delete_branch"}'))).toBe(list('{"name":"read_issue","n":1}'));
    const other = '{"jsonrpc":"2.0", "id":1.0,"result":{ "prompts":[{"name":"write"}] } }\n';
    expect(shown(other)).toBe(other);
  });

  test("that clients may read in two ways is an error", () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[],"Tools":[{"name":"write"}]}}\n';
    expect(shown(text)).toMatch(/\n$/);
    expect(JSON.parse(shown(text))).toMatchObject({ id: 1, error: { code: -32_603 } });
  });
});
