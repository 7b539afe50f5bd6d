// What an operator does about tool calls, in a real browser: a rule that asks less, drafted from a
// call that a reviewer approved; and a bypass.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { eventually } from "../../../outside/support/program.ts";
import { ConsoleGateway, apiKey, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

describe.skipIf(chromiumPath === undefined)("an operator, about tool calls", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    const policy = await at.admin<{ rules: object[] }>("GET", "/policy");
    const asks = { request: "review", response: "allow", selfApproval: true };
    await at.configure("policy", { ...policy, rules: [{ name: "writing", when: { subject: "toolCall", server: "github" }, then: asks }] });
    for (const title of ["One", "Two", "Three"])
      await fetch(`${at.gateway.url}/approvals`, {
        method: "POST",
        headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Prefer: "respond-async" },
        body: JSON.stringify({ server: "github", tool: "create_issue", arguments: { title } }),
      });
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  test("a reviewer who approved a call finds the way to ask less, and the operator sees and saves the rule", async () => {
    const [notice] = await eventually("three notices", async () => {
      const { notices } = await at.admin<{ notices: { link: string; run: string }[] }>("GET", "/notices");
      return notices.length === 3 ? notices : undefined;
    });
    const reviewer = await (await at.browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await reviewer.goto(notice?.link ?? "");
    // A person's second: a form that is posted sooner is shown again.
    await reviewer.waitForTimeout(1_100);
    await reviewer
      .getByRole("button", { name: /^Approve/ })
      .first()
      .click();
    const link = reviewer.getByRole("link", { name: "Ask me less like this" });
    await link.waitFor({ timeout: 15_000 });
    await expectGoodPage(reviewer, "review-call-approved");
    expect(await link.getAttribute("href")).toBe(`/console/requests/${notice?.run}`);
    await tab.goto(`${at.homeOf(tab)}/requests/${notice?.run}`);
    await tab.getByRole("link", { name: "Ask less about calls like this" }).click();
    await tab.getByText("3 of 3 requests read").waitFor();
    expect(await tab.inputValue("[name=name]")).toBe("create_issue passes");
    await expectGoodPage(tab, "console-policy-less");
    await tab.getByRole("button", { name: /^Save version/ }).click();
    await tab.getByText("Saved as version").waitFor();
    const { rules } = await at.admin<{ rules: { name: string }[] }>("GET", "/policy");
    expect(rules.map(({ name }) => name)).toEqual(["create_issue passes", "writing"]);
  });

  test("gives a bypass for a time, with a reason, and ends it", async () => {
    await tab.goto(`${at.homeOf(tab)}/grants`);
    await tab.getByText("Let tool calls bypass reviews").click();
    await tab.selectOption("[name=hours]", "2");
    await tab.fill("[name=reason]", "The migration of this afternoon");
    await tab.getByRole("button", { name: "Let them pass" }).click();
    await tab.getByText("Choose a key, or enter a server.").waitFor();
    await expectGoodPage(tab, "console-bypass-form");
    await tab.goto(`${at.homeOf(tab)}/grants`);
    await tab.getByText("Let tool calls bypass reviews").click();
    await tab.fill("[name=server]", "github");
    await tab.fill("[name=tool]", "create_issue");
    await tab.fill("[name=reason]", "The migration of this afternoon");
    await tab.getByRole("button", { name: "Let them pass" }).click();
    await tab.getByText("Calls bypass reviews now.").waitFor();
    await tab.getByText("The migration of this afternoon").waitFor();
    await expectGoodPage(tab, "console-bypass");
    await tab.locator("summary", { hasText: "End" }).first().click();
    await tab.getByRole("button", { name: "End the grant" }).click();
    await tab.getByText("The grant has ended.").waitFor();
  });
});
