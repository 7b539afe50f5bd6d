import * as fc from "fast-check";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { applyEdits } from "../../../shared/review/edit.ts";
import { changesBetween } from "../../../shared/review/difference.ts";
import { editField, parseDecisionForm, type SubmittedForm } from "../../../shared/review/form.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { launch, servePage } from "../../outside/pages/browser.ts";
import { censusOf, violationsOn } from "../../outside/pages/checks.ts";
import { cspNonce, rendered, renderedReview as render } from "./rendered.ts";
import {
  decided,
  editedRequest,
  editedResponse,
  openRequest,
  openResponse,
  request,
  smallPng,
  standings,
} from "../../outside/pages/examples.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { pdf, pdfUrl } from "../../support/pdf-file.ts";
import { oneIn, wholeOr } from "../../outside/support/whole.ts";

const phone = { viewport: { width: 390, height: 844 } };
const expiredLink = { action: "/r/t", nonce: "n0nce", untilSeconds: 1_795_000_000, state: "open", open: true } as const;

const edits = new Map([
  ["/messages/0/content/0/text", "Summarise the notes, shortly."],
  ["/maxTokens", "9000"],
]);
const kept: SubmittedForm = { nonce: "n", version: 1, digest: "d", act: "preview", edits, model: "demo", reason: "not yet" };
const problem = { why: "invalidEdit", issues: [{ field: "/maxTokens", fault: { kind: "raised", requested: 200 } }] } as const;

const pages: Record<string, string> = {
  "open request": render(openRequest),
  "edited request": render(editedRequest),
  "open response": render(openResponse),
  "edited response": render(editedResponse),
  "problem with kept edits": render(openRequest, { kept, problem }),
  preview: render(openRequest, { kept, changes: changesBetween(request, { ...request, maxTokens: 5 }) }),
  ...Object.fromEntries(Object.entries(decided).map(([name, view]) => [name, render(view)])),
  ...Object.fromEntries(Object.entries(standings).map(([name, view]) => [name, render(view)])),
  "a grant after a problem": render(standings.mayGrant, {
    kept: { ...kept, to: "Grace Hopper" },
    keptGrant: { grant: "tool:shape", hours: "168", uses: "many", isAsked: true },
    problem: { why: "uses" },
  }),
  "an expired link": rendered({ kind: "expiredLink", input: expiredLink }),
  "an expired link of a review that is over": rendered({ kind: "expiredLink", input: { ...expiredLink, state: "denied", open: false } }),
  "an expired link too often": rendered({ kind: "expiredLink", input: { ...expiredLink, state: "voted", error: "tooOften" } }),
  "a new link": rendered({ kind: "linkSent", input: { channel: "email" } }),
  "no such link": rendered({ kind: "noSuchLink" }),
  fault: rendered({ kind: "error", input: { error: "fault", quote: "f_1" } }),
};

describe.skipIf(chromiumPath === undefined)("the review page in a browser", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof servePage>>;

  beforeAll(async () => {
    browser = await launch();
    site = await servePage();
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  const shared = new Map<string, Page>();
  let opened: Page | undefined;

  /**
   * Opens `html` with the page's own headers, or with none of them where `headers` is empty. The
   * tab is shared by all tests with the same options: a new one takes longer than most of the
   * tests.
   */
  async function open(html: string, options: BrowserContextOptions = {}, headers = pageHeaders(cspNonce)): Promise<Page> {
    Object.assign(site, { html, headers, posted: undefined });
    const key = JSON.stringify(options);
    const page = shared.get(key) ?? (await newPage(options));
    shared.set(key, page);
    opened = page;
    await page.goto(site.url);
    return page;
  }

  /** A tab of its own, for tests that listen to it or answer for it; it ends with the browser. */
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> =>
    (await browser.newContext({ ...phone, ...options })).newPage();

  /** The form's first button shows itself to the keyboard alone. */
  const pressHarmless = async (page: Page): Promise<void> => {
    await page.locator("button[value=preview]").focus();
    await page.keyboard.press("Enter");
  };

  async function submitted(): Promise<SubmittedForm> {
    await expect.poll(() => site.posted, { timeout: 30_000 }).toBeDefined();
    // The tab has arrived, so that nothing of this navigation is left for the next test.
    await opened?.getByText(site.taken, { exact: true }).waitFor();
    const form = parseDecisionForm(new URLSearchParams(site.posted ?? ""));
    if (!form.ok) throw new Error(`the form is ${form.error.kind}: ${form.error.field}`);
    return form.value;
  }

  const nasty: Record<string, string> = {
    "line ends of every kind": "a\r\nb\rc\nd\r\r\ne",
    "leading line ends": "\n\n\r\n x",
    "a single line feed": "\n",
    "trailing spaces and tabs": "x \t \n \t ",
    nulls: "\0a\0\0b\0",
    "lone surrogates": "\ud800a\udfff\udc00\ud800",
    "a byte order mark": "\ufeffa\ufeff",
    "closing tags": "</textarea></details></form><b>x</b>",
    "character references": "&amp; &#10; &lt;b&gt; &copy &notanentity; &#0;",
    "every character of Latin and its controls": Array.from({ length: 0x250 }, (_, i) => String.fromCharCode(i)).join(""),
    "line and paragraph separators": "a\u2028b\u2029c\u0085d\u000be\u000cf",
    noncharacters: "\ufffe\uffff\ufdd0\u{1fffe}",
    "5,000 blank lines": `a${"\n".repeat(5_001)}b`,
    "a megabyte, or 200 KB in a sample": "0123456789abcdef\r\n".repeat(wholeOr(58_255, 11_651)),
  };
  const withTexts = (texts: readonly string[]): ChatRequest => ({
    kind: "chat",
    systemPrompt: texts[0] ?? "",
    messages: texts.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
    stopSequences: [texts[0] ?? ""],
    maxTokens: 10,
    tools: [{ name: "t", description: texts[0] ?? "", inputSchema: {} }],
  });

  async function expectUntouched(asked: ChatRequest): Promise<void> {
    const page = await open(render({ ...openRequest, request: asked }));
    await pressHarmless(page);
    await page.waitForLoadState();
    const form = await submitted();
    expect(form.edits.size).toBeGreaterThan(asked.messages.length);
    expect(applyEdits(asked, form.edits)).toEqual({ ok: true, value: { value: asked, changed: false } });
  }

  test.each(Object.keys(nasty))("a form that is sent untouched changes nothing: %s", async (name) => {
    await expectUntouched(withTexts([nasty[name] ?? ""]));
  });

  test("a form that is sent untouched changes nothing: 200 texts of any characters", async () => {
    const unit = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      fc.constantFrom("\r", "\n", "\r\n", "\0", "\ud800", "\udc00", " ", "&", "<"),
    );
    await expectUntouched(withTexts(fc.sample(fc.string({ unit, maxLength: 60 }), 200)));
  });

  describe("for everybody", () => {
    test.each(Object.keys(pages))("an accessibility checker finds nothing on the page %s, light or dark", async (name) => {
      const page = await open(pages[name] ?? "", {}, {});
      expect(await violationsOn(page)).toEqual([]);
    });

    test.each([320, 390, 1280])("text is 16 px or larger, targets are 44 px, and nothing scrolls sideways at %i px", async (width) => {
      const long = { ...openRequest, requestor: { ...openRequest.requestor, server: "n".repeat(300), name: "\u{1f600}".repeat(200) } };
      const page = await open(render(long, { kept, problem }), { viewport: { width, height: 844 } }, {});
      const found = await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) {
          // Of those with one name only one can be open.
          details.removeAttribute("name");
          details.open = true;
        }
        const shown = (element: Element) => element.getClientRects().length > 0 && !element.closest(".sr, .skip");
        const small = [...document.querySelectorAll("body *")].filter(
          (element) => shown(element) && Number.parseFloat(getComputedStyle(element).fontSize) < 16,
        );
        const targets = [
          ...document.querySelectorAll("button, summary, textarea, select, input:not([type]), label.act, .warnings a"),
        ].filter(
          (element) => shown(element) && (element.getBoundingClientRect().height < 44 || element.getBoundingClientRect().width < 44),
        );
        return {
          small: small.map((e) => e.outerHTML.slice(0, 80)),
          targets: targets.map((e) => e.outerHTML.slice(0, 80)),
          sideways: document.documentElement.scrollWidth - innerWidth,
        };
      });
      expect(found).toEqual({ small: [], targets: [], sideways: 0 });
    });

    test("on a phone the prompt begins on the first screen, where nothing has to be looked at twice", async () => {
      for (const view of [
        { ...openRequest, risks: [] },
        { ...openResponse, requestor: { ...openResponse.requestor, gone: false } },
      ]) {
        const page = await open(render({ ...view, run: `run_${"x".repeat(40)}` }));
        const box = await page.locator(".part .said").first().boundingBox();
        expect(box?.y).toBeLessThan(phone.viewport.height);
      }
    });

    test("a field that is focused while the decision bar covers it comes into view", async () => {
      const long = { ...request, systemPrompt: "One line of many.\n".repeat(5) };
      const page = await open(render({ ...openRequest, request: long }));
      const above = await page.evaluate(() => {
        for (const details of document.querySelectorAll("details:not(.up, .up *)")) (details as HTMLDetailsElement).open = true;
        document.documentElement.style.scrollBehavior = "auto";
        const bar = document.querySelector("#decision")?.getBoundingClientRect().top ?? Number.NaN;
        return [...document.querySelectorAll<HTMLElement>(".part input, .facts input:not([type=radio]), .facts textarea, .warnings a")].map(
          (field) => {
            scrollBy(0, field.getBoundingClientRect().bottom - bar - 30);
            field.focus();
            return bar - field.getBoundingClientRect().bottom;
          },
        );
      });
      expect(above.length).toBeGreaterThan(4);
      expect(above.filter((distance) => !(distance >= 0))).toEqual([]);
    });

    test("with the keyboard alone: the first stop is harmless, a text is edited, and the decision is reached", async () => {
      const page = await open(render(openRequest));
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Go to the decision");
      const focusOn = async (wanted: (element: Element | null) => boolean) => {
        for (let presses = 0; presses < 80; presses += 1) {
          await page.keyboard.press("Tab");
          const element = await page.evaluateHandle(() => document.activeElement);
          if (await element.evaluate(wanted)) return;
        }
        throw new Error("not reached");
      };
      await focusOn((element) => element?.tagName === "TEXTAREA");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("Be kind.");
      await focusOn((element) => element?.getAttribute("value") === "approve:0");
      await focusOn((element) => element?.closest("#settings") !== null);
      await page.keyboard.press("Enter");
      await focusOn((element) => element?.getAttribute("name") === "model");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Shift+Tab");
      for (let presses = 0; presses < 40; presses += 1) {
        if (await page.evaluate(() => document.activeElement?.id === "approve")) break;
        await page.keyboard.press("Shift+Tab");
      }
      await page.keyboard.press("Enter");
      await page.waitForLoadState();
      const form = await submitted();
      expect([form.act, form.model, form.edits.get("/systemPrompt")]).toEqual(["approve", "gemini-pro", "Be kind."]);
    });

    test("with scripts off: a denial with its reason is one form", async () => {
      const page = await open(render(openRequest), { javaScriptEnabled: false });
      await page.locator(".deny > summary").click();
      await page.getByLabel("Reason for denying").fill("Not this one.");
      await page.getByRole("button", { name: "Deny" }).click();
      await page.waitForURL("**/r/t");
      const form = await submitted();
      expect([form.act, form.reason, form.nonce, form.version, form.digest]).toEqual([
        "deny",
        "Not this one.",
        "n0nce",
        1,
        openRequest.digest,
      ]);
    });

    test("beside the approve button stands who gets it: the model that is chosen, with scripts off", async () => {
      const page = await open(render(openRequest), { javaScriptEnabled: false });
      expect(await page.locator("button.approve").innerText()).toBe("Approve despite 3 warnings");
      expect(await page.locator(".effect").innerText()).toBe("Approve sends it to claude-sonnet-4-5.");
      await page.locator("#settings > summary").click();
      await page.locator("#model").selectOption("demo");
      expect(await page.locator(".effect").innerText()).toBe("Approve sends it to demo.");
      const answered = await open(render(openResponse));
      expect(await answered.locator("button.approve").innerText()).toBe("Approve");
      expect(await answered.locator(".effect").innerText()).toBe("Approve delivers it to notes.");
    });

    test("after an edit that could not be used, the page says so first and has every edit still in its field", async () => {
      const page = await open(render(openRequest, { kept, problem }));
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("problem");
      await page.locator("#problem a").click();
      const field = page.locator(`[name="${editField("/maxTokens")}"]`);
      expect([await field.inputValue(), await field.getAttribute("aria-invalid"), await field.isVisible()]).toEqual(["9000", "true", true]);
      expect(await page.locator(`[name="${editField("/messages/0/content/0/text")}"]`).inputValue()).toBe("Summarise the notes, shortly.");
      expect(await page.getByLabel("Reason for denying").inputValue()).toBe("not yet");
      expect(await page.locator("#model").inputValue()).toBe("demo");
    });
  });

  describe("for machines that press things", () => {
    test.each(["open request", "edited request", "open response", "problem with kept edits", "preview"])(
      "the first button and Enter in a field decide nothing: %s",
      async (name) => {
        const page = await open(pages[name] ?? "");
        expect(await page.locator("form").count()).toBe(1);
        const first = page.locator("form button, form input[type=submit]").first();
        expect(await first.getAttribute("value")).toBe("preview");
        await first.focus();
        await page.keyboard.press("Enter");
        expect((await submitted()).act).toBe("preview");
        // What stands before the form posts nothing at all.
        await page.goto(site.url);
        site.posted = undefined;
        for (const button of await page.locator("button:not(form button)").all())
          await button.evaluate((each: HTMLButtonElement) => each.click());
        expect(site.posted).toBeUndefined();
      },
    );

    test("Enter in a one-line field is a preview", async () => {
      const page = await open(render(openRequest, { kept, problem }));
      await page.locator(`[name="${editField("/maxTokens")}"]`).press("Enter");
      await page.waitForLoadState();
      expect((await submitted()).act).toBe("preview");
    });

    test("a script that submits the form without a button decides nothing, and no page submits itself", async () => {
      const page = await open(render(openRequest), {}, {});
      await page.waitForTimeout(1_500);
      expect(site.posted).toBeUndefined();
      await page.evaluate(() => document.querySelector("form")?.submit());
      await page.waitForLoadState();
      expect((await submitted()).act).toBe("preview");
    });

    test.each(Object.keys(decided))("a decided review has nothing to press: %s", async (name) => {
      const page = await open(pages[name] ?? "");
      expect(await page.locator("form, button, input, textarea").count()).toBe(0);
    });
  });

  describe("against text from outside", () => {
    const corpus = [
      "<script>globalThis.pwned = 1</script>",
      "<img src=x onerror='globalThis.pwned = 1'>",
      "<svg onload=globalThis.pwned=1><animate onbegin=globalThis.pwned=1 attributeName=x></svg>",
      "</textarea></title></style></script></details></form></bdi><script>globalThis.pwned = 1</script>",
      `"><script>globalThis.pwned = 1</script>`,
      `' onfocus='globalThis.pwned = 1' autofocus='`,
      `" onmouseover="globalThis.pwned = 1" autofocus onfocus="globalThis.pwned = 1`,
      "javascript:globalThis.pwned=1",
      "${globalThis.pwned = 1} {{constructor.constructor('globalThis.pwned=1')()}} {server} {model} %s <%= 1 %>",
      "<!--><img src onerror=globalThis.pwned=1>-->",
      "<![CDATA[><script>globalThis.pwned=1</script>]]>",
      "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe><object data='data:text/html,x'></object><base href=//x><meta http-equiv=refresh content=0>",
      "\u003cscript>globalThis.pwned=1\u003c/script> &lt;script&gt;globalThis.pwned=1&lt;/script&gt;",
      "<form method=post action=/r/t><button name=act value=approve>Approve and send</button></form>",
      "</style><style>*{display:none}</style>",
    ];
    const poisoned = (text: string): ReviewView => ({
      ...openResponse,
      gate: "request",
      state: { kind: "voted", votes: 1, quorum: 2 },
      run: text,
      reviewer: text,
      digest: text,
      rule: text,
      handOverTo: [text],
      grant: { scopes: ["session", "tool", "server", "key"], risk: "none", replyRisk: null },
      versions: [{ version: 2, by: text, at: 0 }],
      requestor: { server: text, method: text, name: text, provenance: "claimed", client: text, owner: text, gone: true },
      models: [1, 2].map(() => ({
        id: text,
        provider: text,
        name: text,
        why: { tier: { kind: "hint", hint: text }, terms: [], points: 0 },
        worstCostUsd: 1,
      })),
      risks: [{ level: "high", kind: "urlWithData", pointer: `/messages/${text}` }],
      notes: [{ kind: "omitted", field: "metadata", why: text }],
      requestAsAsked: { kind: "chat", messages: [], maxTokens: 9, systemPrompt: "before" },
      request: {
        kind: "chat",
        systemPrompt: text,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text },
              { type: "image", data: text, mimeType: text },
              { type: "image", data: smallPng, mimeType: text },
              { type: "audio", data: text, mimeType: "audio/wav" },
              { type: "pdf", data: text, name: text },
            ],
          },
          {
            role: "user",
            content: [
              {
                type: "image",
                data: btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='globalThis.pwned=1'/>"),
                mimeType: "image/svg+xml",
              },
            ],
          },
          { role: "user", content: [{ type: "image", data: btoa("<script>globalThis.pwned=1</script>"), mimeType: "text/html" }] },
          { role: "assistant", content: [{ type: "tool_use", id: text, name: text, input: { [text]: text } }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                toolUseId: text,
                structuredContent: { [text]: text },
                content: [
                  { type: "resource_link", uri: text, name: text, description: text, mimeType: text },
                  { type: "resource", resource: { uri: text, mimeType: text, text } },
                  { type: "resource", resource: { uri: text, mimeType: text, blob: text } },
                ],
              },
            ],
          },
        ],
        maxTokens: 5,
        stopSequences: [text],
        metadata: { [text]: text },
        modelPreferences: { hints: [{ name: text }] },
        tools: [{ name: text, description: text, inputSchema: { [text]: text } }],
      },
      reply: {
        content: [
          { type: "text", text },
          { type: "tool_use", id: text, name: text, input: { [text]: text } },
        ],
        model: text,
        stopReason: text,
      },
      replyAsGenerated: { content: [{ type: "text", text: "before" }], model: "m" },
    });
    const variants = (text: string): string[] => {
      const view = poisoned(text);
      const more = {
        kept: { ...kept, reason: text, model: text, edits: new Map([["/systemPrompt", text]]) },
        problem: { why: "invalidEdit", issues: [{ field: text, fault: { kind: "raised", requested: 200 } }] } as const,
        action: `/r/t?${text}`,
        nonce: text,
        live: `/r/t/live?${text}`,
        keptGrant: { grant: text, hours: text, uses: text, isAsked: true },
      };
      return [
        render(view, more),
        render({ ...view, gate: "response" }, more),
        render({ ...view, state: { kind: "denied", by: text, at: 0, reason: text } }),
        render({ ...view, state: { kind: "cancelled", at: 0, cause: "caller" } }),
        render({ ...view, left: { at: 0, to: text } }, more),
        render({ ...view, ownVote: { at: 0 } }, more),
        rendered({ kind: "error", input: { error: "fault", quote: text } }),
      ];
    };

    test("nothing in any shown field becomes an element, an attribute or a script, without the help of any header", async () => {
      site.headers = {};
      const page = await newPage();
      let dialogs = 0;
      page.on("dialog", (dialog) => {
        dialogs += 1;
        void dialog.dismiss();
      });
      const countsOf = async (html: string) => {
        site.html = html;
        await page.goto(site.url);
        return censusOf(page);
      };
      const plain: Record<string, number>[] = [];
      for (const html of variants("!plain text")) plain.push(await countsOf(html));
      for (const [number, text] of corpus.entries()) {
        for (const [i, html] of oneIn(2, [...variants(text).entries()], number)) {
          expect(await countsOf(html), text).toEqual(plain[i]);
          await page.mouse.move(200, 300);
          await page.evaluate(() => new Promise((done) => setTimeout(done, 20)));
          expect(await page.evaluate(() => "pwned" in globalThis), text).toBe(false);
        }
      }
      expect(dialogs).toBe(0);
    });

    test("a PDF is saved as one, whatever its name is, and no page opens it", async () => {
      const name = "../bill\u202efdp.html";
      const content = [
        { type: "text" as const, text: "What does this bill come to?" },
        { type: "pdf" as const, data: pdf, name },
      ];
      const request: ChatRequest = { kind: "chat", messages: [{ role: "user", content }], maxTokens: 10 };
      const page = await open(render({ ...openRequest, request }));
      await shoot(page, "pdf");
      const saving = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download the PDF" }).click();
      const saved = await saving;
      expect(saved.suggestedFilename()).toMatch(/_bill_fdp\.html\.pdf$/);
      expect(saved.url()).toBe(pdfUrl);
      expect(await violationsOn(page)).toEqual([]);
    });

    test("a prompt that imitates our page adds no form, no button and no link, and stays inside its frame", async () => {
      const imitation =
        "End of what the server sent\n└──────────────┘\n\n" +
        "Your decision\nThis request was checked by Countersign. It is harmless.\n[ Approve and send to claude-sonnet-4-5 ]\n\n" +
        `<section class="decision"><button class="approve">Approve</button></section>\n${"Z\u0351\u0343\u0310\u0359".repeat(50)}${"\u0310".repeat(500)}`;
      const asked: ChatRequest = {
        kind: "chat",
        messages: [{ role: "user", content: [{ type: "text", text: imitation }] }],
        maxTokens: 10,
      };
      const counts = async (text: string) => {
        const view = {
          ...openRequest,
          request: { ...asked, messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }] },
        };
        const page = await open(render(view));
        const result = await page.evaluate(() =>
          ["form", "button", "a", "section", ".parts"].map((selector) => document.querySelectorAll(selector).length),
        );
        const clipped = await page
          .locator(".parts")
          .first()
          .evaluate((element) => getComputedStyle(element).contain);
        return { result, clipped };
      };
      expect(await counts(imitation)).toEqual(await counts("hello"));
      expect((await counts(imitation)).clipped).toBe("paint");
    });

    test("the whole of a one-megabyte prompt is on the page, and so are 200 messages", async () => {
      const line = "It was a dark and stormy night; the rain fell in torrents.\n";
      const text = `${line.repeat(17_500)}the very last words`;
      const big = await open(
        render({ ...openRequest, request: { ...request, messages: [{ role: "user", content: [{ type: "text", text }] }] } }),
      );
      expect(
        await big
          .locator(".part", { hasText: "the very last words" })
          .first()
          .evaluate((element) => [...element.querySelectorAll(".view .said")].map((each) => each.textContent).join("")),
      ).toBe(text);
      await big.getByRole("link", { name: "Go to the decision" }).focus();
      await big.keyboard.press("Enter");
      await big.locator("button.approve").waitFor({ state: "visible" });
      const messages = Array.from({ length: 200 }, (_, i) => ({
        role: "user" as const,
        content: [{ type: "text" as const, text: `message ${i}` }],
      }));
      const many = await open(render({ ...openRequest, request: { ...request, messages } }));
      const shown = await many.locator("textarea.said").evaluateAll((all) => all.map((each) => (each as HTMLTextAreaElement).value));
      expect(shown.filter((each) => /^message \d+$/.test(each))).toHaveLength(200);
    });

    test("what would be invisible has a label, and 5,000 blank lines are counted", async () => {
      const text = `harmless\n${"\n".repeat(5_000)}pay\u202eload\u200b${[..."obey"].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("")}`;
      const page = await open(
        render({
          ...openRequest,
          request: { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text }] }], maxTokens: 1 },
        }),
      );
      const said = page.locator(".said").first();
      expect(await said.locator(".unseen").allInnerTexts()).toEqual([
        "5,000 blank lines",
        "U+202E right-to-left override",
        "U+200B zero width space",
        "4 tag characters that spell “obey”",
      ]);
      expect((await said.boundingBox())?.height).toBeLessThan(500);
    });

    test("a text of half a million unseen characters still opens, and each of them is written out", async () => {
      const text = "a\u200b".repeat(250_000);
      const page = await open(
        render({
          ...openRequest,
          request: { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text }] }], maxTokens: 1 },
        }),
      );
      const said = page.locator(".said").first();
      const shown = (await said.evaluate((element) => element.textContent)) ?? "";
      expect(shown.split("U+200B").length - 1).toBe(250_000);
      expect(await said.locator(".unseen").count()).toBeLessThan(2_000);
    });

    test("a denied reply is nowhere in the page", () => {
      const html = render({
        ...decided.deniedReply,
        replyAsGenerated: { content: [{ type: "text", text: "SECRET-ORIGINAL" }], model: "m" },
        reply: { content: [{ type: "text", text: "SECRET-REPLY" }], model: "m" },
      });
      expect(html).not.toContain("SECRET");
      expect(html).toContain("is no longer shown");
    });
  });

  describe("with its headers", () => {
    test("no script runs, the one stylesheet counts, images are drawn, and nothing is fetched", async () => {
      const html = render(openRequest);
      Object.assign(site, {
        html: html.replace("</main>", "<script>globalThis.pwned = 1</script></main>"),
        headers: pageHeaders(cspNonce),
      });
      const page = await newPage();
      const fetched: string[] = [];
      page.on("request", (each) => fetched.push(each.url()));
      await page.goto(site.url);
      expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
      expect(await page.locator("img.media").evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(64);
      expect(await page.locator(".deny > summary").evaluate((button) => getComputedStyle(button).color)).toBe("rgb(255, 255, 255)");
      expect(fetched.filter((url) => url !== site.url && !url.startsWith("data:") && !url.endsWith("/favicon.ico"))).toEqual([]);
    });

    test("they are the ones that the design names", () => {
      const headers = pageHeaders(cspNonce);
      expect(headers["Content-Security-Policy"]).toBe(
        "default-src 'none'; style-src 'nonce-c5p'; img-src data:; media-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(pageHeaders(cspNonce, true)["Content-Security-Policy"]).toBe(
        "default-src 'none'; style-src 'nonce-c5p'; script-src 'nonce-c5p'; connect-src 'self'; img-src data:; media-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers).toMatchObject({
        "Referrer-Policy": "same-origin",
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Robots-Tag": "noindex, nofollow",
        "Strict-Transport-Security": "max-age=31536000",
      });
      expect(Object.keys(headers)).not.toContain("Set-Cookie");
    });

    test("of a page that listens, its own script runs and no other, and it can talk to nobody else", async () => {
      const strange =
        "<script>globalThis.pwned = 1</script><script nonce='other'>globalThis.pwned = 2</script><img src=x onerror='globalThis.pwned = 3'>";
      Object.assign(site, {
        html: render(openRequest, { live: "/r/t/live" }).replace("</main>", `${strange}</main>`),
        headers: pageHeaders(cspNonce, true),
      });
      const page = await newPage();
      const asked: string[] = [];
      await page.route("http://other.test/", (route) => route.fulfill({ headers: { "Access-Control-Allow-Origin": "*" }, body: "" }));
      await page.routeWebSocket(/./, (socket) => void asked.push(socket.url()));
      await page.goto(site.url);
      await expect.poll(() => asked).toEqual([`${site.url.replace("http", "ws")}/live`]);
      expect(await page.evaluate(() => "pwned" in globalThis)).toBe(false);
      const elsewhere = await page.evaluate(() => fetch("http://other.test/").then(String, (error: unknown) => (error as Error).name));
      expect(elsewhere).toBe("TypeError");
    });

    test("a page of another site cannot frame it", async () => {
      Object.assign(site, { html: render(openRequest), headers: pageHeaders(cspNonce) });
      const page = await newPage();
      await page.route("http://other.test/", (route) =>
        route.fulfill({ contentType: "text/html", body: `<iframe src="${site.url}"></iframe>` }),
      );
      await page.goto("http://other.test/");
      await page.waitForTimeout(300);
      const [, frame] = page.frames();
      expect(await frame?.evaluate(() => document.querySelector("form") === null)).toBe(true);
    });
  });
});
