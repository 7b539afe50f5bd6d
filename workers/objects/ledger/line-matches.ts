// Whether a line is one that a query of the ledger asks for: what `line-filters.ts` says in SQL, of
// a line that is at hand.

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
