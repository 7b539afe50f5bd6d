// docs/v1.md and docs/leaving-sampling.md against the code: every member, every error, and the
// change that they show.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTwoFilesPatch } from "diff";
import { describe, expect, test } from "vitest";
import type { Completed, Outcome, Refusal } from "../../shared/model/outcome.ts";
import { type OpenAIError, outcomeError, refusalError } from "../../shared/wire/openai/openai-error.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const v1 = read("docs/v1.md");

/** The rows of the tables of a section, as cells. */
const rowsOf = (section: string, page = v1): string[][] => {
  const [, text = ""] = page.split(`\n## ${section}\n`);
  const [own = ""] = text.split(/\n##? /);
  return own
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
};

test.each([
  ["Chat completions", "chat", 35],
  ["Responses", "responses", 30],
])("docs/v1.md has every member of a request, as the code takes it: %s", (section, wire, least) => {
  const source = read(`shared/wire/openai/${wire}-request.ts`);
  const [, members = ""] = /\nconst bodyMembers = \{\n([\s\S]*?)\n\};\n/.exec(source) ?? [];
  const [, noted = ""] = /\nconst notPassedOn = new Set\(\[\n([\s\S]*?)\n\]\);\n/.exec(source) ?? [];
  const expected = [
    ...[...members.matchAll(/^ {2}(\w+): (refused|noted)?/gm)].map(([, name, how = "passed on"]) => [name, how]),
    ...[...noted.matchAll(/"(\w+)"/g)].map(([, name]) => [name, "noted"]),
  ];
  expect(expected.length).toBeGreaterThan(least);
  const documented = rowsOf(section).flatMap(([, names = "", how = ""]) =>
    [...names.matchAll(/`([\w.]+)`/g)].map(([, name = ""]) => [name.split(".")[0], how]),
  );
  for (const member of expected) expect(documented).toContainEqual(member);
});

describe("docs/http-contract.md and docs/v1.md have the status, type and code of", () => {
  const refusals: readonly Refusal[] = [
    { kind: "notJson" },
    { kind: "notAssociated", why: "originatingRequestEnded" },
    { kind: "unauthorized", why: "scopedTokenExpired" },
    { kind: "budgetUsedUp", budget: "token", resetsAt: 0 },
    { kind: "wrongScope", scope: "v1" },
    { kind: "policyRefused", rule: "r" },
    { kind: "stopped", scope: "key" },
    { kind: "noModel", reasons: [] },
    { kind: "sameIdOtherParams" },
    { kind: "noLongerKept" },
    { kind: "tooLarge", limitBytes: 1 },
    { kind: "notJsonType" },
    { kind: "rateLimited", limit: "requestsPerMinute", max: 1, retryAfterMs: 1 },
    { kind: "flooded" },
    { kind: "configurationUnavailable" },
  ];
  const outcomes: readonly Exclude<Outcome, Completed>[] = [
    { kind: "rejected", gate: "request", reason: null },
    { kind: "expired", gate: "request" },
    { kind: "undeliverable", gate: "request" },
    { kind: "cancelled" },
    { kind: "failed", attempts: [] },
    { kind: "broken", quote: "q" },
  ];
  const errors: (readonly [string, OpenAIError])[] = [
    ...refusals.map((refusal) => [refusal.kind, refusalError(refusal)] as const),
    ...outcomes.map((outcome) => [outcome.kind, outcomeError(outcome)] as const),
  ];
  const cells = rowsOf("Errors", read("docs/http-contract.md")).map((row) => row[6]);
  const [, said = ""] = /\n## Errors\n([\s\S]*?)\n## /.exec(v1) ?? [];
  /** The type of a status, as the page says. */
  const typeOf = (status: number): string => new RegExp(`\`(\\w+)\`\\s+with\\s+${status}`).exec(said)?.[1] ?? "";

  test.each(errors)("%s", (_kind, { status, body, mayRetry, retryAfterMs }) => {
    const { type, code } = body["error"] as { readonly type: string; readonly code: string }; // openai-error.ts writes it
    expect(cells).toContain(`${status} \`${code}\``);
    expect(said).toContain(`\`${type}\``);
    expect(type).toBe(status >= 500 ? "server_error" : typeOf(status) || "invalid_request_error");
    expect(mayRetry).toBe(status === 503 || (status === 429 && retryAfterMs !== undefined));
  });
});

describe("docs/leaving-sampling.md", () => {
  const page = read("docs/leaving-sampling.md");
  const example = (name: string): string => read(`examples/leaving-sampling/${name}`);
  const block = (language: string): string => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
  /** Without white space at the ends of lines, which an editor may take away. */
  const lines = (text: string): string[] => text.split("\n").map((line) => line.trimEnd());

  test("has what changes in the tool, as the two files have it", () => {
    const patch = createTwoFilesPatch("before.ts", "after.ts", example("before.ts"), example("after.ts"), "", "", { context: 3 });
    const hunk = lines(patch.slice(patch.lastIndexOf("\n@@") + 1));
    expect(hunk.filter((line) => line.startsWith("+")).length).toBeGreaterThan(10);
    expect(lines(block("diff"))).toEqual(hunk);
  });
});
