// "Write the reply yourself" in a real browser: what is sent is what the page showed, with scripts
// and without.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { isPromised } from "../../../shared/review/changes.ts";
import { asSubmitted } from "../../../shared/review/submitted-text.ts";
import { parseDecisionForm, type SubmittedForm } from "../../../shared/review/form.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { answerChange } from "../../../shared/review/written.ts";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { launch } from "../../outside/pages/browser.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { cspNonce, renderedReview } from "./rendered.ts";

const request: ChatRequest = {
  kind: "chat",
  systemPrompt: "You write short, plain summaries.",
  messages: [{ role: "user", content: [{ type: "text", text: "Summarize in one sentence:\n\nSampling lets a server ask." }] }],
  maxTokens: 200,
};
const view: ReviewView = { ...openRequest, request, risks: [], notes: [], mayWrite: { model: "human" } };
const reply = "Ada writes:\n\nit asks a model.";

/** The gateway's answer to the form, as far as the written reply goes. */
class Gate {
  sent: string | null = null;
  posts = 0;
  last: SubmittedForm | null = null;

  answer(body: string | null): string {
    if (body === null) return renderedReview(view);
    this.posts += 1;
    const form = parseDecisionForm(new URLSearchParams(body));
    if (!form.ok) return "unreadable";
    this.last = form.value;
    const { act, answer, promised } = form.value;
    const changes = answer === undefined ? [] : [answerChange(answer)];
    if (act === "answer" && answer !== undefined && promised !== undefined && isPromised(changes, promised, form.value.edits)) {
      this.sent = asSubmitted(answer);
      return "<!doctype html><title>sent</title><p>sent</p>";
    }
    const why = act === "approve" && answer !== undefined ? "twoChoices" : "unseenChanges";
    return renderedReview(view, { kept: form.value, changes, problem: { why } });
  }
}

test.each([
  ["en", /<b class="person">You<\/b> wrote this reply in the model’s place/, /Grace<\/bdi><\/b> approved the reply that/, /with changes/],
  ["zh-CN", /<b class="person">你<\/b> 代替模型写了此回复/, /Grace<\/bdi><\/b> 批准了/, /修改后批准/],
] as const)(
  "the way on to its review says who wrote it and who approved it, and nothing of changes (%s)",
  (language, wrote, approved, not) => {
    const at = openRequest.now;
    const page = renderedReview(
      {
        ...view,
        reviewer: "Ada",
        version: 2,
        quorum: 2,
        votes: [
          { by: "Ada", at },
          { by: "Grace", at },
        ],
        state: { kind: "approved", by: "Grace", at, edited: true, author: "Ada" },
        progress: "responseReview",
        written: { by: "Ada", at, reply: { content: [{ type: "text", text: reply }], model: "human" } },
        next: { kind: "waits" },
      },
      {},
      language,
    );
    expect(page).toMatch(wrote);
    expect(page).toMatch(approved);
    expect(page).not.toMatch(not);
  },
);

describe.skipIf(chromiumPath === undefined)("a written reply", () => {
  let browser: Browser;
  let server: Server;
  let gate = new Gate();

  beforeAll(async () => {
    browser = await launch();
    server = createServer((asked, answer) => {
      const parts: Buffer[] = [];
      asked.on("data", (part: Buffer) => parts.push(part));
      asked.on("end", () => {
        const html = gate.answer(asked.method === "POST" ? Buffer.concat(parts).toString("utf8") : null);
        answer.writeHead(200, pageHeaders(cspNonce, true)).end(html);
      });
    });
    await new Promise<void>((done) => {
      server.listen(0, "127.0.0.1", done);
    });
  });
  afterAll(async () => {
    await browser.close();
    await new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  });

  async function open(javaScriptEnabled: boolean): Promise<Page> {
    gate = new Gate();
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled })).newPage();
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    await page.goto(`http://127.0.0.1:${port}/r/t`);
    await page.locator("#own > summary").click();
    return page;
  }
  const field = (page: Page) => page.locator("[name=answer]");
  const button = (page: Page) => page.locator("#send-own");
  async function press(page: Page, selector: string): Promise<void> {
    const before = gate.posts;
    await page.locator(selector).click();
    await expect.poll(() => gate.posts).toBe(before + 1);
    await page.waitForLoadState();
  }

  test.each([
    ["on", true],
    ["off", false],
  ] as const)("on a phone with scripts %s, what is sent is what the page showed", async (_on, hasScripts) => {
    const page = await open(hasScripts);
    expect(await button(page).innerText()).toBe("Check my reply");
    await field(page).fill(reply);
    expect(await button(page).innerText()).toBe(hasScripts ? "Send my reply to notes" : "Check my reply");
    await press(page, "#send-own");
    if (!hasScripts) {
      expect(gate.sent).toBeNull();
      expect(await page.locator("#own-shown .said").innerText()).toBe(reply);
      expect([await field(page).inputValue(), await button(page).innerText()]).toEqual([reply, "Send my reply to notes"]);
      // Another text than the shown one is shown again.
      await field(page).fill("Another reply.");
      await press(page, "#send-own");
      expect([gate.sent, await page.locator("#own-shown .said").innerText()]).toEqual([null, "Another reply."]);
      await field(page).fill(reply);
      await press(page, "#send-own");
      await press(page, "#send-own");
    }
    expect(gate.sent).toBe(reply);
    await page.context().close();
  });

  test("what a program put into the field without telling is not sent by the press that did not say it", async () => {
    const page = await open(true);
    await field(page).evaluate((each: HTMLTextAreaElement) => {
      each.value = "Filled in silently.";
    });
    await button(page).click();
    expect([await button(page).innerText(), gate.posts]).toEqual(["Send my reply to notes", 0]);
    await press(page, "#send-own");
    expect(gate.sent).toBe("Filled in silently.");
    await page.context().close();
  });

  test("invisible characters are written out as they are typed", async () => {
    const page = await open(true);
    await field(page).fill("A\u202e twist");
    expect(await page.locator("#own .diff.now").innerText()).toContain("U+202E");
    await field(page).fill("A twist");
    expect(await page.locator("#own .diff.now").count()).toBe(0);
    await page.context().close();
  });

  test.each([true, false])(
    "Approve with a text in the field shows the page again, with the text in sight (scripts: %s)",
    async (hasScripts) => {
      const page = await open(hasScripts);
      await field(page).fill(reply);
      await press(page, "#approve");
      expect(gate.last?.act).toBe("approve");
      expect(await page.locator("#problem").innerText()).toContain("Choose one of the two");
      expect([await field(page).isVisible(), await field(page).inputValue(), gate.sent]).toEqual([true, reply, null]);
      await page.context().close();
    },
  );

  test("nothing on it is wider than a phone", async () => {
    const page = await open(true);
    await field(page).fill("x".repeat(400));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    if (process.env["SHOTS"] !== undefined) await page.screenshot({ path: `${process.env["SHOTS"]}/write.png`, fullPage: true });
    await page.context().close();
  });
});
