// One rule as the fields of a form, and back. Exhaustive by type: a condition or a consequence
// without its field does not compile.
//
// What was not changed in the form stays as it is in the document: also a member that is left out,
// and one that no field can say. What was typed and is no number goes into the document as it is,
// so that the check of the whole document names it and nothing is lost.

import type { Json, JsonObject } from "../encoding.ts";
import { objectOf } from "../json/values.ts";
import type { Conditions } from "./conditions.ts";
import { type Consequences, policySchema } from "./rules.ts";

/** The values of the form's fields by their names: none, one, or several of one name. */
export type FieldValues = Readonly<Record<string, readonly string[]>>;

/** `undefined`: the member is left out. */
type Field = {
  readonly show: (value: Json | undefined) => FieldValues;
  readonly read: (values: FieldValues) => Json | undefined;
};

const one = (values: FieldValues, name: string): string => (values[name]?.[0] ?? "").trim();
const textOf = (value: Json | undefined): string => (value === undefined || value === null ? "" : String(value));

/** `empty`: what an empty field says. */
const text = (name: string, empty?: null): Field => ({
  show: (value) => ({ [name]: [textOf(value)] }),
  read: (values) => one(values, name) || empty,
});

const numberFrom = (typed: string): Json => (typed !== "" && Number.isFinite(Number(typed)) ? Number(typed) : typed);

const number = (name: string): Field => ({
  show: (value) => ({ [name]: [textOf(value)] }),
  read: (values) => (one(values, name) === "" ? undefined : numberFrom(one(values, name))),
});

const yesOrNo = (name: string): Field => ({
  show: (value) => ({ [name]: [value === undefined ? "" : value === true ? "yes" : "no"] }),
  read: (values) => ({ yes: true, no: false })[one(values, name)],
});

/** A box: `on` where it is checked, else `off`. */
const box = (name: string, on: Json = true, off: Json = false): Field => ({
  show: (value) => ({ [name]: value === on ? ["yes"] : [] }),
  read: (values) => (one(values, name) === "yes" ? on : off),
});

const minutesOf = (seconds: Json | undefined): string =>
  typeof seconds === "number" ? String(Math.round((seconds / 60) * 10_000) / 10_000) : textOf(seconds);
const secondsFrom = (minutes: string): Json => {
  const read = numberFrom(minutes);
  return typeof read === "number" ? Math.round(read * 60) : read;
};

const minutes = (name: string): Field => ({
  show: (value) => ({ [name]: [minutesOf(value)] }),
  read: (values) => (one(values, name) === "" ? undefined : secondsFrom(one(values, name))),
});

const minutesList = (name: string): Field => ({
  show: (value) => ({ [name]: [Array.isArray(value) ? value.map(minutesOf).join(", ") : textOf(value)] }),
  read: (values) =>
    one(values, name)
      .split(/[,;\s]+/)
      .filter((part) => part !== "")
      .map(secondsFrom),
});

const namesShown = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(textOf) : []);

/** None is checked: the member is left out, so that those of the default are asked. */
const names = (name: string): Field => ({
  show: (value) => ({ [name]: namesShown(value) }),
  read: (values) => ((values[name] ?? []).length === 0 ? undefined : [...(values[name] ?? [])]),
});

const escalation: Field = {
  show: (value) => {
    const { afterSeconds, to } = objectOf(value) ?? {};
    return { escalateAfter: [minutesOf(afterSeconds)], escalateTo: namesShown(to) };
  },
  read: (values) => {
    const to = values["escalateTo"] ?? [];
    if (one(values, "escalateAfter") === "" && to.length === 0) return null;
    return { afterSeconds: secondsFrom(one(values, "escalateAfter")), to: [...to] };
  },
};

const handingOver: Field = {
  show: (value) => ({
    handOver: [value === undefined ? "anyone" : namesShown(value).length === 0 ? "nobody" : "these"],
    handOverTo: namesShown(value),
  }),
  read: (values) => {
    if (one(values, "handOver") === "these") return [...(values["handOverTo"] ?? [])];
    return one(values, "handOver") === "nobody" ? [] : undefined;
  },
};

const conditionFields: { readonly [Name in keyof Conditions]-?: Field } = {
  server: text("server"),
  tool: text("tool"),
  method: text("method"),
  key: text("key"),
  model: text("model"),
  provenance: text("provenance"),
  hasMedia: yesOrNo("hasMedia"),
  hasTools: yesOrNo("hasTools"),
  maxTokensOver: number("maxTokensOver"),
  costOverUsd: number("costOverUsd"),
  risk: text("risk"),
};

const consequenceFields: { readonly [Name in keyof Consequences]-?: Field } = {
  request: text("request"),
  response: text("response"),
  replyRisk: text("replyRisk", null),
  reviewers: names("reviewers"),
  quorum: number("quorum"),
  selfApproval: box("selfApproval"),
  deadlineSeconds: minutes("deadline"),
  remindAtSeconds: minutesList("remind"),
  escalate: escalation,
  noticeExcerpt: box("noticeExcerpt", "start", "none"),
  tellReason: box("tellReason"),
  tellAuthor: box("tellAuthor"),
  grants: box("grants"),
  grantsInferred: box("grantsInferred"),
  boundTo: text("boundTo"),
  context: box("context", "thisServer", "none"),
  timeoutCoversReview: box("timeoutCoversReview"),
  cheaperWithinBudget: box("cheaperWithinBudget"),
  handOverTo: handingOver,
};

/** What the document says where a member is left out. */
const careful = JSON.parse(JSON.stringify(policySchema.parse({ rules: [{ name: "rule" }] }).rules[0]?.then)) as JsonObject;

/** The form's fields for a rule, or for the default. */
export const fieldsOf = (rule: JsonObject, isDefault: boolean): FieldValues => {
  const then = isDefault ? rule : (objectOf(rule["then"]) ?? {});
  return {
    ...(isDefault ? {} : { name: [textOf(rule["name"])], ...shown(conditionFields, objectOf(rule["when"]) ?? {}) }),
    ...shown(consequenceFields, then, careful),
  };
};

type Fields = Readonly<Record<string, Field>>;

function shown(fields: Fields, members: JsonObject, otherwise: JsonObject = {}): FieldValues {
  const all = Object.entries(fields).map(([name, field]) => field.show(members[name] ?? otherwise[name]));
  return Object.assign({}, ...all) as FieldValues; // of these
}

/** The rule with what the form says. */
export function ruleFrom(rule: JsonObject, values: FieldValues, isDefault: boolean): JsonObject {
  if (isDefault) return changed(consequenceFields, rule, values, careful);
  const when = changed(conditionFields, objectOf(rule["when"]) ?? {}, values);
  const then = changed(consequenceFields, objectOf(rule["then"]) ?? {}, values, careful);
  return { ...rule, name: one(values, "name"), when, then };
}

function changed(fields: Fields, members: JsonObject, values: FieldValues, otherwise: JsonObject = {}): JsonObject {
  const result: Record<string, Json> = { ...members };
  for (const [name, field] of Object.entries(fields)) {
    const before = field.show(members[name] ?? otherwise[name]);
    if (Object.entries(before).every(([each, texts]) => isSameTexts(texts, values[each] ?? []))) continue;
    const value = field.read(values);
    if (value === undefined) delete result[name];
    else result[name] = value;
  }
  return result;
}

/** An empty field and a missing one say the same, and names that are checked have no order. */
const isSameTexts = (one: readonly string[], other: readonly string[]): boolean => {
  const [left, right] = [one, other].map((texts) =>
    texts
      .map((each) => each.trim())
      .filter((each) => each !== "")
      .toSorted(),
  );
  return left?.length === right?.length && (left ?? []).every((each, index) => each === right?.[index]);
};
