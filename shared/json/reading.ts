// Reading a JSON value from outside, member by member, and gathering everything that is wrong with it. Never throws.
//
// After a fault the reading methods return a placeholder of the right type: the value that is being built is thrown away
// as soon as one error stands, so nobody sees it. Messages say what is expected and never quote what was sent.

import type { JsonObject } from "../encoding.ts";

/** `pointer` is a JSON pointer (RFC 6901) into the params; `message` is one plain sentence without content. */
export type ParamsError = { readonly pointer: string; readonly message: string };

/** Why the params of a sampling request, or of a request about one, are refused. Every kind is -32602 on the wire. */
export type ParamsFault =
  | { readonly kind: "invalid"; readonly errors: readonly ParamsError[] }
  | { readonly kind: "toolResultMissing"; readonly pointer: string }
  | { readonly kind: "toolResultsMixed"; readonly pointer: string };

export type Members = { readonly [name: string]: unknown };

/** Errors beyond these are not looked for: a body of a million wrong messages must not become a million errors in memory. */
export const MAX_ERRORS = 50;

export const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** One step of a JSON pointer, escaped (RFC 6901 section 3). */
export const pointerStep = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

export class Reading {
  readonly errors: ParamsError[] = [];

  /** True once enough errors stand; loops over lists from outside stop then. */
  get full(): boolean {
    return this.errors.length >= MAX_ERRORS;
  }

  fault(pointer: string, message: string): void {
    if (!this.full) this.errors.push({ pointer, message });
  }

  /** Everything that is wrong, as one fault; undefined where nothing is. */
  invalid(): ParamsFault | undefined {
    return this.errors.length === 0 ? undefined : { kind: "invalid", errors: this.errors };
  }

  object(value: unknown, at: string): Members | undefined {
    if (isObject(value)) return value;
    this.fault(at, value === undefined ? "is required" : "must be an object");
    return undefined;
  }

  array(value: unknown, at: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    this.fault(at, value === undefined ? "is required" : "must be an array");
    return [];
  }

  /** A list that has no more members than that; a longer one is a fault and is not read. */
  bounded(most: number, list: readonly unknown[], at: string): readonly unknown[] {
    if (list.length <= most) return list;
    this.fault(at, `must not have more than ${most} members; this has ${list.length}`);
    return [];
  }

  string(of: Members, name: string, at: string): string {
    const value = of[name];
    if (typeof value === "string") return value;
    this.fault(at + pointerStep(name), value === undefined ? "is required" : "must be a string");
    return "";
  }

  oneOf<const T extends string>(allowed: readonly T[], of: Members, name: string, at: string): T | undefined {
    const value = of[name];
    for (const word of allowed) if (word === value) return word;
    this.fault(at + pointerStep(name), value === undefined ? "is required" : `must be one of ${allowed.join(", ")}`);
    return undefined;
  }

  /** A JSON object that is passed on as it is. Proven to be JSON by `checkJson`, which runs over the whole params first. */
  json(of: Members, name: string, at: string): JsonObject {
    return (this.object(of[name], at + pointerStep(name)) ?? {}) as JsonObject;
  }

  boolean(of: Members, name: string, at: string): boolean {
    const value = of[name];
    if (typeof value !== "boolean") this.fault(at + pointerStep(name), "must be true or false");
    return value === true;
  }

  number(of: Members, name: string, at: string): number {
    const value = of[name];
    if (typeof value === "number" && Number.isFinite(value)) return value;
    this.fault(at + pointerStep(name), value === undefined ? "is required" : "must be a number");
    return 0;
  }

  numberWithin(min: number, max: number, of: Members, name: string, at: string): number {
    const value = of[name];
    if (typeof value === "number" && value >= min && value <= max) return value;
    this.fault(at + pointerStep(name), `must be a number from ${min} to ${max}`);
    return min;
  }

  /** A whole number from `min` up to the largest that a JSON number carries exactly (2^53 - 1). `100.0` is whole. */
  integer(min: number, of: Members, name: string, at: string): number {
    const value = of[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= min) return value;
    this.fault(at + pointerStep(name), value === undefined ? "is required" : `must be an integer of at least ${min}`);
    return min;
  }

  strings(of: Members, name: string, at: string): string[] {
    const here = at + pointerStep(name);
    const strings: string[] = [];
    for (const [i, value] of this.array(of[name], here).entries()) {
      if (this.full) break;
      if (typeof value === "string") strings.push(value);
      else this.fault(`${here}/${i}`, "must be a string");
    }
    return strings;
  }
}
