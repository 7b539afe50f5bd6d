// The inbox in a real browser, with a real gateway and a mail API: signing in, keys, an
// accessibility checker, and what it hears.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, freePort } from "../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import type { MailApi } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { ScriptedPushService } from "../../support/push-service.ts";
import { type Served, serve } from "../../support/serve.ts";
import { chromiumPath } from "../support/chromium.ts";
import { eventually } from "../support/program.ts";
import { shoot } from "../support/screenshots.ts";
import { startTestGateway } from "../support/test-gateway.ts";
import { launch } from "./browser.ts";
import { violationsOn } from "./checks.ts";
import { PushBrowser } from "./push-browser.ts";

const adminToken = "admin-token-of-the-tests-0123456789";
const apiKey = "dev-key-of-the-tests-0123456789abcdef";
const address = "ada@example.org";
const policy = {
  rules: [],
  default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 3_600 },
  reviewers: { everyone: [{ name: "Ada", email: address }] },
};

describe.skipIf(chromiumPath === undefined)("the inbox in a browser", () => {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-inbox-"));
  let mail: MailApi & Served;
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  /** The inbox's address, once somebody is signed in. */
  let home = "";
  let asked = 0;

  beforeAll(async () => {
    mail = await startMailServer();
    const variables = {
      ADMIN_TOKEN: adminToken,
      LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
      DEV_API_KEY: apiKey,
      EMAIL_FROM: "Countersign <reviews@example.com>",
      RESEND_API_KEY: mail.keys.sending,
      RESEND_BASE_URL: mail.url,
    };
    gateway = await startTestGateway({ port: await freePort(), persistTo, variables });
    await operatorOf(gateway.url, adminToken).seed();
    const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
    const { version } = (await (await fetch(`${gateway.url}/admin/policy`, { headers })).json()) as { version: number };
    const body = JSON.stringify(policy);
    const written = await fetch(`${gateway.url}/admin/policy`, {
      method: "PUT",
      body,
      headers: { ...headers, "If-Match": String(version) },
    });
    expect(written.status).toBe(200);
    browser = await launch();
    page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop("kill");
    await mail?.close();
    rmSync(persistTo, { recursive: true, force: true });
  });

  async function waits(text: string, more: object = {}): Promise<string> {
    asked += 1;
    const response = await fetch(`${gateway.url}/sampling`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Prefer: "respond-async" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: asked,
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content: { type: "text", text } }],
          maxTokens: 20,
          ...more,
          _meta: {
            "countersign/session": "sess-inbox",
            "countersign/originatingRequest": { id: asked, method: "tools/call", name: "look", server: "notes" },
          },
        },
      }),
    });
    return (response.headers.get("Location") ?? "").slice("/runs/".length);
  }

  /**
   * Of a copy of the page as it stands, without its script: the page itself lets no other script
   * run.
   */
  async function violations(): Promise<string[]> {
    const copy = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    await copy.setContent((await page.content()).replaceAll(/<script\b[\s\S]*?<\/script>/g, ""));
    const found = await violationsOn(copy);
    await copy.context().close();
    return found;
  }

  const stateOf = async (run: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/runs/${run}`, { headers: { Authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { state: string }).state;
  };

  /** Loads the inbox again until it has so many lines. */
  const lists = (count: number): Promise<true> =>
    eventually(`${count} lines`, async () => {
      await page.goto(home);
      return (await page.locator(".queue > [data-key]").count()) === count ? true : null;
    });

  test("is signed in to by email, with a keyboard alone", async () => {
    await page.goto(`${gateway.url}/inbox`);
    expect(await violations()).toEqual([]);
    await page.getByLabel("Email address").fill(address);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Look into your email" }).waitFor();
    const link = await eventually("the email", async () => {
      const text = mail.taken.find(({ subject }) => subject === "Sign in to Countersign")?.text ?? "";
      return /http:\S+\/inbox\/sign-in\/\S+/.exec(text)?.[0] ?? null;
    });
    await page.goto(link);
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "Sign in" }).press("Enter");
    await page.getByRole("heading", { name: "No review waits for you" }).waitFor();
    home = page.url();
  });

  test("is used by keys alone, and has nothing that an accessibility checker finds", async () => {
    const runs = [await waits("Question A"), await waits("Question B")];
    const other = await waits("Dear reviewer, this is safe, please approve it at once.", { systemPrompt: "You are terse." });
    await lists(3);
    await shoot(page, "inbox");
    expect(await violations()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.goto(home);
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.closest("li")?.dataset["key"] ?? "");
    const keys = await page.locator(".queue > [data-key]").evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset["key"]));
    await page.keyboard.press("j");
    expect(await focused()).toBe(keys[0]);
    await page.keyboard.press("x");
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    expect(await focused()).toBe(keys[1]);
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    expect(await focused()).toBe(keys[1]);
    expect(await page.locator("#batch").innerText()).toContain("Review 2 together");
    // A key decides nothing.
    for (const run of [...runs, other]) expect(await stateOf(run)).toBe("waiting");
    await page.getByRole("button", { name: "Review 2 together" }).press("Enter");
    await page.getByRole("heading", { name: "Review 2 requests together" }).waitFor();
    await shoot(page, "inbox-together");
    expect(await violations()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.goBack();
    await page.goForward();
    await page.keyboard.press("a");
    await page.waitForTimeout(1_100);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What came of it" }).waitFor();
    expect(await violations()).toEqual([]);
    for (const run of runs) await eventually("its end", async () => ((await stateOf(run)) === "completed" ? true : null));
    expect(await stateOf(other)).toBe("waiting");
  });

  test("marks what somebody else decided and announces what is new, and nothing moves by itself", async () => {
    await lists(1);
    const heard = page.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
    await page.reload();
    await heard;
    const key = await page.locator(".queue > [data-key]").getAttribute("data-key");
    const run = key?.slice("request:".length) ?? "";
    const next = await waits("Question D");
    await page.getByText("The list has changed.").waitFor();
    await page.getByRole("heading", { name: "2 reviews wait for you" }).waitFor();
    expect(await page.locator(".queue > [data-key]").count()).toBe(1);
    await fetch(`${gateway.url}/runs/${run}`, { method: "DELETE", headers: { Authorization: `Bearer ${apiKey}` } });
    await page.locator(".queue > .over").waitFor();
    expect(await page.locator(".queue input").isDisabled()).toBe(true);
    await page.getByRole("link", { name: "Load it again" }).click();
    await page.locator(`[data-key="request:${next}"]`).waitFor();
  });

  test("works without scripts: its lines open, and reviews together can be denied", async () => {
    await lists(1);
    const cookies = await page.context().cookies();
    const plain = await (await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })).newPage();
    await plain.context().addCookies(cookies);
    await plain.goto(home);
    await plain.getByRole("checkbox").check();
    await plain.getByRole("button", { name: "Deny" }).click();
    await plain.getByLabel("One reason for all (optional)").fill("Not now.");
    await plain.waitForTimeout(1_100);
    await plain.getByRole("button", { name: "Deny 1" }).click();
    await plain.getByText("Denied", { exact: true }).waitFor();
  });

  test("turns this device on with one press; its notice opens the review, says at the end who decided, and no page is stored", async () => {
    const service = new ScriptedPushService("");
    const served = await serve(service.answer);
    service.origin = served.url;
    const pushed = new PushBrowser(page, service);
    const origin = new URL(gateway.url).origin;
    await pushed.install(origin);
    await page.goto(home);
    await page.getByRole("button", { name: "Turn on for this device" }).click();
    await page.getByText("This device is on.").waitFor();
    await page.getByText("this device", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Turn on for this device" }).isVisible()).toBe(false);
    await shoot(page, "inbox-devices");
    expect(await violations()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);

    const run = await waits("Question E");
    const [first] = await eventually("the notice", async () => (service.taken.length > 0 ? service.taken : null));
    await pushed.deliver(origin, first!.notice);
    const [shown, ...others] = await eventually("what is shown", async () => ((await pushed.shown()).length > 0 ? pushed.shown() : null));
    expect(others).toEqual([]);
    expect(shown).toMatchObject({ silent: false, url: first?.notice.url, tag: first?.topic });
    expect(shown?.title).toMatch(/^notes · look asks /);
    expect(await pushed.press()).toBe(first?.notice.url);

    await page.goto(shown?.url ?? "");
    await page.waitForTimeout(1_100);
    await page
      .getByRole("button", { name: /^Approve/ })
      .first()
      .click();
    await eventually("its end", async () => ((await stateOf(run)) === "completed" ? true : null));
    const last = await eventually("the outcome", async () => service.taken.find(({ notice }) => notice.quiet) ?? null);
    await pushed.deliver(origin, first!.notice);
    await pushed.deliver(origin, last.notice);
    const over = await eventually(
      "the outcome on the device",
      async () => (await pushed.shown()).find(({ silent }) => silent === true) ?? null,
    );
    expect(over).toMatchObject({ tag: shown?.tag, title: expect.stringMatching(/^Approved: /), url: `${origin}/inbox` });
    expect(await pushed.shown()).toHaveLength(1);

    // A message of anywhere else opens nothing but the inbox.
    await pushed.deliver(origin, { ...last.notice, url: "https://evil.example/r/x" });
    await eventually("the other message", async () => ((await pushed.shown())[0]?.url === `${origin}/inbox` ? true : null));
    expect(await pushed.press()).toBe(`${origin}/inbox`);
    expect(await page.evaluate(async () => [...(await caches.keys()), navigator.serviceWorker.controller])).toEqual([null]);

    await page.goto(home);
    await page.getByRole("button", { name: /^Turn off/ }).click();
    await page.getByText("The device is off.").waitFor();
    await page.getByRole("button", { name: "Turn on for this device" }).waitFor();
    expect([pushed.device, service.faults]).toEqual([null, []]);
    await served.close();
  });
});
