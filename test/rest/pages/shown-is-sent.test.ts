// What is shown is what is sent: a real browser against the page as the gateway makes it, and the
// run object's own judgement of the form.

import * as fc from "fast-check";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { changedRequest, isPromised } from "../../../shared/review/changes.ts";
import { fieldsOf } from "../../../shared/review/subject/parts.ts";
import { editField, parseDecisionForm, type SubmittedForm } from "../../../shared/review/form.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import type { Problem } from "../../../workers/ui/problem.tsx";
import { cspNonce, renderedReview } from "./rendered.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { launch } from "../../outside/pages/browser.ts";
import { openRequest } from "../../outside/pages/examples.ts";

const prompt = "/messages/0/content/0/text";
const long = `${"A line of the system prompt.\n".repeat(30)}The last one.`;
const request: ChatRequest = {
  kind: "chat",
  systemPrompt: long,
  messages: [
    { role: "user", content: [{ type: "text", text: "Summarize in one sentence:\n\nSampling lets a server ask." }] },
    { role: "user", content: [{ type: "text", text: "Hidden\u202e characters\n\n\n\n\n\nand blank lines." }] },
  ],
  maxTokens: 200,
};
const view: ReviewView = { ...openRequest, request, risks: [], notes: [] };
const models = view.models.map(({ id }) => id);

/**
 * What the gateway does with a form: the page again, with the changes in it, or the very content
 * that is sent.
 */
class Gate {
  readonly url: string;
  sent: ChatRequest | null = null;
  posts = 0;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/r/t`; // It listens on TCP.
  }

  static async open(): Promise<Gate> {
    let gate: Gate | undefined;
    const server = createServer((asked, answer) => {
      const parts: Buffer[] = [];
      asked.on("data", (part: Buffer) => parts.push(part));
      asked.on("end", () => {
        const body = Buffer.concat(parts).toString("utf8");
        const { status, html } = gate?.answer(asked.method === "POST" ? body : null) ?? { status: 500, html: "" };
        answer.writeHead(status, pageHeaders(cspNonce, true)).end(html);
      });
    });
    await new Promise<void>((done) => {
      server.listen(0, "127.0.0.1", done);
    });
    gate = new Gate(server);
    return gate;
  }

  answer(body: string | null): { status: number; html: string } {
    if (body === null) return { status: 200, html: this.page() };
    this.posts += 1;
    const form = parseDecisionForm(new URLSearchParams(body));
    if (!form.ok) return { status: 400, html: "unreadable" };
    const { edits, model, act, promised } = form.value;
    const changed = changedRequest({ request, models }, { edits, ...(model === undefined ? {} : { model }) });
    if (!changed.ok) {
      return { status: 422, html: this.page(form.value, { why: "cannotBe", issues: changed.error }) };
    }
    const { changes, value } = changed.value;
    if (act !== "approve") return { status: 200, html: this.page(form.value) };
    if (promised === undefined || !isPromised(changes, promised, form.value.edits)) {
      return { status: 409, html: this.page(form.value, { why: "unseenChanges" }) };
    }
    this.sent = value.request as ChatRequest; // Edits keep the kind.
    return { status: 200, html: "<!doctype html><title>sent</title><p>sent</p>" };
  }

  page(kept?: SubmittedForm, problem?: Problem): string {
    const changed =
      kept === undefined
        ? null
        : changedRequest({ request, models }, { edits: kept.edits, ...(kept.model === undefined ? {} : { model: kept.model }) });
    return renderedReview(view, {
      preview: kept?.act === "preview",
      ...(kept === undefined ? {} : { kept }),
      ...(problem === undefined ? {} : { problem }),
      changes: changed?.ok === true ? changed.value.changes : [],
    });
  }

  close(): Promise<void> {
    return new Promise((done) => {
      this.#server.close(() => done());
      this.#server.closeAllConnections();
    });
  }
}

describe.skipIf(chromiumPath === undefined)("what is shown is what is sent", () => {
  let browser: Browser;
  let gate: Gate;

  beforeAll(async () => {
    browser = await launch();
    gate = await Gate.open();
  });
  afterAll(async () => {
    await browser.close();
    await gate.close();
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    gate.sent = null;
    gate.posts = 0;
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })).newPage();
    await page.goto(gate.url);
    return page;
  }
  const scripts = [
    ["on", {}],
    ["off", { javaScriptEnabled: false }],
  ] as const;

  const field = (page: Page, path: string) => page.locator(`[name="${editField(path)}"]`);
  const approve = (page: Page) => page.locator("#approve");
  const label = (page: Page): Promise<string> => approve(page).innerText();
  async function press(page: Page): Promise<void> {
    const before = gate.posts;
    await approve(page).click();
    await expect.poll(() => gate.posts).toBe(before + 1);
    await page.waitForLoadState();
  }
  /** What the page shows as removed and added. */
  const marks = (page: Page): Promise<string[]> =>
    page.locator("del, ins").evaluateAll((all) =>
      all
        .filter((each) => each.getClientRects().length > 0)
        .map(
          (each) =>
            `${each.tagName === "DEL" ? "-" : "+"}${[...each.childNodes]
              .filter((node) => !(node as Element).classList?.contains("sr"))
              .map((node) => node.textContent)
              .join("")}`,
        ),
    );

  test("with scripts on, typing outlines the part, shows the difference and rewrites the button at once; one press sends it", async () => {
    const page = await open();
    expect(await label(page)).toBe("Approve");
    await field(page, prompt).fill("Summarize in three points:\n\nSampling lets a server ask.");
    expect(await label(page)).toBe("Approve with 1 change");
    expect(await marks(page)).toEqual(["-one sentence:", "+three points:"]);
    expect(await page.locator(".part.changed .badge").allInnerTexts()).toEqual(["Changed"]);
    await press(page);
    expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe("Summarize in three points:\n\nSampling lets a server ask.");
    await page.context().close();
  });

  test("what is taken back, by hand or by “Undo”, is no change", async () => {
    const page = await open();
    const before = await field(page, prompt).inputValue();
    await field(page, prompt).fill("Other.");
    await field(page, prompt).fill(before);
    expect([await label(page), await page.locator(".changed").count()]).toEqual(["Approve", 0]);
    await field(page, prompt).fill("Other.");
    await page.getByRole("button", { name: "Undo" }).click();
    expect([await label(page), await field(page, prompt).inputValue()]).toEqual(["Approve", before]);
    await press(page);
    expect(gate.sent).toEqual(request);
    await page.context().close();
  });

  test("max tokens and the model count, too, and invisible characters in a difference are written out", async () => {
    const page = await open();
    await page.locator("#settings > summary").click();
    await field(page, "/maxTokens").fill("50");
    await page.locator("#model").selectOption({ index: 2 });
    expect(await label(page)).toBe("Approve with 2 changes");
    await field(page, prompt).fill("Summarize in one\u200b sentence:\n\nSampling lets a server ask.");
    expect((await marks(page)).join()).toContain("⟨U+200B⟩");
    expect(await label(page)).toBe("Approve with 3 changes");
    await press(page);
    expect(gate.sent?.maxTokens).toBe(50);
    await page.context().close();
  });

  test.each(scripts)("a changed text cannot be folded away, with scripts %s", async (_on, options) => {
    const page = await open(options);
    const part = page.locator("#system-prompt");
    await part.locator("> summary").click();
    await field(page, "/systemPrompt").focus();
    await page.keyboard.type("X");
    await part.locator("> summary").click();
    expect(await field(page, "/systemPrompt").isVisible()).toBe(true);
    // Nor after the server has it.
    await page.locator("button[value=preview]").focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => gate.posts).toBe(1);
    await page.locator("#preview").waitFor();
    await expect.poll(() => field(page, "/systemPrompt").isVisible()).toBe(true);
    await page.context().close();
  });

  test("the preview shows the new text, its difference, and a button that counts it; the old text stands nowhere as what is sent", async () => {
    const page = await open({ javaScriptEnabled: false });
    await field(page, prompt).fill("Renewed");
    await page.locator("button[value=preview]").focus();
    await page.keyboard.press("Enter");
    await page.locator("#preview").waitFor();
    expect(await label(page)).toBe("Approve with 1 change");
    expect(await field(page, prompt).inputValue()).toBe("Renewed");
    expect((await page.locator("#preview").innerText()).replaceAll(/\s+/g, " ")).toBe(
      "1 change: Message 1, part 1. Nothing is decided yet.",
    );
    expect((await marks(page)).join("")).toContain("+Renewed");
    expect(gate.sent).toBeNull();
    await press(page);
    expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe("Renewed");
    await page.context().close();
  });

  test("with scripts off, approving an edited form shows the changes once more, and only then sends them", async () => {
    const page = await open({ javaScriptEnabled: false });
    await field(page, prompt).fill("Renewed");
    await press(page);
    expect([gate.sent, await label(page)]).toEqual([null, "Approve with 1 change"]);
    expect((await marks(page)).join("")).toContain("+Renewed");
    // Another change in the same place is not what that page shows, although it is one as well.
    await field(page, prompt).fill("Otherwise");
    await press(page);
    expect([gate.sent, await label(page), (await marks(page)).includes("+Otherwise")]).toEqual([null, "Approve with 1 change", true]);
    await press(page);
    expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe("Otherwise");
    await page.context().close();
  });

  test.each(scripts)("after “Back” and after a reload, only what stands on the page is sent, with scripts %s", async (_on, options) => {
    const page = await open(options);
    await field(page, prompt).fill("Typed before.");
    await page.locator("button[value=preview]").focus();
    await page.keyboard.press("Enter");
    await page.locator("#preview").waitFor();
    await page.goBack();
    await page.locator("#approve").waitFor();
    const back = await field(page, prompt).inputValue();
    await press(page);
    if (gate.sent === null) {
      // It was brought back without a script to show it: it is shown first.
      expect((await marks(page)).join("")).toContain("+Typed before.");
      await press(page);
    }
    expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe(back);

    gate.sent = null;
    await page.goto(gate.url);
    await field(page, prompt).fill("Typed again.");
    await page.reload();
    const reloaded = await field(page, prompt).inputValue();
    const said = await label(page);
    await press(page);
    if (gate.sent === null) {
      expect(said).toBe("Approve");
      await press(page);
    } else expect(said).toBe(reloaded === "Typed again." ? "Approve with 1 change" : "Approve");
    expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe(reloaded);
    await page.context().close();
  });

  test("what a program puts into a field without telling is not sent by the press that did not say it", async () => {
    const page = await open();
    await field(page, prompt).evaluate((each: HTMLTextAreaElement) => {
      each.value = "Filled in silently.";
    });
    await approve(page).click();
    expect(await label(page)).toBe("Approve with 1 change");
    expect([gate.posts, gate.sent]).toEqual([0, null]);
    expect((await marks(page)).join("")).toContain("+Filled in silently.");
    await press(page);
    expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe("Filled in silently.");
    await page.context().close();
  });

  test("a second tab knows nothing of what is typed in the first, and sends what it shows", async () => {
    const page = await open();
    await field(page, prompt).fill("Only here.");
    const second = await page.context().newPage();
    await second.goto(gate.url);
    expect(await label(second)).toBe("Approve");
    await press(second);
    expect(gate.sent).toEqual(request);
    await page.context().close();
  });

  test.each(scripts)(
    "a page that says what is wrong keeps the other changes in sight, and sends none, with scripts %s",
    async (_on, options) => {
      const page = await open(options);
      await page.locator("#settings > summary").click();
      await field(page, "/maxTokens").fill("999");
      await field(page, prompt).fill("Kept.");
      await press(page);
      expect(gate.sent).toBeNull();
      await page.locator("#problem").waitFor();
      expect([await field(page, "/maxTokens").inputValue(), await field(page, prompt).inputValue()]).toEqual(["999", "Kept."]);
      expect([await field(page, "/maxTokens").isVisible(), await field(page, prompt).isVisible()]).toEqual([true, true]);
      await field(page, "/maxTokens").fill("200");
      await press(page);
      if (gate.sent === null) await press(page);
      expect(fieldsOf(gate.sent ?? request).get(prompt)).toBe("Kept.");
      await page.context().close();
    },
  );

  /** The text of each field as the page shows it to be sent. */
  const shownOn = (page: Page): Promise<Record<string, string>> =>
    page.evaluate(() =>
      Object.fromEntries(
        [...document.querySelectorAll<HTMLTextAreaElement>("[name^='edit:']")].map(({ name, value }) => [
          name.slice("edit:".length),
          value,
        ]),
      ),
    );

  test.each(scripts)("for any sequence of edits, what is sent is what stood on the last page, with scripts %s", async (_on, options) => {
    const step = fc.record({
      path: fc.constantFrom(prompt, "/messages/1/content/0/text", "/systemPrompt", "/maxTokens"),
      text: fc.oneof(
        fc.string({ minLength: 1, maxLength: 12 }),
        fc.constantFrom("a\u202eb", "x\n\n\n\n\n\ny", "\ttabs ", "é — 上海", "<b>x</b>"),
      ),
      then: fc.constantFrom("nothing", "preview", "reload", "approve"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const page = await open(options);
        try {
          for (const { path, text, then } of steps) {
            const value = path === "/maxTokens" ? String(1 + (text.length % 200)) : text;
            await page.evaluate(
              ([name, next]) => {
                const each = document.getElementsByName(name ?? "")[0] as HTMLTextAreaElement;
                for (let fold = each.closest("details"); fold !== null; fold = fold.parentElement?.closest("details") ?? null)
                  fold.open = true;
                each.value = next ?? "";
                each.dispatchEvent(new Event("input", { bubbles: true }));
              },
              [editField(path), value],
            );
            if (then === "reload") await page.reload();
            if (then === "preview") {
              await page.locator("button[value=preview]").focus();
              await page.keyboard.press("Enter");
              await page.locator("#preview").waitFor();
            }
            if (then === "approve") {
              const shown = await shownOn(page);
              await press(page);
              if (gate.sent !== null) return expectSent(shown);
            }
          }
          for (let presses = 0; presses < 3; presses += 1) {
            const shown = await shownOn(page);
            await press(page);
            if (gate.sent !== null) return expectSent(shown);
          }
          throw new Error("never sent");
        } finally {
          await page.context().close();
        }
      }),
      { numRuns: 12, seed: 20261117 },
    );
  });

  function expectSent(shown: Record<string, string>): void {
    const sent = Object.fromEntries([...fieldsOf(gate.sent ?? request)].map(([path, text]) => [path, text.replaceAll("\r\n", "\n")]));
    for (const [path, text] of Object.entries(shown)) {
      const given = text.replaceAll("\r\n", "\n").replaceAll("\0", "\ufffd");
      // A system prompt that was emptied is left out; a number is a number.
      expect([path, path === "/maxTokens" ? String(Number(given)) : given]).toEqual([path, sent[path] ?? ""]);
    }
  }
});
