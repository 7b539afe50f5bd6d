// The README in both languages: the same commands and the same links, in the same order; and what
// its pictures are.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const english = readFileSync(join(root, "README.md"), "utf8");
const chinese = readFileSync(join(root, "README.zh-CN.md"), "utf8");

const blocksOf = (text: string): string[] => [...text.matchAll(/^```\w*\n[\s\S]*?^```$/gm)].map(([block]) => block);
const linksOf = (text: string): string[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
const picturesOf = (text: string): string[] => [...text.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file = ""]) => file);
const headingsOf = (text: string): number[] =>
  [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^(#+) /gm)].map(([, marks = ""]) => marks.length);
/**
 * What stands in code within a sentence, such as a command or a variable: without an order, since
 * the languages have different ones.
 */
const namesOf = (text: string): string[] =>
  [...new Set([...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name))].toSorted();

describe("README.zh-CN.md has what README.md has", () => {
  test("the same blocks of code, in the same order", () => {
    expect(blocksOf(english).length).toBeGreaterThan(8);
    expect(blocksOf(chinese)).toEqual(blocksOf(english));
  });

  test("the same parts, pictures, and names in code", () => {
    expect(headingsOf(chinese)).toEqual(headingsOf(english));
    expect(picturesOf(chinese)).toEqual(picturesOf(english));
    expect(namesOf(chinese)).toEqual(namesOf(english));
  });

  test("the same links, but for the one from each to the other at the top", () => {
    expect(linksOf(english)[0]).toBe("README.zh-CN.md");
    expect(linksOf(chinese)[0]).toBe("README.md");
    expect(linksOf(chinese).slice(1)).toEqual(linksOf(english).slice(1));
  });

  test("in Chinese: every sentence outside code, and no English sentence is left", () => {
    const prose = chinese.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`|<[^>]*>|\]\([^)]*\)|^\|.*\|$/gm, "");
    expect(prose.match(/[a-z]+ [a-z]+ [a-z]+ [a-z]+/gi)).toBeNull();
  });
});

describe("its pictures", () => {
  test.each(picturesOf(english))("%s is there, below 1.5 MB", (file) => {
    expect(statSync(join(root, file)).size).toBeGreaterThan(10_000);
    expect(statSync(join(root, file)).size).toBeLessThan(1_500_000);
  });

  test("each has words for who cannot see it", () => {
    for (const text of [english, chinese]) for (const [image] of text.matchAll(/<img[^>]*>/g)) expect(image).toMatch(/ alt="[^"]{20,}"/);
  });

  test("the phone's has two pixels for each of a phone's", () => {
    const png = readFileSync(join(root, "docs/review-phone.png"));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([780, 1_688]);
  });
});
