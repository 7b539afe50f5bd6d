// Puts the measured tables into docs/performance.md, between the two marks of each part.

import type { Report } from "./report.ts";
import { markdownOf } from "./report.ts";

const startOf = (part: string): string => `<!-- bench ${part}: written by npm run bench -- --write-docs -->`;
const endOf = (part: string): string => `<!-- end of bench ${part} -->`;

/**
 * The page with this report's tables. Throws where the page has no place for them, or where the
 * report is of a short run.
 */
export function withReport(page: string, report: Report, picturesFrom: string): string {
  if (report.settings.short) throw new Error(`the figures of "${report.part}" are of a short run and mean nothing`);
  return withText(page, report.part, markdownOf(report, picturesFrom));
}

/** The page with this text between the marks of that name. */
export function withText(page: string, name: string, text: string): string {
  const start = page.indexOf(startOf(name));
  const end = page.indexOf(endOf(name));
  if (start < 0 || end < start) throw new Error(`docs/performance.md has no marks for the part "${name}"`);
  return `${page.slice(0, start + startOf(name).length)}\n\n${text}\n\n${page.slice(end)}`;
}
