// The frame of the console and its kill switch, in a real browser.

import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { eventually } from "../../../outside/support/program.ts";
import { ConsoleGateway, adminToken, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

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
    await tab.getByText("All requests and calls").first().waitFor();
    expect(await stops()).toHaveLength(2);
    await expectGoodPage(tab, "console-stops");
    for (const left of [1, 0]) {
      await tab.getByRole("button", { name: "Resume" }).first().click();
      await tab.getByText("Resumed.").waitFor();
      expect(await stops()).toHaveLength(left);
    }
    await expectGoodPage(tab, "console-stops-none");
  });

  test("a stopped key says so in one line of its row, and a request's buttons stand below what they are for", async () => {
    const { id } = await at.admin<{ id: string }>("POST", "/keys", { name: "ci" });
    await at.admin("PUT", `/stops/keys/${id}`);
    await at.sample();
    const run = await eventually("the request", async () => (await at.admin<{ runs: { id: string }[] }>("GET", "/runs")).runs[0]?.id);
    const wide = await at.signIn({ viewport: { width: 1_280, height: 900 } });
    await wide.goto(`${at.homeOf(wide)}/keys`);
    expect(await wide.locator(".main-cell .tag").evaluate((tag) => tag.getClientRects()[0]?.height)).toBeLessThan(40);
    await wide.goto(`${at.homeOf(wide)}/requests/${run}`);
    const button = wide.getByText("Stop notes").first();
    const left = async (of: Locator): Promise<number> => (await of.boundingBox())?.x ?? Number.NaN;
    expect(await left(button)).toBeCloseTo(await left(wide.getByRole("heading", { name: "More requests" })), 0);
    await at.admin("DELETE", `/stops/keys/${id}`);
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    await chinese.goto(`${at.homeOf(chinese)}/stops`);
    expect(await chinese.locator("h1").textContent()).toBe("停止请求和调用");
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
