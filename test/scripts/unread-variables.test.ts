// Variables of `.dev.vars` that nothing reads.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { unreadVariables } from "../../scripts/unread-variables.ts";

const named = new Set(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "LOCAL_OPENAI_BASE_URL"]);

test.each([
  ["OPENAI_KEY", "OPENAI_API_KEY"],
  ["ANTHROPIC_KEY", "ANTHROPIC_API_KEY"],
  ["ADMIN_TOKENS", "ADMIN_TOKEN"],
  ["LINK_KEYS", "LINK_KEY"],
  ["SLACK_TOKEN", "SLACK_BOT_TOKEN"],
  ["SOMETHING", null],
])("%s: %s was meant", (name, meant) => {
  expect(unreadVariables([name], named)).toEqual([{ name, meant }]);
});

test("what the gateway, its documents or their channels read is no mistake", () => {
  const read = ["ADMIN_TOKEN", "OPENAI_API_KEY", "TEAMS_REVIEWS_URL", "WEBHOOK_OPS_URL", "WEBHOOK_OPS_SECRET"];
  expect(unreadVariables(read, named)).toEqual([]);
});

test("every variable that the gateway's environment has is known", () => {
  const source = readFileSync(new URL("../../workers/platform/env.ts", import.meta.url), "utf8");
  const names = [...source.matchAll(/readonly ([A-Z][A-Z0-9_]*)\?: string;/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(20);
  expect(unreadVariables(names, new Set())).toEqual([]);
});
