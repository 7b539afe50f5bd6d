// The settings that docs/clients.md gives for stdio are read as a client would, and given to the command's own reader.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readCommandLine, USAGE } from "../../../client/stdio/command-line.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
const page = /^## stdio\n[\s\S]*?(?=^## )/m.exec(read("docs/clients.md"))?.[0] ?? "";
const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

type Entry = { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
type Settings = Readonly<Record<"mcpServers" | "servers" | "context_servers", Readonly<Record<string, Entry>> | undefined>>;

const expected = {
  kind: "run",
  stdio: {
    url: "https://countersign.example.com",
    server: "notes",
    mode: "fulfil",
    command: "npx",
    args: ["-y", "notes-mcp", "--folder", "/notes"],
  },
};

test("every block of settings for stdio in docs/clients.md runs the command as the page says", () => {
  expect(blocks.length).toBeGreaterThan(6);
  for (const block of blocks) {
    const settings = JSON.parse(block) as Settings;
    const entry = (settings.mcpServers ?? settings.servers ?? settings.context_servers)?.["notes"];
    expect(entry?.command).toMatch(/node$/);
    const [file, ...args] = entry?.args ?? [];
    expect(file).toBe("/path/to/countersign/client/bin/countersign.mjs");
    expect(readCommandLine(args, { ...entry?.env })).toMatchObject(expected);
  }
});

test("so does the command line for Claude Code", () => {
  const line = /client\/bin\/countersign\.mjs (stdio .*)$/m.exec(page.slice(page.indexOf("### Claude Code")))?.[1] ?? "";
  expect(readCommandLine(line.split(" "), { COUNTERSIGN_API_KEY: "k" })).toMatchObject(expected);
});

test("client/README.md and the usage name the same options", () => {
  const options = (text: string): string[] => [...new Set(text.match(/--(?:no-)?[a-z]+/g))].toSorted();
  const section = read("client/README.md").split("## countersign stdio")[1] ?? "";
  expect(options(section)).toEqual(options(USAGE).filter((option) => option !== "--help" && option !== "--version"));
});
