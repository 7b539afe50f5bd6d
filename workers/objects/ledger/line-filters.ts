// Which lines a query of the ledger asks for, as conditions of SQL. What is no column is looked for
// in the line's JSON, as `JSON.stringify` wrote it: a value with its quotes stands nowhere else,
// because a quote inside a value has a backslash before it.

import { endStates, openStates } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { LinePlace } from "../../../shared/record/line-list.ts";
import type { RunsQuery } from "../../stubs/ledger-calls.ts";

/** Conditions of a query, each with its values. */
export type Conditions = readonly (readonly [string, ...(string | number)[]])[];
export const whereOf = (conditions: Conditions): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map(([condition]) => `(${condition})`).join(" AND ")}`;
export const valuesOf = (conditions: Conditions): (string | number)[] => conditions.flatMap(([, ...values]) => values);

/** `columns`: those that `line_span` has too. `others`: what only the line itself can tell. */
type LineFilters = { readonly isOpen: boolean; readonly columns: Conditions; readonly others: Conditions };

const unanswered = endStates.filter((state) => state !== "completed");
export const isOpenState = (state: RunsQuery["state"]): boolean => state === "open" || openStates.some((each) => each === state);

export function filtersOf({ state, server, key, ...more }: RunsQuery): LineFilters {
  return {
    isOpen: isOpenState(state),
    columns: [
      ...(state === undefined || state === "open" ? [] : [stateIs(state)]),
      ...(server === undefined ? [] : [["server = ?", server] as const]),
      ...(key === undefined ? [] : [["key = ?", key] as const]),
    ],
    others: otherFilters(more),
  };
}

const stateIs = (state: Exclude<RunsQuery["state"], "open" | undefined>): Conditions[number] =>
  state === "unanswered" ? [`state IN (${unanswered.map(() => "?").join(", ")})`, ...unanswered] : ["state = ?", state];

/** A member and its value, as the JSON of a line has them. */
const member = (name: keyof RunSummary, value: string): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
const people = "json_extract(text, '$.review.people')";
const deciders = "json_extract(text, '$.review.by')";

function otherFilters({ tool, model, provider, reviewer, decided, rule, run, costOver, costUnder, search }: RunsQuery): Conditions {
  return [
    ...(run === undefined ? [] : [["instr(run, ?) > 0", run] as const]),
    ...(tool === undefined ? [] : [["instr(text, ?) > 0", member("name", tool)] as const]),
    // A failure's cause has each model that failed.
    ...(model === undefined ? [] : [["instr(text, ?) > 0", member("model", model)] as const]),
    ...(provider === undefined ? [] : [ofProvider(provider)]),
    ...(reviewer === undefined ? [] : [named(people, JSON.stringify(reviewer))]),
    ...(decided === undefined ? [] : [decided.by === null ? hasDecided : named(deciders, JSON.stringify(decided.by))]),
    ...(rule === undefined ? [] : [["json_extract(text, '$.rule') = ?", rule] as const]),
    ...(costOver === undefined ? [] : [["json_extract(text, '$.costUsd') > ?", costOver] as const]),
    ...(costUnder === undefined ? [] : [["json_extract(text, '$.costUsd') < ?", costUnder] as const]),
    ...(search === undefined ? [] : [found(search)]),
  ];
}

/** No other member of a line has this name. */
const ofProvider = ({ name, models }: NonNullable<RunsQuery["provider"]>): Conditions[number] => [
  "instr(text, ?) > 0 OR EXISTS (SELECT 1 FROM json_each(?) WHERE value = json_extract(text, '$.model'))",
  `"provider":${JSON.stringify(name)}`,
  JSON.stringify(models),
];

/** The first test is quick, and true of few lines. */
const named = (list: string, quoted: string): Conditions[number] => [`instr(text, ?) > 0 AND instr(${list}, ?) > 0`, quoted, quoted];
const hasDecided: Conditions[number] = ["json_array_length(text, '$.review.by') > 0"];

/** SQLite's `lower`: of ASCII letters alone. */
const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** `LIKE` would take patterns of 50 bytes at most. */
function found({ text, keys }: NonNullable<RunsQuery["search"]>): Conditions[number] {
  const part = lowered(text);
  const written = lowered(JSON.stringify(text).slice(1, -1));
  const columns = ["run", "key", "server", "json_extract(text, '$.name')", "json_extract(text, '$.model')"];
  const places = [...columns.map((column) => `instr(lower(${column}), ?) > 0`), `instr(lower(${people}), ?) > 0`];
  const inLine = `instr(lower(text), ?) > 0 AND (${places.join(" OR ")})`;
  const values = [written, ...columns.map(() => part), written];
  return keys.length === 0 ? [inLine, ...values] : [`key IN (${keys.map(() => "?").join(", ")}) OR (${inLine})`, ...keys, ...values];
}

/**
 * The place before which lines are wanted: none at or after `until`, and none before the last
 * answer's end.
 */
export function placeBefore({ until, after }: RunsQuery): LinePlace | undefined {
  if (until === undefined || (after !== undefined && after.createdAt < until)) return after;
  return { createdAt: until, run: "" };
}
