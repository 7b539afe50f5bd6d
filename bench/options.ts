// The arguments of `npm run bench`.

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Result, err, ok } from "../shared/result.ts";

export type Settings = {
  /** How often each contender is measured. */
  readonly rounds: number;
  /** How long each of these measurements takes. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Null: those that the part names itself. */
  readonly connections: readonly number[] | null;
  /** Small loads that prove that the harness works. Their figures mean nothing. */
  readonly short: boolean;
  /** The folder of another checkout, with which the part `cpu` compares this one. */
  readonly base: string | null;
};

export type Options = {
  /** Empty: all parts. */
  readonly parts: readonly string[];
  readonly settings: Settings;
  readonly results: string;
  readonly writeDocs: boolean;
  readonly help: boolean;
};

const full = { rounds: 5, seconds: 4, warmUpSeconds: 3, connections: null, short: false, base: null } satisfies Settings;
const short = { rounds: 2, seconds: 0.1, warmUpSeconds: 0.02, connections: [2], short: true, base: null } satisfies Settings;

/** The folder of the results, and where a short run puts its own. */
export const resultsFolder = "bench/results";
const shortResultsFolder = ".bench/short";

const flags = {
  rounds: { type: "string" },
  seconds: { type: "string" },
  connections: { type: "string" },
  base: { type: "string" },
  results: { type: "string" },
  short: { type: "boolean", default: false },
  "write-docs": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** @returns the options, or one sentence that says what is wrong with the arguments. */
export function readOptions(args: readonly string[], partNames: readonly string[]): Result<Options, string> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options: flags, allowPositionals: true, strict: true });
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const unknown = positionals.find((name) => !partNames.includes(name));
  if (unknown !== undefined) return err(`There is no part "${unknown}". The parts are ${partNames.join(", ")}.`);
  const base = values.short ? short : full;
  const rounds = values.rounds === undefined ? base.rounds : Number(values.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1 || rounds > 1_000)
    return err(`--rounds takes a whole number from 1 to 1000, not "${values.rounds}".`);
  const seconds = values.seconds === undefined ? base.seconds : Number(values.seconds);
  if (!(seconds > 0 && seconds <= 3_600)) return err(`--seconds takes a number above 0 and up to 3600, not "${values.seconds}".`);
  const connections = values.connections === undefined ? base.connections : values.connections.split(",").map(Number);
  if (connections?.some((count) => !Number.isSafeInteger(count) || count < 1 || count > mostConnections))
    return err(`--connections takes whole numbers from 1 to ${mostConnections} with commas between them, not "${values.connections}".`);
  return ok({
    parts: positionals,
    settings: {
      ...base,
      rounds,
      seconds,
      warmUpSeconds: Math.min(base.warmUpSeconds, seconds),
      connections,
      base: values.base === undefined ? null : resolve(values.base),
    },
    results: values.results ?? (values.short ? shortResultsFolder : resultsFolder),
    writeDocs: values["write-docs"],
    help: values.help,
  });
}

/** One API key is configured for each. */
export const mostConnections = 256;

export const helpText = (parts: Readonly<Record<string, { readonly about: string }>>): string =>
  `npm run bench -- [parts] [options]

Measures the gateway on workerd itself. Without the name of a part it measures all of them, one after another.
Each part prints its tables as Markdown and writes bench/results/<part>.json with the figures of every round.

Parts:
${Object.entries(parts)
  .map(([name, { about }]) => `  ${name.padEnd(12)} ${about}`)
  .join("\n")}

Options:
  --rounds 5            how often each contender is measured, in turn with the others
  --seconds 4           how long each of these measurements takes
  --connections 1,16    connections at once, in place of those that a part names
  --base <folder>       the part cpu: another checkout of this project, whose gateway is compared with this one's
  --short               small loads that prove that the harness works; the figures mean nothing
  --results <folder>    where the JSON goes: ${resultsFolder}, or ${shortResultsFolder} with --short
  --write-docs          measures nothing: puts the tables of ${resultsFolder} into docs/performance.md
  --help                prints this text`;
