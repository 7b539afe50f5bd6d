// One rule as the fields of a form, and back: as its schemas say, but with minutes in place of
// seconds, and people to choose.

import type { Json, JsonObject } from "../encoding.ts";
import {
  type FieldCodec,
  type FieldValues,
  box,
  changedBy,
  linesIn,
  membersOf,
  names,
  numberFrom,
  oneOf,
  textOf,
  textsOf,
  valuesOf,
} from "../json/form-fields.ts";
import { objectOf, parseJson } from "../json/values.ts";
import { comparisonNames } from "./argument-conditions.ts";
import { conditionsSchema } from "./conditions.ts";
import { consequencesSchema } from "./rules.ts";

const minutesOf = (seconds: Json | undefined): string =>
  typeof seconds === "number" ? String(Math.round((seconds / 60) * 10_000) / 10_000) : textOf(seconds);
const secondsFrom = (minutes: string): Json => {
  const read = numberFrom(minutes);
  return typeof read === "number" ? Math.round(read * 60) : read;
};

const minutes = (name: string): FieldCodec => ({
  kind: "number",
  show: (value) => ({ [name]: [minutesOf(value)] }),
  read: (values) => (oneOf(values, name) === "" ? undefined : secondsFrom(oneOf(values, name))),
});

const minutesList = (name: string): FieldCodec => ({
  kind: "text",
  show: (value) => ({ [name]: [Array.isArray(value) ? value.map(minutesOf).join(", ") : textOf(value)] }),
  read: (values) =>
    oneOf(values, name)
      .split(/[,;\s]+/)
      .filter((part) => part !== "")
      .map(secondsFrom),
});

/** The control beside the people to whom a review may be handed over. */
export const handOver = "handOver";

const handingOver = (name: string): FieldCodec => ({
  kind: "own",
  show: (value) => ({
    [handOver]: [value === undefined ? "anyone" : textsOf(value).length === 0 ? "nobody" : "these"],
    [name]: textsOf(value),
  }),
  read: (values) => {
    if (oneOf(values, handOver) === "these") return [...(values[name] ?? [])];
    return oneOf(values, handOver) === "nobody" ? [] : undefined;
  },
});

/** One text of several lines. */
const paragraph = (name: string): FieldCodec => ({
  kind: "lines",
  show: (value) => ({ [name]: [textOf(value)] }),
  read: (values) => oneOf(values, name) || undefined,
});

/** A line for each: `/env equals "production"`. The value is JSON, or a text as it was typed. */
const argumentLines = (name: string): FieldCodec => ({
  kind: "lines",
  show: (value) => ({ [name]: [Array.isArray(value) ? value.map(argumentLine).join("\n") : textOf(value)] }),
  read: (values) => {
    const typed = linesIn(oneOf(values, name));
    return typed.length === 0 ? undefined : typed.map(argumentFrom);
  },
});

function argumentLine(condition: Json): string {
  const { pointer, ...compared } = objectOf(condition) ?? {};
  const values = Object.entries(compared).map(([each, value]) => `${each} ${JSON.stringify(value)}`);
  return [textOf(pointer), ...values].join(" ");
}

const argumentForm = new RegExp(`^(.*?)\\s+(${comparisonNames.join("|")})\\s+(.*)$`);

function argumentFrom(line: string): Json {
  const [, pointer, comparison, value] = argumentForm.exec(line) ?? [];
  if (pointer === undefined || comparison === undefined || value === undefined) return line;
  const read = parseJson(value) as Json | undefined; // parsed from JSON
  return { pointer, [comparison]: read === undefined ? value : read };
}

export const conditionMembers = membersOf(conditionsSchema, { arguments: argumentLines });
export const consequenceMembers = membersOf(consequencesSchema, {
  reviewers: names,
  deadlineSeconds: minutes,
  remindAtSeconds: minutesList,
  "escalate-afterSeconds": minutes,
  "escalate-to": names,
  noticeExcerpt: box("start", "none"),
  context: box("thisServer", "none"),
  handOverTo: handingOver,
  "juror-instructions": paragraph,
  "juror-mayPass-arguments": argumentLines,
});

/** The form's fields for a rule, or for the default. */
export const fieldsOf = (rule: JsonObject, isDefault: boolean): FieldValues =>
  isDefault
    ? valuesOf(consequenceMembers, rule)
    : {
        name: [textOf(rule["name"])],
        ...valuesOf(conditionMembers, objectOf(rule["when"]) ?? {}),
        ...valuesOf(consequenceMembers, objectOf(rule["then"]) ?? {}),
      };

/** The rule with what the form says. */
export function ruleFrom(rule: JsonObject, values: FieldValues, isDefault: boolean): JsonObject {
  if (isDefault) return changedBy(consequenceMembers, rule, values);
  const when = changedBy(conditionMembers, objectOf(rule["when"]) ?? {}, values);
  const then = changedBy(consequenceMembers, objectOf(rule["then"]) ?? {}, values);
  return { ...rule, name: oneOf(values, "name"), when, then };
}
