// A regular expression of a schema as a tree, as far as it matters for how much work matching is: which single characters it tests, in which
// order and how often. What a character class holds is the platform's to say.

import { err, ok, type Result } from "../result.ts";

export type PatternTree =
  /** One character: the text of its class, escape or self, for `characterTest`. */
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "sequence"; readonly parts: readonly PatternTree[] }
  | { readonly kind: "choice"; readonly parts: readonly PatternTree[] }
  | { readonly kind: "repeat"; readonly part: PatternTree; readonly min: number; readonly max: number }
  /** A lookahead: tried where it stands, and consumes nothing. */
  | { readonly kind: "ahead"; readonly part: PatternTree }
  /** An assertion about a place, which costs one step. */
  | { readonly kind: "place"; readonly start: boolean };

/** UTF-16 units of a pattern's text, and groups inside one another. */
export const patternLimits = { length: 2_000, depth: 50 } as const;

/**
 * Reads a pattern as JSON Schema has them: ECMA-262, flag `u`, matched anywhere in the string. Refused, with a sentence: what is no such
 * pattern, what is longer or deeper than `patternLimits`, and what the count of steps does not know: backreferences and lookbehind.
 */
export function readPattern(source: string): Result<PatternTree, string> {
  if (source.length > patternLimits.length) return err(`must not be longer than ${patternLimits.length} characters`);
  try {
    void new RegExp(source, "u");
  } catch {
    return err("must be a regular expression (ECMA-262, with the flag u)");
  }
  const reader = new PatternReader(source);
  const tree = reader.choice(0);
  return reader.refusal === undefined ? ok(tree) : err(reader.refusal);
}

const nothing: PatternTree = { kind: "sequence", parts: [] };

const tokens = {
  place: /\^|\$|\\[bB]/y,
  reference: /\\(?:[1-9]|k<)/y,
  behind: /\(\?<[=!]/y,
  ahead: /\(\?[=!]/y,
  group: /\((?:\?:|\?<[^>=!][^>]*>|(?!\?))/y,
  class: /\[(?:\\[^]|[^\]\\])*\]/y,
  escape:
    /\\(?:u\{[0-9a-f]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|p\{[^}]*\}|[^])/iuy,
  quantifier: /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y,
} as const;

/** Reads what `RegExp` took already: what is left to refuse is what is not counted here. */
class PatternReader {
  readonly #source: string;
  #at = 0;
  refusal: string | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  choice(depth: number): PatternTree {
    if (depth > patternLimits.depth) return this.#refuse(`must not have more than ${patternLimits.depth} groups inside one another`);
    const parts = [this.#sequence(depth)];
    while (this.#literal("|")) parts.push(this.#sequence(depth));
    return parts.length === 1 ? (parts[0] ?? nothing) : { kind: "choice", parts };
  }

  #sequence(depth: number): PatternTree {
    const parts: PatternTree[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at))) parts.push(this.#repeated(depth));
    return parts.length === 1 ? (parts[0] ?? nothing) : { kind: "sequence", parts };
  }

  #repeated(depth: number): PatternTree {
    const part = this.#term(depth);
    const found = this.#token(tokens.quantifier);
    if (found === null) return part;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) return { kind: "repeat", part, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    const min = Number(least);
    return { kind: "repeat", part, min, max: comma === undefined ? min : most === "" ? Infinity : Number(most) };
  }

  #term(depth: number): PatternTree {
    const place = this.#token(tokens.place);
    if (place !== null) return { kind: "place", start: place[0] === "^" };
    if (this.#token(tokens.reference) !== null) return this.#refuse("must not have a backreference");
    if (this.#token(tokens.behind) !== null) return this.#refuse("must not look behind");
    const isAhead = this.#token(tokens.ahead) !== null;
    if (isAhead || this.#token(tokens.group) !== null) {
      const part = this.choice(depth + 1);
      this.#literal(")");
      return isAhead ? { kind: "ahead", part } : part;
    }
    if (this.#source.startsWith("(?", this.#at)) return this.#refuse("has a kind of group that is not known here");
    const source = (this.#token(tokens.class) ?? this.#token(tokens.escape))?.[0] ?? this.#character();
    return { kind: "character", source };
  }

  #character(): string {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #literal(text: string): boolean {
    const isThere = this.#source.startsWith(text, this.#at);
    if (isThere) this.#at += text.length;
    return isThere;
  }

  #token(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#source);
    if (found !== null) this.#at = token.lastIndex;
    return found;
  }

  /** The first reason stands, and nothing more is read. */
  #refuse(why: string): PatternTree {
    this.refusal ??= why;
    this.#at = this.#source.length;
    return nothing;
  }
}
