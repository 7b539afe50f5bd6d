// The list of requests and one request as a timeline, in a real browser: a failure is found and
// explained from the list.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../../scripts/local-gateway.ts";
import { startProviderServer } from "../../../support/provider-server.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { eventually } from "../../support/program.ts";
import { shoot } from "../../support/screenshots.ts";
import { violationsOn } from "../checks.ts";
import { ConsoleGateway, expectGoodPage } from "./console-gateway.ts";

type Line = { readonly id: string; readonly state: string; readonly server: string };

const then = (more: object): object => ({ request: "review", response: "allow", reviewers: ["oncall"], deadlineSeconds: 600, ...more });
const policy = {
  rules: [
    { name: "two people", when: { server: "deploy" }, then: then({ quorum: 2 }) },
    { name: "searching", when: { server: "search" }, then: { request: "allow", response: "allow" } },
    { name: "unreached", when: { server: "billing" }, then: { request: "allow", response: "allow" } },
  ],
  default: then({}),
  reviewers: { oncall: [{ name: "Ann Lee" }, { name: "Bo Chen" }], leads: [{ name: "Cara Diaz" }] },
};

describe.skipIf(chromiumPath === undefined)("the requests in a browser", () => {
  let at: ConsoleGateway;
  let tab: Page;

  beforeAll(async () => {
    at = await ConsoleGateway.start();
    await at.configure("policy", policy);
    tab = await at.signIn();
  });
  afterAll(async () => at?.stop());

  type Routing = { readonly version: number; readonly providers: object; readonly models: readonly Record<string, unknown>[] };

  /** While every model is one whose credential is not set. */
  async function failing(ask: () => Promise<unknown>): Promise<void> {
    const { version: _version, ...before } = await at.admin<Routing>("GET", "/routing");
    const away = { kind: "openai", baseUrl: "https://away.example.com/v1", secret: "AWAY_API_KEY" };
    const models = before.models.slice(0, 1).map((model) => ({ ...model, provider: "away", id: "away-model", name: "away-model" }));
    await at.configure("routing", { ...before, providers: { ...before.providers, away }, models });
    await ask();
    await at.configure("routing", before);
  }
  const lines = async (query = ""): Promise<readonly Line[]> => (await at.admin<{ runs: Line[] }>("GET", `/runs${query}`)).runs;
  const listed = (query: string, count: number): Promise<readonly Line[]> =>
    eventually(`${count} lines of ${query}`, async () => {
      const found = await lines(query);
      return found.length >= count ? found : null;
    });

  test("say how to send the first, while there are none", async () => {
    await tab.goto(`${at.homeOf(tab)}/requests`);
    await tab.getByRole("heading", { name: "No requests yet" }).waitFor();
    expect(await tab.locator(".command").textContent()).toContain(`${at.gateway.url}/sampling`);
    await expectGoodPage(tab, "console-requests-none");
  });

  test("are found by search and chips; a failure is explained, with what to do", async () => {
    await at.sample({ server: "notes" });
    await at.sample({ server: "deploy", tool: "ship_release" });
    await at.sample({ server: "search", tool: "rank_hits" });
    await failing(() => at.sample({ server: "billing", tool: "remind" }));
    await at.sample({ server: "notes", more: { messages: "none" } });
    await listed("", 5);
    await tab.goto(`${at.homeOf(tab)}/requests`);
    await tab.getByText("5 requests").waitFor();
    await tab.fill("#q", "RANK");
    await tab.press("#q", "Enter");
    await tab.getByText("1 request", { exact: false }).first().waitFor();
    expect(await tab.locator("tbody tr").count()).toBe(1);
    await tab.getByRole("link", { name: "Clear filters" }).click();
    await tab.getByText("5 requests").waitFor();
    await expectGoodPage(tab, "console-requests");
    /** How high the page would be with the fifty lines that it has at most. */
    const ofFifty = (): Promise<number> =>
      tab.evaluate(() => {
        const rows = [...document.querySelectorAll("tbody tr")].map((row) => row.getBoundingClientRect().height);
        const rest = document.documentElement.scrollHeight - rows.reduce((sum, height) => sum + height, 0);
        return rest + 50 * Math.max(...rows);
      });
    // With the way to other pages below.
    await tab.goto(`${at.homeOf(tab)}/requests?after=${encodeURIComponent("2100-01-01T00:00:00.000Z~")}`);
    await tab.getByRole("link", { name: "Newest" }).waitFor();
    expect(await ofFifty()).toBeLessThan(3_500);
    // Not so high that the page would be filled up.
    await tab.setViewportSize({ width: 1280, height: 600 });
    expect(await ofFifty()).toBeLessThan(2_000);
    await tab.setViewportSize({ width: 390, height: 844 });
    await tab.goto(`${at.homeOf(tab)}/requests`);
    await tab.getByRole("link", { name: "No reply" }).click();
    await tab.getByRole("link", { name: "billing · remind" }).click();
    await tab.getByText("What to do").waitFor();
    await expectGoodPage(tab, "console-request-failed");
  });

  test("say of a failure what each model did, in order, and begin with the cause where the last resort failed otherwise", async () => {
    const failing = await Promise.all([startProviderServer(), startProviderServer()]);
    const [down, limited] = failing;
    try {
      down.script(...Array.from({ length: 3 }, () => ({ answer: "error" as const, status: 500 })));
      limited.script({ answer: "error", status: 429, headers: { "Retry-After": "60" } });
      const { version: _version, ...before } = await at.admin<Routing>("GET", "/routing");
      const models = [
        ["claude-sonnet-4-5", "anthropic", down.openaiUrl],
        ["gpt-4.1", "openai", limited.openaiUrl],
        ["backup", "on-premises", `http://127.0.0.1:${await freePort()}/v1`],
      ] as const;
      await at.configure("routing", {
        ...before,
        providers: Object.fromEntries(
          models.map(([, name, baseUrl]) => [name, { kind: "openai", baseUrl, keyless: true, allowPrivate: true }]),
        ),
        models: models.map(([id, provider]) => ({ ...before.models[0], id, name: id, provider })),
      });
      await at.sample({ server: "billing", tool: "collect" });
      await at.configure("routing", before);
      await listed("?tool=collect&state=failed", 1);
    } finally {
      await Promise.all(failing.map((server) => server.close()));
    }
    const [{ id } = { id: "" }] = await listed("?tool=collect&state=failed", 1);
    await tab.goto(`${at.homeOf(tab)}/requests/${id}`);
    const why = tab.locator(".note.bad");
    await expectGoodPage(tab, "console-request-every-model");
    const chinese = await at.signIn({ language: "zh-CN" });
    await chinese.goto(`${at.homeOf(chinese)}/requests/${id}`);
    await expectGoodPage(chinese, "console-request-every-model-zh");
    expect(await tab.locator("h1").textContent()).toBe("billing · collect asked claude-sonnet-4-5");
    expect(await why.locator("b").first().textContent()).toBe(
      'All 7 attempts failed: "claude-sonnet-4-5" answered with an error (status 500), "gpt-4.1" refused for its rate limit (status 429), "backup" could not be reached',
    );
    const tried = await why.locator("ol > li").allTextContents();
    expect(tried.map((line) => line.replaceAll(/\d\d:\d\d:\d\d/g, "T"))).toEqual([
      expect.stringMatching(/^claude-sonnet-4-5 \(anthropic\) answered with an error \(status 500\).*3 attempts/),
      expect.stringMatching(/^gpt-4\.1 \(openai\) refused for its rate limit \(status 429\)/),
      expect.stringMatching(/^backup \(on-premises\) could not be reached.*3 attempts/),
    ]);
    expect(await why.locator("ul > li").allTextContents()).toEqual([
      expect.stringContaining('for "claude-sonnet-4-5", look at the provider\'s status'),
      expect.stringContaining('for "gpt-4.1", raise the account\'s limit'),
      expect.stringContaining('for "backup", check baseUrl'),
    ]);
  });

  test("show one request's steps: who was asked, who decided, what the model cost", async () => {
    const [{ id } = { id: "" }] = await listed("?server=notes&state=waiting", 1);
    const { notices } = await at.admin<{ notices: { run: string; link: string; reviewer: string }[] }>("GET", "/notices");
    const link = notices.find(({ run, reviewer }) => run === id && reviewer === "Ann Lee")?.link ?? "";
    const reviewer = await at.browser.newPage();
    await reviewer.goto(link);
    await reviewer.locator(".said").first().waitFor();
    const button = reviewer.getByRole("button", { name: /^Approve/ }).first();
    await reviewer.waitForTimeout(1_100); // No form is taken in the first second.
    await button.click();
    await listed("?server=notes&state=completed", 1);
    await reviewer.close();
    await tab.goto(`${at.homeOf(tab)}/requests/${id}`);
    const steps = tab.locator(".path > li");
    await steps.filter({ hasText: "Delivered" }).waitFor();
    const text = (await steps.allTextContents()).join("\n");
    expect(text).toContain("Associated with tools/call summarize");
    expect(text).toMatch(/Asked Ann Lee, Bo Chen about the request/);
    expect(text).toMatch(/Ann Lee: outbox sent .* opened/);
    expect(text).toContain("Ann Lee approved the request");
    expect(await tab.getByText("verified in the log").count()).toBe(1);
    await expectGoodPage(tab, "console-request");
  });

  test("of a time by the clock of the browser's zone; rows are reached by keys, and everything by the menu", async () => {
    await tab.goto(`${at.homeOf(tab)}/requests?range=hour&server=notes`);
    await tab.getByLabel("Totals of this search").waitFor();
    expect(await tab.locator("[aria-label='Totals of this search']").textContent()).toMatch(/^\d requests? · /);
    const zone = await tab.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(await tab.locator("#zone").inputValue()).toBe(zone);
    await tab.locator("details.filters > summary").click();
    await expectGoodPage(tab, "console-requests-time");
    await tab.keyboard.press("j");
    await tab.keyboard.press("j");
    await tab.keyboard.press("k");
    await tab.keyboard.press("Enter");
    await tab.getByRole("heading", { name: "What happened" }).waitFor();
    await tab.goto(`${at.homeOf(tab)}/requests`);
    await tab.keyboard.press("/");
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe("q");
    await tab.locator("#main h1").click();
    await tab.keyboard.press("?");
    await tab.getByRole("dialog", { name: "Keys" }).waitFor();
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("Control+k");
    const field = tab.getByRole("combobox", { name: "Find a page" });
    await tab.getByRole("option", { name: "Decisions page" }).waitFor();
    await field.fill("ann");
    await tab.getByRole("option", { name: "Ann Lee reviewer" }).waitFor();
    expect(await field.getAttribute("aria-activedescendant")).toMatch(/^found-\d+$/);
    expect(await violationsOn(tab)).toEqual([]);
    await shoot(tab, "console-menu");
    await Promise.all([tab.waitForURL(/\/decisions\?by=Ann/), field.press("Enter")]);
    await tab.getByText("1 decision on this page").waitFor();
    await expectGoodPage(tab, "console-decisions");
    await tab.goto(`${at.homeOf(tab)}/find?q=notes`);
    await expectGoodPage(tab, "console-find");
    const chinese = await at.signIn({ language: "zh-CN" });
    await chinese.goto(`${at.homeOf(chinese)}/decisions`);
    await expectGoodPage(chinese, "console-decisions-zh");
  });

  test("send an open one to somebody else, and cancel it, after a question", async () => {
    const [{ id } = { id: "" }] = await listed("?server=deploy&state=open", 1);
    const chinese = await at.signIn({ language: "zh-CN" });
    await chinese.goto(`${at.homeOf(chinese)}/requests/${id}`);
    await expectGoodPage(chinese, "console-request-open-zh");
    await tab.goto(`${at.homeOf(tab)}/requests/${id}`);
    await expectGoodPage(tab, "console-request-open");
    await tab.getByRole("button", { name: "Send again to Ann Lee" }).click();
    await tab.getByText("The notices are sent again.").waitFor();
    await tab.getByLabel("Ask somebody else").selectOption("Cara Diaz");
    await tab.getByRole("button", { name: "Ask them" }).click();
    await tab.getByText("They are asked as well.").waitFor();
    await expectGoodPage(tab, "console-request-asked");
    const cancelling = tab.locator(".confirm", { hasText: "Cancel request" });
    await cancelling.locator("summary").click();
    await cancelling.locator("button").click();
    await tab.getByText("The request was cancelled.").waitFor();
    expect((await at.admin<Line>("GET", `/runs/${id}`)).state).toBe("cancelled");
    expect(await cancelling.count()).toBe(0);
  });

  test("in Chinese", async () => {
    const chinese = await at.signIn({ language: "zh-CN" });
    await chinese.goto(`${at.homeOf(chinese)}/requests`);
    expect(await chinese.locator("h1").textContent()).toBe("请求");
    await expectGoodPage(chinese, "console-requests-zh");
    for (const [query, name] of [
      ["?server=billing", "failed"],
      ["?server=notes&state=completed", "done"],
      ["?state=refused", "refused"],
    ] as const) {
      const [{ id } = { id: "" }] = await listed(query, 1);
      await chinese.goto(`${at.homeOf(chinese)}/requests/${id}`);
      await expectGoodPage(chinese, `console-request-${name}-zh`);
    }
  });
});
