// The overview and the usage page in a real browser: first steps on a new gateway, then the numbers
// of real requests, and the doctor's findings.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../support/chromium.ts";
import { ConsoleGateway, apiKey, expectGoodPage } from "./console-gateway.ts";

const run = promisify(execFile);

const policy = {
  rules: [{ name: "deploys", when: { server: "deploy" }, then: { request: "review", response: "allow", deadlineSeconds: 240 } }],
  default: { request: "allow", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 },
  reviewers: { everyone: [{ name: "Ann" }] },
};

describe.skipIf(chromiumPath === undefined)("the overview in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  const open = (path: string, page = tab): Promise<unknown> => page.goto(`${at.homeOf(page)}${path}`);
  const tile = (name: string): Promise<string | null> =>
    tab.locator(".tile", { hasText: name }).locator("b").textContent({ timeout: 1_000 });
  /** Opens the overview until a tile says this: the record follows an answer a moment later. */
  const untilTile = (name: string, value: string): Promise<void> =>
    expect.poll(() => open("").then(() => tile(name).catch(() => null)), { timeout: 60_000 }).toBe(value);

  test("of a new gateway shows the first steps, whose command is the first request", async () => {
    await at.configure("policy", policy);
    await open("");
    await tab.getByText("First steps").waitFor();
    expect(await tab.locator("figure").count()).toBe(0);
    await expectGoodPage(tab, "console-overview-first");
    const command = (await tab.locator(".command").textContent()) ?? "";
    const { stdout } = await run("bash", ["-c", command.replace("YOUR_KEY", apiKey)]);
    expect(JSON.parse(stdout)).toMatchObject({ result: { role: "assistant" } });
    await untilTile("Requests", "1");
  });

  test("shows what waits and until when, and what came of the others, and leads to both", async () => {
    for (const server of ["notes", "notes", "calendar"]) await (await at.sample({ server })).text();
    expect((await at.sample({ server: "deploy", tool: "ship_release" })).status).toBe(202);
    await untilTile("Requests", "4");
    await untilTile("Waiting", "1");
    expect(await tab.getByText("expires in").first().textContent()).toContain("deploy · ship_release");
    expect(await tab.getByRole("link", { name: "Open request" }).getAttribute("href")).toMatch(/^\/console\/~[\w-]+\/requests\/run_/);
    expect(await tab.locator(".tile.hot").getAttribute("href")).toMatch(/^\/console\/~[\w-]+\/requests\?state=open$/);
    expect(await tab.getByRole("img", { name: /Most at .*: 4\. 4 answered, 0 without a reply\./ }).count()).toBe(1);
    await tab.getByText("Show as table").click();
    expect(await tab.locator(".data tbody tr").first().locator("td").first().textContent()).toBe("4");
    await expectGoodPage(tab, "console-overview");
    await tab.getByRole("link", { name: "30 days" }).click();
    await tab.getByText("Requests per day").waitFor();
    expect(await tile("Requests")).toBe("4");
  });

  test("asks the doctor when its button is pressed, and keeps what it found", async () => {
    await open("");
    await tab.getByText("not checked yet").waitFor();
    await tab.getByRole("button", { name: "Check now" }).click();
    await tab.getByText("Checked.", { exact: true }).waitFor({ timeout: 60_000 });
    await expectGoodPage(tab, "console-health");
    await open("");
    expect(await tab.locator("#health").textContent()).toMatch(/^Health: .*checks? pass/);
    await tab.getByRole("link", { name: "All checks" }).waitFor();
  });

  test("usage is drawn by server, model, key and day, and saved as CSV", async () => {
    await open("/usage");
    expect(await tab.locator("tbody tr").first().locator(".main-cell").textContent()).toContain("notes");
    await expectGoodPage(tab, "console-usage-server");
    for (const [view, text] of [
      ["Model", "demo"],
      ["Key", "key_"],
      ["Day", ""],
    ] as const) {
      await tab.getByRole("link", { name: view, exact: true }).click();
      await tab.getByRole("heading", { name: `Requests by ${view.toLowerCase()}` }).waitFor();
      expect(await tab.locator("tbody tr").first().textContent()).toContain(text);
      if (view === "Day") await expectGoodPage(tab, "console-usage-day");
    }
    await open("/usage");
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Download CSV" }).click()]);
    expect(download.suggestedFilename()).toBe("countersign-usage.csv");
    expect(readFileSync(await download.path(), "utf8")).toMatch(/^server,requests,.*\r\nnotes,3,3,0,/);
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    await open("", chinese);
    expect(await chinese.locator("h1").textContent()).toBe("最近 24 小时");
    await expectGoodPage(chinese, "console-overview-zh");
    await open("/usage", chinese);
    await expectGoodPage(chinese, "console-usage-zh");
    await open("/health", chinese);
    await expectGoodPage(chinese, "console-health-zh");
  });

  test("says what failed in the last hour, and which versions were checked", async () => {
    const provider = createServer((_, response) => {
      response
        .writeHead(503, { "Content-Type": "application/json" })
        .end(JSON.stringify({ error: { message: "down", type: "server_error" } }));
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const { port } = provider.address() as AddressInfo; // it listens on a port
    const { version, ...table } = await at.admin<{ version: number; providers: object; models: readonly object[] }>("GET", "/routing");
    const [model] = table.models;
    await at.configure("routing", {
      ...table,
      providers: {
        ...table.providers,
        acme: { kind: "openai", baseUrl: `http://127.0.0.1:${port}/v1`, keyless: true, allowPrivate: true },
      },
      models: [{ ...model, id: "acme-large", name: "acme-large", provider: "acme" }],
    });
    // Each is answered before it ends: a key's usual limit of 20 in progress would refuse the
    // others, and refusals are no failures.
    const { key } = await at.admin<{ key: string }>("POST", "/keys", { name: "many", limits: { concurrent: 40 } });
    const servers = Array.from({ length: 31 }, (_, i) => (i % 3 === 0 ? "calendar" : "notes"));
    await Promise.all(servers.map(async (server) => (await at.sample({ server, key })).text()));
    await untilTile("Requests", "35");
    await tab.getByText("31 requests failed in the last hour").waitFor();
    expect(await tab.locator("#health").textContent()).toMatch(/^Health: .*problem/);
    await tab.getByRole("link", { name: "Show requests" }).first().waitFor();
    await tab.getByText(/^checked .* ago$/).waitFor();
    await tab.getByText(/Versions checked: Routing table \d+, Policy \d+/).waitFor();
    await tab.locator("#now-said").getByText("acme fails").waitFor();
    await expectGoodPage(tab, "console-overview-failed");
    // What comes while somebody looks is shown, and who stands on a link stays there.
    const row = tab.locator('#now-lists [data-of="servers notes"]');
    await row.focus();
    const before = await tab.locator("#now-lists").textContent();
    await (await at.sample({ server: "notes", key })).text();
    await expect
      .poll(
        async () => {
          await tab.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
          return tab.locator("#now-lists").textContent();
        },
        { timeout: 30_000 },
      )
      .not.toBe(before);
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await row.getAttribute("href")).toMatch(/requests\?server=notes&since=2/);
    await tab.getByRole("link", { name: "Show its models" }).click();
    await tab.getByRole("heading", { name: "Models of acme" }).waitFor();
    await expectGoodPage(tab, "console-now-models");
    await open("/now");
    await expectGoodPage(tab, "console-now");
    const chinese = await at.signIn({ language: "zh-CN" });
    await open("/now", chinese);
    await expectGoodPage(chinese, "console-now-zh");
    await open("/health");
    await tab.getByText("32 requests failed in the last hour").waitFor();
    await expectGoodPage(tab, "console-health-failed");
    await at.configure("routing", { ...table, version });
    provider.close();
  });
});
