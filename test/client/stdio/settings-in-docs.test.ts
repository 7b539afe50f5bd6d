// The settings that docs/clients.md gives for stdio are read as a client would, and given to the
// command's own reader.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readStdio, USAGE } from "../../../client/stdio/command-line.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
const page = /^## stdio\n[\s\S]*?(?=^## )/m.exec(read("docs/clients.md"))?.[0] ?? "";
const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

type Entry = { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
type Settings = Readonly<Record<"mcpServers" | "servers" | "context_servers", Readonly<Record<string, Entry>> | undefined>>;

const expected = {
  url: "https://countersign.example.com",
  server: "notes",
  mode: "fulfil",
  command: "npx",
  args: ["-y", "notes-mcp", "--folder", "/notes"],
};

const { version } = JSON.parse(read("client/package.json")) as { version: string };
const tarball = `file:/path/to/countersign-client-${version}.tgz`;

test("every block of settings for stdio in docs/clients.md runs the command as the page says", () => {
  expect(blocks.length).toBeGreaterThan(1);
  for (const block of blocks) {
    const settings = JSON.parse(block) as Settings;
    const entry = (settings.mcpServers ?? settings.servers ?? settings.context_servers)?.["notes"];
    expect(entry?.command).toBe("npx");
    const [yes, file, subcommand, ...args] = entry?.args ?? [];
    expect([yes, file, subcommand]).toEqual(["-y", tarball, "stdio"]);
    expect(readStdio(args, { ...entry?.env })).toMatchObject(expected);
  }
});

test("so does the command line for Claude Code", () => {
  const line = / -- npx -y (\S+) stdio (.*)$/m.exec(page.slice(page.indexOf("### Claude Code")));
  expect(line?.[1]).toBe(tarball);
  expect(readStdio((line?.[2] ?? "").split(" "), { COUNTERSIGN_API_KEY: "k" })).toMatchObject(expected);
});

test("client/README.md and the usage name the same options", () => {
  const options = (text: string): string[] => [...new Set(text.match(/--(?:no-)?[a-z]+/g))].toSorted();
  const section = /^## countersign stdio\n[\s\S]*?(?=^## )/m.exec(read("client/README.md"))?.[0] ?? "";
  expect(options(section)).toEqual(options(USAGE).filter((option) => option !== "--help" && option !== "--version"));
});
