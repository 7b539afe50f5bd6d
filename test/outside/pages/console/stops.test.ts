// The frame of the console and its kill switch, in a real browser.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../support/chromium.ts";
import { ConsoleGateway, adminToken, expectGoodPage } from "./console-gateway.ts";

describe.skipIf(chromiumPath === undefined)("the console in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  const stops = async (): Promise<unknown[]> => (await at.admin<{ stops: unknown[] }>("GET", "/stops")).stops;

  test("stops one server and everything, and resumes, by keyboard and after a question", async () => {
    await tab.goto(`${at.homeOf(tab)}/stops`);
    await tab.fill("#name", "notes");
    await tab.press("#name", "Enter");
    await tab.getByText("Stopped.", { exact: true }).waitFor();
    expect(await stops()).toMatchObject([{ scope: "server", server: "notes" }]);
    await tab.getByText("Stop everything").first().click();
    await tab.getByRole("button", { name: "Stop everything" }).click();
    await tab.getByText("All sampling").first().waitFor();
    expect(await stops()).toHaveLength(2);
    await expectGoodPage(tab, "console-stops");
    for (const left of [1, 0]) {
      await tab.getByRole("button", { name: "Resume" }).first().click();
      await tab.getByText("Resumed.").waitFor();
      expect(await stops()).toHaveLength(left);
    }
    await expectGoodPage(tab, "console-stops-none");
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    await chinese.goto(`${at.homeOf(chinese)}/stops`);
    expect(await chinese.locator("h1").textContent()).toBe("停止采样");
    await expectGoodPage(chinese, "console-stops-zh");
  });

  test("opens the rest of its places on a phone, and signs out", async () => {
    await tab.goto(`${at.homeOf(tab)}/stops`);
    expect(await tab.content()).not.toContain(adminToken);
    const grants = tab.getByRole("link", { name: "Grants" });
    expect(await grants.isVisible()).toBe(false);
    await tab.locator(".nav summary").click();
    expect(await grants.isVisible()).toBe(true);
    await tab.keyboard.press("Escape");
    expect(await grants.isVisible()).toBe(false);
    await tab.locator(".nav summary").click();
    await tab.getByRole("button", { name: "Sign out", exact: true }).click();
    await tab.locator("#token").waitFor();
    await expectGoodPage(tab, "console-sign-in");
  });
});
