// A schema's regular expression, matched in time that is linear in the text: by RE2, because the platform's matcher backtracks. A schema
// comes from a caller or an MCP server, and nothing can stop a match that has begun.
//
// The pattern has its meaning of ECMA-262. Where RE2 reads the same characters otherwise (`.`, `\s`, classes, `{02}`), it is rewritten.

import { RE2JS } from "re2js";
import { err, ok, type Result } from "../result.ts";

export type Pattern = {
  /** Instructions of the program, each of which may run for each character. */
  readonly size: number;
  /** Whether it matches anywhere in the text. */
  readonly matches: (text: string) => boolean;
};

/** UTF-16 units of a pattern's text, and instructions that it is compiled to. */
export const patternLimits = { length: 2_000, size: 10_000 } as const;

/**
 * Compiles a pattern as JSON Schema has them: ECMA-262, flag `u`. Refused, with a sentence: no such pattern, one larger than
 * `patternLimits` or `mostSize`, and one that needs backtracking: backreferences, lookbehind, and lookahead, except at the pattern's
 * beginning.
 */
export function compilePattern(source: string, mostSize: number = patternLimits.size): Result<Pattern, string> {
  if (source.length > patternLimits.length) return err(`must not be longer than ${patternLimits.length} characters`);
  try {
    void new RegExp(source, "u");
  } catch {
    return err("must be a regular expression (ECMA-262, with the flag u)");
  }
  const all = source.match(token) ?? [];
  const refusal = all.map((each) => refusals.find(([found]) => found.test(each))?.[1]).find((why) => why !== undefined);
  if (refusal !== undefined) return err(refusal);
  const conditions = conditionsOf(all);
  if (conditions.some(({ tokens }) => tokens.some(isAhead))) return err("must not look ahead, except at its beginning, right after ^");
  if (conditions.reduce((sum, { tokens }) => sum + sizeOf(tokens), 0) > Math.min(mostSize, patternLimits.size))
    return err("must be smaller, or repeat less");
  try {
    const matchers = conditions.map(({ tokens, mustMatch }) => ({ mustMatch, expression: RE2JS.compile(tokens.map(toRe2).join("")) }));
    const size = matchers.reduce((sum, { expression }) => sum + expression.programSize(), 0);
    return ok({ size, matches: (text) => matchers.every(({ mustMatch, expression }) => expression.test(text) === mustMatch) });
  } catch {
    return err("must be one that RE2 supports: no repetitions above 1000, and only known character properties");
  }
}

const escape = String.raw`\\(?:u\{[0-9a-f]+\}|u[dD][89abAB][0-9a-f]{2}\\u[dD][c-fC-F][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^])`;
/** One escape, character class, opening of a group, quantifier or character. */
const token = new RegExp(String.raw`${escape}|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:<?[=!]|<[^>]*>|:)?|\{\d+(?:,\d*)?\}\??|[*+?]\??|[^]`, "giu");
const tokenInClass = new RegExp(`${escape}|[^]`, "giu");

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^\\[1-9k]/u, "must not have a backreference"],
  [/^\(\?<[=!]/u, "must not look behind"],
  [/^\(\?$/u, "has a kind of group that is not supported"],
];

const isAhead = (each: string): boolean => each === "(?=" || each === "(?!";

type Condition = { readonly mustMatch: boolean; readonly tokens: readonly string[] };

/**
 * `^(?!a)(?=b)c` is three conditions at the beginning: not `^a`, and `^b`, and `^c`. Schemas in use have such lookaheads: zod's email
 * addresses, rules for passwords.
 */
function conditionsOf(tokens: readonly string[]): readonly Condition[] {
  const conditions: Condition[] = [];
  let at = 1;
  for (let next = tokens[at]; tokens[0] === "^" && next !== undefined && isAhead(next); next = tokens[at]) {
    const end = closing(tokens, at);
    conditions.push({ mustMatch: next === "(?=", tokens: ["^", "(?:", ...tokens.slice(at + 1, end), ")"] });
    at = end + 1;
  }
  const rest = tokens.slice(at);
  // In `^(?!a)b|c` the lookahead is a part of the first alternative alone.
  const isChoice = conditions.length > 0 && rest.some((each, i) => each === "|" && depthAt(rest, i) === 0);
  return isChoice || conditions.length === 0 ? [{ mustMatch: true, tokens }] : [...conditions, { mustMatch: true, tokens: ["^", ...rest] }];
}

const depthAt = (tokens: readonly string[], end: number): number =>
  tokens.slice(0, end).reduce((depth, each) => depth + (each.startsWith("(") ? 1 : each === ")" ? -1 : 0), 0);

function closing(tokens: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    if (tokens[at]?.startsWith("(") === true) depth += 1;
    else if (tokens[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** At least the instructions of the program, before it is made: RE2 writes repetitions out, and `(a{1000}){1000}` is short. */
function sizeOf(tokens: readonly string[]): number {
  const sums = [0];
  let last = 0;
  const add = (size: number): void => {
    sums.push((sums.pop() ?? 0) + size);
  };
  for (const each of tokens) {
    const [, least, most] = /^\{(\d+)(?:,(\d*))?\}/u.exec(each) ?? [];
    if (each.startsWith("(")) sums.push(2);
    else if (least !== undefined) add((last + 1) * Math.max(Number(least) + 1, Number(most ?? 0)));
    else {
      last = each === ")" ? (sums.pop() ?? 0) : 2;
      add(last);
    }
  }
  return sums.reduce((sum, size) => sum + size, 4);
}

/** What `\s` is in ECMA-262 (white space and line terminators), and every other character; RE2's knows ASCII alone. */
const space = "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const notSpace =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

function toRe2(each: string): string {
  if (each === ".") return "[^\\n\\r\\x{2028}\\x{2029}]";
  if (each === "[]") return "[^\\x{0}-\\x{10ffff}]";
  if (each === "[^]") return "[\\x{0}-\\x{10ffff}]";
  if (each === "\\s" || each === "\\S") return `[${inClass(each)}]`;
  if (each.startsWith("[")) return `[${(each.slice(1, -1).match(tokenInClass) ?? []).map(inClass).join("")}]`;
  if (each.startsWith("(")) return each === "(" || each.startsWith("(?<") ? "(?:" : each;
  // `a{02}` is five letters to RE2.
  if (each.startsWith("{")) return each.replaceAll(/\b0+(?=\d)/gu, "");
  return escaped(each);
}

function inClass(each: string): string {
  if (each === "\\s") return space;
  if (each === "\\S") return notSpace;
  if (each === "\\b") return "\\x{8}";
  // `[[:alpha:]` is a class of ASCII letters to RE2 alone.
  return each === "[" ? "\\[" : escaped(each);
}

/** Categories that ECMA-262 has long names for too; RE2 knows the short ones, and scripts by their long names. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["digit", "Nd"],
  ["Punctuation", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
]);

/** An escape that RE2 writes otherwise, or knows under a shorter name. */
function escaped(each: string): string {
  if (each === "\\0") return "\\x{0}";
  if (each.startsWith("\\c")) return `\\x{${(each.charCodeAt(2) % 32).toString(16)}}`;
  const [, high, low] = /^\\[ux]\{?([0-9a-f]+)\}?(?:\\u([0-9a-f]+))?$/iu.exec(each) ?? [];
  if (high === undefined)
    return each.replace(/\{(?:(?:General_Category|gc|Script|sc)=)?(\w+)\}$/u, (_, name: string) => `{${shortNames.get(name) ?? name}}`);
  const units = [high, low ?? []].flat().map((unit) => Number.parseInt(unit, 16));
  const codePoint = low === undefined ? units[0] : String.fromCharCode(...units).codePointAt(0);
  return `\\x{${codePoint?.toString(16)}}`;
}
