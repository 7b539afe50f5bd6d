// One rule as the fields of a form, and back: as its schemas say, but with minutes in place of
// seconds, and people to choose.

import type { Json, JsonObject } from "../encoding.ts";
import {
  type FieldCodec,
  type FieldValues,
  box,
  changedBy,
  membersOf,
  names,
  numberFrom,
  oneOf,
  textOf,
  textsOf,
  valuesOf,
} from "../json/form-fields.ts";
import { objectOf } from "../json/values.ts";
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

export const conditionMembers = membersOf(conditionsSchema);
export const consequenceMembers = membersOf(consequencesSchema, {
  reviewers: names,
  deadlineSeconds: minutes,
  remindAtSeconds: minutesList,
  "escalate-afterSeconds": minutes,
  "escalate-to": names,
  noticeExcerpt: box("start", "none"),
  context: box("thisServer", "none"),
  handOverTo: handingOver,
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
