// The Slack app's manifest against the gateway: what it asks Slack for, and where it sends Slack.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { paths } from "../../workers/platform/urls.ts";

const manifest = readFileSync(fileURLToPath(new URL("../../docs/slack-app-manifest.yaml", import.meta.url)), "utf8");
const lines = manifest
  .split("\n")
  .map((line) => line.replace(/\s*(?:^|\s)#(?![0-9a-f]{6}).*$/, ""))
  .filter((line) => line.trim() !== "");

test("presses go to the path that takes them, and one line has an address to be replaced", () => {
  expect(lines.filter((line) => line.includes("https://"))).toEqual([
    `    request_url: https://gateway.example.com${paths.slackInteractions}`,
  ]);
  expect(lines).toContain("    is_enabled: true");
});

test("the app may write and read nothing", () => {
  const bot = lines.indexOf("    bot:");
  expect(lines.slice(bot + 1, lines.indexOf("settings:"))).toEqual(["      - chat:write"]);
});

test("nothing is longer than Slack takes, and no line has a tab", () => {
  const value = (name: string): string => lines.find((line) => line.trim().startsWith(`${name}:`))?.split(": ")[1] ?? "";
  expect(value("name").length).toBeGreaterThan(0);
  expect(value("name").length).toBeLessThanOrEqual(35);
  expect(value("description").length).toBeLessThanOrEqual(140);
  expect(value("background_color")).toMatch(/^"#[0-9a-f]{6}"$/);
  expect(manifest).not.toContain("\t");
});
