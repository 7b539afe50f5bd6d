// A JSON document as a person edits it: printed to be read, and read with the place of everything,
// so that what is wrong can be shown beside the line that it stands in.

import { pointerStep } from "./issue-collector.ts";

/**
 * What stands where something else is expected. `trailingComma`: a comma before an end. `deep`:
 * nested too deeply.
 */
export type JsonSyntaxError =
  | "value"
  | "memberName"
  | "colon"
  | "commaOrEnd"
  | "trailingComma"
  | "string"
  | "number"
  | "comment"
  | "afterEnd"
  | "deep";

type ReadText =
  | {
      readonly ok: true;
      readonly value: unknown;
      /**
       * Where the value of each RFC 6901 pointer begins; of a member, where its name does. In
       * UTF-16 units.
       */
      readonly places: ReadonlyMap<string, number>;
      /**
       * Pointers of members that are given more than once: the last one would count, and the others
       * be lost.
       */
      readonly repeated: readonly string[];
    }
  | { readonly ok: false; readonly fault: JsonSyntaxError; readonly at: number };

const deepest = 200;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON allows none in a string
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const word = /true|false|null/y;

class Fault {
  readonly fault: JsonSyntaxError;
  readonly at: number;
  constructor(fault: JsonSyntaxError, at: number) {
    this.fault = fault;
    this.at = at;
  }
}

/** Reads what JSON.parse reads, up to 200 levels deep. */
export function readJsonText(text: string): ReadText {
  const reader = new Reader(text);
  try {
    reader.document();
  } catch (error) {
    if (error instanceof Fault) return { ok: false, fault: error.fault, at: error.at };
    throw error;
  }
  return { ok: true, value: JSON.parse(text), places: reader.places, repeated: reader.repeated };
}

class Reader {
  readonly places = new Map<string, number>();
  readonly repeated: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value("", null, 0);
    if (this.#at < this.#text.length) throw new Fault(this.#isComment() ? "comment" : "afterEnd", this.#at);
  }

  /** `from`: where a member's name begins. */
  #value(pointer: string, from: number | null, depth: number): void {
    this.#space();
    if (depth > deepest) throw new Fault("deep", this.#at);
    this.places.set(pointer, from ?? this.#at);
    const first = this.#text[this.#at];
    if (first === "{") this.#object(pointer, depth);
    else if (first === "[") this.#array(pointer, depth);
    else if (first === '"') this.#match(string, "string");
    else if (first !== undefined && "-0123456789".includes(first)) this.#match(number, "number");
    else this.#match(word, this.#isComment() ? "comment" : "value");
    this.#space();
  }

  #object(pointer: string, depth: number): void {
    this.#at += 1;
    for (let count = 0; ; count += 1) {
      this.#space();
      if (this.#ended("}", count)) return;
      if (count > 0) this.#comma("}");
      const from = this.#at;
      if (this.#text[from] !== '"') throw new Fault(this.#isComment() ? "comment" : "memberName", from);
      const name = JSON.parse(this.#match(string, "string")) as string; // matched as one
      this.#space();
      if (this.#text[this.#at] !== ":") throw new Fault("colon", this.#at);
      this.#at += 1;
      const inside = pointer + pointerStep(name);
      if (this.places.has(inside)) this.repeated.push(inside);
      this.#value(inside, from, depth + 1);
    }
  }

  #array(pointer: string, depth: number): void {
    this.#at += 1;
    for (let count = 0; ; count += 1) {
      this.#space();
      if (this.#ended("]", count)) return;
      if (count > 0) this.#comma("]");
      this.#value(`${pointer}/${count}`, null, depth + 1);
    }
  }

  /** Whether the object or list ends here. */
  #ended(by: "}" | "]", count: number): boolean {
    const here = this.#text[this.#at];
    if (here === by) {
      this.#at += 1;
      return true;
    }
    if (count > 0 && here !== ",") throw new Fault(this.#isComment() ? "comment" : "commaOrEnd", this.#at);
    return false;
  }

  #comma(before: "}" | "]"): void {
    const comma = this.#at;
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === before) throw new Fault("trailingComma", comma);
  }

  #match(pattern: RegExp, otherwise: JsonSyntaxError): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) throw new Fault(otherwise, this.#at);
    this.#at += found.length;
    return found;
  }

  #isComment(): boolean {
    return this.#text.startsWith("//", this.#at) || this.#text.startsWith("/*", this.#at);
  }

  #space(): void {
    while (this.#at < this.#text.length && " \t\n\r".includes(this.#text.charAt(this.#at))) this.#at += 1;
  }
}

/** The place of a pointer's value, or of the nearest thing around it that is there. */
export function placeOf(places: ReadonlyMap<string, number>, pointer: string): number {
  for (let around = pointer; ; around = around.slice(0, around.lastIndexOf("/"))) {
    const place = places.get(around);
    if (place !== undefined || around === "") return place ?? 0;
  }
}

/** The line that a place is in, from 1. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line += 1;
  return line;
}

const widest = 76;

/**
 * To be read and edited: what fits a line of 76 characters and contains only simple values stands
 * in one line.
 */
export function printJson(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const members: readonly (readonly [string, unknown])[] = isList
    ? value.map((each: unknown) => ["", each] as const)
    : Object.entries(value).map(([name, each]) => [`${JSON.stringify(name)}: `, each] as const);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) return open + close;
  if (members.every(([, each]) => typeof each !== "object" || each === null)) {
    const inner = members.map(([name, each]) => name + JSON.stringify(each)).join(", ");
    const line = isList ? `[${inner}]` : `{ ${inner} }`;
    if (indent.length + line.length <= widest) return line;
  }
  const deeper = `${indent}  `;
  return `${open}\n${members.map(([name, each]) => deeper + name + printJson(each, deeper)).join(",\n")}\n${indent}${close}`;
}
