// Puts the measured tables into docs/performance.md, between the two marks of each part.

import type { Report } from "./report.ts";
import { markdownOf } from "./report.ts";

const startOf = (part: string): string => `<!-- bench ${part}: written by npm run bench -- --write-docs -->`;
const endOf = (part: string): string => `<!-- end of bench ${part} -->`;

/** The page with this report's tables. Throws where the page has no place for them, or where the report is of a short run. */
export function withReport(page: string, report: Report, picturesFrom: string): string {
  const start = page.indexOf(startOf(report.part));
  const end = page.indexOf(endOf(report.part));
  if (start < 0 || end < start) throw new Error(`docs/performance.md has no marks for the part "${report.part}"`);
  if (report.settings.short) throw new Error(`the figures of "${report.part}" are of a short run and mean nothing`);
  return `${page.slice(0, start + startOf(report.part).length)}\n\n${markdownOf(report, picturesFrom)}\n\n${page.slice(end)}`;
}
