// Reviewers, grants and the record at the console, in a real browser.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { startMailServer } from "../../../support/mail-server.ts";
import { ConsoleGateway, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

const ann = { name: "Ann Lee", email: "ann@example.com", slack: "U0ANNLEE", language: "zh-CN", notify: ["email"] };
const bo = { name: "Bo Chen", email: "bo@example.com" };
const room = { name: "someone in Reviews", teams: "REVIEWS" };

describe.skipIf(chromiumPath === undefined)("reviewers, grants and the record in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;
  let mail: Awaited<ReturnType<typeof startMailServer>>;

  beforeAll(async () => {
    mail = await startMailServer();
    at = await ConsoleGateway.start({
      EMAIL_FROM: "Countersign <reviews@example.com>",
      RESEND_API_KEY: mail.keys.full,
      RESEND_BASE_URL: mail.url,
    });
    const gates = { request: "review", response: "allow", grants: true, deadlineSeconds: 600 };
    await at.configure("policy", {
      rules: [],
      default: { ...gates, reviewers: ["everyone"] },
      reviewers: { everyone: [ann, bo], leads: [bo], room: [room] },
    });
    tab = await at.signIn();
  });
  afterAll(async () => {
    await at?.stop();
    await mail?.close();
  });

  const open = (path: string, page = tab): Promise<unknown> => page.goto(`${at.homeOf(page)}/${path}`);

  test("one press sends a test message; where it fails the page says what to do", async () => {
    await open("reviewers");
    await expectGoodPage(tab, "console-reviewers");
    await tab.getByRole("button", { name: "Test Email for Bo Chen" }).click();
    await tab.getByText("The mail service accepted the test email.").waitFor();
    expect(mail.taken.map(({ to, subject }) => [to, subject])).toEqual([[[bo.email], "Test message from Countersign"]]);
    mail.script({ status: 403, name: "validation_error" });
    await tab.getByRole("button", { name: "Test Email for Ann Lee" }).click();
    await tab.getByText("Verify the domain of EMAIL_FROM.").waitFor();
    await expectGoodPage(tab, "console-reviewers-failed");
    await open("reviewers");
    const row = tab.locator("tr", { hasText: "Bo Chen" });
    await row.getByText("Sign out").first().click();
    await row.getByRole("button", { name: "Sign Bo Chen out" }).click();
    await tab.getByText("Signed out: 0 sessions ended.").waitFor();
  });

  test("a grant that a reviewer gave is listed, and ended after a question", async () => {
    await open("grants");
    await expectGoodPage(tab, "console-grants-none");
    const asked = await at.sample();
    expect(asked.status).toBe(202);
    const link = await newestLink();
    const reviewer = await (await at.browser.newContext()).newPage();
    await reviewer.goto(link);
    await allowLater(reviewer);
    await open("grants");
    await tab.getByText("Requests of the same shape").waitFor();
    await expectGoodPage(tab, "console-grants");
    await tab.locator("summary", { hasText: "End" }).click();
    await tab.getByRole("button", { name: "End the grant" }).click();
    await tab.getByText("The grant has ended.").waitFor();
    expect((await at.admin<{ grants: { state: string }[] }>("GET", "/grants")).grants).toMatchObject([{ state: "revoked" }]);
  });

  test("the record says who did what, and that it is whole", async () => {
    await open("record");
    await tab.getByText("signed in to the console").first().waitFor();
    await expectGoodPage(tab, "console-record");
    await tab.selectOption("#kind", "channelTested");
    await tab.getByRole("button", { name: "Show" }).click();
    await tab.getByText("not sent").waitFor();
    // The page of the test that failed was loaded again to be looked at: a browser that sends the
    // form again tests again.
    expect(await tab.locator("ol.rank > li").count()).toBe(3);
    await tab.getByRole("link", { name: "Check this month" }).click();
    await tab.getByText("The month is whole").waitFor();
    await expectGoodPage(tab, "console-record-checked");
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    for (const [path, title] of [
      ["reviewers", "审核人"],
      ["grants?show=all", "授权"],
      ["record", "记录"],
    ] as const) {
      await open(path, chinese);
      expect(await chinese.locator("h1").textContent()).toBe(title);
      await expectGoodPage(chinese, `console-${path.split("?")[0]}-zh`);
    }
  });

  /** Of the review that waits, as an operator finds it. */
  async function newestLink(): Promise<string> {
    for (;;) {
      const { notices } = await at.admin<{ notices: { link: string | null }[] }>("GET", "/notices?state=open");
      const link = notices.findLast((each) => each.link !== null)?.link;
      if (link !== undefined && link !== null) return link;
    }
  }
});

/** Approves on the review's page and allows later requests of the same shape. */
async function allowLater(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (let at = document.querySelector("details.grant"); at !== null; at = at.parentElement?.closest("details") ?? null)
      at.setAttribute("open", "");
  });
  await page.selectOption("#grant", "tool:shape");
  // A person's second: a form is good from then on.
  await page.waitForTimeout(1_100);
  await page.locator("button.allow").click();
  await page.locator("button.allow").waitFor({ state: "detached" });
}
