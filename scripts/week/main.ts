// Says what reviewers had to do in the last days: how much, how long it took, which rules never get
// a no, and which are approved in seconds. Reads the lines of requests, and no content.
//
//   npm run week                                   (the gateway that npm start runs)
//   npm run week -- --days 30 --url https://gateway.example.com
//
// Exit codes: 0 done; 2 the gateway could not be asked, or the arguments are wrong.

import { parseArgs } from "node:util";
import * as z from "zod";
import { Unasked } from "../../client/subcommand.ts";
import { read } from "../documents.ts";
import { type Target, targetOf } from "../target.ts";
import { adviceOf, atOnceMs, type Line, line, type Sum, tallyWeek } from "./tally.ts";

const usage = "usage: npm run week -- [--days 1-30] [--url ADDRESS]";
const page = z.looseObject({ runs: z.array(line), next: z.string().nullable() });

async function linesSince(target: Target, since: string): Promise<readonly Line[]> {
  const lines: Line[] = [];
  for (let after: string | null = ""; after !== null;) {
    const query = new URLSearchParams({ since, limit: "500", ...(after === "" ? {} : { after }) });
    const { runs, next }: z.infer<typeof page> = await read(target, `runs?${query}`, page);
    lines.push(...runs);
    after = next;
  }
  return lines;
}

function spanOf(milliseconds: number | null): string {
  if (milliseconds === null) return "-";
  if (milliseconds < 60_000) return `${Math.round(milliseconds / 1_000)} s`;
  return milliseconds < 7_200_000 ? `${Math.round(milliseconds / 60_000)} min` : `${Math.round(milliseconds / 3_600_000)} h`;
}

const columns = ["decided", "denied", "changed", "expired", `under ${atOnceMs / 1_000} s`, "half within", "90 % within"] as const;

function table(first: string, sums: readonly Sum[]): string {
  const width = Math.max(first.length, ...sums.map(({ name }) => name.length));
  const row = (name: string, cells: readonly string[]): string =>
    [name.padEnd(width), ...cells.map((cell, at) => cell.padStart((columns[at] ?? "").length))].join("  ");
  return [
    row(first, columns),
    ...sums.map((sum) =>
      row(sum.name, [
        ...[sum.decided, sum.denied, sum.changed, sum.expired, sum.atOnce].map(String),
        spanOf(sum.median),
        spanOf(sum.slowest),
      ]),
    ),
  ].join("\n");
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { days: { type: "string", default: "7" }, url: { type: "string" }, help: { type: "boolean" } },
    strict: true,
  });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const days = Number(values.days);
  if (!Number.isInteger(days) || days < 1 || days > 30) throw new Unasked(`--days must be a whole number from 1 to 30. ${usage}`);
  const target = await targetOf(values.url);
  const since = new Date(Date.now() - days * 86_400_000).toISOString();
  const { reviewers, rules } = tallyWeek(await linesSince(target, since));
  console.log(`Requests since ${since.slice(0, 10)} that people were asked about and that have ended.\n`);
  if (rules.length === 0) console.log("None.");
  else console.log(`${table("reviewer", reviewers)}\n\n${table("rule", rules)}`);
  for (const rule of rules) {
    const advice = adviceOf(rule);
    if (advice !== null) console.log(`\n${rule.name}: ${advice}.`);
  }
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`npm run week: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
