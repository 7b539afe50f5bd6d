// The documents' pages in a real browser: what is wrong shows while somebody types, two operators
// at once lose nothing, and versions are compared and restored.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { ConsoleGateway, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

type Routing = { readonly version: number; readonly equivalents: readonly { readonly hint: string }[]; readonly models: readonly object[] };

describe.skipIf(chromiumPath === undefined)("documents in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  const open = (path: string, page = tab): Promise<unknown> => page.goto(`${at.homeOf(page)}/${path}`);
  const routing = (): Promise<Routing> => at.admin<Routing>("GET", "/routing");
  /** Types over a piece of the text. To fill in the whole of it takes Chromium ten seconds. */
  const type = async (on: Page, from: string, to: string): Promise<void> => {
    await on.locator("#text").evaluate((field: HTMLTextAreaElement, piece) => {
      const at = field.value.indexOf(piece);
      if (at === -1) throw new Error(`the text has no ${piece}`);
      field.focus();
      field.setSelectionRange(at, at + piece.length);
    }, from);
    await on.keyboard.insertText(to);
  };

  test("an edit is checked while it is typed, and what is wrong leads to its line", async () => {
    const first = (await routing()).version;
    expect(first).toBe(1);
    await open("documents/routing");
    await type(tab, '"speed": 0.7', '"speed": 7');
    const line = tab.locator("#check [data-line]").first();
    await line.waitFor();
    expect(await tab.locator("#check").textContent()).toContain("/models/0/scores/speed");
    await line.click();
    const selected = await tab
      .locator("#text")
      .evaluate((field: HTMLTextAreaElement) => field.value.slice(field.selectionStart, field.selectionEnd));
    expect(selected).toContain('"speed": 7');
    await type(tab, '"speed": 7', '"speed": 0.75');
    await tab.locator("#changes ins", { hasText: "0.75" }).waitFor();
    await type(tab, '"models": [', '"models": [,');
    await tab.getByText("This is not JSON").waitFor();
    expect((await routing()).version).toBe(first);
    await type(tab, '"models": [,', '"models": [');
    await tab.locator("#changes .changed").waitFor();
    await tab.getByRole("button", { name: "Save", exact: true }).click();
    await tab.getByText("Version 2 is saved").waitFor();
    expect((await routing()).version).toBe(first + 1);
    await expectGoodPage(tab, "console-document");
  });

  test("of two operators at once the second saves both changes", async () => {
    const second = await at.signIn();
    await Promise.all([open("documents/routing"), open("documents/routing", second)]);
    await type(tab, '"hint": "opus"', '"hint": "opus-one"');
    await type(second, '"speed": 0.75', '"speed": 0.81');
    await tab.getByRole("button", { name: "Save", exact: true }).click();
    await tab.getByText("Version 3 is saved").waitFor();
    await second.getByRole("button", { name: "Save", exact: true }).click();
    await second.getByRole("heading", { name: "Routing table: somebody else saved first" }).waitFor();
    expect(await second.inputValue("#text")).toContain('"speed": 0.81');
    await expectGoodPage(second, "console-conflict");
    await second.getByRole("button", { name: "Save both changes" }).click();
    await second.getByText("Version 4 is saved").waitFor();
    const saved = await routing();
    expect(saved.equivalents.map(({ hint }) => hint)).toContain("opus-one");
    expect(JSON.stringify(saved.models)).toContain('"speed":0.81');
  });

  test("versions are compared, and an old one is restored after its difference is shown", async () => {
    await open("documents/routing/versions?from=2&to=4");
    await tab.getByRole("heading", { name: "From version 2 to version 4" }).waitFor();
    await expectGoodPage(tab, "console-versions");
    await tab.getByRole("link", { name: "Version 2", exact: true }).click();
    await tab.getByRole("heading", { name: "Restore version 2" }).waitFor();
    await expectGoodPage(tab, "console-version");
    await tab.getByRole("button", { name: "Restore version 2" }).click();
    await tab.getByText("Version 5 is saved").waitFor();
    expect((await routing()).equivalents.map(({ hint }) => hint)).toContain("opus");
  });

  test("in Chinese, and without scripts", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    await open("documents/policy", chinese);
    expect(await chinese.locator("h1").textContent()).toBe("策略：编辑 JSON");
    await type(chinese, '"rules": [', '"rule": [');
    await chinese.locator("#check [data-line]").first().waitFor();
    await expectGoodPage(chinese, "console-document-zh");
    await open("documents/routing/versions/1", chinese);
    await expectGoodPage(chinese, "console-version-zh");
    await open("documents", chinese);
    await expectGoodPage(chinese, "console-documents-zh");
  });
});
