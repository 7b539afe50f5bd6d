// GET /openapi as a reader has it: in a real browser without scripts, from phone to desktop, and
// its commands pasted into bash.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, freePort } from "../../../scripts/local-gateway.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";
import { launch } from "../../outside/pages/browser.ts";
import { rendered } from "./rendered.ts";
import { violationsOn } from "../../outside/pages/checks.ts";

type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "countersign-openapi-"));
const adminToken = "an-admin-token-of-this-test-0123456789";
const apiKey = "an-api-key-of-this-test-0123456789";
let gateway: Gateway;
let document: Document;

beforeAll(async () => {
  gateway = await startTestGateway({
    port: await freePort(),
    persistTo: join(folder, "state"),
    variables: { ADMIN_TOKEN: adminToken, DEV_API_KEY: apiKey, LINK_KEY: "a-link-key-of-this-test-0123456789" },
  });
  document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Document;
});
afterAll(async () => {
  await gateway?.stop("kill");
  rmSync(folder, { recursive: true, force: true });
});

const operations = (): (Operation & { path: string; method: string })[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => Object.assign({ path, method: method.toUpperCase() }, operation)),
  );

const unescaped = (html: string): string =>
  html.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** The command of each operation that has one, by its id. */
function commandsOf(html: string): Map<string, string> {
  return new Map(
    [...html.matchAll(/<div class="in" id="([\w-]+)">(?:(?!<\/details>)[\s\S])*?<pre class="command">([\s\S]*?)<\/pre>/g)].map(
      ([, id = "", command = ""]) => [id, unescaped(command)],
    ),
  );
}

describe.skipIf(chromiumPath === undefined)("in a browser without scripts", () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await launch();
    page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })).newPage();
    await page.goto(`${gateway.url}/openapi`);
  });
  afterAll(() => browser?.close());

  test("each operation has its method, path, summary and answers, and each schema its place", async () => {
    const folds = await page.locator("details.op").evaluateAll((all) =>
      all.map((fold) => ({
        id: fold.querySelector(".in")?.id,
        summary: fold.querySelector("summary")?.textContent,
        text: fold.querySelector(".in")?.textContent ?? "",
      })),
    );
    for (const { operationId, method, path, summary, responses } of operations()) {
      const fold = folds.find(({ id }) => id === operationId);
      expect(fold?.summary).toBe(`${method} ${path} ${summary}`);
      for (const status of Object.keys(responses)) expect(fold?.text).toContain(status === "default" ? "Any other" : status);
      expect(fold?.text).toContain("Who may");
    }
    const ids = [...operations().map(({ operationId }) => operationId), ...Object.keys(document.components.schemas)];
    expect(folds.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test("its style is let in by its own policy, and nothing else is", async () => {
    const { headers } = await fetch(`${gateway.url}/openapi`);
    expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; style-src 'nonce-[\w-]+'; img-src data:/);
    expect(headers.get("Content-Language")).toBe("en");
    // What only this page's stylesheet says.
    const method = page.locator(".method").first();
    expect(await method.evaluate((each) => getComputedStyle(each).display)).toBe("inline-block");
  });

  test("a link to a schema opens it", async () => {
    const fold = page.locator("details:has(> #createKey)");
    await fold.locator("summary").click();
    await fold.getByRole("link", { name: "KeyRequest" }).click();
    await page.locator("#KeyRequest").getByText("roundsPerOriginatingRequest").first().waitFor({ state: "visible" });
    expect(new URL(page.url()).hash).toBe("#KeyRequest");
  });

  test("there is no sideways scroll at any width, and nothing is loaded from elsewhere", async () => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${gateway.url}/openapi`);
    expect(asked).toEqual([`${gateway.url}/openapi`]);
    const open = await (await browser.newContext()).newPage();
    await open.setContent((await page.content()).replaceAll('<details class="op"', '<details open class="op"'));
    for (const width of [320, 390, 768, 1_280]) {
      await open.setViewportSize({ width, height: 844 });
      expect([width, await open.evaluate(() => globalThis.document.documentElement.scrollWidth - innerWidth)]).toEqual([width, 0]);
    }
  });

  test("it has no barrier, with every fold open, light and dark", async () => {
    const open = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await open.setContent(await page.content());
    await shoot(open, "openapi");
    expect(await violationsOn(open)).toEqual([]);
    await shoot(open, "openapi-open");
  });
});

test("text in the description makes no element, and a quote in an example ends no argument", async () => {
  const hostile = `</pre></details><img src=x> it's "$(id)"`;
  const described = structuredClone(document) as unknown as {
    paths: Record<string, Record<string, { summary: string; requestBody: { content: Record<string, { example: unknown }> } }>>;
  };
  const operation = described.paths["/admin/keys"]?.["post"];
  const content = operation?.requestBody.content["application/json"];
  if (operation === undefined || content === undefined) throw new Error("POST /admin/keys is not described");
  operation.summary = hostile;
  content.example = { name: hostile };
  const html = rendered({ kind: "openapi", input: { description: JSON.stringify(described), base: "http://localhost" } });
  expect(html).not.toContain("<img");
  const command = commandsOf(html).get("createKey") ?? "";
  // A shell that prints the arguments in place of curl.
  const { stdout } = await run("bash", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], { env: { PATH: process.env["PATH"] } });
  const sent = stdout.split("\0").find((argument) => argument.startsWith("{"));
  expect(JSON.parse(sent ?? "")).toEqual({ name: hostile });
});

test("each command, pasted into bash, reaches its operation with a request that is complete", async () => {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.url}${path}`, { ...init, headers: { Authorization: `Bearer ${adminToken}`, ...init.headers } });
  // So that nobody has to be asked.
  const open = {
    default: { request: "allow", response: "allow", reviewers: ["ada"] },
    reviewers: { ada: [{ name: "Ada", email: "ada@example.com" }] },
  };
  const written = await ask("/admin/policy", { method: "PUT", body: JSON.stringify(open), headers: { "If-Match": "0" } });
  expect([written.status, written.status === 200 ? "" : await written.text()]).toEqual([200, ""]);
  writeFileSync(join(folder, ".curlrc"), `silent\nshow-error\noutput = /dev/null\nwrite-out = "%{http_code}"\n`);

  const page = await (await fetch(`${gateway.url}/openapi`)).text();
  const commands = commandsOf(page);
  for (const { operationId, path, security, requestBody, responses } of operations()) {
    const command = commands.get(operationId);
    if (requestBody?.content["application/x-www-form-urlencoded"] !== undefined || "426" in responses) {
      expect([operationId, command]).toEqual([operationId, undefined]);
      continue;
    }
    if (command === undefined) throw new Error(`${operationId} has no command`);
    const tag = path.startsWith("/admin/") ? (await ask(path)).headers.get("ETag") : null;
    const env = {
      PATH: process.env["PATH"],
      CURL_HOME: folder,
      API_KEY: apiKey,
      ADMIN_TOKEN: adminToken,
      METRICS_TOKEN: adminToken,
      IF_MATCH: tag ?? "0",
    };
    const names = {
      ID: "7",
      TOKEN: "none",
      SERVER: "notes",
      SESSION: "s",
      FILE: "2.1.json",
      VERSION: "1",
      GATE: "request",
      RUN: "none",
      KEY: "key_dev",
      PAGE: "requests",
      REVIEWER: "Ada",
      KID: "none",
      PASSKEY: "none",
      IDEMPOTENCY_KEY: "none",
    };
    const { stdout } = await run("bash", ["-c", command], { env: { ...env, ...names } });
    expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining([stdout])]);
    // Refused for what the command left out.
    for (const status of [...(security.length === 0 ? [] : ["401"]), "400", "405", "411", "413", "415", "422", "428", "500"])
      expect([operationId, stdout]).not.toEqual([operationId, status]);
  }
});
