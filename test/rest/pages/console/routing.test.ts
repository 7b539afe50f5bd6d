// The routing page in a real browser: the playground answers at once, and a model is changed in its
// form, tried and saved.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { ConsoleGateway, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

type Table = { readonly version: number; readonly models: readonly { readonly id: string; readonly scores: object }[] };

describe.skipIf(chromiumPath === undefined)("routing in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start({ OPENAI_API_KEY: "key-of-the-tests" });
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  const open = (path: string, page = tab): Promise<unknown> => page.goto(`${at.homeOf(page)}/${path}`);
  const table = (): Promise<Table> => at.admin<Table>("GET", "/routing");
  const first = (on: Page) => on.locator("#ranking .rank > li").first();

  test("ranks at once while a request is entered", async () => {
    await open("routing");
    await first(tab).waitFor();
    await tab.fill("#hints", "claude, luna");
    await first(tab).getByText("claude").first().waitFor();
    await tab.fill("#hints", "luna");
    await first(tab).getByText("gpt-6-luna").first().waitFor();
    await tab.locator("#speed").fill("1");
    await tab.locator("#ranking").getByText("speed 1 x").first().waitFor();
    expect(await tab.locator("output[for=speed]").textContent()).toBe("1.00");
    await tab.getByLabel("Audio").check();
    await tab.locator("#ranking").getByText("it does not accept audio").first().waitFor();
    await tab.getByLabel("Audio").uncheck();
    await tab.locator("#ranking .rank > li").nth(1).waitFor();
    await expectGoodPage(tab, "console-routing");
  });

  test("a model is checked while it is changed, tried, and saved", async () => {
    await open("routing/model?id=gpt-6-luna");
    await tab.fill("#scores-intelligence", "2");
    await tab.locator("#check a[href='#scores-intelligence']").waitFor();
    await expectGoodPage(tab, "console-model");
    await tab.fill("#scores-intelligence", "0.61");
    await tab.fill("#standsInFor", "my-own-model");
    await tab.locator("#check").getByText("Valid").waitFor();
    await tab.getByRole("button", { name: "Try with a request" }).click();
    await tab.getByText("your draft, which is not saved").waitFor();
    await tab.fill("#hints", "my-own-model-3");
    await first(tab).getByText("gpt-6-luna").first().waitFor();
    await tab.getByRole("button", { name: "Back to the draft" }).click();
    await tab.locator("#changes ins", { hasText: "0.61" }).waitFor();
    const { version } = await table();
    await tab.getByRole("button", { name: "Save", exact: true }).click();
    await tab.getByText(`Version ${version + 1} is saved`).waitFor();
    expect((await table()).models.find(({ id }) => id === "gpt-6-luna")?.scores).toMatchObject({ intelligence: 0.61 });
  });

  test("a model is removed after a question", async () => {
    await open("routing/model?id=workers-ai-bge-m3");
    await tab.locator("details.confirm > summary").click();
    await tab.getByRole("button", { name: "Remove", exact: true }).click();
    await tab.getByText("The model is removed").waitFor();
    expect((await table()).models.map(({ id }) => id)).not.toContain("workers-ai-bge-m3");
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    for (const [path, heading] of [
      ["routing", "路由"],
      ["routing/model", "添加模型"],
      ["routing/provider?name=anthropic", "提供商 anthropic"],
    ] as const) {
      await open(path, chinese);
      expect(await chinese.locator("h1").textContent()).toBe(heading);
      await expectGoodPage(chinese, `console-${path.replaceAll(/\W/g, "-")}-zh`);
    }
  });

  test("without scripts the playground has its button", async () => {
    const context = await at.browser.newContext({ javaScriptEnabled: false, storageState: await tab.context().storageState() });
    const plain = await context.newPage();
    await plain.goto(`${at.homeOf(tab)}/routing`);
    await plain.fill("#hints", "terra");
    await plain.getByRole("button", { name: "Rank models" }).click();
    await first(plain).getByText("gpt-6.1-terra").first().waitFor();
    expect(await plain.inputValue("#hints")).toBe("terra");
    await context.close();
  });
});
