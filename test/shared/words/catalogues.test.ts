// What the gateway says as phrases: in both languages, each text with the same places, each key
// once, and none that nothing says.

import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { doctorEn } from "../../../shared/words/en/doctor-en.ts";
import { issuesEn } from "../../../shared/words/en/issues-en.ts";
import { reasonsEn } from "../../../shared/words/en/reasons-en.ts";
import { doctorZh } from "../../../shared/words/zh/doctor-zh.ts";
import { findingsZh } from "../../../shared/words/zh/findings-zh.ts";
import { issuesZh } from "../../../shared/words/zh/issues-zh.ts";
import { reasonsZh } from "../../../shared/words/zh/reasons-zh.ts";

const areas = { reasons: [reasonsEn, reasonsZh], doctor: [doctorEn, doctorZh], issues: [issuesEn, issuesZh] } as const;

const placesIn = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name = ""]) => name))].toSorted();

/** Names of fields, variables and products: they are the same in every language. */
const isName = (text: string): boolean => /^[A-Za-z]*$/.test(text.replaceAll(/\{\w+\}|[\s\p{P}]/gu, ""));

/** The source that may say a phrase, without comments. */
const sources = ["shared", "workers"]
  .flatMap((folder) =>
    readdirSync(new URL(`../../../${folder}/`, import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path) && !/node_modules|^words\/(?:en|zh)\//.test(path))
      .map((path) => readFileSync(new URL(`../../../${folder}/${path}`, import.meta.url), "utf8")),
  )
  .join("\n")
  .replaceAll(/\/\*.*?\*\/|(?<![:"'`])\/\/[^\n]*/gs, "");

/** Said with the name of a document or a channel in their key. */
const withName = /^(?:address|channel)\.|Valid$/;

const unused = (catalogue: object): string[] =>
  Object.keys(catalogue).filter((key) => !withName.test(key) && !new RegExp(String.raw`"${key}"|\b${key}:`).test(sources));

describe.each(Object.entries(areas))("the phrases of %s", (_area, [en, zh]) => {
  test("have the same places in both languages", () => {
    const of = (catalogue: Readonly<Record<string, string>>) => Object.entries(catalogue).map(([key, text]) => [key, placesIn(text)]);
    expect(Object.fromEntries(of(zh))).toEqual(Object.fromEntries(of(en)));
  });

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
