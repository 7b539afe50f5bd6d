// Which language a reader gets, and that a catalogue is in its language alone.

import { describe, expect, test } from "vitest";
import { languageFor } from "../../../../shared/channels/words/languages.ts";
import { catalogues, wordsOf } from "../../../../shared/channels/words/words.ts";
import { riskWords } from "../../../../shared/channels/risk-words.ts";
import { fieldWords } from "../../../../shared/channels/slack/slack-field-words.ts";
import { editErrorWords, placeWords } from "../../../../shared/channels/content-words.ts";
import { textOf } from "../../../../shared/words/text.ts";

describe("the language", () => {
  test.each([
    // The reviewer's, whatever the browser says.
    ["zh-CN", "en", "zh-CN"],
    ["en", "zh-CN", "en"],
    ["en-GB", null, "en"],
    ["zh", null, "zh-CN"],
    ["ZH-hans", null, "zh-CN"],
    ["zh-SG", null, "zh-CN"],
    ["zh-Hans-HK", null, "zh-CN"],
    // One without a catalogue: the browser's, or English.
    ["nl", "zh-CN", "zh-CN"],
    ["nl", null, "en"],
    // Traditional Chinese has no catalogue.
    ["zh-TW", null, "en"],
    ["zh-Hant", "zh-HK, zh-MO, fr", "en"],
    ["zh-Hant", "zh-CN", "zh-CN"],
    // The browser's, the most wanted first.
    [undefined, "zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"],
    [undefined, "en-US,en;q=0.9,zh-CN;q=0.8", "en"],
    [undefined, "en;q=0.5, zh;q=0.7", "zh-CN"],
    [undefined, "zh-TW,en;q=0.9", "en"],
    [undefined, "zh-TW,zh;q=0.9,en;q=0.8", "zh-CN"],
    [undefined, "zh;q=0, en", "en"],
    [undefined, "nl, fr, zh-Hans-CN;q=0.1", "zh-CN"],
    [undefined, "yue, wuu", "en"],
    // Anything else, in a header that anybody can write.
    [undefined, "*", "en"],
    [undefined, "", "en"],
    [undefined, ";;,,q=1", "en"],
    [undefined, "zh;q=nonsense", "en"],
    [undefined, "__proto__, constructor, zh_CN, \u0000", "en"],
    [undefined, "zh-CN".repeat(2_000), "en"],
    ["constructor", null, "en"],
    [undefined, undefined, "en"],
  ] as const)("of a reviewer with %s and a browser with %s is %s", (reviewer, acceptLanguage, language) => {
    expect(languageFor(reviewer, acceptLanguage)).toBe(language);
  });
});

type Said = string | ((...values: never[]) => unknown) | { readonly [name: string]: Said };

/**
 * What is written in a catalogue, by its path, with 0 in each place: of what is computed the texts
 * in its source.
 */
function writtenIn(said: Said, path: string): (readonly [string, string])[] {
  if (typeof said === "string") return [[path, said.replaceAll(/\{\w+\}/g, "0").replaceAll(/\{\w+, ([^{}]*)\}/g, "$1")]];
  if (typeof said === "function") {
    const literals = String(said).match(/"[^"\n]*"|`[^`]*`/g) ?? [];
    return [[path, literals.join("\n").replaceAll(/\$?\{[^}]*\}/g, "0")]];
  }
  return Object.entries(said).flatMap(([name, each]) => writtenIn(each, `${path}/${name}`));
}

const latin = {
  // Names, and words of protocols that the field does not translate.
  names: ["Countersign", "Cloudflare", "Access", "Slack", "Teams", "GitHub", "GitLab", "AWS", "Google", "npm", "webhook", "iPhone", "iPad"],
  field: [
    "MCP",
    "API",
    "JSON",
    "Web",
    "Token",
    "URI",
    "PDF",
    "UTC",
    "KB",
    "MB",
    "token",
    "schema",
    "sampling",
    "base",
    "id",
    "lang",
    "zh",
    "CN",
    "true",
    "false",
    "null",
    "__proto__",
  ],
  fields: ["top_p", "top_k", "auto", "required", "none", "thisServer", "allServers", "Enter", "U"],
};
const mayStand = new Set(Object.values(latin).flat());

describe("the Chinese catalogue", () => {
  const { lang: _, numbers: __, ...texts } = wordsOf("zh-CN");
  const written = writtenIn(texts, "").filter(([path]) => path !== "/page/lang");

  test("has no English left", () => {
    const left = written.flatMap(([path, words]) =>
      [...words.matchAll(/[A-Za-z_]{1,}/g)].filter(([word]) => !mayStand.has(word)).map(([word]) => `${path}: ${word}`),
    );
    expect(left).toEqual([]);
  });

  test("has Chinese punctuation", () => {
    const half =
      /[\u4e00-\u9fff][,;:?!()]|[,;:?!)][\u4e00-\u9fff]|[\u4e00-\u9fff]\.(?!\w)|[“”]\s+[\u4e00-\u9fff]|\s[，。；：]|[，。；：]\s(?!$)/;
    expect(written.filter(([, words]) => half.test(words))).toEqual([]);
  });
});

describe("a sentence that is computed has no English in Chinese", () => {
  const invisible = ["bidirectional", "bidirectionalMark", "tagCharacters", "zeroWidth", "control", "unseen"] as const;
  const said: string[] = [
    ...invisible.map((kind) => riskWords({ level: "low", pointer: "", kind, characters: 1 }, catalogues["zh-CN"])),
    ...(["urlWithData", "addressesReviewer", "overridesInstructions", "lookAlikes"] as const).flatMap((kind) =>
      (["low", "high"] as const).map((level) => riskWords({ level, pointer: "", kind }, catalogues["zh-CN"])),
    ),
    riskWords({ level: "low", pointer: "", kind: "urlWithData", more: 2 }, catalogues["zh-CN"]),
    ...["", "/systemPrompt", "/maxTokens", "/temperature", "/stopSequences/0", "/tools/0/description", "/content/0/input"].map((path) =>
      placeWords(path, catalogues["zh-CN"]),
    ),
    placeWords("/messages/0/content/1/content/2/text", catalogues["zh-CN"]),
    ...(
      [
        { kind: "wrongType", types: ["array", "integer", "null"] },
        { kind: "inside", at: "", fault: { kind: "notAbove", limit: 1 } },
        { kind: "notOfFormat", format: "date" },
        { kind: "jsonRule", rule: "depth" },
        { kind: "tooMany", limit: 2 },
        { kind: "noMatch" },
      ] as const
    ).map((fault) => editErrorWords(fault, catalogues["zh-CN"])),
    placeWords("/structuredContent", catalogues["zh-CN"], "toolCall"),
    fieldWords("/messages/0/content/0/text", { gate: "request", kind: "chat" }, catalogues["zh-CN"]),
    fieldWords("/content/0/text", { gate: "response", kind: "chat" }, catalogues["zh-CN"]),
  ];

  test.each(said.map((each) => [each]))("%s", (sentence) => {
    expect([...sentence.matchAll(/[A-Za-z_]+/g)].map(([word]) => word).filter((word) => !mayStand.has(word))).toEqual([]);
    expect(sentence).toMatch(/[\u4e00-\u9fff]/);
  });
});

describe("a place in what is no message", () => {
  const placeIn = (path: string, kind: Parameters<typeof placeWords>[2]): string => placeWords(path, catalogues.en, kind);

  test("is named also within an object", () => {
    expect(["/arguments", "/arguments/to", "/arguments/a/0"].map((path) => placeIn(path, "toolCall"))).toEqual(Array(3).fill("Arguments"));
    expect(placeIn("/structuredContent/a", "toolCall")).toBe(placeIn("/structuredContent", "toolCall"));
    expect(placeIn("/content/1/resource/uri", "toolCall")).toBe("Result, part 2");
  });

  test("is the form's or its answer's, whichever of them it is asked about", () => {
    for (const kind of ["form", "formAnswer"] as const) {
      const { places } = catalogues.en.review.kinds.form;
      expect(["/message", "/schema/a", "/content/region"].map((path) => placeIn(path, kind))).toEqual([
        places["/message"],
        places["/schema"],
        places["/content"],
      ]);
    }
  });
});

describe("numbers, dates and spans of time", () => {
  const at = Date.UTC(2026, 10, 17, 14, 52, 10);
  const [en, zh] = [catalogues.en, catalogues["zh-CN"]];

  test.each([
    ["a date", en.numbers.time(at), "17 Nov 2026, 14:52:10 UTC", zh.numbers.time(at), "2026年11月17日 14:52:10 UTC"],
    ["a time of today", en.page.time.clock(at, at), "14:52 UTC", zh.page.time.clock(at, at), "14:52 UTC"],
    ["a time of another day", en.page.time.clock(at, 0), "17 Nov, 14:52 UTC", zh.page.time.clock(at, 0), "11月17日 14:52 UTC"],
    ["a stamp at midnight", en.page.time.stamp(0, 0), "00:00:00 UTC", zh.page.time.stamp(0, 0), "00:00:00 UTC"],
    ["a span", en.numbers.span(570_000), "9 minutes 30 seconds", zh.numbers.span(570_000), "9分钟30秒"],
    ["a span of one each", en.numbers.span(90_061_000), "1 day 1 hour", zh.numbers.span(90_061_000), "1天1小时"],
    ["no time", en.numbers.left(-5), "0 seconds", zh.numbers.left(-5), "0秒"],
    ["time left", en.numbers.left(119_999), "1 minute", zh.numbers.left(119_999), "1分钟"],
    [
      "one warning",
      textOf(en.page.warnings.heading, { n: 1 }, en.lang),
      "1 warning",
      textOf(zh.page.warnings.heading, { n: 1 }, zh.lang),
      "1 条警告",
    ],
    [
      "many warnings",
      textOf(en.page.warnings.heading, { n: 1_200 }, en.lang),
      "1,200 warnings",
      textOf(zh.page.warnings.heading, { n: 1_200 }, zh.lang),
      "1,200 条警告",
    ],
    ["dollars", en.page.dollars(0.01371), "$0.0138", zh.page.dollars(0.01371), "$0.0138"],
    ["exact dollars", en.page.dollars(1.1), "$1.10", zh.page.dollars(1.1), "$1.10"],
    ["hardly any", en.page.dollars(1e-9), "under $0.0001", zh.page.dollars(1e-9), "不到 $0.0001"],
    ["nothing to pay", en.page.dollars(0), "free", zh.page.dollars(0), "免费"],
    ["bytes", en.page.media.bytes(1), "1 byte", zh.page.media.bytes(1), "1 字节"],
    ["kilobytes", en.page.media.bytes(4_096), "4.0 KB", zh.page.media.bytes(4_096), "4.0 KB"],
  ])("%s", (_what, english, inEnglish, chinese, inChinese) => {
    expect([english, chinese]).toEqual([inEnglish, inChinese]);
  });
});
