// Budgets and servers at the console, in a real browser: forms over one entry of a document, with a
// second operator at work.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { ConsoleGateway, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

describe.skipIf(chromiumPath === undefined)("budgets and servers in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  const open = (path: string, page = tab): Promise<unknown> => page.goto(`${at.homeOf(page)}/${path}`);
  const budgets = async (): Promise<object> => (await at.admin<{ budgets: object }>("GET", "/budgets")).budgets;

  test("a budget is added and changed, and a second operator's change is shown before it is replaced", async () => {
    await open("budgets");
    await expectGoodPage(tab, "console-budgets-none");
    await tab.fill("#name", "everyone");
    await tab.selectOption("#of", "eachOwner");
    await tab.fill("#usd", "5");
    await tab.press("#usd", "Enter");
    await tab.getByText("Saved.").waitFor();
    expect(await budgets()).toEqual({ everyone: { of: { owner: "*" }, usd: 5, per: "month" } });
    await at.configure("budgets", {
      budgets: {
        everyone: { of: { owner: "*" }, usd: 5, per: "month" },
        all: { of: "everything", usd: 500, tokens: 1_000_000, per: "month", notify: ["ops@example.com"] },
        notes: { of: { server: "notes" }, usd: 20, per: "day" },
      },
    });
    await open("budgets");
    await expectGoodPage(tab, "console-budgets");
    await tab.getByRole("link", { name: "Edit notes" }).click();
    await tab.locator("h2", { hasText: "Edit budget notes" }).waitFor();
    const other = await at.signIn({ viewport: { width: 1_280, height: 900 } });
    await open("budgets?edit=notes", other);
    await other.fill("#usd", "30");
    await other.press("#usd", "Enter");
    await other.getByText("Saved.").waitFor();
    await tab.fill("#usd", "40");
    await tab.press("#usd", "Enter");
    await tab.getByText("Somebody else changed this while you did.").waitFor();
    expect(await tab.inputValue("#usd")).toBe("40");
    expect(await budgets()).toMatchObject({ notes: { usd: 30 } });
    await expectGoodPage(tab, "console-budgets-changed");
    await tab.getByText("Somebody else changed this while you did.").waitFor();
    await tab.press("#usd", "Enter");
    await tab.getByText("Saved.").waitFor();
    expect(await budgets()).toMatchObject({ notes: { usd: 40 } });
  });

  test("a server is added, asked whether it answers, and removed after a question", async () => {
    await open("servers");
    await expectGoodPage(tab, "console-servers-none");
    await tab.fill("#name", "notes");
    await tab.fill("#url", "http://127.0.0.1:9/mcp");
    await tab.press("#url", "Enter");
    await tab.getByText("is a private or loopback address").waitFor();
    await tab.check("#allowPrivate");
    await tab.press("#url", "Enter");
    await tab.getByText("Saved.").waitFor();
    const { notes } = (await at.admin<{ servers: { notes: object } }>("GET", "/servers")).servers;
    for (const left of ["auth", "connections"]) expect(notes).not.toHaveProperty(left);
    await at.sample({ server: "notes" });
    await tab.getByRole("button", { name: "Check notes" }).click();
    await tab.getByText("It cannot be reached").waitFor();
    await expectGoodPage(tab, "console-servers");
    await open("servers?edit=notes");
    await tab.getByText("Tools, tokens and headers").click();
    expect(await tab.inputValue("#url")).toBe("http://127.0.0.1:9/mcp");
    await open("servers");
    await tab.getByText("Remove").first().click();
    await tab.getByRole("button", { name: "Remove notes" }).click();
    await tab.getByText("Removed.").waitFor();
    expect((await at.admin<{ servers: object }>("GET", "/servers")).servers).toEqual({});
  });

  test("in Chinese", async () => {
    await at.configure("servers", {
      servers: { notes: { url: "https://notes.example.com/mcp", mode: "fallback", functions: ["lookup"] } },
    });
    const chinese = await at.signIn({ language: "zh-CN" });
    await open("budgets", chinese);
    expect(await chinese.locator("h1").textContent()).toBe("预算");
    await expectGoodPage(chinese, "console-budgets-zh");
    await open("servers?edit=notes", chinese);
    expect(await chinese.locator("h1").textContent()).toBe("服务器");
    await expectGoodPage(chinese, "console-servers-zh");
  });
});
