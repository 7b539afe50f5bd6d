// API keys at the console, in a real browser: created once, shown once, revoked after a question.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { ConsoleGateway, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

type Key = { readonly name: string; readonly revokedAt: string | null };

describe.skipIf(chromiumPath === undefined)("keys in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  const keys = async (): Promise<readonly Key[]> => (await at.admin<{ keys: readonly Key[] }>("GET", "/keys")).keys;
  const open = (page = tab, query = ""): Promise<unknown> => page.goto(`${at.homeOf(page)}/keys${query}`);

  test("a key is created by keyboard, shown once, and made once although the page is loaded again", async () => {
    await open();
    await expectGoodPage(tab, "console-keys-none");
    await tab.fill("#name", "staging");
    await tab.fill("#budget-usd", "five");
    await tab.press("#budget-usd", "Enter");
    await tab.getByText("No key was created.").waitFor();
    expect(await tab.inputValue("#name")).toBe("staging");
    expect(await tab.inputValue("#budget-usd")).toBe("five");
    await tab.fill("#budget-usd", "5");
    await tab.press("#budget-usd", "Enter");
    const shown = tab.locator("#key");
    await shown.waitFor();
    const key = (await shown.textContent())?.trim() ?? "";
    expect(key).toMatch(/^csk_/);
    expect(tab.url()).not.toContain(key);
    const accepted = await fetch(`${at.gateway.url}/v1/models`, { headers: { Authorization: `Bearer ${key}` } });
    expect(accepted.status).toBe(200);
    await tab.reload();
    await tab.getByText("This form created the key").waitFor();
    expect(await tab.content()).not.toContain(key);
    expect(await keys()).toHaveLength(1);
  });

  test("the page that shows a key is good in every way, and it is revoked after a question", async () => {
    await open();
    await tab.fill("#name", "shown");
    await tab.press("#name", "Enter");
    await tab.locator("#key").waitFor();
    await expectGoodPage(tab, "console-keys-made");
    for (const [name, usd] of [
      ["app", 12],
      ["ci-release", 6],
      ["a name that is as long as a name may be, which no table has room for", 0.0001],
    ] as const)
      await at.admin("POST", "/keys", {
        name,
        owner: "Ann Lee",
        budget: { usd, per: "month" },
        servers: ["notes", "files"],
        models: ["demo"],
      });
    await open();
    await expectGoodPage(tab, "console-keys");
    await tab.getByRole("link", { name: "ci-release" }).click();
    await tab.getByRole("heading", { name: "What it may do" }).waitFor();
    await expectGoodPage(tab, "console-key");
    await tab.getByLabel("Budget in US dollars").fill("7.50");
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.getByText("The key was changed.").waitFor();
    expect(await tab.inputValue("#budget-usd")).toBe("7.5");
    await open();
    const row = tab.locator("tr", { hasText: "staging" });
    await row.getByText("Revoke").first().click();
    await expectGoodPageOpen();
    await row.getByRole("button", { name: "Revoke staging" }).click();
    await tab.getByText("The key was revoked.").waitFor();
    expect((await keys()).filter(({ revokedAt }) => revokedAt !== null).map(({ name }) => name)).toEqual(["staging"]);

    async function expectGoodPageOpen(): Promise<void> {
      expect(await row.getByText("This cannot be undone.").isVisible()).toBe(true);
    }
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    await open(chinese, "?show=all");
    expect(await chinese.locator("h1").textContent()).toBe("密钥");
    await expectGoodPage(chinese, "console-keys-zh");
  });
});
