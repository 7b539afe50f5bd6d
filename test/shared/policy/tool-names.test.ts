import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entryAllows, keyAllows } from "../../../shared/policy/tool-names.ts";

describe("the tools of an entry", () => {
  test.each([
    [{}, "read", true],
    [{ allow: ["read_*"] }, "read_issue", true],
    [{ allow: ["read_*"] }, "delete_branch", false],
    [{ allow: [] }, "read", false],
    [{ deny: ["delete_*"] }, "delete_branch", false],
    [{ deny: ["delete_*"] }, "read", true],
    [{ allow: ["*"], deny: ["delete_*"] }, "delete_branch", false],
    // A name has its own slashes here.
    [{ allow: ["files/*"] }, "files/read", true],
    [{ allow: ["read"] }, "files/read", false],
  ])("with %j: %s is allowed: %s", (names, tool, allowed) => {
    expect(entryAllows(names, tool)).toBe(allowed);
  });

  test.each(["Read_issue", "READ_ISSUE", "read_issue ", "read\u200b_issue", "re\u0430d_issue", "ｒead_issue"])(
    "%j is not what an allowed name says",
    (tool) => expect(entryAllows({ allow: ["read_issue"] }, tool)).toBe(false),
  );

  test.each([
    "Delete_Branch",
    "DELETE_BRANCH",
    " delete_branch",
    "delete_branch\n",
    "delete\u200b_branch",
    "delete_\u2060branch",
    "ｄelete_branch",
    "delete_branc\u210e",
  ])("%j is denied with the name that some server reads in it", (tool) => {
    expect(entryAllows({ deny: ["delete_branch"] }, tool)).toBe(false);
    expect(entryAllows({ allow: ["*"], deny: ["delete_*"] }, tool)).toBe(false);
  });

  test("a denied tool is never allowed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.string()), (tool, allow) => {
        expect(entryAllows({ allow: [...allow, "*"], deny: [tool.replaceAll("*", "")] }, tool.replaceAll("*", ""))).toBe(false);
      }),
    );
  });
});

describe("the tools of a key", () => {
  const at = (server: string, tool: string) => ({ server, tool });
  test.each([
    [{ allow: ["read_*"] }, at("github", "read_issue"), true],
    [{ allow: ["github/*"] }, at("github", "read_issue"), true],
    [{ allow: ["github/*"] }, at("notes", "read_issue"), false],
    [{ deny: ["*/delete_*"] }, at("github", "delete_branch"), false],
    [{ deny: ["GitHub/delete_*"] }, at("github", "delete_branch"), false],
    // A server cannot name its tool into the tools of another one.
    [{ allow: ["github/read"] }, at("notes", "github/read"), false],
  ])("with %j: %j is allowed: %s", (names, tool, allowed) => {
    expect(keyAllows(names, tool)).toBe(allowed);
  });
});
