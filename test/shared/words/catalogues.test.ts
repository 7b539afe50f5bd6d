// Every catalogue of words: each text in both languages, with the same places, and no English in
// Chinese. Of what the gateway says as phrases also: each key once, and none that nothing says.

import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { doctorEn } from "../../../shared/words/en/doctor-en.ts";
import { issuesEn } from "../../../shared/words/en/issues-en.ts";
import { reasonsEn } from "../../../shared/words/en/reasons-en.ts";
import { doctorZh } from "../../../shared/words/zh/doctor-zh.ts";
import { findingsZh } from "../../../shared/words/zh/findings-zh.ts";
import { issuesZh } from "../../../shared/words/zh/issues-zh.ts";
import { reasonsZh } from "../../../shared/words/zh/reasons-zh.ts";
import { allCatalogues, textsOf } from "../../support/catalogues.ts";

const areas = { reasons: [reasonsEn, reasonsZh], doctor: [doctorEn, doctorZh], issues: [issuesEn, issuesZh] } as const;

const placesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name = ""]) => name))].toSorted();

/** Of products, protocols, buttons and commands: they are the same in every language. */
const names: ReadonlySet<string> = new Set([
  "Anthropic API",
  "Basic Information",
  "Chat Completions",
  "Cloudflare Access",
  "Google API",
  "JSON Schema",
  "JSON Web Key Set",
  "JSON Web Token",
  "Request URL",
  "Slack ID",
  "Streamable HTTP",
  "VS Code",
  "base URL",
  "https URL",
  "npm start",
  "npx wrangler secret put",
  "npx wrangler secret put NAME",
  "tools Worker",
]);

/** Two or more Latin words in a row, outside places, code, variables, addresses and names. */
function englishIn(text: string): string[] {
  // The forms of a number are text, and what names it is not.
  const forms = text.replaceAll(/\{\w+, ([^{}]*)\}/g, (_, of: string) => ` ${of.replaceAll("/", "·")} `);
  const bare = forms.replaceAll(/`[^`]*`|\{\w+\}|[\w.*<>-]*[_/:=@][\w/.:={}<>*-]*/g, "·");
  const runs = bare.match(/[A-Za-z][\w-]*(?: [A-Za-z][\w-]*)+/g) ?? [];
  return runs.filter((run) => !names.has(run));
}

/** Names of fields, variables and products: they are the same in every language. */
const isName = (text: string): boolean => /^[A-Za-z]*$/.test(text.replaceAll(/\{\w+\}|[\s\p{P}]/gu, ""));

describe.each(Object.entries(allCatalogues))("the texts of %s", (_name, { en, "zh-CN": zh }) => {
  test("have the same names and places in both languages", () => {
    const of = (said: typeof en) => Object.fromEntries(textsOf(said).map(([path, text]) => [path, placesIn(text)]));
    expect(of(zh)).toEqual(of(en));
  });

  test("have no English in Chinese", () => {
    expect(textsOf(zh).flatMap(([path, text]) => englishIn(text).map((run) => `${path}: ${run}`))).toEqual([]);
  });
});

test("two Latin words in Chinese are found where they are neither a name nor code", () => {
  expect(englishIn("请运行 `npx wrangler deploy`，在 {a} 设置 EMAIL_FROM 和 Cloudflare Access")).toEqual([]);
  expect(englishIn("不是 an address，请更正")).toEqual(["an address"]);
  expect(englishIn("共 {n, # tool result/# tool results}")).toEqual(["tool result", "tool results"]);
  expect(englishIn("请 Cloudflare Access is not set")).toEqual(["Cloudflare Access is not set"]);
});

/** The source that may say a phrase, without comments. */
const sources = ["shared", "workers"]
  .flatMap((folder) =>
    readdirSync(new URL(`../../../${folder}/`, import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !/node_modules|^words\/(?:en|zh)\//.test(path))
      .map((path) => readFileSync(new URL(`../../../${folder}/${path}`, import.meta.url), "utf8")),
  )
  .map((source) => source.replaceAll(/\/\*.*?\*\/|(?<![:"'`])\/\/[^\n]*/gs, ""))
  .join("\n");

/** Said with the name of a document or a channel in their key. */
const withName = /^(?:address|channel)\.|Valid$/;

const unused = (catalogue: object): string[] =>
  Object.keys(catalogue).filter((key) => !withName.test(key) && !new RegExp(String.raw`"${key}"|\b${key}:`).test(sources));

describe.each(Object.entries(areas))("the phrases of %s", (_area, [en, zh]) => {
  test("are in Chinese in the Chinese catalogue", () => {
    expect(Object.entries(zh).filter(([, text]) => !/\p{Script=Han}/u.test(text) && !isName(text))).toEqual([]);
  });

  test("are all said somewhere", () => {
    expect(unused(en)).toEqual([]);
    expect(unused({ ...en, forNobody: "x" })).toEqual(["forNobody"]);
  });
});

test("no two areas have the same key", () => {
  expect(Object.keys(findingsZh)).toHaveLength(Object.values(areas).reduce((sum, [en]) => sum + Object.keys(en).length, 0));
});
