// Puts the measured tables into docs/performance.md, between the two marks of each part. The page
// is shorter than the report: it has medians, and of a load what a contender adds.

import type { Report, Table } from "./report.ts";
import { markdownOf, median } from "./report.ts";

const startOf = (part: string): string => `<!-- bench ${part}: written by npm run bench -- --write-docs -->`;
const endOf = (part: string): string => `<!-- end of bench ${part} -->`;

/** Whether the page shows this part's tables. It says the result of the other parts in a line. */
export const isShown = (page: string, part: string): boolean => page.includes(startOf(part));

/** Keys of columns that bench/results/ has and the page does not. */
const leftOut: ReadonlySet<string> = new Set(["p50Ms", "p99Ms", "perSecond", "failed", "least", "max", "kib"]);

/**
 * The page with this report's tables, or with its pictures where it has any. Throws where the page
 * has no marks for the part, where the report is of a short run, and where requests failed, which
 * the page's columns would not show.
 */
export function withReport(page: string, report: Report, picturesFrom: string): string {
  if (report.settings.short) throw new Error(`the figures of "${report.part}" are of a short run and mean nothing`);
  const failed = report.tables.some(({ rows }) => rows.some(({ values }) => values["failed"]?.some((count) => count > 0)));
  if (failed) throw new Error(`requests of "${report.part}" failed: measure it again`);
  const shown = report.pictures.length > 0 ? { ...report, tables: [], notes: [] } : { ...report, tables: report.tables.map(ofMedians) };
  return withText(page, report.part, markdownOf(shown, picturesFrom).replace(" (least to greatest)", ""));
}

const ofMedians = (table: Table): Table => ({
  ...table,
  columns: table.columns.filter(({ key }) => !leftOut.has(key)),
  rows: table.rows.map(({ labels, values }) => ({
    labels,
    values: Object.fromEntries(Object.entries(values).map(([key, each]) => [key, each.length === 0 ? [] : [median(each)]])),
  })),
});

/** The page with this text between the marks of that name. */
export function withText(page: string, name: string, text: string): string {
  const start = page.indexOf(startOf(name));
  const end = page.indexOf(endOf(name));
  if (start < 0 || end < start) throw new Error(`docs/performance.md has no marks for the part "${name}"`);
  return `${page.slice(0, start + startOf(name).length)}\n\n${text}\n\n${page.slice(end)}`;
}
