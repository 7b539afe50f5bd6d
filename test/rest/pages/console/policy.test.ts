// The policy's page in a real browser: rules as sentences, edited, moved, replayed with real
// requests, imported and saved.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../../outside/support/chromium.ts";
import { ConsoleGateway, expectGoodPage } from "../../../outside/pages/console/console-gateway.ts";

const policy = {
  rules: [
    {
      name: "risky",
      when: { risk: "high" },
      then: { quorum: 2, reviewers: ["oncall", "lead"], remindAtSeconds: [180, 420], escalate: { afterSeconds: 300, to: ["lead"] } },
    },
    { name: "media", when: { hasMedia: true }, then: { reviewers: ["oncall"] } },
    { name: "expensive", when: { costOverUsd: 0.05 }, then: { reviewers: ["lead"], deadlineSeconds: 3600 } },
    { name: "searching", when: { tool: "search_*", hasTools: false }, then: { request: "allow", response: "allow" } },
    { name: "unverified", when: { provenance: "claimed", key: "ci-*" }, then: { request: "refuse" } },
  ],
  default: { reviewers: ["oncall"], deadlineSeconds: 600 },
  reviewers: { oncall: [{ name: "Ann Ames" }, { name: "Bo Chen" }], lead: [{ name: "Cy Young" }] },
};

type Policy = {
  readonly version: number;
  readonly rules: readonly { readonly name: string; readonly when?: object; readonly then?: object }[];
};

describe.skipIf(chromiumPath === undefined)("the policy in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    await at.configure("policy", policy);
    for (let index = 0; index < 6; index += 1)
      await at.sample({ tool: index % 2 === 0 ? "search_notes" : "summarize", text: `Say ${index}.` });
    tab = await at.signIn({ viewport: { width: 1_280, height: 900 } });
  });
  afterAll(async () => at?.stop());

  const open = async (page: Page, query = ""): Promise<void> => {
    await page.goto(`${at.homeOf(page)}/policy${query}`);
  };
  const names = (page: Page): Promise<string[]> => page.locator(".rules > li[data-at] h3 .name").allTextContents();
  const saved = (): Promise<Policy> => at.admin<Policy>("GET", "/policy");

  test("says each rule as sentences", async () => {
    await open(tab);
    await tab.getByText("If it has a high warning, ask oncall and lead about prompt and reply.").waitFor();
    await expectGoodPage(tab, "console-policy");
  });

  test("a rule is moved by its buttons and by dragging it, and nothing is saved", async () => {
    await open(tab);
    await tab.getByRole("button", { name: "Move expensive up" }).press("Enter");
    await tab.getByText("This is a draft.").waitFor();
    expect(await names(tab)).toEqual(["risky", "expensive", "media", "searching", "unverified"]);
    expect(await tab.evaluate(() => document.activeElement?.getAttribute("value"))).toBe("up:1");
    await tab.locator(".rules > li[data-at='1'] .handle").dragTo(tab.locator(".rules > li[data-at='4']"));
    await tab.locator(".rules > li[data-at='4']", { hasText: "expensive" }).waitFor();
    expect(await names(tab)).toEqual(["risky", "media", "searching", "unverified", "expensive"]);
    expect((await saved()).rules.map(({ name }) => name)).toEqual(["risky", "media", "expensive", "searching", "unverified"]);
  });

  test("a rule is edited, replayed with the recorded requests, and saved", async () => {
    await open(tab);
    await tab.getByRole("button", { name: "Edit Everything else" }).click();
    await tab.getByLabel("Prompt").selectOption("allow");
    await tab.getByLabel("Reply, or result", { exact: true }).selectOption("allow");
    await tab.getByRole("button", { name: "Edit expensive" }).click();
    await tab.getByLabel("Can cost over, in US$").fill("0.02");
    await tab.getByRole("button", { name: "Replay", exact: true }).click();
    await tab.getByText("6 of 6 requests read").waitFor();
    await tab.getByText("3 would have passed unseen.").waitFor();
    await tab.getByText("Was: If it can cost over $0.05").waitFor();
    await expectGoodPage(tab, "console-policy-replay");
    await open(tab);
    await tab.getByRole("button", { name: "Edit expensive" }).click();
    await tab.getByLabel("Can cost over, in US$").fill("0.02");
    await tab.getByLabel("Position").selectOption("1");
    const { version } = await saved();
    await tab.getByRole("button", { name: `Save version ${version + 1}` }).click();
    await tab.getByText(`Saved as version ${version + 1}.`).waitFor();
    expect((await saved()).rules[0]).toEqual({
      name: "expensive",
      when: { costOverUsd: 0.02 },
      then: { reviewers: ["lead"], deadlineSeconds: 3600 },
    });
  });

  test("a rule for tool calls is written in the form, and keeps what was typed where it is refused", async () => {
    await at.configure("policy", policy);
    await open(tab);
    await tab.getByText("Tool calls of clients, and forms, are allowed where no rule is about them.").waitFor();
    await tab.getByRole("button", { name: "Add rule" }).click();
    await tab.getByLabel("Name", { exact: true }).fill("deploying");
    await tab.getByText("More conditions").click();
    await tab.getByLabel("Arguments of the call").fill("/env equals production\n/amount over 100\n/force present true");
    await tab.getByLabel("The tool may destroy something").selectOption("yes");
    await tab.getByLabel("Prompt, or call").selectOption("confirm");
    await tab.getByLabel("Reply, or result", { exact: true }).selectOption("allow");
    await tab.getByLabel("In shadow").check();
    await tab.getByRole("button", { name: /^Save version/ }).click();
    await tab.getByText("is for tool calls: give the rule the subject toolCall").first().waitFor();
    expect(await tab.getByLabel("Arguments of the call").inputValue()).toContain('/env equals "production"');
    await tab.getByLabel("About", { exact: true }).selectOption("toolCall");
    await tab.getByRole("button", { name: "Apply to the draft" }).click();
    await tab.getByText("ask the API key's owner about the call. Allow the result.").waitFor();
    await expectGoodPage(tab, "console-policy-call");
    const { version } = await saved();
    await tab.getByRole("button", { name: `Save version ${version + 1}` }).click();
    await tab.getByText(`Saved as version ${version + 1}.`).waitFor();
    expect((await saved()).rules.at(-1)).toEqual({
      name: "deploying",
      when: {
        subject: "toolCall",
        arguments: [
          { pointer: "/env", equals: "production" },
          { pointer: "/amount", over: 100 },
          { pointer: "/force", present: true },
        ],
        annotations: { destructive: true },
      },
      then: { request: "confirm", response: "allow", shadow: true },
    });
  });

  test("a policy that somebody saved meanwhile is not overwritten, and the draft is kept", async () => {
    await at.configure("policy", policy);
    await open(tab);
    await tab.getByRole("button", { name: "Edit media" }).click();
    await tab.getByLabel("Name", { exact: true }).fill("images");
    await at.configure("policy", { ...policy, rules: policy.rules.slice(1) });
    await tab.getByRole("button", { name: /^Save version/ }).click();
    await tab.getByText("images").first().waitFor();
    expect(await tab.locator("textarea[name=text]").inputValue()).toContain('"images"');
    expect((await saved()).rules).toHaveLength(4);
  });

  test("VS Code's setting becomes rules of the draft", async () => {
    await at.configure("policy", policy);
    await open(tab);
    await tab.getByText("Import from VS Code").click();
    await tab
      .getByLabel("Settings (JSON)")
      .fill(
        '{ "chat.mcp.serverSampling": { "Global in Code: notes": { "allowedDuringChat": true, "allowedModels": ["copilot/gpt-4.1"] }, "x: y": {} } }',
      );
    await tab.getByRole("button", { name: "Show the rules" }).click();
    await tab.getByText("the routing table has no model copilot/gpt-4.1").waitFor();
    await expectGoodPage(tab, "console-policy-import");
  });

  test("in Chinese", async () => {
    await at.configure("policy", policy);
    const chinese = await at.signIn({ language: "zh-CN" });
    await open(chinese, "?edit=0");
    await chinese.getByText("提示和回复均由").first().waitFor();
    await chinese.getByLabel("位置").selectOption("2");
    await chinese.getByRole("button", { name: "应用到草稿" }).click();
    await chinese.getByText("这是草稿").waitFor();
    expect(await names(chinese)).toEqual(["media", "risky", "expensive", "searching", "unverified"]);
    await open(chinese, "?edit=0");
    await expectGoodPage(chinese, "console-policy-zh");
  });
});
