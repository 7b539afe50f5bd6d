// Every page of the inbox, and the review page on the way from a request to its reply, in both
// languages: without barriers, without sideways scroll, and safe from what stands in their fields.

import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogues } from "../../../shared/channels/words/words.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { Page } from "../../../workers/ui/page.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { launch } from "../../outside/pages/browser.ts";
import { censusOf, violationsOn } from "../../outside/pages/checks.ts";
import { decided, openRequest } from "../../outside/pages/examples.ts";
import type { MessageView } from "../../../shared/review/view.ts";
import { inboxPages } from "./inbox-examples.ts";
import { rendered } from "./rendered.ts";

const review = (view: MessageView): Page => ({ kind: "review", input: { view, action: "/r/t", nonce: "n0nce", live: "/r/t/live" } });
const approved = decided.approved;
const waitingReply = {
  kind: "review",
  path: "/r/next",
  reply: {
    openedAt: approved.now,
    deadlineAt: approved.now + 552_000,
    reviewers: ["Ada Lovelace", "Bo Chen"],
    usage: { inputTokens: 38, outputTokens: 29 },
    costUsd: 0.0008,
  },
} as const;

const pages: Readonly<Record<string, Page>> = {
  ...inboxPages,
  "the model is answering": review({ ...approved, next: { kind: "waits" } }),
  "the reply waits": review({ ...approved, next: waitingReply }),
  "a reply that a reviewer wrote, for another one": review({
    ...openRequest,
    quorum: 2,
    votes: [{ by: "Bo Chen", at: openRequest.now }],
    state: { kind: "voted", votes: 1, quorum: 2 },
    written: {
      by: "Bo Chen",
      at: openRequest.now,
      reply: { content: [{ type: "text", text: "We meet on Tuesday." }], model: "human", stopReason: "endTurn" },
    },
    mayWrite: { model: "human" },
  }),
};

const languages = Object.keys(catalogues) as Language[]; // its own names
const cases = Object.keys(pages).flatMap((name) => languages.map((language) => [name, language] as const));

const hostile = `</textarea></script><img src=x onerror=alert(1)>{model}{n}$& "' \u202e`;
/** The page with this in every text from outside; what chooses words or leads somewhere stays. */
function poisoned(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => poisoned(each, name));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([each, inside]) => [each, poisoned(inside, each)]));
  }
  const chooses =
    /^(?:subject|kind|type|role|state|gate|progress|provenance|evidence|level|pointer|data|digest|why|axis|mimeType|scopes?|what|cause|filter|sort|group|outcome|problem|requestKind|path|action|without|again|field|mayStop|reach)$/;
  return typeof value === "string" && !chooses.test(name) ? value + hostile : value;
}

describe.skipIf(chromiumPath === undefined)("the pages of an inbox", () => {
  let browser: Browser;
  let tab: Tab;

  beforeAll(async () => {
    browser = await launch();
    tab = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  });
  afterAll(() => browser?.close());

  test.each(cases)("%s, in %s, has no barrier and no sideways scroll", async (name, language) => {
    const page = pages[name];
    if (page === undefined) throw new Error("no such page");
    await tab.setContent(rendered(page, language));
    for (const width of [320, 390, 1_280]) {
      await tab.setViewportSize({ width, height: 844 });
      expect([width, await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([width, 0]);
    }
    await tab.setViewportSize({ width: 390, height: 844 });
    await shoot(tab, `${name.replaceAll(/\W+/g, "-")}-${language}`);
    // It opens every fold.
    expect(await violationsOn(tab)).toEqual([]);
  });

  test.each(cases)("%s, in %s, makes no element of a hostile text, wherever it stands", async (name, language) => {
    const alerts: string[] = [];
    const onDialog = (dialog: { message(): string; dismiss(): Promise<void> }): void => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    };
    tab.on("dialog", onDialog);
    const page = poisoned(pages[name]) as Page;
    await tab.setContent(rendered(page, language));
    expect(await tab.locator("img[src=x]").count()).toBe(0);
    const census = await censusOf(tab);
    await tab.setContent(rendered(page, language === "en" ? "zh-CN" : "en"));
    expect(census).toEqual(await censusOf(tab));
    tab.off("dialog", onDialog);
    expect(alerts).toEqual([]);
  });
});
