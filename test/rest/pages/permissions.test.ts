// What a reviewer may do beside deciding, in a real browser: with the keyboard alone, with scripts
// off, on a phone.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseDecisionForm, type SubmittedForm } from "../../../shared/review/form.ts";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import { cspNonce, rendered, renderedReview as render } from "./rendered.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { launch, servePage } from "../../outside/pages/browser.ts";
import { openRequest, standings } from "../../outside/pages/examples.ts";

const expired = rendered({
  kind: "expiredLink",
  input: { action: "/r/t", nonce: "n0nce", untilSeconds: 1_795_000_000, state: "open", open: true },
});

describe.skipIf(chromiumPath === undefined)("beside deciding, in a browser", () => {
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

  async function open(html: string, options: BrowserContextOptions = {}): Promise<Page> {
    Object.assign(site, { html, headers: pageHeaders(cspNonce), posted: undefined });
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })).newPage();
    await page.goto(site.url);
    return page;
  }

  async function submitted(page: Page): Promise<SubmittedForm> {
    await page.getByText(site.taken, { exact: true }).waitFor();
    const form = parseDecisionForm(new URLSearchParams(site.posted ?? ""));
    await page.context().close();
    if (!form.ok) throw new Error(`the form is ${form.error.kind}: ${form.error.field}`);
    return form.value;
  }

  /** Tabs until the focus is where it is wanted. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press("Tab");
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
    }
    throw new Error(`not reached: ${selector}`);
  }

  /** The panel of further choices, and one of them in it. */
  const choose = async (page: Page, name: string): Promise<void> => {
    await page.locator(".more > summary").click();
    await page.locator(".menu > details > summary", { hasText: name }).click();
  };

  test("with scripts off, a review is handed over in a few taps, with a note", async () => {
    const page = await open(render(standings.mayHandOver), { javaScriptEnabled: false });
    await choose(page, "Hand over");
    await page.getByLabel("To", { exact: true }).selectOption("Edsger Dijkstra");
    await page.getByLabel("Note (optional)").fill("You know\nthis one.");
    await page.getByRole("button", { name: "Hand over" }).click();
    const form = await submitted(page);
    expect([form.act, form.to, form.note, form.nonce]).toEqual(["handOver", "Edsger Dijkstra", "You know\nthis one.", "n0nce"]);
  });

  test("with scripts off, “Not mine” is three taps", async () => {
    const page = await open(render(standings.ownRequest), { javaScriptEnabled: false });
    await choose(page, "Not mine");
    await page.getByRole("button", { name: "Not mine" }).click();
    expect((await submitted(page)).act).toBe("notMine");
  });

  test("with the keyboard alone, a review is handed over", async () => {
    const page = await open(render(standings.mayHandOver));
    await tabTo(page, ".more > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, ".menu > details > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, "select[name=to]");
    await page.keyboard.press("ArrowDown");
    await tabTo(page, "button[value=handOver]");
    await page.keyboard.press("Enter");
    const form = await submitted(page);
    expect([form.act, form.to]).toEqual(["handOver", "Edsger Dijkstra"]);
  });

  test("with the keyboard alone, “Not mine” is said", async () => {
    const page = await open(render(standings.mayHandOver));
    await tabTo(page, ".more > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, ".menu > details:last-child > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, "button[value=notMine]");
    await page.keyboard.press("Space");
    expect((await submitted(page)).act).toBe("notMine");
  });

  test("a name that hides something is shown for what it is, and sent as it is", async () => {
    const name = "Gr\u200bace \u202eeman <b>x</b>";
    const page = await open(render({ ...openRequest, handOverTo: [name] }));
    await choose(page, "Hand over");
    expect(await page.locator("select[name=to]").innerText()).toBe(
      "Gr⟨U+200B zero width space⟩ace ⟨U+202E right-to-left override⟩eman <b>x</b>",
    );
    await page.getByRole("button", { name: "Hand over" }).click();
    expect((await submitted(page)).to).toBe(name);
  });

  describe("a grant", () => {
    test("is nothing that an approval does by itself", async () => {
      const page = await open(render(standings.mayGrant), { javaScriptEnabled: false });
      await page.locator("button.approve").click();
      const form = await submitted(page);
      expect([form.act, form.grant]).toEqual(["approve", undefined]);
    });

    test("is chosen in words, with its time and its number, and has a button of its own that says so", async () => {
      const page = await open(render(standings.mayGrant), { javaScriptEnabled: false });
      await choose(page, "Allow later requests");
      expect(await page.getByLabel("Allow", { exact: true }).locator("option").allInnerTexts()).toEqual([
        "Exactly this, in this session, for summarize_meeting of notes",
        "Exactly this, for summarize_meeting of notes, for desk-assistant",
        "Exactly this, for any tool of notes, for desk-assistant",
        "Exactly this, for any tool of any server, for desk-assistant",
        "Any like this, in this session, for summarize_meeting of notes",
        "Any like this, for summarize_meeting of notes, for desk-assistant",
        "Any like this, for any tool of notes, for desk-assistant",
        "Any like this, for any tool of any server, for desk-assistant",
      ]);
      await page
        .getByLabel("Allow", { exact: true })
        .selectOption({ label: "Any like this, for summarize_meeting of notes, for desk-assistant" });
      await page.getByLabel("For", { exact: true }).selectOption("7 days");
      await page.getByLabel("Uses", { exact: true }).fill("25");
      await page.getByRole("button", { name: /^Approve and allow/ }).click();
      expect((await submitted(page)).grant).toEqual({ scope: "tool", what: "shape", hours: 168, uses: 25 });
    });

    test("that was chosen is not given by the button that only approves", async () => {
      const page = await open(render(standings.mayGrant), { javaScriptEnabled: false });
      await choose(page, "Allow later requests");
      await page.getByLabel("Allow", { exact: true }).selectOption({ index: 7 });
      await page.locator(".more > summary").click();
      await page.locator("button.approve").click();
      expect((await submitted(page)).grant).toBeUndefined();
    });

    test("says on its button for how many it is, as they are written", async () => {
      const page = await open(render(standings.mayGrant));
      Object.assign(site, { headers: pageHeaders(cspNonce, true) });
      await page.reload();
      await choose(page, "Allow later requests");
      const allow = page.locator("button.allow");
      for (const [uses, words] of [
        ["1", "Approve and allow 1 more request"],
        ["1000", "Approve and allow 1,000 more requests"],
        ["1001", "Approve and allow later requests"],
        ["many", "Approve and allow later requests"],
      ] as const) {
        await page.getByLabel("Uses", { exact: true }).fill(uses);
        expect(await allow.textContent()).toBe(words);
      }
    });

    test("lasts a day and ten times where nothing else is chosen", async () => {
      const page = await open(render(standings.mayGrantReply));
      await choose(page, "Allow later replies");
      await page.getByLabel("Allow", { exact: true }).selectOption("tool:exact");
      await page.getByRole("button", { name: "Approve and allow 10 more replies" }).click();
      expect((await submitted(page)).grant).toEqual({ scope: "tool", what: "exact", hours: 24, uses: 10 });
    });

    test("is open and as it was chosen after a page that decided nothing", async () => {
      const keptGrant = { grant: "key:exact", hours: "720", uses: "a lot", isAsked: true };
      const page = await open(render(standings.mayGrant, { keptGrant, preview: true }));
      const values = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLSelectElement | HTMLInputElement>(".grant select, .grant input")].map(({ value }) => value),
      );
      expect(values).toEqual(["key:exact", "720", "a lot"]);
      expect(await page.getByLabel("Allow", { exact: true }).isVisible()).toBe(true);
      await page.context().close();
    });

    test.each(["a lot", "", "0", "1001"])("with a number that cannot be used (%s) stops no denial, by browser or by us", async (uses) => {
      const page = await open(render(standings.mayGrant));
      await choose(page, "Allow later requests");
      await page.getByLabel("Allow", { exact: true }).selectOption("key:exact");
      await page.getByLabel("Uses", { exact: true }).fill(uses);
      await page.locator(".deny > summary").click();
      await page.getByRole("button", { name: "Deny" }).click();
      expect((await submitted(page)).act).toBe("deny");
    });

    test("is chosen by nothing that presses Enter in its field: that is a preview", async () => {
      const page = await open(render(standings.mayGrant));
      await choose(page, "Allow later requests");
      await page.getByLabel("Uses", { exact: true }).press("Enter");
      expect((await submitted(page)).act).toBe("preview");
    });
  });

  describe("for machines that press things", () => {
    const withForm = Object.keys(standings).filter((name) => name !== "handedOver" && name !== "notMine");

    test.each(withForm)("the first button decides nothing and gives nothing up: %s", async (name) => {
      const page = await open(render(standings[name as keyof typeof standings]), { javaScriptEnabled: false });
      await page.locator("form button, form input[type=submit]").first().focus();
      await page.keyboard.press("Enter");
      expect((await submitted(page)).act).toBe("preview");
    });

    test.each(["handedOver", "notMine"] as const)("there is nothing to press where the reviewer has given up: %s", async (name) => {
      const page = await open(render(standings[name]));
      expect(await page.locator("form, button, input, textarea, select").count()).toBe(0);
      expect(await page.getByText("You are no longer asked").isVisible()).toBe(true);
      expect(await page.locator(".said").count()).toBeGreaterThan(3);
      await page.context().close();
    });

    test.each(["hasApproved", "ownRequest"] as const)("no page offers an approval that would not count: %s", async (name) => {
      const page = await open(render(standings[name], { live: "/r/t/live" }));
      expect(await page.locator("[value^=approve]").count()).toBe(0);
      expect(await page.locator("[name^='edit:'], [name=model]").count()).toBe(0);
      expect(await page.locator("button[value=deny]").count()).toBe(1);
      await page.context().close();
    });
  });

  describe("what an open page hears", () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const told = {
      kind: "review",
      state: "open",
      version: openRequest.version,
      digest: openRequest.digest,
      votes: 0,
      left: false,
      hasVoted: false,
    };

    /** The page after it was told this, and the words that it shows then. */
    async function tell(message: unknown): Promise<{ page: Page; words: string[] }> {
      Object.assign(site, { html: render(openRequest, { live: "/r/t/live" }), headers: {}, posted: undefined });
      const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
      await page.routeWebSocket("**/r/t/live", (socket) => {
        socket.send("pong");
        socket.send(JSON.stringify(message));
        // Whatever comes after it is heard after it.
        socket.send(JSON.stringify({ kind: "marker" }));
      });
      await page.addInitScript(() => {
        const parse = JSON.parse.bind(JSON);
        JSON.parse = (text: string) => {
          const value = parse(text) as { kind?: string };
          if (value.kind === "marker") document.documentElement.dataset["heard"] = "yes";
          return value;
        };
        const read = globalThis.fetch.bind(globalThis);
        globalThis.fetch = (...given) => {
          document.documentElement.dataset["reads"] = "yes";
          return read(...given);
        };
      });
      await page.goto(site.url);
      await page.locator("[data-heard], .live:not(:empty)").first().waitFor({ state: "attached" });
      // What makes it read the page again, it says after that.
      if ((await page.locator("[data-reads]").count()) > 0) await page.locator(".live:not(:empty)").first().waitFor();
      return { page, words: await page.locator(".live p").allInnerTexts() };
    }

    // The site has no newer page than the one that is open, as where the new one cannot be read.
    test.each<[string, object, RegExp | null]>([
      ["nothing new", told, null],
      ["another kind of word", { kind: "other", state: "denied" }, null],
      ["a vote", { ...told, state: "voted", votes: 1 }, /^Another approval came/],
      ["a new version", { ...told, version: 2 }, /^The content was changed/],
      ["another digest", { ...told, digest: "other" }, /^The content was changed/],
      ["its own reviewer's approval elsewhere", { ...told, state: "voted", votes: 1, hasVoted: true }, /^You approved it on another page/],
      ["that it was given up elsewhere", { ...told, left: true }, /^You left this review on another page/],
      ...["approved", "denied", "expired", "cancelled", "failed"].map((state): [string, object, RegExp] => [
        `that it is ${state}`,
        { ...told, state },
        /^This review was decided or ended/,
      ]),
      ["markup", { ...told, state: "<img src=x>", digest: "<b>" }, /^This review was decided or ended/],
    ])("%s is said in our own words, and closes the buttons only where they no longer count", async (_name, message, words) => {
      const heard = await tell(message);
      expect(heard.words).toEqual(words === null ? [] : [expect.stringMatching(words)]);
      const isOver = /decided|You /.test(words?.source ?? "");
      const acts = heard.page.locator("#decision :is(button, summary, select):not(:disabled, [inert])");
      expect((await acts.count()) === 0).toBe(isOver);
      for (const value of ["approve", "deny"]) expect(await heard.page.locator(`button[value^=${value}]`).isDisabled()).toBe(isOver);
      expect(await heard.page.locator("button[value=preview]").isDisabled()).toBe(false);
      expect(await heard.page.locator(".live img, .live b").count()).toBe(0);
      expect(site.posted).toBeUndefined();
      await heard.page.context().close();
    });

    test("is shown so that an accessibility checker finds nothing, light or dark, and its links are targets of 44 px", async () => {
      for (const state of ["open", "denied"]) {
        const { page } = await tell({ ...told, state, version: 2 });
        await page.addScriptTag({ content: axe });
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const violations = await page.evaluate(async () => {
            // @ts-expect-error axe is put into the page by the line above.
            const results = await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] });
            return results.violations.map(
              (violation: { id: string; nodes: { html: string }[] }) => `${violation.id}: ${violation.nodes[0]?.html ?? ""}`,
            );
          });
          expect(violations, colorScheme).toEqual([]);
        }
        for (const link of await page.locator(".live a").all()) expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        await page.context().close();
      }
    });
  });

  test.each([320, 390, 1280])("text is 16 px or larger, targets are 44 px, and nothing scrolls sideways at %i px", async (width) => {
    const long = { ...openRequest, requestor: { ...openRequest.requestor, server: "n".repeat(300), client: "c".repeat(80) } };
    const pages = [
      render(
        { ...long, handOverTo: ["G".repeat(80)], grant: { scopes: ["tool", "server", "key"], risk: "low", replyRisk: null } },
        { keptGrant: { grant: "tool:shape", hours: "1", uses: "1", isAsked: true } },
      ),
      render({ ...standings.handedOver, left: { at: 0, to: "G".repeat(80) } }),
      render(standings.hasApproved),
      expired,
    ];
    for (const html of pages) {
      const page = await open(html, { viewport: { width, height: 844 } });
      const found = await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) {
          // Of those with one name only one can be open.
          details.removeAttribute("name");
          details.open = true;
        }
        const shown = (element: Element) => element.getClientRects().length > 0 && !element.closest(".sr, .skip");
        const sizeOf = (element: Element) => element.getBoundingClientRect();
        return {
          small: [...document.querySelectorAll("body *")].filter(
            (element) => shown(element) && Number.parseFloat(getComputedStyle(element).fontSize) < 16,
          ).length,
          targets: [...document.querySelectorAll("button, summary, select, textarea, input:not([type=hidden])")]
            .filter(
              (element) =>
                shown(element) && !element.matches(".model input") && (sizeOf(element).height < 44 || sizeOf(element).width < 44),
            )
            .map((element) => element.outerHTML.slice(0, 80)),
          sideways: document.documentElement.scrollWidth - innerWidth,
        };
      });
      expect(found).toEqual({ small: 0, targets: [], sideways: 0 });
      await page.context().close();
    }
  });
});
