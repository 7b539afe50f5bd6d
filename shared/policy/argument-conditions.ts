// A rule's conditions on the arguments of a tool's call. A value is compared as it is: a text is
// never a number, letters that look alike differ, and what cannot be told meets nothing.

import * as z from "zod";
import type { Json, JsonObject } from "../json-types.ts";
import { matchesGlob } from "./glob.ts";

/**
 * JSON has numbers that JavaScript rounds: two whole numbers above 2^53 may be read as one. Such a
 * number equals none, since a server may read another.
 */
const isExact = (value: number): boolean => !Number.isInteger(value) || Number.isSafeInteger(value);

const single = z.union([z.string().max(1_000), z.number().refine(isExact, "largeNumber"), z.boolean(), z.null()]);

/** RFC 6901, within the arguments. */
const pointer = z
  .string()
  .max(500)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, "notPointer");

const comparisons = {
  equals: single,
  oneOf: z.array(single).min(1).max(100),
  glob: z.string().max(256),
  over: z.number(),
  under: z.number(),
  present: z.boolean(),
};
export const comparisonNames = Object.keys(comparisons) as readonly (keyof typeof comparisons)[]; // its own names

const condition = z
  .strictObject({ pointer, ...z.object(comparisons).partial().shape })
  .refine((each) => comparisonNames.filter((name) => each[name] !== undefined).length === 1, "oneComparison");

export const argumentConditionsSchema = z.array(condition).min(1).max(50);

export type ArgumentCondition = z.infer<typeof condition>;

/** A call's arguments as they came, and as they are sent: with what redaction masks. */
export type CallArguments = { readonly given: JsonObject; readonly sent: JsonObject };

/** The value at an RFC 6901 pointer; undefined where there is none. */
function valueAt(value: Json, at: string): Json | undefined {
  let here: Json | undefined = value;
  for (const step of at.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(here)) here = /^(?:0|[1-9]\d{0,9})$/.test(name) ? here[Number(name)] : undefined;
    else if (typeof here === "object" && here !== null && Object.hasOwn(here, name)) here = here[name];
    else return undefined;
  }
  return here;
}

/**
 * Whether the arguments meet a condition. A missing one meets `present: false` alone; one in which
 * something is masked equals nothing.
 */
export function isArgumentMet(wanted: ArgumentCondition, { given, sent }: CallArguments): boolean {
  const value = valueAt(sent, wanted.pointer);
  if (wanted.present !== undefined) return wanted.present === (value !== undefined);
  if (value === undefined) return false;
  if (wanted.glob !== undefined) return typeof value === "string" && matchesGlob(wanted.glob, value);
  if (wanted.over !== undefined) return typeof value === "number" && value > wanted.over;
  if (wanted.under !== undefined) return typeof value === "number" && value < wanted.under;
  if (value !== valueAt(given, wanted.pointer) || (typeof value === "number" && !isExact(value))) return false;
  return (wanted.oneOf ?? [wanted.equals]).some((each) => each === value);
}
