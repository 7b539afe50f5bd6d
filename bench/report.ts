// What a part found: tables whose cells have one figure for each round. As JSON, and as Markdown.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "./options.ts";

export type Column = { readonly key: string; readonly title: string; readonly digits: number };
export type Row = {
  /** The first cells, in the order of `Table.labels`. */
  readonly labels: readonly string[];
  /**
   * By the column's key: one figure for each round, or one alone where there are no rounds. None:
   * the cell is empty.
   */
  readonly values: Readonly<Record<string, readonly number[]>>;
};
export type Table = {
  readonly title: string;
  readonly labels: readonly string[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
};
export type Picture = { readonly file: string; readonly title: string; readonly svg: string };
/** What one part returns. */
export type Findings = {
  /** How often it was measured, in place of the rounds and seconds of the settings. */
  readonly measured?: string;
  readonly tables: readonly Table[];
  readonly notes?: readonly string[];
  readonly pictures?: readonly Picture[];
};

export type Report = Omit<Findings, "pictures"> & {
  readonly part: string;
  readonly date: string;
  readonly commit: string;
  /** Whether files differ from the commit. */
  readonly changed: boolean;
  readonly machine: string;
  readonly node: string;
  readonly workerd: string;
  readonly settings: Settings;
  readonly pictures: readonly Omit<Picture, "svg">[];
};

const root = fileURLToPath(new URL("..", import.meta.url));

export function reportOf(part: string, settings: Settings, { pictures = [], ...findings }: Findings): Report {
  const git = (...args: string[]): string => {
    try {
      return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    } catch {
      return "";
    }
  };
  const load = createRequire(import.meta.url);
  const [cpu] = cpus();
  return {
    part,
    date: new Date().toISOString(),
    commit: git("rev-parse", "--short", "HEAD") || "unknown",
    // What earlier parts of the run wrote is no change of the source.
    changed: git("status", "--porcelain", "--", ".", ":!bench/results", ":!docs") !== "",
    machine: `${cpus().length} CPUs (${cpu?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}`,
    node: process.versions.node,
    workerd: (load("workerd/package.json") as { version: string }).version,
    settings,
    pictures: pictures.map(({ file, title }) => ({ file, title })),
    ...findings,
  };
}

/** Writes `<part>.json`, and the pictures beside it. */
export function writeReport(folder: string, report: Report, pictures: readonly Picture[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${report.part}.json`), `${JSON.stringify(report, null, 1)}\n`);
  for (const { file, svg } of pictures) writeFileSync(join(folder, file), svg);
}

export const readReport = (folder: string, part: string): Report =>
  JSON.parse(readFileSync(join(folder, `${part}.json`), "utf8")) as Report; // written by writeReport

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The value below which this share of the values lies. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** The median with the least and the greatest figure; one figure alone as it is. */
export function cellOf(values: readonly number[] | undefined, digits: number): string {
  if (values === undefined || values.length === 0) return "";
  const text = (value: number): string =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace(/^-(?=[0.]*$)/, "");
  const middle = text(median(values));
  return values.length === 1 ? middle : `${middle} (${text(Math.min(...values))} to ${text(Math.max(...values))})`;
}

const tableMarkdown = ({ title, labels, columns, rows }: Table): string => {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    `**${title}**`,
    "",
    line([...labels, ...columns.map((column) => column.title)]),
    line([...labels, ...columns].map(() => "---")),
    ...rows.map((row) => line([...row.labels, ...columns.map(({ key, digits }) => cellOf(row.values[key], digits))])),
  ].join("\n");
};

export const roundsWords = (rounds: number): string => `${rounds} round${rounds === 1 ? "" : "s"}`;

/**
 * The whole report as Markdown. `picturesFrom`: the folder of the pictures as the reader's page
 * reaches it.
 */
export function markdownOf(report: Report, picturesFrom: string): string {
  const { settings } = report;
  const when = `${report.date.slice(0, 10)} at ${report.commit}${report.changed ? ", with changes" : ""}`;
  const rounds = roundsWords(settings.rounds);
  return [
    `Measured on ${when}, ${report.machine}, Node ${report.node}, workerd ${report.workerd}. ${report.measured ?? `${rounds} of ${settings.seconds} s: median (least to greatest).`}`,
    ...report.tables.map(tableMarkdown),
    ...report.pictures.map(({ file, title }) => `![${title}](${picturesFrom}/${file})`),
    ...(report.notes ?? []),
  ].join("\n\n");
}
