// How many steps a regular expression takes on a text, counted without taking them.
//
// A backtracking matcher may need 2^n steps for n characters: `^(a+)+$` for a row of `a` that ends in something else. Which patterns do
// cannot be told by their looks: rules against nested repetition refuse harmless ones (an e-mail address, as zod writes its schema) and let
// `(a|a)(a|a)…` pass. So nothing is refused for its looks: the ways through a pattern are counted for the very text, all at once (dynamic
// programming over the places of the pattern), and one with too many ways is not matched at all.

import { err, ok, type Result } from "../result.ts";
import { readPattern, type PatternTree } from "./pattern-syntax.ts";

/** What follows what, and in how many ways. Places are numbered; place 0 is where a way ends. */
export type Pattern = {
  /** How large it is. */
  readonly edges: number;
  readonly tests: readonly ((character: string) => boolean)[];
  readonly starts: Ways;
  readonly follows: readonly Ways[];
  /** It matches at the beginning of the text or nowhere. */
  readonly anchored: boolean;
};
type Ways = ReadonlyMap<number, number>;

/** Places that follow one another, in one pattern: what it costs to keep and to build, in a few tenths of a microsecond each. */
const mostEdges = 20_000;
const tooLarge = "must not be so large, or repeat so often what may be nothing";

/** A pattern that the count knows, with no more than `most` edges; or a sentence about why it is none. */
export function countablePattern(source: string, most = mostEdges): Result<Pattern, string> {
  const read = readPattern(source);
  if (!read.ok) return read;
  const building = new Building(Math.min(most, mostEdges));
  const whole = building.part(read.value);
  building.join(whole.last, ended(1));
  const starts = added(whole.first, ended(whole.empty));
  if (building.isTooLarge) return err(tooLarge);
  return ok({ edges: building.edges, tests: building.tests, starts, follows: building.follows, anchored: isAnchored(read.value) });
}

/**
 * At least as many steps as a backtracking matcher takes to find that the pattern matches nowhere in `text`: for every character, the number
 * of ways to come to each place of the pattern that looks at it. Infinity where they are more than `most`. Itself takes
 * at most `most` steps, however many there are to count.
 */
export function matchingSteps({ tests, starts, follows, anchored }: Pattern, text: string, most: number): number {
  let steps = 0;
  let here: Map<number, number> = new Map();
  let isStart = true;
  for (const character of [...text, undefined]) {
    const next = new Map<number, number>();
    const arrive = (ways: Ways, times: number): void => {
      for (const [place, count] of ways) {
        if (steps > most) return;
        const arrivals = count * times;
        steps += arrivals;
        if (character !== undefined && tests[place]?.(character) === true) next.set(place, (next.get(place) ?? 0) + arrivals);
      }
    };
    if (isStart || !anchored) arrive(starts, 1);
    for (const [place, times] of here) arrive(follows[place] ?? new Map(), times);
    steps += 1;
    if (steps > most) return Infinity;
    if (anchored && next.size === 0) break;
    here = next;
    isStart = false;
  }
  return steps;
}

function isAnchored(piece: PatternTree): boolean {
  if (piece.kind === "place") return piece.start;
  if (piece.kind === "choice") return piece.parts.every(isAnchored);
  return piece.kind === "sequence" && piece.parts[0] !== undefined && isAnchored(piece.parts[0]);
}

/** The ways into a part, the ways out of it after some character, and the ways through it without one. */
type Part = { readonly first: Ways; readonly last: Ways; readonly empty: number };

const none: Ways = new Map();
const ended = (ways: number): Ways => (ways === 0 ? none : new Map([[0, ways]]));

function added(to: Ways, more: Ways, times = 1): Ways {
  if (times === 0 || more.size === 0) return to;
  const sum = new Map(to);
  for (const [place, ways] of more) sum.set(place, (sum.get(place) ?? 0) + ways * times);
  return sum;
}

const nothing: Part = { first: none, last: none, empty: 1 };
const optional = ({ first, last, empty }: Part): Part => ({ first: added(first, ended(empty)), last, empty: 1 });

/** Places of one repeated part, where its repetitions are written out: more are counted as without end. */
const mostWrittenOut = 100;

function placesIn(piece: PatternTree): number {
  if (piece.kind === "character") return 1;
  if (piece.kind === "place") return 0;
  if (piece.kind === "sequence" || piece.kind === "choice") return piece.parts.reduce((sum, each) => sum + placesIn(each), 0);
  const places = placesIn(piece.part);
  return piece.kind === "repeat" && piece.max * places <= mostWrittenOut ? piece.max * places : places;
}

/** The places of a pattern and what follows each (Glushkov's construction), with the number of ways kept. */
class Building {
  readonly tests: ((character: string) => boolean)[] = [() => false];
  readonly follows: Map<number, number>[] = [new Map()];
  readonly #testOf = new Map<string, (character: string) => boolean>();
  readonly #most: number;
  edges = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isTooLarge(): boolean {
    return this.edges > this.#most;
  }

  part(piece: PatternTree): Part {
    // Given up: what is built from here on is thrown away.
    this.edges += 1;
    if (this.isTooLarge) return nothing;
    switch (piece.kind) {
      case "place":
        return nothing;
      case "character": {
        const place = this.tests.push(this.#test(piece.source)) - 1;
        this.follows.push(new Map());
        return { first: new Map([[place, 1]]), last: new Map([[place, 1]]), empty: 0 };
      }
      case "sequence":
        return piece.parts.reduce<Part>((before, each) => this.#then(before, this.part(each)), nothing);
      case "choice": {
        const parts = piece.parts.map((each) => this.part(each));
        return {
          first: parts.reduce((sum, { first }) => added(sum, first), none),
          last: parts.reduce((sum, { last }) => added(sum, last), none),
          empty: parts.reduce((sum, { empty }) => sum + empty, 0),
        };
      }
      case "ahead": {
        // Whether it holds is not looked at: both what it tries and what comes after it are counted.
        const { first, last, empty } = this.part(piece.part);
        this.join(last, ended(1));
        return { first: added(first, ended(empty)), last: none, empty: 1 };
      }
      case "repeat":
        return this.#repeat(piece);
    }
  }

  join(last: Ways, first: Ways): void {
    for (const [from, times] of last) {
      const follows = this.follows[from];
      for (const [to, ways] of first) {
        this.edges += 1;
        if (this.isTooLarge) return;
        follows?.set(to, (follows.get(to) ?? 0) + times * ways);
      }
    }
  }

  #then(before: Part, after: Part): Part {
    this.join(before.last, after.first);
    this.edges += before.first.size + after.last.size;
    return {
      first: added(before.first, after.first, before.empty),
      last: added(after.last, before.last, after.empty),
      empty: before.empty * after.empty,
    };
  }

  /**
   * A few repetitions are written out. Else, however often a part that consumes something is repeated, the ways are among those of repeating it
   * without end, and counted as these. A repetition beyond the least number that consumes nothing is tried and dropped (ECMA-262,
   * RepeatMatcher), so that it is a way that ends.
   */
  #repeat({ part: piece, min, max }: Extract<PatternTree, { kind: "repeat" }>): Part {
    if (max === 0) return nothing;
    const part = this.part(piece);
    if (part.empty === 0 && max * placesIn(piece) <= mostWrittenOut) {
      const copies = [part, ...Array.from({ length: max - 1 }, () => this.part(piece))];
      return copies.reduceRight((after, copy, i) => (i < min ? this.#then(copy, after) : optional(this.#then(copy, after))), nothing);
    }
    if (part.empty === 0 || min === 0) {
      if (max > 1) this.join(part.last, added(part.first, ended(part.empty)));
      return min === 0 ? optional(part) : part;
    }
    let all = part;
    for (let count = 1; count < min && !this.isTooLarge; count += 1) all = this.#then(all, this.part(piece));
    return max === min ? all : this.#then(all, this.#repeat({ kind: "repeat", part: piece, min: 0, max: max - min }));
  }

  #test(source: string): (character: string) => boolean {
    const known = this.#testOf.get(source);
    if (known !== undefined) return known;
    const matches = new RegExp(`^(?:${source})$`, "u");
    const test = (character: string): boolean => matches.test(character);
    this.#testOf.set(source, test);
    return test;
  }
}
