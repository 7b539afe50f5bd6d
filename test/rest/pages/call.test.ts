// The page of a tool's call whose server says what its arguments are: what it shows, and what comes
// of an edit in its fields, with scripts and without.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { argumentsJsonOf, withArguments } from "../../../shared/model/subject/tool-call.ts";
import { changedRequest } from "../../../shared/review/changes.ts";
import { type SubmittedForm, parseDecisionForm } from "../../../shared/review/form.ts";
import { isPromised } from "../../../shared/review/changes.ts";
import type { ToolCallView } from "../../../shared/review/view.ts";
import type { ReviewPageInput } from "../../../workers/ui/review-page.tsx";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { launch, servePage } from "../../outside/pages/browser.ts";
import { censusOf, violationsOn } from "../../outside/pages/checks.ts";
import { typedCall } from "../../outside/pages/examples.ts";
import { renderedReview } from "./rendered.ts";

const { request: call } = typedCall;
const sent = argumentsJsonOf(call);
const before = withArguments(call, '{"owner":"acme","branch":"main","force":false}');

describe.skipIf(chromiumPath === undefined)("the page of a call", () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof servePage>>;

  beforeAll(async () => {
    [browser, site] = await Promise.all([launch(), servePage()]);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  type Opened = { readonly view?: ToolCallView; readonly more?: Partial<ReviewPageInput>; readonly language?: "en" | "zh-CN" };

  async function open({ view = typedCall, more = {}, language = "en" }: Opened, javaScriptEnabled = true): Promise<Page> {
    site.html = renderedReview(view, more, language);
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled })).newPage();
    await page.goto(site.url);
    return page;
  }

  const control = (pointer: string): string => `[name="edit:/arguments${pointer}"]`;
  const edit = (page: Page): Promise<void> => page.locator("#arguments .edit > summary").click();

  /** Presses a button, and reads what the page sent. */
  async function posted(page: Page, button: string): Promise<SubmittedForm> {
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page
      .locator(button)
      .first()
      .evaluate((element: HTMLButtonElement) => element.click());
    await answered;
    const form = parseDecisionForm(new URLSearchParams(site.posted ?? ""));
    await page.context().close();
    if (!form.ok) throw new Error(JSON.stringify(form.error));
    return form.value;
  }

  const changed = ({ edits }: SubmittedForm) => changedRequest({ request: call, models: [] }, { edits });

  test("shows what is sent, whole, by name and value, and what the server says of its tool", async () => {
    const page = await open({ view: { ...typedCall, before } });
    const words = (await page.locator("#arguments").innerText()).replaceAll(/\s+/g, " ");
    expect(words).toContain(
      "owner acme branch release/2026-11 force true id 9007199254740993 notify name ann days 1 labels old note Line one Line two",
    );
    expect(words).toContain("branch was main in the last approved call.");
    expect(words).toContain("force was false in the last approved call.");
    expect(words).toContain("notify was not set in the last approved call.");
    expect(words).not.toContain("owner was");
    const said = page.locator("#definition");
    expect(await said.locator("summary").innerText()).toMatch(/What github says of the tool\s+not read-only, destructive, not idempotent/);
    await said.locator("summary").click();
    expect(await said.innerText()).toMatch(
      /Delete a branch\s+Deletes a branch. Use force to skip checks.\s+owner\s+Owner\s+Who owns the repository./,
    );
    await page.context().close();
  });

  test("puts into quotes what could be taken for another value", async () => {
    const page = await open({ view: { ...typedCall, request: withArguments(call, '{"owner":"true","branch":""}') } });
    expect((await page.locator("#arguments .view").innerText()).replaceAll(/\s+/g, " ")).toContain('owner "true" branch (empty)');
    await page.context().close();
  });

  test("without scripts: a nested argument is edited, and the others are sent as they came", async () => {
    const page = await open({}, false);
    await edit(page);
    await page.fill(control("/notify/0/name"), "bo");
    const form = await posted(page, "button.skip");
    expect(form.act).toBe("preview");
    const result = changed(form);
    if (!result.ok) throw new Error(JSON.stringify(result.error));
    const { request } = result.value.value;
    expect(request.kind === "toolCall" && argumentsJsonOf(request)).toBe(sent.replace('"ann"', '"bo"'));
    expect(result.value.changes.map(({ path }) => path)).toEqual(["/arguments/notify/0/name"]);

    const shown = await open({ more: { kept: form, changes: result.value.changes, preview: true } }, false);
    expect(await shown.locator("#approve").innerText()).toBe("Approve with 1 change");
    expect(await shown.inputValue(control("/notify/0/name"))).toBe("bo");
    expect(await shown.locator("#arguments").innerText()).toMatch(/notify\/0\/name\s+\[removed:\s+ann\s+\]\s+\[added:\s+bo\s+\]/);
    expect((await posted(shown, "#approve")).promised?.count).toBe(1);
  });

  test("untouched, approves the very call that was shown", async () => {
    const result = changed(await posted(await open({}, false), "#approve"));
    expect(result).toMatchObject({ ok: true, value: { value: { request: call }, changes: [] } });
  });

  test("an item is added one at a time, and the next page has room for one more", async () => {
    const page = await open({}, false);
    await edit(page);
    await page.locator("summary", { hasText: "Add an item" }).first().click();
    await page.fill(control("/notify/1/name"), "cy");
    const form = await posted(page, "button.skip");
    const shown = await open({ more: { kept: form, preview: true } }, false);
    expect(await shown.inputValue(control("/notify/1/name"))).toBe("cy");
    expect(await shown.locator(control("/notify/2/name")).count()).toBe(1);
    await shown.context().close();
  });

  test("an error stands beside its field, and nothing that was typed is lost", async () => {
    const page = await open({}, false);
    await edit(page);
    await page.fill(control("/notify/0/days"), "10");
    await page.fill(control("/branch"), "main");
    const form = await posted(page, "button.skip");
    const result = changed(form);
    const problem = { why: "invalidEdit", issues: result.ok ? [] : result.error } as const;
    const shown = await open({ more: { kept: form, problem } });
    const field = shown.locator(control("/notify/0/days"));
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    const described = (await field.getAttribute("aria-describedby"))?.split(" ")[0] ?? "";
    expect(await shown.locator(`[id="${described}"]`).innerText()).toBe("This must be 9 or less.");
    expect(await field.inputValue()).toBe("10");
    expect(await shown.inputValue(control("/branch"))).toBe("main");
    expect(await violationsOn(shown)).toEqual([]);
    await shoot(shown, "call-error");
    await shown.locator("#problem a").click();
    expect(await shown.evaluate(() => document.querySelector(":target")?.getAttribute("name"))).toBe("edit:/arguments/notify/0/days");
    await shown.context().close();
  });

  test.each<[string, (page: Page) => Promise<unknown>, number]>([
    [
      "a text and a choice",
      async (page) => Promise.all([page.fill(control("/owner"), "x"), page.selectOption(control("/force"), "false")]),
      2,
    ],
    ["a box", (page) => page.check(control("/labels~.1")), 1],
    ["a member that is left out", (page) => page.check(control("/note~.out")), 1],
    [
      "an item that is removed, and what is changed in it",
      async (page) => {
        await page.fill(control("/notify/0/name"), "x");
        await page.check(control("/notify/0~.out"));
      },
      1,
    ],
    [
      "an object that was not there",
      async (page) => {
        await page.locator("summary", { hasText: "more that are not set" }).first().click();
        await page.fill(control("/retry/times"), "2");
        await page.fill(control("/retry/wait"), "1s");
      },
      1,
    ],
  ])("with scripts: %s counts on the button as the gateway counts it", async (_name, change, count) => {
    const page = await open({});
    await edit(page);
    await change(page);
    expect(await page.locator("#approve").innerText()).toBe(`Approve with ${count} change${count === 1 ? "" : "s"}`);
    const form = await posted(page, "#approve");
    const result = changed(form);
    if (!result.ok || form.promised === undefined) throw new Error(JSON.stringify(result));
    expect(isPromised(result.value.changes, form.promised, form.edits)).toBe(true);
  });

  test.each<[string, Opened, boolean]>([
    ["call", { view: { ...typedCall, before } }, false],
    ["call-edit", {}, true],
    ["call-zh", { language: "zh-CN" }, true],
  ])("has no violation of accessibility and fits a phone: %s", async (name, opened, isEditing) => {
    const page = await open(opened);
    if (isEditing) await edit(page);
    await shoot(page, name);
    for (const summary of await page.locator("#arguments .absent > summary").all()) if (isEditing) await summary.click();
    if (isEditing) await shoot(page, `${name}-open`);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.context().close();
  });

  test("no name, value, choice or word of a schema becomes anything but text", async () => {
    const page = async (text: string): Promise<Record<string, number>> => {
      const given = JSON.stringify({ [text]: text, list: [text], of: { [text]: text } });
      const said = { type: "string", title: text, description: text, enum: [text, "b"] };
      const inputSchema = {
        type: "object",
        properties: {
          [text]: said,
          list: { type: "array", items: { type: "string" } },
          of: { type: "object", properties: { [text]: said } },
        },
      };
      const definition = { title: text, description: text, inputSchema, annotations: { readOnlyHint: true } };
      const kept = { nonce: "n", version: 1, digest: "d", act: "preview", edits: new Map([["/arguments/list/0", `${text}!`]]) } as const;
      const request = { ...withArguments(call, given), server: text, tool: text, definition };
      const opened = await open({
        view: { ...typedCall, request, before: withArguments(request, JSON.stringify({ [text]: "a" })) },
        more: { kept },
      });
      expect(await opened.evaluate(() => Reflect.get(globalThis, "pwned") as unknown)).toBeUndefined();
      const counts = await censusOf(opened);
      await opened.context().close();
      return counts;
    };
    const harmless = await page("harmless");
    for (const text of [
      `"><script>globalThis.pwned = 1</script>`,
      "</option></select><img src=x onerror='globalThis.pwned=1'>",
      "{server} $& ~1",
    ])
      expect(await page(text)).toEqual(harmless);
  });
});
