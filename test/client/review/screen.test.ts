// A tool's call in a terminal: who wants what, what the server says of its tool, and every argument
// as it is sent.

import { expect, test } from "vitest";
import { changeLines, isShownWhole, keysLine, placeOf, reviewLines } from "../../../client/review/screen.ts";
import { withArguments } from "../../../shared/model/subject/tool-call.ts";
import { changesBetween } from "../../../shared/review/difference.ts";
import { control, returning, typedCall } from "../../outside/pages/examples.ts";

test("a call is told in a sentence, with the server's claims and each argument whole", () => {
  const lines = reviewLines(typedCall);
  expect(lines[0]).toBe("Claude Code wants to run delete_branch on github.");
  expect(lines).toContain("  The server says: not read-only, destructive, not idempotent.");
  expect(lines.join("\n")).toContain(
    "  What the server says of the tool\n  ┃ Delete a branch\n  ┃ Deletes a branch. Use force to skip checks.",
  );
  expect(lines).toContain('  ┃   "id": 9007199254740993,');
  expect(isShownWhole(typedCall)).toBe(true);
  expect(keysLine(typedCall)).toBe("a approve · e edit · d deny · r read again · b back");
  const stopping = keysLine({ ...typedCall, mayStop: "session" });
  expect(stopping).toBe("a approve · e edit · d deny · s deny and stop this tool for the session · r read again · b back");
});

test("a call without a definition says nothing of one, and its result keeps its own heading", () => {
  const { definition: _, ...request } = typedCall.request;
  expect(reviewLines({ ...typedCall, request }).join("\n")).not.toContain("The server says");
  expect(reviewLines(returning({ content: [] }))[0]).toBe("A result for weather");
});

test("a request with a PDF is not approved where nobody can open it", () => {
  const { request } = control.json;
  const messages = [{ role: "user" as const, content: [{ type: "pdf" as const, data: "JVBERi0=", name: "bill.pdf" }] }];
  const view = { ...control.json, request: { ...request, messages } };
  expect(isShownWhole(control.json)).toBe(true);
  expect(isShownWhole(view)).toBe(false);
  expect(reviewLines(view)).toContain("  There is 1 image, sound or PDF that a terminal cannot show.");
});

test("a change of an argument is named by the argument", () => {
  const changed = withArguments(typedCall.request, JSON.stringify({ ...typedCall.request.arguments, force: false }));
  const changes = changesBetween(typedCall.request, changed).filter(({ path }) => path === "/arguments/force");
  expect(changeLines(typedCall, changes).map((line) => line.trim())).toEqual(
    ["Arguments: force", "- ┃ true", "+ ┃ false"].map((line) => line.trim()),
  );
  expect(placeOf(typedCall, "/arguments")).toBe("Arguments");
});
