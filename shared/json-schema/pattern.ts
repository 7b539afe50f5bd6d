// A schema's regular expression, matched in time that is linear in the text: not by the platform's
// matcher, which backtracks. A schema comes from a caller or an MCP server, and nothing can stop a
// match that has begun.

import { err, ok, type Result } from "../result.ts";
import { type Program, type Work, programOf } from "./pattern-program.ts";

export type Pattern = {
  /** Steps that each character may take: about the instructions of its program. */
  readonly size: number;
  /** Whether it matches anywhere in the text. */
  readonly matches: (text: string) => boolean;
};

/** A pattern whose matches are looked for, not only whether there is one. */
export type SearchPattern = Pick<Program, "size" | "find"> & { /** Whether it matches the empty text. */ readonly matchesNothing: boolean };

/** As `compilePattern`, and without any lookahead. */
export function compileSearch(source: string, mostSize: number): Result<SearchPattern, string> {
  const compiled = compilePattern(source, mostSize);
  if (!compiled.ok) return compiled;
  const program = programOf(source.match(token) ?? [], mostSize);
  if (program === null || (source.match(token) ?? []).some(isAhead)) return err("must not look ahead");
  const work: Work = { steps: patternLimits.size * 10 };
  return ok({ size: program.size, find: program.find, matchesNothing: program.find("", 0, work) !== null });
}

/** UTF-16 units of a pattern's text, and the size of its program. */
export const patternLimits = { length: 2_000, size: 10_000 } as const;

/**
 * Compiles a pattern as JSON Schema has them: ECMA-262, flag `u`. Refused, with a sentence: no such
 * pattern, one larger than `patternLimits` or `mostSize`, and one that needs backtracking:
 * backreferences, lookbehind, and lookahead, except at the pattern's beginning.
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
  const matchers: { readonly mustMatch: boolean; readonly program: Program }[] = [];
  let size = 0;
  for (const { tokens, mustMatch } of conditions) {
    const program = programOf(tokens, Math.min(mostSize, patternLimits.size) - size);
    if (program === null) return err("must be smaller, or repeat less");
    matchers.push({ mustMatch, program });
    size += program.size;
  }
  return ok({ size, matches: (text) => matchers.every(({ mustMatch, program }) => program.matches(text) === mustMatch) });
}

const escape = String.raw`\\(?:u\{[0-9a-f]+\}|u[dD][89abAB][0-9a-f]{2}\\u[dD][c-fC-F][0-9a-f]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^])`;
/** One escape, character class, opening of a group, quantifier or character. */
const token = new RegExp(String.raw`${escape}|\[(?:\\[^]|[^\]\\])*\]|\(\?(?:<?[=!]|<[^>]*>|:)?|\{\d+(?:,\d*)?\}\??|[*+?]\??|[^]`, "giu");

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^\\[1-9k]/u, "must not have a backreference"],
  [/^\(\?<[=!]/u, "must not look behind"],
  [/^\(\?$/u, "has a kind of group that is not supported"],
];

const isAhead = (each: string): boolean => each === "(?=" || each === "(?!";

type Condition = { readonly mustMatch: boolean; readonly tokens: readonly string[] };

/**
 * `^(?!a)(?=b)c` is three conditions at the beginning: not `^a`, and `^b`, and `^c`. Schemas in use
 * have such lookaheads: zod's email addresses, rules for passwords.
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
