// In which language a page is: the reviewer's of the policy, or else the browser's.

import { beforeEach, describe, expect, test } from "vitest";
import { configure, gateway, openNotice, policy, sample, travel } from "../support/gateway.ts";
import { pathOf } from "../support/reviewer.ts";

const open = async (language?: string): Promise<string> => {
  await configure("policy", {
    ...policy,
    rules: [],
    reviewers: { everyone: [{ name: "Ada", ...(language === undefined ? {} : { language }) }] },
  });
  const response = await sample({ server: `notes-${language}` }, { headers: { Prefer: "respond-async" } });
  return (await openNotice("request", (response.headers.get("Location") ?? "").slice("/runs/".length))).link;
};

async function languageOf(path: string, acceptLanguage?: string, init: { method?: string } = {}): Promise<string> {
  const response = await gateway(path, {
    key: null,
    headers: acceptLanguage === undefined ? {} : { "Accept-Language": acceptLanguage },
    ...init,
  });
  const html = await response.text();
  const lang = /<html lang="([^"]*)">/.exec(html)?.[1];
  expect(response.headers.get("Content-Language")).toBe(lang);
  expect(/[\u4e00-\u9fff]/.test(html)).toBe(lang === "zh-CN");
  return lang ?? "none";
}

describe("a review page", () => {
  test.each([
    ["zh-CN", "en", "zh-CN"],
    ["zh-Hans", undefined, "zh-CN"],
    ["en", "zh-CN", "en"],
    ["nl", "zh-CN,zh;q=0.9", "zh-CN"],
    ["zh-TW", "en", "en"],
    [undefined, "zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"],
    [undefined, "en-US,en;q=0.9,zh;q=0.8", "en"],
    [undefined, undefined, "en"],
  ])("for a reviewer with %s in a browser with %s is in %s", async (reviewer, acceptLanguage, language) => {
    expect(await languageOf(pathOf(await open(reviewer)), acceptLanguage)).toBe(language);
  });
});

describe("a page without a review follows the browser alone", () => {
  let link: string;
  beforeEach(async () => {
    link = await open("zh-CN");
  });

  test.each([
    ["zh-CN", "zh-CN"],
    ["en", "en"],
    [undefined, "en"],
  ])("%s", async (acceptLanguage, language) => {
    expect(await languageOf("/r/nothing", acceptLanguage)).toBe(language);
    expect(await languageOf(pathOf(link), acceptLanguage, { method: "PUT" })).toBe(language);
    travel(30 * 24 * 3_600_000);
    expect(await languageOf(pathOf(link), acceptLanguage)).toBe(language);
  });
});
