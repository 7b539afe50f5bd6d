// Which lines a query of the ledger asks for: in SQL, of a line that is at hand, and of an entry's
// text before it is read. What is no column is looked for in the line's JSON, as `JSON.stringify`
// wrote it: a value with its quotes stands nowhere else, because a quote inside a value has a
// backslash before it.

import { type Comparison, lineComparisons } from "../../../shared/record/line-query.ts";
import type { LinePlace } from "../../../shared/record/line-list.ts";
import { endStates, openStates } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { RunsQuery } from "../../stubs/ledger-calls.ts";

/** Conditions of a query, each with its values. */
export type Conditions = readonly (readonly [string, ...(string | number)[]])[];
export const whereOf = (conditions: Conditions): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map(([condition]) => `(${condition})`).join(" AND ")}`;
export const valuesOf = (conditions: Conditions): (string | number)[] => conditions.flatMap(([, ...values]) => values);

type Filter = {
  /** `isColumn`: `line_span` has it too. Null: what ended and what did not is told otherwise. */
  readonly sql: Conditions[number] | null;
  readonly isColumn?: true;
  /** Of a request that has ended; times are the caller's. */
  readonly isMet: (line: RunSummary) => boolean;
  /** Whether an entry with this text may have such a line; null: any may. */
  readonly mayBeIn: ((text: string) => boolean) | null;
};

type FilterName = Exclude<keyof RunsQuery, "since" | "until" | "after" | "limit" | "mostRead">;
type ComparedName = {
  [Name in keyof typeof lineComparisons]: (typeof lineComparisons)[Name] extends Comparison ? Name : never;
}[keyof typeof lineComparisons];

const columns: ReadonlySet<keyof RunSummary> = new Set(["state", "server", "key"]);

function comparing(by: Comparison, wanted: string | number): Filter {
  if ("is" in by) {
    const stands = member(by.is, String(wanted));
    return {
      ...(columns.has(by.is)
        ? { sql: [`${by.is} = ?`, wanted], isColumn: true }
        : { sql: [`instr(text, ?) > 0 AND json_extract(text, '$.${by.is}') = ?`, stands, wanted] }),
      isMet: (line) => line[by.is] === wanted,
      mayBeIn: (text) => text.includes(stands),
    };
  }
  const [name, sign] = "isOver" in by ? ([by.isOver, ">"] as const) : ([by.isUnder, "<"] as const);
  return {
    sql: [`json_extract(text, '$.${name}') ${sign} ?`, wanted],
    isMet: ({ [name]: value }) => typeof value === "number" && (sign === ">" ? value > Number(wanted) : value < Number(wanted)),
    mayBeIn: null,
  };
}

const unanswered = endStates.filter((state) => state !== "completed");
export const isOpenState = (state: RunsQuery["state"]): boolean => state === "open" || openStates.some((each) => each === state);

const people = "json_extract(text, '$.review.people')";
const deciders = "json_extract(text, '$.review.by')";

/** What is not compared with one member. A filter that is missing here does not compile. */
const own: { readonly [Name in Exclude<FilterName, ComparedName>]: (wanted: NonNullable<RunsQuery[Name]>) => Filter } = {
  state: (wanted) => {
    if (wanted === "open") return { sql: null, isMet: () => false, mayBeIn: null };
    if (wanted === "unanswered")
      return {
        sql: [`state IN (${unanswered.map(() => "?").join(", ")})`, ...unanswered],
        isColumn: true,
        isMet: ({ state }) => state !== "completed",
        mayBeIn: null,
      };
    return comparing({ is: "state" }, wanted);
  },
  run: (wanted) => ({
    sql: ["instr(run, ?) > 0", wanted],
    isMet: ({ run }) => run.includes(wanted),
    mayBeIn: (text) => text.includes(written(wanted)),
  }),
  // A failure's cause has each model that failed.
  model: (wanted) => ({
    sql: ["instr(text, ?) > 0", member("model", wanted)],
    isMet: ({ model, cause }) => model === wanted || failuresOf(cause).some((failure) => failure.model === wanted),
    mayBeIn: (text) => text.includes(member("model", wanted)),
  }),
  provider: ({ name, models }) => {
    const marks = [providerMember(name), ...models.map((each) => member("model", each))];
    return {
      sql: [
        "instr(text, ?) > 0 OR EXISTS (SELECT 1 FROM json_each(?) WHERE value = json_extract(text, '$.model'))",
        providerMember(name),
        JSON.stringify(models),
      ],
      isMet: ({ model, cause }) =>
        (model !== null && models.includes(model)) || failuresOf(cause).some((failure) => failure.provider === name),
      mayBeIn: (text) => marks.some((mark) => text.includes(mark)),
    };
  },
  reviewer: (wanted) => ({
    sql: named(people, JSON.stringify(wanted)),
    isMet: ({ review }) => review?.people.includes(wanted) ?? false,
    mayBeIn: (text) => text.includes(JSON.stringify(wanted)),
  }),
  decided: ({ by }) => ({
    sql: by === null ? ["json_array_length(text, '$.review.by') > 0"] : named(deciders, JSON.stringify(by)),
    isMet: ({ review }) => (by === null ? (review?.by.length ?? 0) > 0 : (review?.by.includes(by) ?? false)),
    mayBeIn: null,
  }),
  search: ({ text: part, keys }) => ({
    sql: searched(part, keys),
    isMet: (line) => {
      const names = [line.run, line.key, line.server, line.name, line.model, ...(line.review?.people ?? [])];
      return keys.includes(line.key) || names.some((name) => name !== null && lowered(name).includes(lowered(part)));
    },
    // Of other letters than ASCII's it is not said here which are the same.
    mayBeIn: isAscii.test(part)
      ? (text) => text.toLowerCase().includes(written(part).toLowerCase()) || keys.some((each) => text.includes(member("key", each)))
      : null,
  }),
};

/** A value as JSON has it, without the quotes. */
const written = (value: string): string => JSON.stringify(value).slice(1, -1);
/** A member and its value, as the JSON of a line has them. */
const member = (name: keyof RunSummary, value: string): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
/** Of a failed attempt: no other member of a line has this name. */
const providerMember = (name: string): string => `"provider":${JSON.stringify(name)}`;

const failuresOf = (cause: RunSummary["cause"]) => (cause !== null && "failures" in cause ? cause.failures : []);

/** The first test is quick, and true of few lines. */
const named = (list: string, quoted: string): Conditions[number] => [`instr(text, ?) > 0 AND instr(${list}, ?) > 0`, quoted, quoted];

/** SQLite's `lower`: of ASCII letters alone. */
const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
const isAscii = /^[ -~]*$/;

/** `LIKE` would take patterns of 50 bytes at most. */
function searched(text: string, keys: readonly string[]): Conditions[number] {
  const part = lowered(text);
  const inJson = lowered(written(text));
  const plain = ["run", "key", "server", "json_extract(text, '$.name')", "json_extract(text, '$.model')"];
  const places = [...plain.map((column) => `instr(lower(${column}), ?) > 0`), `instr(lower(${people}), ?) > 0`];
  const inLine = `instr(lower(text), ?) > 0 AND (${places.join(" OR ")})`;
  const values = [inJson, ...plain.map(() => part), inJson];
  return keys.length === 0 ? [inLine, ...values] : [`key IN (${keys.map(() => "?").join(", ")}) OR (${inLine})`, ...keys, ...values];
}

const comparedNames = (Object.keys(lineComparisons) as (keyof typeof lineComparisons)[]).filter(
  (name): name is ComparedName => lineComparisons[name] !== "own",
);
const ownNames = Object.keys(own) as (keyof typeof own)[]; // its own names

/** The filters that a query gives. */
function filtersIn(query: RunsQuery): readonly Filter[] {
  const compared = comparedNames.flatMap((name) => {
    const wanted = query[name];
    return wanted === undefined ? [] : [comparing(lineComparisons[name], wanted)];
  });
  const others = <Name extends keyof typeof own>(name: Name): readonly Filter[] => {
    const wanted: RunsQuery[Name] = query[name];
    return wanted === undefined ? [] : [own[name](wanted)];
  };
  return [...compared, ...ownNames.flatMap((name) => others(name))];
}

/** `columns`: those that `line_span` has too. `others`: what only the line itself can tell. */
type SqlFilters = { readonly isOpen: boolean; readonly columns: Conditions; readonly others: Conditions };

export function filtersOf(query: RunsQuery): SqlFilters {
  const { columns = [], others = [] } = Object.groupBy(filtersIn(query), ({ isColumn }) => (isColumn === true ? "columns" : "others"));
  const sqlOf = (filters: readonly Filter[]): Conditions => filters.flatMap(({ sql }) => (sql === null ? [] : [sql]));
  return { isOpen: isOpenState(query.state), columns: sqlOf(columns), others: sqlOf(others) };
}

/**
 * The same of what is at hand. `mayHave`: whether an entry with this text may have a line that is
 * wanted. Reading an entry as JSON takes many times as long.
 */
export function lineTestOf(query: RunsQuery): {
  readonly isWanted: (line: RunSummary) => boolean;
  readonly mayHave: (text: string) => boolean;
} {
  const filters = filtersIn(query);
  const looks = filters.flatMap(({ mayBeIn }) => mayBeIn ?? []);
  return {
    isWanted: (line) => filters.every(({ isMet }) => isMet(line)),
    mayHave: (text) => looks.every((mayBeIn) => mayBeIn(text)),
  };
}

/**
 * The place before which lines are wanted: none at or after `until`, and none before the last
 * answer's end.
 */
export function placeBefore({ until, after }: RunsQuery): LinePlace | undefined {
  if (until === undefined || (after !== undefined && after.createdAt < until)) return after;
  return { createdAt: until, run: "" };
}
