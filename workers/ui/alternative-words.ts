// What the alternatives of a value are called: by their titles, by what tells them apart, or by
// what they are.

import type { Json } from "../../shared/encoding.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import type { SchemaField } from "../../shared/json-schema/schema-field.ts";
import { plainLetters } from "./outside-text.tsx";
import { fillText } from "./sentence.tsx";

type Alternatives = Extract<SchemaField, { readonly kind: "union" }>["alternatives"];

/** In characters. */
const longestName = 40;
const mostNames = 3;

/** One for each, all different. Names and titles come from outside and are letters alone. */
export function alternativeLabels(alternatives: Alternatives, words: Words): string[] {
  const { call } = words.page;
  const letters = (text: string): string =>
    plainLetters(text.length > longestName ? `${text.slice(0, longestName).toWellFormed()}…` : text, words);
  const value = (json: Json): string => letters(typeof json === "string" ? json : JSON.stringify(json));
  const isShared = (name: string, json: Json): boolean => alternatives.every(({ fixed }) => fixed.get(name) === json);
  const own = ({ only, fixed, type = "", members }: Alternatives[number]): string => {
    if (only !== undefined) return value(only);
    const told = [...fixed].filter(([name, json]) => !isShared(name, json)).slice(0, mostNames);
    if (told.length > 0) return told.map(([name, json]) => `${letters(name)}: ${value(json)}`).join(words.review.marks.comma);
    const kind = call.kinds[type as keyof typeof call.kinds] ?? call.kinds.any; // a type of JSON Schema, or none
    const names = members.slice(0, mostNames).map(letters).join(words.review.marks.comma);
    return names === "" ? kind : fillText(call.withMembers, { kind, names });
  };
  const labels = alternatives.map((each) => (each.title === undefined ? own(each) : letters(each.title)));
  const isTwice = (label: string, all: readonly string[]): boolean => all.filter((other) => other === label).length > 1;
  const longer = labels.map((label, i) => {
    const alternative = alternatives[i];
    return alternative?.title !== undefined && isTwice(label, labels) ? `${label}${words.review.marks.colon}${own(alternative)}` : label;
  });
  return longer.map((label, i) => (isTwice(label, longer) ? `${label} (${i + 1})` : label));
}
