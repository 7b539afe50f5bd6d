// The page of a call of every tool of servers from npm, from the schema that each server gives: in
// a real browser, at a phone's width, with all that can be opened open. SHOTS_TO draws each.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { isObject, type Members, objectOf } from "../../shared/json/values.ts";
import { argumentsOf, definitionOf } from "../../shared/model/subject/tool-call.ts";
import { chromiumPath } from "../outside/support/chromium.ts";
import { launch, servePage } from "../outside/pages/browser.ts";
import { violationsIn, violationsOn } from "../outside/pages/checks.ts";
import { typedCall } from "../outside/pages/examples.ts";
import { renderedReview } from "../rest/pages/rendered.ts";
import { toolServers } from "./tool-servers.ts";

/** Servers also list what the protocol does not have: a schema without its type. */
const listed = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.record(z.string(), z.unknown()) })),
  nextCursor: z.string().optional(),
});
type Tool = z.infer<typeof listed>["tools"][number];

const folder = mkdtempSync(join(tmpdir(), "tool-pages-"));
let browser: Browser;
let site: Awaited<ReturnType<typeof servePage>>;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), servePage()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Installs the server, and asks it for its tools. Each is alone: some do not go together in one
 * folder.
 */
async function toolsOf(name: string): Promise<readonly Tool[]> {
  const { version, args = [], env = {} } = toolServers[name] ?? { version: "latest" };
  const cwd = join(folder, name.replaceAll("/", "+"));
  mkdirSync(cwd);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const installed = spawnSync("npm", ["install", ...options, `${name}@${version}`], { cwd, encoding: "utf8" });
  expect(installed.status, installed.stderr).toBe(0);
  const own = join(cwd, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { bin: string | Record<string, string> };
  const [program = ""] = typeof bin === "string" ? [bin] : Object.values(bin);
  const client = new Client({ name: "tool-pages", version: "1" }, { capabilities: {} });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(own, program), ...args],
      env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
      cwd,
      stderr: "ignore",
    }),
    { timeout: 300_000 },
  );
  try {
    const tools: Tool[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: "tools/list", params }, listed, { timeout: 120_000 });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    }
    return tools;
  } finally {
    await client.close();
  }
}

const samples: Readonly<Record<string, unknown>> = { string: "something", number: 1.5, integer: 3, boolean: true, null: null };

/** What somebody might send by this schema. */
function sampleOf(schema: unknown, root: Members, depth = 0): unknown {
  const { $ref, enum: choices, const: only, default: usual, type, properties, items, format, ...more } = objectOf(schema) ?? {};
  if (typeof $ref === "string" && $ref.startsWith("#/") && depth < 4) {
    const found = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, step) => objectOf(at)?.[step], root);
    return sampleOf(found, root, depth + 1);
  }
  if (only !== undefined) return only;
  if (usual !== undefined) return usual;
  if (Array.isArray(choices)) return choices[0] as unknown;
  for (const name of ["anyOf", "oneOf", "allOf"]) {
    const [first] = (more[name] ?? []) as unknown[]; // a list, by the schema's own rules
    if (first !== undefined) return sampleOf(first, root, depth + 1);
  }
  const kind = Array.isArray(type) ? (type[0] as unknown) : type;
  if (kind === "array") return depth < 4 ? [sampleOf(items ?? {}, root, depth + 1)] : [];
  if (kind === "object" || isObject(properties))
    return Object.fromEntries(
      Object.entries(objectOf(properties) ?? {}).flatMap(([name, each]) => (depth < 4 ? [[name, sampleOf(each, root, depth + 1)]] : [])),
    );
  if (format === "uri") return "https://example.com/a";
  if (format === "date-time") return "2026-11-29T08:00:00Z";
  return samples[String(kind)] ?? "something";
}

async function openCall(page: Page, server: string, tool: Tool, sent: unknown): Promise<void> {
  const { name, title, description, annotations, inputSchema } = tool;
  const definition = definitionOf(JSON.parse(JSON.stringify({ title, description, annotations, inputSchema })));
  const requestor = { ...typedCall.requestor, server, name };
  site.html = renderedReview({
    ...typedCall,
    requestor,
    request: { kind: "toolCall", server, tool: name, ...argumentsOf(JSON.stringify(sent)), definition },
  });
  await page.goto(site.url);
}

/**
 * What is wrong with the page of a tool. What is the same for all tools is looked at for the first
 * of a server alone.
 */
async function faultsOf(page: Page, { inputSchema }: Tool, isFirst: boolean): Promise<string[]> {
  const faults: string[] = [];
  const overflow = (when: string): Promise<void> =>
    page
      .evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      .then((pixels) => void (pixels > 0 && faults.push(`${when}: ${pixels}px wider than the screen`)));
  await overflow("as it opens");
  faults.push(...(await (isFirst ? violationsOn(page) : violationsIn(page, ".parts"))));
  await overflow("with all open");
  const names = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('[name^="edit:/arguments"]')].map((field) => ({
      name: field.name,
      isLabelled: (field.labels?.length ?? 0) > 0 || field.hasAttribute("aria-label") || field.hasAttribute("aria-labelledby"),
    })),
  );
  const isWhole = names.some(({ name }) => name === "edit:/arguments");
  const { required: needed = [] } = inputSchema;
  for (const required of isWhole || !Array.isArray(needed) ? [] : needed.map(String)) {
    const at = `edit:/arguments/${required.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!names.some(({ name, isLabelled }) => isLabelled && (name === at || name.startsWith(`${at}/`) || name.startsWith(`${at}:`))))
      faults.push(`${required} is required, and has no labelled field`);
  }
  return faults;
}

const shots = process.env["SHOTS_TO"];

test.skipIf(chromiumPath === undefined).each(Object.keys(toolServers))("%s: the page of each of its tools is good", async (name) => {
  const tools = await toolsOf(name);
  expect(tools.length).toBeGreaterThan(0);
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const faults: string[] = [];
  for (const tool of tools) {
    const sent = sampleOf(tool.inputSchema, tool.inputSchema);
    await openCall(page, name, tool, sent);
    const shot = (what: string): Promise<unknown> =>
      page.screenshot({ path: join(shots ?? "", `${name.replaceAll("/", "+")}-${tool.name}-${what}.png`), fullPage: true });
    if (shots !== undefined) await shot("read");
    if (shots !== undefined && (await page.locator("#arguments .edit > summary").count()) > 0) {
      await page.locator("#arguments .edit > summary").first().click();
      await shot("edit");
    }
    faults.push(...(await faultsOf(page, tool, tool === tools[0])).map((fault) => `${tool.name}: ${fault}`));
  }
  await context.close();
  expect(faults).toEqual([]);
});
