// The numbers of the usage page: a row for each server, model, key or day, with a bar of its
// requests.

import type { Child } from "hono/jsx";
import { Name } from "../../outside-text.tsx";
import { type BarPart, Meter } from "../chart.tsx";
import { Heads } from "../pieces.tsx";
import { deniedIn } from "../overview/overview-parts.ts";
import { barOf } from "./usage-chart.tsx";
import type { UsageRow } from "../../../endpoints/admin/answers/usage.ts";
import type { UsageParts } from "./usage-page.tsx";
import type { UsageWords } from "./usage-words.ts";

type Column = { readonly name: string; readonly of: (row: Omit<UsageRow, "name" | "isRest">) => string };

const columnsOf = ({ texts: { columns }, numbers }: UsageParts): readonly Column[] => [
  { name: columns.requests, of: (row) => numbers.count(row.requests) },
  { name: columns.approved, of: (row) => numbers.count(row.outcomes.approved) },
  { name: columns.denied, of: (row) => numbers.count(deniedIn(row)) },
  { name: columns.failed, of: (row) => numbers.count(row.outcomes.failed) },
  { name: columns.input, of: (row) => numbers.count(row.inputTokens) },
  { name: columns.output, of: (row) => numbers.count(row.outputTokens) },
  { name: columns.cost, of: (row) => numbers.dollars(row.costUsd) },
  { name: columns.wait, of: ({ waitP50Ms }) => (waitP50Ms === null ? "–" : numbers.span(waitP50Ms)) },
];

/** A server, key or day leads to its requests. */
const RowName = ({
  row: { name, isRest },
  parts: { visit, texts, numbers, by, keyNames },
}: {
  row: UsageRow;
  parts: UsageParts;
}): Child => {
  if (isRest) return <span title={texts.restSays}>{texts.rest}</span>;
  if (by === "day") return numbers.day(Date.parse(name ?? ""));
  if (name === null) return <span class="soft">{texts.unnamed[by]}</span>;
  const shown = <Name value={keyNames.get(name) ?? name} />;
  return by === "model" ? shown : <a href={visit.at("requests", { [by]: name })}>{shown}</a>;
};

export const UsageTable = (parts: UsageParts) => {
  const { answer, texts, by } = parts;
  const columns = columnsOf(parts);
  const most = Math.max(...answer.rows.map(({ requests }) => requests));
  const partsOf = (row: UsageRow): readonly BarPart[] => Object.values(barOf(row)).flat();
  const rows = by === "day" ? answer.rows.toReversed() : answer.rows;
  const table = (
    <table class={by === "day" ? "" : "cards"}>
      <thead>
        <tr>
          <th scope="col">{texts.by[by]}</th>
          <Heads of={columns.map(({ name }) => name)} class="num" />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <td class="main-cell">
              <RowName row={row} parts={parts} />
              {by === "day" ? null : <Meter parts={partsOf(row)} most={most} />}
            </td>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
        <Total columns={columns} total={answer.total} texts={texts} />
      </tbody>
    </table>
  );
  // Days are read down a column, on a phone, too.
  return by === "day" ? (
    <div class="scrolls times" tabindex={0} role="region" aria-label={texts.requests.day}>
      {table}
    </div>
  ) : (
    table
  );
};

const Cells = ({ columns, row }: { columns: readonly Column[]; row: Omit<UsageRow, "name" | "isRest"> }) => (
  <>
    {columns.map(({ name, of }, i) => (
      <td class={i === 0 ? "num end" : "num"} data-k={name}>
        {of(row)}
      </td>
    ))}
  </>
);

const Total = ({ columns, total, texts }: { columns: readonly Column[]; total: Omit<UsageRow, "name" | "isRest">; texts: UsageWords }) => (
  <tr class="total">
    <td class="main-cell">
      <b>{texts.total}</b>
    </td>
    <Cells columns={columns} row={total} />
  </tr>
);
