// Whether a line is one that a query of the ledger asks for: what `line-filters.ts` says in SQL, of
// a line that is at hand, or of an entry's text before it is read.

import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { RunsQuery } from "../../stubs/ledger-calls.ts";

/** Of a request that has ended; times are the caller's. */
export function isWanted(
  line: RunSummary,
  { state, server, key, tool, model, provider, reviewer, decided, rule, run, costOver, costUnder, search }: RunsQuery,
): boolean {
  const people = line.review?.people ?? [];
  const deciders = line.review?.by ?? [];
  return (
    (state === undefined || (state === "unanswered" ? line.state !== "completed" : state === line.state)) &&
    (server === undefined || line.server === server) &&
    (key === undefined || line.key === key) &&
    (tool === undefined || line.name === tool) &&
    (model === undefined || modelsOf(line).includes(model)) &&
    (provider === undefined || isOf(line, provider)) &&
    (reviewer === undefined || people.includes(reviewer)) &&
    (decided === undefined || (decided.by === null ? deciders.length > 0 : deciders.includes(decided.by))) &&
    (rule === undefined || line.rule === rule) &&
    (run === undefined || line.run.includes(run)) &&
    (costOver === undefined || line.costUsd > costOver) &&
    (costUnder === undefined || line.costUsd < costUnder) &&
    (search === undefined || isFound(line, people, search))
  );
}

/** The one that answered; of a failure each that failed. */
const modelsOf = ({ model, cause }: RunSummary): (string | null)[] => [
  model,
  ...(cause !== null && "failures" in cause ? cause.failures.map((failure) => failure.model) : []),
];

const isOf = ({ model, cause }: RunSummary, { name, models }: NonNullable<RunsQuery["provider"]>): boolean =>
  (model !== null && models.includes(model)) ||
  (cause !== null && "failures" in cause && cause.failures.some((failure) => failure.provider === name));

/** Of ASCII letters alone, as SQLite does it. */
const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

function isFound(line: RunSummary, people: readonly string[], { text, keys }: NonNullable<RunsQuery["search"]>): boolean {
  const part = lowered(text);
  const names = [line.run, line.key, line.server, line.name, line.model, ...people];
  return keys.includes(line.key) || names.some((name) => name !== null && lowered(name).includes(part));
}

/** A value as the JSON of an entry has it, without the quotes. */
const written = (value: string): string => JSON.stringify(value).slice(1, -1);
const member = (name: "key" | "model" | "name" | "provider" | "rule" | "server" | "state", value: string): string =>
  `"${name}":"${written(value)}"`;

/**
 * Whether an entry with this text may have a line that is wanted: texts of which one has to stand
 * in it, for each condition. Reading an entry as JSON takes many times as long.
 */
export function mayHave({ state, server, key, tool, model, provider, reviewer, rule, run, search }: RunsQuery): (text: string) => boolean {
  const marks: (readonly string[])[] = [
    ...(state === undefined || state === "open" || state === "unanswered" ? [] : [[member("state", state)]]),
    ...(server === undefined ? [] : [[member("server", server)]]),
    ...(key === undefined ? [] : [[member("key", key)]]),
    ...(tool === undefined ? [] : [[member("name", tool)]]),
    ...(model === undefined ? [] : [[member("model", model)]]),
    ...(provider === undefined ? [] : [[member("provider", provider.name), ...provider.models.map((each) => member("model", each))]]),
    ...(reviewer === undefined ? [] : [[`"${written(reviewer)}"`]]),
    ...(rule === undefined ? [] : [[member("rule", rule)]]),
    ...(run === undefined ? [] : [[written(run)]]),
  ];
  const stands = (text: string): boolean => marks.every((any) => any.some((mark) => text.includes(mark)));
  // Of other letters than ASCII's it is not said here which are the same.
  if (search === undefined || !isAscii.test(search.text)) return stands;
  const part = written(search.text).toLowerCase();
  const keys = search.keys.map((each) => member("key", each));
  return (text) => stands(text) && (text.toLowerCase().includes(part) || keys.some((each) => text.includes(each)));
}

const isAscii = /^[ -~]*$/;
