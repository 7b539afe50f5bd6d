// A review page that is open in one browser while somebody else decides in another, with a real
// gateway between them; and a browser of a mail scanner that opens the link first.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, freePort } from "../../../scripts/local-gateway.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import { decodePng } from "../../../shared/image/decode-png.ts";
import { readPng } from "../../../shared/image/png-chunks.ts";
import { pngOf } from "../../support/made-images.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { eventually } from "../../outside/support/program.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { launch } from "../../outside/pages/browser.ts";

const adminToken = "admin-token-of-the-tests-0123456789";
const apiKey = "dev-key-of-the-tests-0123456789abcdef";

const then = (more: object): object => ({ request: "review", response: "allow", reviewers: ["both"], deadlineSeconds: 600, ...more });
const policy = {
  rules: [
    { name: "two", when: { server: "two" }, then: then({ quorum: 2 }) },
    { name: "soon", when: { server: "soon" }, then: then({ deadlineSeconds: 25 }) },
  ],
  default: then({}),
  reviewers: { both: [{ name: "Ada" }, { name: "Grace" }], others: [{ name: "Edsger" }] },
};

describe.skipIf(chromiumPath === undefined)("an open review page in a browser", () => {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-live-"));
  let gateway: Gateway;
  let browser: Browser;
  /** A page whose deadline passes while the other tests run. */
  let soon: Page;

  beforeAll(async () => {
    const variables = { ADMIN_TOKEN: adminToken, LINK_KEY: "link-key-of-the-tests-0123456789abcdef", DEV_API_KEY: apiKey };
    gateway = await startTestGateway({ port: await freePort(), persistTo, variables });
    await operatorOf(gateway.url, adminToken).seed();
    const current = (await (await admin("/admin/policy")).json()) as { version: number };
    await admin("/admin/policy", {
      method: "PUT",
      body: JSON.stringify(policy),
      headers: { "If-Match": String(current.version), "Content-Type": "application/json" },
    });
    browser = await launch();
    soon = await openListening((await review("soon")).ada);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop("kill");
    rmSync(persistTo, { recursive: true, force: true });
  });

  async function admin(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(gateway.url + path, { ...init, headers: { Authorization: `Bearer ${adminToken}`, ...init.headers } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  let asked = 0;

  /** A review that both are asked for: its run and their links. */
  async function review(
    server: string,
    content: object = { type: "text", text: `Question ${asked + 1}` },
  ): Promise<{ run: string; ada: string; grace: string }> {
    asked += 1;
    const response = await fetch(`${gateway.url}/sampling`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Prefer: "respond-async" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: asked,
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content }],
          maxTokens: 20,
          _meta: {
            "countersign/session": "sess-live",
            "countersign/originatingRequest": { id: asked, method: "tools/call", name: "look", server },
          },
        },
      }),
    });
    const run = (response.headers.get("Location") ?? "").slice("/runs/".length);
    const links = await eventually("both links", async () => {
      const mine = (await operatorOf(gateway.url, adminToken).waiting()).filter((each) => each.run === run);
      return mine.length === 2 ? mine : null;
    });
    const of = (name: string): string => links.find(({ reviewer }) => reviewer === name)?.link ?? "";
    return { run, ada: of("Ada"), grace: of("Grace") };
  }

  /** Opens a link in a browser of its own. */
  async function open(link: string, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })).newPage();
    await page.goto(link);
    return page;
  }

  /** Opens a link, and waits until its page listens. */
  async function openListening(link: string): Promise<Page> {
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
    const heard = page.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
    await page.goto(link);
    await heard;
    return page;
  }

  const stateOf = async (run: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/runs/${run}`, { headers: { Authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { state: string }).state;
  };

  /** Presses a button of the page when a person would have read it. */
  async function press(page: Page, name: string | RegExp): Promise<void> {
    await page.waitForTimeout(1_100);
    if (name === "Deny" && !(await page.getByLabel("Reason for denying").isVisible())) await page.locator(".deny > summary").click();
    await page.getByRole("button", { name }).click();
    await page.waitForLoadState();
  }

  /** What still acts in the decision bar. */
  const pressable = (page: Page): Promise<string[]> =>
    page.locator("#decision :is(button, summary, select):not(:disabled, [inert])").allInnerTexts();

  test("says once who else decided, keeps what was written, and can press nothing that counts", async () => {
    const { ada, grace } = await review("notes");
    const mine = await openListening(ada);
    const problems: string[] = [];
    mine.on("console", (message) => problems.push(message.text()));
    mine.on("pageerror", (error) => problems.push(String(error)));
    await mine.locator(".deny > summary").click();
    await mine.getByLabel("Reason for denying").fill("half a reas");
    expect(await mine.locator(".live").allInnerTexts()).toEqual(["", ""]);
    const theirs = await open(grace, { javaScriptEnabled: false });
    await press(theirs, /^Approve/);
    await mine.getByRole("status").filter({ hasText: "Grace approved it" }).waitFor();
    expect(await mine.locator(".live").allInnerTexts()).toEqual([
      expect.stringMatching(/^Grace approved it\s[^]*\sSee how it ended$/),
      "See how it ended",
    ]);
    expect(await pressable(mine)).toEqual([]);
    expect(
      await mine
        .locator(".strip, #decision")
        .filter({ hasText: /Expires|left|Approve sends/ })
        .count(),
    ).toBe(0);
    const reason = mine.locator("#reason");
    expect([await reason.inputValue(), await reason.isVisible(), await reason.isEditable()]).toEqual(["half a reas", true, false]);
    expect(mine.url()).toBe(ada);
    await shoot(mine, "page-live-over");
    await mine.getByRole("link", { name: "See how it ended" }).first().click();
    await mine.getByText("Grace approved it").waitFor();
    expect(problems).toEqual([]);
  });

  test("says that the content changed, and that a vote came in; both can still be decided", async () => {
    const { run, ada, grace } = await review("two");
    const mine = await openListening(ada);
    const theirs = await open(grace, { javaScriptEnabled: false });
    await theirs.getByLabel("Message 1, part 1").last().fill("Another question");
    // Unseen, it is shown first.
    await press(theirs, /^Approve/);
    await press(theirs, / with 1 change$/);
    await theirs.getByText("You approved it").waitFor();
    await mine.getByRole("status").filter({ hasText: "Grace changed the content while you were reading" }).waitFor();
    expect(await mine.locator(".live p").allInnerTexts()).toEqual([
      "Grace changed the content while you were reading. This page shows the old version.",
    ]);
    expect(await mine.locator("button.approve").isDisabled()).toBe(false);
    const texts = (): Promise<string[]> =>
      mine.locator("textarea.said").evaluateAll((all) => all.map((each) => (each as HTMLTextAreaElement).value));
    expect(await texts()).not.toContain("Another question");
    await shoot(mine, "page-live-changed");
    const again = mine.waitForEvent("websocket").then((socket) => socket.waitForEvent("framereceived"));
    await mine
      .getByRole("link", { name: /Load the new version/ })
      .first()
      .click();
    await again;
    expect(await texts()).toContain("Another question");
    expect(await mine.locator(".live").allInnerTexts()).toEqual(["", ""]);
    await press(mine, /^Approve/);
    await eventually("the end", async () => (await stateOf(run)) === "completed");
  });

  test.each(["light", "dark"] as const)("shows a transparent image on white, as the model gets it, on a %s page", async (colorScheme) => {
    // Left: black, wholly transparent. Right: black, half transparent.
    const file = pngOf({ width: 60, height: 40, colorType: 6, pixel: (x) => [0, 0, 0, x < 30 ? 0 : 128] });
    const { ada } = await review("notes", { type: "image", data: Buffer.from(file).toString("base64"), mimeType: "image/png" });
    const page = await open(ada, { colorScheme, javaScriptEnabled: false });
    const shown = page.locator("img.media");
    await page.getByText("Transparent areas are white").waitFor();
    const parts = readPng(Uint8Array.from(await shown.screenshot()));
    const raster = parts.ok ? decodePng(parts.value) : parts;
    if (!raster.ok) throw new Error(raster.error.kind);
    const { width, height, rgb } = raster.value;
    const at = (x: number): number[] => {
      const pixel = (Math.floor(height / 2) * width + Math.floor(width * x)) * 3;
      return [...rgb.subarray(pixel, pixel + 3)];
    };
    expect([at(0.25), at(0.75)]).toEqual([
      [255, 255, 255],
      [127, 127, 127],
    ]);
    await shoot(page, `page-image-${colorScheme}`);
  });

  test("moves no button from under a finger when it says something, and takes no tap in that moment", async () => {
    const { run, ada, grace } = await review("two");
    const mine = await openListening(ada);
    const deny = mine.locator(".deny > summary");
    // Not every browser keeps what is in view where it is.
    await mine.evaluate(() => (document.documentElement.style.overflowAnchor = "none"));
    const before = (await deny.boundingBox())?.y;
    await mine.evaluate(() => {
      // The press of somebody whose finger is on its way when the words appear.
      new MutationObserver(() => document.querySelector<HTMLButtonElement>("button[value=deny]")?.click()).observe(
        document.querySelector("#decision .live") ?? document.body,
        { childList: true },
      );
    });
    await press(await open(grace, { javaScriptEnabled: false }), /^Approve/);
    await mine.locator("#decision .live").filter({ hasText: "Load this page again" }).waitFor();
    expect((await deny.boundingBox())?.y).toBeCloseTo(before ?? Number.NaN, 0);
    // The button counts the vote that it has not seen the page of.
    expect(await mine.locator("#approve").innerText()).toBe("Approve (2 of 2)");
    expect(await mine.locator(".live p").allInnerTexts()).toEqual(["Grace approved while you were reading."]);
    // The strip, the votes and the effect of the button tell the same.
    expect(await mine.locator(".strip").innerText()).toContain("Grace approved, 1 of 2");
    expect(await mine.locator("#decision .votes").innerText()).toMatch(/Grace approved, .*You: no vote yet/);
    expect(await mine.locator("#decision .effect").innerText()).not.toContain("must approve too");
    expect(await mine.locator(".strip [data-left]").innerText()).toMatch(/^\d:\d\d$/);
    expect(mine.url()).toBe(ada);
    await shoot(mine, "page-live-voted");
    await mine.waitForTimeout(1_000);
    expect(await stateOf(run)).toBe("waiting");
    await deny.click();
    await mine.getByRole("button", { name: "Deny" }).click();
    await mine.getByText("You denied it").waitFor();
  });

  test("says what its own reviewer did on another page, and can press nothing of before", async () => {
    const { ada } = await review("two");
    const mine = await openListening(ada);
    await press(await open(ada, { javaScriptEnabled: false }), /^Approve/);
    await mine.getByRole("status").filter({ hasText: "You approved it" }).waitFor();
    expect(await mine.locator(".live").allInnerTexts()).toEqual([
      expect.stringMatching(/^You approved it\. 1 more approval is needed\.[^]+Grace must approve too\.[^]+Load this page again/),
      expect.stringMatching(/^Load this page again/),
    ]);
    expect(await mine.locator("#decision .votes").innerText()).toMatch(/You approved, .*Grace: no vote yet/);
    expect(await pressable(mine)).toEqual([]);
    expect(await mine.getByText("You can still deny it").count()).toBe(0);
    await shoot(mine, "page-live-own-vote");

    const handed = await openListening((await review("notes")).ada);
    const other = await open(handed.url(), { javaScriptEnabled: false });
    await other.locator(".more > summary").click();
    await other.locator(".menu summary", { hasText: "Hand over" }).click();
    await press(other, "Hand over");
    await handed.getByRole("status").filter({ hasText: "You handed it to Edsger" }).waitFor();
    expect(await handed.getByText("You handed it to").count()).toBe(1);
    const asked = handed.locator(".pair").filter({ has: handed.getByText("Reviewers", { exact: true }) });
    expect(await asked.textContent()).toBe("ReviewersGrace and Edsger");
    expect(await pressable(handed)).toEqual([]);
    expect(await handed.locator("#decision").innerText()).not.toMatch(/Approve sends|left/);
    await shoot(handed, "page-live-handed-over");
  });

  test("listens again, more and more rarely, after its connection was lost, and then says what it missed", async () => {
    const { ada, grace } = await review("notes");
    const page = await (await browser.newContext()).newPage();
    const tries: number[] = [];
    let lost = true;
    await page.routeWebSocket("**/live", (socket) => {
      tries.push(Date.now());
      if (lost) void socket.close();
      else socket.connectToServer();
    });
    await page.goto(ada);
    await eventually("a third try", () => tries.length >= 3);
    const [first = 0, second = 0, third = 0] = tries;
    expect(second - first).toBeGreaterThanOrEqual(950);
    expect(third - second).toBeGreaterThanOrEqual(1_900);
    await press(await open(grace, { javaScriptEnabled: false }), "Deny");
    lost = false;
    await page.getByRole("status").filter({ hasText: "Grace denied it" }).waitFor();
    const made = tries.length;
    await page.waitForTimeout(1_500);
    expect(tries).toHaveLength(made);
  });

  test("needs none of it: with scripts off a review is handed over, and the other person decides", async () => {
    const { run, ada } = await review("notes");
    const page = await open(ada, { javaScriptEnabled: false });
    await page.locator(".more > summary").click();
    await page.locator(".menu summary", { hasText: "Hand over" }).click();
    await press(page, "Hand over");
    await page.getByText("You handed it to Edsger").waitFor();
    expect(page.url()).toBe(ada);
    expect(await page.locator("form").count()).toBe(0);
    const link = await eventually("Edsger's link", async () =>
      (await operatorOf(gateway.url, adminToken).waiting()).find((each) => each.run === run && each.reviewer === "Edsger"),
    );
    await press(await open(link.link ?? ""), /^Approve/);
    await eventually("the end", async () => (await stateOf(run)) === "completed");
  });

  test("decides nothing for a headless browser that opens the link twice before the person does, and presses what it finds", async () => {
    const { run, ada } = await review("notes");
    for (const presses of [false, true]) {
      const scanner = await (await browser.newContext({ userAgent: "HeadlessChrome mail-scanner" })).newPage();
      await scanner.goto(ada, { waitUntil: "networkidle" });
      await scanner.waitForTimeout(1_500);
      if (presses) {
        for (const button of await scanner.locator("button, input[type=submit]").all()) {
          await button.evaluate((each: HTMLElement) => each.click());
          if ((await button.getAttribute("type").catch(() => "submit")) === "submit") break;
        }
        await scanner.waitForLoadState();
        await scanner.goto(ada);
        await scanner.evaluate(() => document.querySelector("form")?.submit());
        await scanner.waitForLoadState();
      }
      await scanner.context().close();
      expect(await stateOf(run)).toBe("waiting");
    }
    const person = await open(ada);
    await person.locator(".deny > summary").click();
    await person.getByLabel("Reason for denying").fill("Not this.");
    await press(person, "Deny");
    await person.getByText("You denied it").waitFor();
    await eventually("the end", async () => (await stateOf(run)) === "rejected");
  });

  test("says so when the deadline passes, by itself", async () => {
    await soon.getByRole("status").filter({ hasText: "Nobody decided in time, so it was denied automatically." }).waitFor();
    await soon.getByRole("link", { name: "See how it ended" }).first().click();
    await soon.getByText("Nobody decided in time, so it was denied automatically.").waitFor();
  });
});
