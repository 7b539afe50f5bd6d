// CSV as RFC 4180 writes it, for people who open it in a spreadsheet: a text that the spreadsheet
// would take for a formula is quoted so that it stays text.

export type CsvCell = string | number | null;

/** What begins a formula in Excel, LibreOffice or Google Sheets, the full-width forms too. */
const formula = /^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/;

/**
 * Names of servers come from outside: `=HYPERLINK(…)` gets an apostrophe, which spreadsheets do not
 * show. A number is no text.
 */
function cellOf(cell: CsvCell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n']/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows of the same length; the first is the head. */
export const csvOf = (rows: readonly (readonly CsvCell[])[]): string => rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
