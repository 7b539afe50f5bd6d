// The keywords that compare one measure of a value with a number, and the fault and the message
// where the value is out of bounds.

import type { PlainKeywords } from "./schema-keywords.ts";

type BoundKeyword = {
  [K in keyof PlainKeywords]-?: PlainKeywords[K] extends number | undefined ? K : never;
}[keyof PlainKeywords];

export type BoundError = "tooSmall" | "tooLarge" | "notAbove" | "notBelow" | "notMultiple" | "tooShort" | "tooLong" | "tooFew" | "tooMany";

export type Bound = readonly [
  BoundKeyword,
  allows: (measure: number, limit: number) => boolean,
  BoundError,
  message: (limit: number) => string,
];

const atLeast = (measure: number, limit: number): boolean => measure >= limit;
const atMost = (measure: number, limit: number): boolean => measure <= limit;

export const numberBounds: readonly Bound[] = [
  ["minimum", atLeast, "tooSmall", (limit) => `must not be below ${limit}, the minimum`],
  ["maximum", atMost, "tooLarge", (limit) => `must not be above ${limit}, the maximum`],
  ["exclusiveMinimum", (measure, limit) => measure > limit, "notAbove", (limit) => `must be above ${limit}, the exclusiveMinimum`],
  ["exclusiveMaximum", (measure, limit) => measure < limit, "notBelow", (limit) => `must be below ${limit}, the exclusiveMaximum`],
  ["multipleOf", isMultiple, "notMultiple", (limit) => `must be a multiple of ${limit} (multipleOf)`],
];

export const lengthBounds: readonly Bound[] = [
  ["minLength", atLeast, "tooShort", (limit) => `must not be shorter than ${limit} characters (minLength)`],
  ["maxLength", atMost, "tooLong", (limit) => `must not be longer than ${limit} characters (maxLength)`],
];

export const itemBounds: readonly Bound[] = [
  ["minItems", atLeast, "tooFew", (limit) => `must not have fewer than ${limit} items (minItems)`],
  ["maxItems", atMost, "tooMany", (limit) => `must not have more than ${limit} items (maxItems)`],
];

export const memberBounds: readonly Bound[] = [
  ["minProperties", atLeast, "tooFew", (limit) => `must not have fewer than ${limit} members (minProperties)`],
  ["maxProperties", atMost, "tooMany", (limit) => `must not have more than ${limit} members (maxProperties)`],
];

/**
 * By their decimal digits, as they were written: 0.3 is a multiple of 0.1, which dividing binary
 * fractions does not find.
 */
function isMultiple(value: number, step: number): boolean {
  const [digits, exponent] = decimal(value);
  const [stepDigits, stepExponent] = decimal(step);
  const shift = exponent - stepExponent;
  if (shift >= 0) return (digits * 10n ** BigInt(shift)) % stepDigits === 0n;
  return digits % (stepDigits * 10n ** BigInt(-shift)) === 0n;
}

function decimal(value: number): [digits: bigint, exponent: number] {
  const [coefficient = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = coefficient.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
