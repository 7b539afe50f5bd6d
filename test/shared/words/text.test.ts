// Values in texts: places, plural forms, phrases in phrases, and what the types refuse.

import { describe, expect, test } from "vitest";
import { type Phrase, type Texts, phraseText, textOf, textParts } from "../../../shared/words/text.ts";

describe("a text with values", () => {
  test.each([
    ["{n, # warning/# warnings}", 1, "1 warning"],
    ["{n, # warning/# warnings}", 1_200, "1,200 warnings"],
    ["{n} {n, person has/people have} approved", 0, "0 people have approved"],
    ["{n, /# of }them", 1, "them"],
    ["{n, /# of }them", 2, "2 of them"],
  ])("%s with %d is %s", (text, n, said) => {
    expect(textOf(text, { n }, "en-GB")).toBe(said);
  });

  test("has values as they are, and does not look for places in them", () => {
    expect(textParts("{a} asks {b}: { … }", { a: "{b}", b: null }, "en-GB")).toEqual(["{b}", " asks ", null, ": { … }"]);
    expect(textOf("{a} and {b}", { a: "1" }, "en-GB")).toBe("1 and {b}");
  });

  test("needs each value of its places to compile", () => {
    const words: Texts<{ readonly asks: "{server} asks {n, once/# times}" }> = { asks: "{server} asks {n, once/# times}" };
    expect(textOf(words.asks, { server: "notes", n: 2 }, "en-GB")).toBe("notes asks 2 times");
    // @ts-expect-error: the text has a place for `n`.
    expect(textOf(words.asks, { server: "notes" }, "en-GB")).toContain("{n, ");
    // @ts-expect-error: the text has no place for `client`.
    expect(textOf(words.asks, { server: "notes", n: 1, client: "x" }, "en-GB")).toBe("notes asks once");
  });
});

describe("a phrase", () => {
  const en = { wrong: "{what} {names} {n, is/are} not set: {how}", email: "the address", set: "set {variable}" } as const;
  const zh = { wrong: "{names} 的{what}未设置：{how}", email: "地址", set: "请设置 {variable}" };
  const phrase: Phrase<typeof en> = {
    key: "wrong",
    values: { what: { key: "email" }, names: ["Ann", "Ben", "Cy"], n: 3, how: { key: "set", values: { variable: "X" } } },
  };

  test("is said in each language, with phrases and lists in it", () => {
    expect(phraseText(phrase, en, "en-GB")).toBe("the address Ann, Ben and Cy are not set: set X");
    expect(phraseText(phrase, zh, "zh-CN")).toBe("Ann、Ben和Cy 的地址未设置：请设置 X");
  });

  test("of another version is undefined", () => {
    expect(phraseText({ key: "constructor" }, en, "en-GB")).toBeUndefined();
  });

  test("without a value of its text does not compile", () => {
    // @ts-expect-error: `variable` is missing.
    const missing: Phrase<typeof en> = { key: "set", values: {} };
    // @ts-expect-error: there is no such key.
    const unknown: Phrase<typeof en> = { key: "unset" };
    expect([missing.key, unknown.key]).toEqual(["set", "unset"]);
  });
});
