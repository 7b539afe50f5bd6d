// What may be entered into a field, from our words and the schema's own rules.

import { formatExamples } from "../../shared/channels/content-words.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { type SchemaField, boundsOf } from "../../shared/json-schema/schema-field.ts";
import { plainLetters } from "./outside-text.tsx";
import { fillText } from "./sentence.tsx";

/** In characters: a longer pattern tells a reader nothing. */
const longestPattern = 60;

/** The parts of the hint, of which some are letters from outside. */
export function fieldHints(field: SchemaField, words: Words): string[] {
  const { hints } = words.page.form;
  const { kind, rules } = field;
  if (kind !== "text" && kind !== "number" && kind !== "choices") return [];
  const { min, max } = boundsOf(field);
  const bound = min === undefined ? (max === undefined ? undefined : "max") : max === undefined ? "min" : "both";
  const { format = "", pattern } = kind === "text" ? rules : {};
  // A date has a control of the browser's own, or its format's name.
  const example = format === "date" ? undefined : formatExamples[format];
  const isShort = pattern !== undefined && pattern.length <= longestPattern;
  return [
    ...(bound === undefined ? [] : [fillText(hints[kind][bound], { min: String(min), max: String(max) })]),
    ...(example === undefined ? [] : [fillText(hints.example, { example })]),
    ...(isShort ? [fillText(hints.pattern, { pattern: plainLetters(pattern, words) })] : []),
  ];
}
