// What a user pays, in one table: single figures of the parts' reports.

import { type Report, cellOf } from "./report.ts";

type Fact = {
  readonly what: string;
  readonly part: string;
  /** The title of the table, where the part has several. */
  readonly table?: string;
  /** The first labels of the row. */
  readonly row: readonly string[];
  readonly column: string;
  readonly unit: string;
  readonly digits: number;
};

const ms = { unit: "ms", digits: 1 };
const dollars = { unit: "dollars", digits: 2 };
const facts: readonly Fact[] = [
  {
    what: "added to a sampling request, one at a time",
    part: "overhead",
    row: ["Countersign `/sampling`", "1"],
    column: "addedP50Ms",
    ...ms,
  },
  { what: "the same through Portkey's gateway", part: "overhead", row: ["Portkey's gateway, on Node", "1"], column: "addedP50Ms", ...ms },
  { what: "added to the first token of a stream", part: "streaming", row: ["Countersign `/control`", "1"], column: "addedP50Ms", ...ms },
  {
    what: "added to a tool call through the relay",
    part: "relay",
    table: "A tool call that does not sample at a server with sessions, answered with JSON",
    row: ["Countersign's relay, auto", "1"],
    column: "addedP50Ms",
    ...ms,
  },
  { what: "from a reviewer's press to the caller's last byte", part: "decision", row: ["Countersign"], column: "aloneP50", ...ms },
  { what: "requests that wait at once", part: "waiting", row: [], column: "waiting", unit: "", digits: 0 },
  { what: "of their objects, awake", part: "waiting", row: [], column: "awake", unit: "", digits: 0 },
  { what: "of them, lost", part: "waiting", row: [], column: "lost", unit: "", digits: 0 },
  {
    what: "the platform's bill for a million requests that the policy approves",
    part: "bill",
    table: "A million requests that the policy approves",
    row: ["in all"],
    column: "dollars",
    ...dollars,
  },
  {
    what: "the platform's bill for a thousand reviews that wait for an hour",
    part: "bill",
    table: "A thousand reviews that each wait for an hour",
    row: ["Countersign"],
    column: "all",
    ...dollars,
  },
];

/** As Markdown. A part without a report has no line. */
export function summaryOf(reports: readonly Report[]): string {
  const lines = facts.flatMap((fact) => {
    const report = reports.find(({ part }) => part === fact.part);
    if (report === undefined) return [];
    const figure = cellOf(valuesOf(fact, report), fact.digits);
    return [`| ${fact.what} | ${figure}${fact.unit === "" ? "" : ` ${fact.unit}`} |`];
  });
  return ["| | |", "| --- | --- |", ...lines].join("\n");
}

function valuesOf({ what, table, row, column }: Fact, { tables }: Report): readonly number[] {
  const values = tables
    .filter(({ title }) => table === undefined || title === table)
    .flatMap(({ rows }) => rows)
    .find(({ labels }) => row.every((label, index) => labels[index]?.startsWith(label)))?.values[column];
  if (values === undefined) throw new Error(`no figure for "${what}"`);
  return values;
}
