// The lines of a search as a file, for people, of requests or of decisions: NDJSON has each as the
// API has it, CSV what a spreadsheet can show. It is read page by page while it is sent.

import { type CsvCell, csvOf } from "../../../shared/csv.ts";
import type { LinePlace } from "../../../shared/record/line-list.ts";

/** A part of the lines, and where the part after it begins; null: it was the last one. */
export type LinesPage<Line> = { readonly lines: readonly Line[]; readonly next: LinePlace | null };

/** The columns of a CSV file. */
export type Columns<Line> = readonly (readonly [name: string, of: (line: Line) => CsvCell])[];

export const lineTypes = { ndjson: "application/x-ndjson", csv: "text/csv; charset=utf-8" } as const;

/** A page costs one call to each shard of the ledger. */
export const exportedAtOnce = 500;
/** A request may make some thousand calls. */
const mostLines = 20_000;

/**
 * The newest 20,000 lines.
 * @param pageAfter The lines that follow a place; null: from the newest.
 */
export function exportedLines<Line>(
  format: keyof typeof lineTypes,
  columns: Columns<Line>,
  pageAfter: (after: LinePlace | null) => Promise<LinesPage<Line>>,
): ReadableStream {
  const encoder = new TextEncoder();
  let sent = 0;
  let after: LinePlace | null = null;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(csvOf([columns.map(([name]) => name)])));
    },
    async pull(controller) {
      // A page of a search may have found nothing: `pull` has to send something, or end.
      for (;;) {
        const page = await pageAfter(after);
        const lines = page.lines.slice(0, mostLines - sent);
        sent += lines.length;
        after = page.next;
        const isOver = page.next === null || sent >= mostLines;
        if (lines.length > 0) controller.enqueue(encoder.encode(written(format, columns, lines)));
        if (isOver) controller.close();
        if (isOver || lines.length > 0) return;
      }
    },
  });
}

const written = <Line>(format: keyof typeof lineTypes, columns: Columns<Line>, lines: readonly Line[]): string =>
  format === "csv"
    ? csvOf(lines.map((line) => columns.map(([, of]) => of(line))))
    : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
