// A regular expression without lookaround and references as a program that all its states run
// through together (Thompson, Regular Expression Search Algorithm, 1968): each instruction runs
// once for a character at most, so the time is linear in the text.
//
// What one character is stays with the platform: a class or an escape is asked of its own `RegExp`,
// with one character, so that it means what it does in ECMA-262.

import { once } from "../once.ts";

/** Whether a character is one of those. `code` is its code point. */
type Character = (code: number) => boolean;
type Place = "start" | "end" | "boundary" | "inside";

/**
 * A program's instruction goes on at the one after it, where nothing else is said. `to` is an
 * index.
 */
type Instruction =
  | { readonly kind: "character"; readonly is: Character }
  | { readonly kind: "place"; readonly place: Place }
  /** Goes on at the next instruction and at `to`. */
  | { readonly kind: "split"; to: number }
  | { readonly kind: "jump"; to: number }
  | { readonly kind: "match" };

/** A part of a pattern. `size`: the instructions that it is written as, at most. */
type Part =
  | { readonly kind: "one"; readonly instruction: Instruction; readonly size: 1 }
  | { readonly kind: "all" | "choice"; readonly parts: readonly Part[]; readonly size: number }
  | { readonly kind: "repeat"; readonly part: Part; readonly least: number; readonly most: number; readonly size: number };

export type Program = {
  /**
   * Steps that a character may take: the instructions, and what asking the platform takes
   * (`askingSize`).
   */
  readonly size: number;
  /** Whether it matches from any character of the text on. */
  readonly matches: (text: string) => boolean;
  /**
   * The first match from this offset on, and of those the longest. Takes its steps from `work`;
   * null where there is none, or no step is left.
   */
  readonly find: (text: string, from: number, work: Work) => { readonly start: number; readonly end: number } | null;
};

/**
 * How many more steps may be taken: an instruction that is looked at is one. Below zero: there were
 * too few.
 */
export type Work = { steps: number };

/**
 * The program of a pattern that ECMA-262 accepts with the flag `u`, by its tokens: a group's
 * opening, `)`, `|`, a quantifier, `^`, `$`, `\b`, `\B`, or what matches one character. Null where
 * it would be larger than `mostSize`, before it is written: repetitions are written out, and
 * `(a{1000}){1000}` is short.
 */
export function programOf(tokens: readonly string[], mostSize: number): Program | null {
  const asking = [...new Set(tokens)].reduce((sum, token) => sum + askingSize(token), 0);
  const part = new PartReader(tokens).choice();
  const size = part.size + asking + 1;
  if (size > mostSize) return null;
  const instructions: Instruction[] = [];
  write(part, instructions);
  instructions.push({ kind: "match" });
  const search = once(() => new Search(instructions));
  return { size, matches: (text) => run(instructions, text), find: (text, from, work) => search().find(text, from, work) };
}

/**
 * What a class counts for beside its instructions, once in a pattern. Measured on a laptop core:
 * the platform takes some 10 µs to make its expression and 0.1 µs to ask it; where it names a
 * property of characters 200 µs and up to 0.7 µs. An instruction takes 0.03 µs.
 */
const askingSize = (token: string): number => (/^(?:\.|\\[^bB]|\[)/u.test(token) ? 5 + 50 * (token.match(/\\p/giu)?.length ?? 0) : 0);

class PartReader {
  readonly #tokens: readonly string[];
  readonly #characters = new Map<string, Character>();
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** Up to the end of the group. */
  choice(): Part {
    const parts = [this.#all()];
    while (this.#tokens[this.#at] === "|") {
      this.#at += 1;
      parts.push(this.#all());
    }
    // Each part but the last has a split before it and a jump behind it.
    return several("choice", parts, 2 * (parts.length - 1));
  }

  #all(): Part {
    const parts: Part[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined && token !== "|" && token !== ")"; token = this.#tokens[this.#at]) {
      this.#at += 1;
      let part: Part;
      if (token.startsWith("(")) {
        part = this.choice();
        this.#at += 1;
      } else part = { kind: "one", instruction: this.#instruction(token), size: 1 };
      parts.push(this.#repeated(part));
    }
    return several("all", parts, 0);
  }

  #repeated(part: Part): Part {
    const found = quantifier.exec(this.#tokens[this.#at] ?? "");
    if (found === null) return part;
    this.#at += 1;
    const [, sign = "", given = "", comma, top = ""] = found;
    const [least, most] =
      sign === "" ? [Number(given), comma === undefined ? Number(given) : top === "" ? Infinity : Number(top)] : (signs[sign] ?? [1, 1]);
    // A part without instructions, repeated, is still written out: each time counts as one.
    const each = Math.max(part.size, 1);
    const more = most === Infinity ? each + 2 : (most - least) * (each + 1);
    // Bounded, because Infinity times nothing is no number.
    return { kind: "repeat", part, least, most, size: Math.min(least * each + more, tooLarge) };
  }

  #instruction(token: string): Instruction {
    const place = places.get(token);
    if (place !== undefined) return { kind: "place", place };
    const is = this.#characters.get(token) ?? characterOf(token);
    this.#characters.set(token, is);
    return { kind: "character", is };
  }
}

const tooLarge = 1e9;

const several = (kind: "all" | "choice", parts: readonly Part[], more: number): Part =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind, parts, size: parts.reduce((sum, { size }) => sum + size, more) };

/** Lazy or greedy: only whether it matches is asked. */
const quantifier = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??$/u;
const signs: { readonly [sign: string]: readonly [least: number, most: number] } = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };
const places: ReadonlyMap<string, Place> = new Map([
  ["^", "start"],
  ["$", "end"],
  ["\\b", "boundary"],
  ["\\B", "inside"],
]);

const ascii = 128;

function characterOf(token: string): Character {
  const letter = token.codePointAt(0) ?? 0;
  if (token !== "." && token.length === String.fromCodePoint(letter).length) return (code) => code === letter;
  const expression = new RegExp(`^${token}$`, "u");
  const isOne = (code: number): boolean => expression.test(String.fromCodePoint(code));
  const ofAscii: boolean[] = [];
  // A character is asked about by every state that stands at the same class.
  let last = -1;
  let isLast = false;
  return (code) => {
    if (code < ascii) return (ofAscii[code] ??= isOne(code));
    if (code !== last) {
      isLast = isOne(code);
      last = code;
    }
    return isLast;
  };
}

function write(part: Part, into: Instruction[]): void {
  switch (part.kind) {
    case "one":
      into.push(part.instruction);
      return;
    case "all":
      for (const each of part.parts) write(each, into);
      return;
    case "choice":
      writeChoice(part.parts, into);
      return;
    case "repeat":
      for (let time = 0; time < part.least; time += 1) write(part.part, into);
      if (part.most === Infinity) writeLoop(part.part, into);
      else writeUpTo(part.part, part.most - part.least, into);
  }
}

function writeChoice(parts: readonly Part[], into: Instruction[]): void {
  const jumps = parts.slice(1).map(() => ({ kind: "jump" as const, to: 0 }));
  for (const [i, each] of parts.entries()) {
    const jump = jumps[i];
    const split = { kind: "split" as const, to: 0 };
    if (jump !== undefined) into.push(split);
    write(each, into);
    if (jump !== undefined) into.push(jump);
    split.to = into.length;
  }
  for (const jump of jumps) jump.to = into.length;
}

function writeLoop(part: Part, into: Instruction[]): void {
  const from = into.length;
  const split = { kind: "split" as const, to: 0 };
  into.push(split);
  write(part, into);
  into.push({ kind: "jump", to: from });
  split.to = into.length;
}

function writeUpTo(part: Part, times: number, into: Instruction[]): void {
  const splits = Array.from({ length: times }, () => ({ kind: "split" as const, to: 0 }));
  for (const split of splits) {
    into.push(split);
    write(part, into);
  }
  for (const split of splits) split.to = into.length;
}

function run(instructions: readonly Instruction[], text: string): boolean {
  const states = new States(instructions);
  let before = -1;
  for (let position = 0; ; position += before > 0xffff ? 2 : 1) {
    const after = text.codePointAt(position) ?? -1;
    if (states.matchesAt(before, after)) return true;
    if (after === -1) return false;
    before = after;
  }
}

/** The states of a program, all at one place of the text. */
class States {
  readonly #instructions: readonly Instruction[];
  /** Instructions that wait for the next character, each once. */
  #waiting: number[] = [];
  #next: number[] = [];
  /** By instruction, the latest place at which it was reached. */
  readonly #reached: Int32Array;
  /** Empty between calls. */
  readonly #todo: number[] = [];
  #place = 0;

  constructor(instructions: readonly Instruction[]) {
    this.#instructions = instructions;
    this.#reached = new Int32Array(instructions.length);
  }

  /**
   * Goes on to the place between two characters: their code points, -1 before the first and behind
   * the last. A new state begins at each. Returns whether one has matched.
   */
  matchesAt(before: number, after: number): boolean {
    this.#place += 1;
    this.#next.length = 0;
    for (const at of this.#waiting) {
      const instruction = this.#instructions[at];
      if (instruction?.kind === "character" && instruction.is(before) && this.#follow(at + 1, before, after)) return true;
    }
    if (this.#follow(0, before, after)) return true;
    [this.#waiting, this.#next] = [this.#next, this.#waiting];
    return false;
  }

  /** Follows a state to the instructions that wait. Returns whether it has matched. */
  #follow(from: number, before: number, after: number): boolean {
    const todo = this.#todo;
    todo.push(from);
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (this.#reached[at] === this.#place) continue;
      this.#reached[at] = this.#place;
      const instruction = this.#instructions[at];
      switch (instruction?.kind) {
        case "match":
          return true;
        case "character":
          this.#next.push(at);
          break;
        case "place":
          if (isAt(instruction.place, before, after)) todo.push(at + 1);
          break;
        case "jump":
          todo.push(instruction.to);
          break;
        case "split":
          todo.push(instruction.to, at + 1);
      }
    }
    return false;
  }
}

/**
 * A search for where a program matches: as `States`, and each state knows where it began. Of two at
 * one instruction the earlier stays.
 */
class Search {
  readonly #instructions: readonly Instruction[];
  readonly #reached: Int32Array;
  /**
   * The characters of ASCII with which a match may begin: between matches all others are passed
   * over.
   */
  readonly #first: readonly boolean[];
  #waiting: { at: number; start: number }[] = [];
  #next: { at: number; start: number }[] = [];
  #place = 0;
  #found: { start: number; end: number } | null = null;

  constructor(instructions: readonly Instruction[]) {
    this.#instructions = instructions;
    this.#reached = new Int32Array(instructions.length);
    this.#first = Array.from({ length: ascii }, (_, code) => this.#mayBegin(code));
  }

  find(text: string, from: number, work: Work): { start: number; end: number } | null {
    this.#waiting = [];
    this.#found = null;
    let before = from === 0 ? -1 : (text.codePointAt(from - 1) ?? -1);
    for (let position = from; work.steps >= 0; position += before > 0xffff ? 2 : 1) {
      const after = text.codePointAt(position) ?? -1;
      if (!this.#goOn(position, before, after, work) || after === -1) break;
      before = after;
    }
    return work.steps < 0 ? null : this.#found;
  }

  /**
   * As `States.matchesAt`. False where nothing that may still come is an earlier or longer match.
   */
  #goOn(position: number, before: number, after: number, work: Work): boolean {
    const isIdle = this.#waiting.length === 0;
    if (isIdle && this.#found !== null) return false;
    work.steps -= 1;
    if (isIdle && after >= 0 && after < ascii && this.#first[after] === false) return true;
    this.#place += 1;
    this.#next = [];
    for (const { at, start } of this.#waiting) {
      work.steps -= 1;
      // What began later than a match that is found is none.
      if (this.#found !== null && start > this.#found.start) break;
      const instruction = this.#instructions[at];
      if (instruction?.kind === "character" && instruction.is(before)) this.#follow(at + 1, start, position, before, after, work);
    }
    if (this.#found === null) this.#follow(0, position, position, before, after, work);
    this.#waiting = this.#next;
    return true;
  }

  #follow(from: number, start: number, position: number, before: number, after: number, work: Work): void {
    const todo = [from];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (this.#reached[at] === this.#place) continue;
      this.#reached[at] = this.#place;
      work.steps -= 1;
      const instruction = this.#instructions[at];
      switch (instruction?.kind) {
        case "match":
          if (this.#found === null || start <= this.#found.start) this.#found = { start, end: position };
          break;
        case "character":
          this.#next.push({ at, start });
          break;
        case "place":
          if (isAt(instruction.place, before, after)) todo.push(at + 1);
          break;
        case "jump":
          todo.push(instruction.to);
          break;
        case "split":
          todo.push(instruction.to, at + 1);
      }
    }
  }

  /**
   * Whether a match may begin with this character; one that begins with a place, or is empty, with
   * any.
   */
  #mayBegin(code: number): boolean {
    const seen = new Set<number>();
    const todo = [0];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      const instruction = this.#instructions[at];
      if (seen.has(at)) continue;
      seen.add(at);
      if (instruction === undefined || instruction.kind === "match") return true;
      if (instruction.kind === "character") {
        if (instruction.is(code)) return true;
      } else if (instruction.kind === "place") todo.push(at + 1);
      else if (instruction.kind === "jump") todo.push(instruction.to);
      else todo.push(instruction.to, at + 1);
    }
    return false;
  }
}

function isAt(place: Place, before: number, after: number): boolean {
  switch (place) {
    case "start":
      return before === -1;
    case "end":
      return after === -1;
    case "boundary":
      return isWord(before) !== isWord(after);
    case "inside":
      return isWord(before) === isWord(after);
  }
}

/** ECMA-262, section 22.2.2.9.4: letters and digits of ASCII, and `_`. */
const isWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
