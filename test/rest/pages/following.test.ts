// From a request's approval to the review of its reply in one place, in a browser, with a real
// gateway and a scripted model.

import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { killableGateway } from "../../outside/support/killable-gateway.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { launch } from "../../outside/pages/browser.ts";
import { violationsOn } from "../../outside/pages/checks.ts";

describe.skipIf(chromiumPath === undefined)("from request to reply in one place", () => {
  let browser: Browser;
  let gateway: Awaited<ReturnType<typeof killableGateway>>;
  let asked = 0;

  beforeAll(async () => {
    browser = await launch();
    gateway = await killableGateway();
    await gateway.start();
    await gateway.configure();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });
  beforeEach(() => {
    asked += 1;
  });

  async function openReview(javaScriptEnabled: boolean): Promise<{ page: Page; answer: Promise<unknown> }> {
    const { answer } = gateway.ask(`follow-${asked}`, "both-gates");
    const { link } = await gateway.review("request");
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled })).newPage();
    await page.goto(link ?? "");
    return { page, answer };
  }

  /**
   * Presses what leads to another page, and waits until that one is there: until then the page
   * before answers every question.
   */
  async function follow(page: Page, what: Locator): Promise<void> {
    await Promise.all([page.waitForEvent("load"), what.click()]);
  }

  async function approve(page: Page): Promise<void> {
    // A person's second: a form is good from then on.
    await page.waitForTimeout(1_100);
    await follow(page, page.getByRole("button", { name: /^Approve/ }));
  }

  test("the page waits, shows the way on without moving, and leads to the reply's own page", async () => {
    gateway.model.script({ answer: "slow", afterMs: 2_000 }, { answer: "reply", text: "Paris" });
    const { page, answer } = await openReview(true);
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await approve(page);
    await page.getByRole("heading", { level: 1, name: /is answering/ }).waitFor();
    await shoot(page, "page-next-waits");
    const here = page.url();
    await page.getByRole("link", { name: "Review reply" }).waitFor();
    expect(page.url()).toBe(here);
    // What the reply took is said before it is read.
    await page.getByRole("heading", { level: 1, name: "You approved the prompt. The reply is here." }).waitFor();
    expect(await page.locator("#next .path").innerText()).toMatch(/replied in [\d.]+ s[^]*input, \d+ output tokens/);
    // The checker is a script, which the page's own policy lets nobody add.
    const copy = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await copy.setContent((await page.content()).replaceAll(/<script.*?<\/script>/gs, ""));
    expect(await violationsOn(copy)).toEqual([]);
    await shoot(page, "page-next-review");
    await page.getByRole("link", { name: "Review reply" }).click();
    await page.getByRole("heading", { level: 1, name: /replies to/ }).waitFor();
    await approve(page);
    expect(JSON.stringify(await answer)).toContain("Paris");
    expect(problems).toEqual([]);
  });

  test("without scripts it says so, and Refresh shows the way on", async () => {
    gateway.model.script({ answer: "slow", afterMs: 1_000 }, { answer: "reply", text: "Paris" });
    const { page, answer } = await openReview(false);
    await approve(page);
    // However quick the model was.
    const next = page.getByRole("link", { name: "Review reply" });
    while (!(await next.isVisible())) await follow(page, page.getByRole("link", { name: "Refresh" }));
    await follow(page, next);
    await approve(page);
    expect(JSON.stringify(await answer)).toContain("Paris");
  });
});
