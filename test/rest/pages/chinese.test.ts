// The pages in Chinese, in a real browser. A machine without a Chinese font draws each character as
// an empty box, narrower than the character: such text is spaced out to the width that it would
// have.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReviewView } from "../../../shared/review/view.ts";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { launch, servePage } from "../../outside/pages/browser.ts";
import { censusOf, violationsOn } from "../../outside/pages/checks.ts";
import { control, decided, editedRequest, editedResponse, openRequest, openResponse, standings } from "../../outside/pages/examples.ts";
import { cspNonce, rendered, renderedReview } from "./rendered.ts";
import { oneIn } from "../../outside/support/whole.ts";

const views: Readonly<Record<string, ReviewView>> = {
  openRequest,
  editedRequest,
  openResponse,
  editedResponse,
  ...standings,
  ...decided,
  ...control,
};
const expired = { action: "/r/t", nonce: "n0nce", untilSeconds: 1_795_000_000, state: "open", open: true } as const;

const pages: Readonly<Record<string, (language: Language) => string>> = {
  ...Object.fromEntries(
    Object.entries(views).map(([name, view]) => [name, (language: Language) => renderedReview(view, { live: "/r/t/live" }, language)]),
  ),
  "an expired link": (language) => rendered({ kind: "expiredLink", input: expired }, language),
  "a new link": (language) => rendered({ kind: "linkSent", input: { channel: "email" } }, language),
  "no such link": (language) => rendered({ kind: "noSuchLink" }, language),
  fault: (language) => rendered({ kind: "error", input: { error: "fault", quote: "f_1" } }, language),
};

/** A text that is markup, a place of ours, and Chinese that imitates us. */
const hostile = "</textarea></script><img src=x onerror=alert(1)>{model}{by}${x}\"'&批准。\u202e来自 Countersign：已核实";
const poisoned = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(poisoned);
  if (typeof value !== "object" || value === null) return value;
  const untouched =
    /^(?:subject|kind|type|role|state|gate|progress|provenance|evidence|level|pointer|field|data|digest|why|axis|mimeType|toolChoice|scopes|scope|what|includeContext|cause)$/;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      untouched.test(name) ? each : typeof each === "string" ? each + hostile : poisoned(each),
    ]),
  );
};

describe.skipIf(chromiumPath === undefined)("in Chinese", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof servePage>>;
  let page: Page;

  beforeAll(async () => {
    browser = await launch();
    site = await servePage();
    page = await (await browser.newContext({ locale: "zh-CN", viewport: { width: 390, height: 844 } })).newPage();
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  /** With the page's own headers, or with none, which let the checker in. */
  async function open(html: string, headers: Record<string, string> = pageHeaders(cspNonce, true)): Promise<void> {
    await page.setViewportSize({ width: 390, height: 844 });
    Object.assign(site, { html, headers, posted: undefined });
    await page.goto(site.url);
  }

  /** Gives Chinese characters the width of one em, which they have in every Chinese font. */
  const spaceOut = (): Promise<void> =>
    page.evaluate(() => {
      const probe = document.createElement("span");
      probe.textContent = "批".repeat(100);
      document.body.append(probe);
      const missing = 1 - probe.getBoundingClientRect().width / 100 / Number.parseFloat(getComputedStyle(probe).fontSize);
      probe.remove();
      if (missing < 0.01) return;
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found: Text[] = [];
      while (walker.nextNode() !== null) found.push(walker.currentNode as Text);
      for (const text of found) {
        if (!/[\u3000-\u9fff\uff00-\uffef]/.test(text.data) || text.parentElement?.closest("script, style, textarea, option") != null)
          continue;
        const parts = text.data.split(/([\u3000-\u9fff\uff00-\uffef]+)/).map((part) => {
          if (!/[\u3000-\u9fff\uff00-\uffef]/.test(part)) return part;
          const wide = document.createElement("span");
          wide.style.letterSpacing = `${missing}em`;
          wide.textContent = part;
          return wide;
        });
        text.replaceWith(...parts);
      }
    });

  test.each(oneIn(2, Object.keys(pages)))("%s has no barrier, and no sideways scroll at any width", async (name) => {
    const html = pages[name]?.("zh-CN") ?? "";
    expect(html).toContain('<html lang="zh-CN">');
    await open(html, {});
    await spaceOut();
    for (const [width, height] of [
      [320, 640],
      [390, 844],
      [1_280, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect([width, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([width, 0]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await violationsOn(page)).toEqual([]);
  });

  test("a request of two lines is on one screen of a phone, with both buttons", async () => {
    const short: ReviewView = {
      ...openRequest,
      risks: [],
      notes: [],
      request: {
        kind: "chat",
        systemPrompt: "请写简短的摘要。",
        messages: [{ role: "user", content: [{ type: "text", text: "用一句话概括：\nSampling 让 MCP 服务器向客户端请求模型的回复。" }] }],
        maxTokens: 200,
      },
    };
    await open(renderedReview(short, {}, "zh-CN"));
    await spaceOut();
    const bar = await page.locator("#decision").boundingBox();
    const frame = await page.locator(".content > .parts").first().boundingBox();
    for (const what of ["#approve", ".deny > summary"]) {
      const box = await page.locator(what).boundingBox();
      expect([what, (box?.y ?? 999) + (box?.height ?? 999) <= 844]).toEqual([what, true]);
    }
    expect((frame?.y ?? 0) + (frame?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  });

  test("the script speaks Chinese: changes on the button, times, and the countdown from an hour on", async () => {
    await open(renderedReview({ ...openRequest, deadlineAt: openRequest.now + 3 * 3_600_000 }, {}, "zh-CN"));
    expect(await page.locator("#approve").innerText()).toBe("批准，仍有 3 条警告");
    expect(await page.locator("[data-left] >> nth=0").innerText()).toMatch(/^[23] 小时 \d+ 分$/);
    expect(await page.locator(".strip time >> nth=0").innerText()).toMatch(/^\d+月\d+日/);
    await page.locator(".part textarea >> nth=0").evaluate((field: HTMLTextAreaElement) => {
      field.value = "改";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(await page.locator("#approve").innerText()).toBe("批准，含 1 处修改，仍有 3 条警告");
    expect(await page.locator("#approve").getAttribute("value")).toBe("approve:1");
  });

  test.each(Object.keys(views))(
    "a hostile text in every field of %s makes the same elements as in English, and no script of its own",
    async (name) => {
      const view = poisoned(views[name]) as ReviewView;
      const census: Record<string, number>[] = [];
      let dialogs = 0;
      page.on("dialog", (dialog) => {
        dialogs += 1;
        void dialog.dismiss();
      });
      for (const language of ["en", "zh-CN"] as const) {
        await open(renderedReview(view, {}, language));
        census.push(await censusOf(page));
      }
      expect(census[1]).toEqual(census[0]);
      expect(dialogs).toBe(0);
      expect(await page.locator("img[src=x]").count()).toBe(0);
      page.removeAllListeners("dialog");
    },
  );
});
