// npm run warnings: how many of the corpus's attacks the warnings catch, of which kinds, and how
// many ordinary prompts and replies they alarm about. `--texts` prints each attack that is missed
// and each false alarm; `--write-docs` puts the table into docs/security.md.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type SeenRisk, findRisks, highestRisk, isRiskAtLeast } from "../shared/policy/risk.ts";
import { type Sample, attacks, ordinary, unseenAttacks, unseenOrdinary } from "../test/support/warning-corpus.ts";

export type Row = {
  readonly what: string;
  readonly texts: number;
  /** With a warning of medium or high. */
  readonly warned: number;
  readonly high: number;
};

export const levelOf = ({ text }: Sample): SeenRisk => highestRisk(findRisks({ content: [{ type: "text", text }], model: "" }));
export const isWarned = (sample: Sample): boolean => isRiskAtLeast(levelOf(sample), "medium");

const rowOf = (what: string, samples: readonly Sample[]): Row => ({
  what,
  texts: samples.length,
  warned: samples.filter(isWarned).length,
  high: samples.filter((sample) => levelOf(sample) === "high").length,
});

/** A row for each kind of each list, and one for each whole list. */
export function measured(): { readonly caught: readonly Row[]; readonly alarms: readonly Row[] } {
  const rowsOf = (samples: readonly Sample[]): Row[] => {
    const kinds = [...new Set(samples.map(({ kind }) => kind))];
    return [
      ...kinds.map((kind) =>
        rowOf(
          kind,
          samples.filter((each) => each.kind === kind),
        ),
      ),
      rowOf("all", samples),
    ];
  };
  return { caught: rowsOf(attacks), alarms: rowsOf(ordinary) };
}

const percent = ({ warned, texts }: Row): string => `${warned} (${Math.round((100 * warned) / texts)} %)`;

/** The table of docs/security.md: a row for each whole list. */
export function warningsTable(): string {
  const rows = [
    rowOf("attacks", attacks),
    rowOf("attacks, unseen", unseenAttacks),
    rowOf("ordinary", ordinary),
    rowOf("ordinary, unseen", unseenOrdinary),
  ];
  return [
    "| texts | number | with a warning of medium or high | of them high |",
    "|---|---|---|---|",
    ...rows.map((row) => `| ${row.what} | ${row.texts} | ${percent(row)} | ${row.high} |`),
  ].join("\n");
}

/** What is warned about of each kind of attack and of ordinary text. */
function linesOfKinds(): string[] {
  const { caught, alarms } = measured();
  return [...caught, ...alarms].map((row) => `${row.what}: ${percent(row)} of ${row.texts}, ${row.high} high`);
}

function main(): void {
  const { texts, "write-docs": writesDocs } = parseArgs({
    options: { texts: { type: "boolean", default: false }, "write-docs": { type: "boolean", default: false } },
  }).values;
  console.log([warningsTable(), "", ...linesOfKinds()].join("\n"));
  if (texts) {
    for (const sample of [...attacks, ...unseenAttacks].filter((each) => !isWarned(each)))
      console.log(`missed: ${sample.kind} (${sample.language}): ${JSON.stringify(sample.text)}`);
    for (const sample of [...ordinary, ...unseenOrdinary].filter(isWarned))
      console.log(`false alarm: ${sample.kind} (${sample.language}): ${JSON.stringify(sample.text)}`);
  }
  if (!writesDocs) return;
  const page = join(fileURLToPath(new URL("..", import.meta.url)), "docs/security.md");
  const text = readFileSync(page, "utf8");
  const marked = /(<!-- warnings -->\n)[\s\S]*?(\n<!-- end of warnings -->)/;
  if (!marked.test(text)) throw new Error("docs/security.md has no marks for the table");
  writeFileSync(
    page,
    text.replace(marked, (_, before: string, after: string) => `${before}\n${warningsTable()}\n${after}`),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
