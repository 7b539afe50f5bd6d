// The options of `npm run attack`.

import { parseArgs } from "node:util";
import { areas } from "./areas.ts";

export type Options = {
  readonly only: readonly string[];
  readonly kills: number;
  readonly seed: number;
  readonly json: string | null;
  /** The check that is removed first: part of a mutant's name. */
  readonly without: string | null;
  readonly writeDocs: boolean;
  readonly help: boolean;
};

const mostKills = 10_000;

/** Reads the command's arguments. Throws an Error that says what is wrong with them. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true, default: [] },
      kills: { type: "string" },
      seed: { type: "string", default: "14" },
      json: { type: "string" },
      without: { type: "string" },
      "write-docs": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  // A part of the attacks is usually wanted without minutes of kills.
  const kills = wholeNumber("--kills", values.kills ?? (values.only.length > 0 ? "0" : "50"), mostKills);
  return {
    only: values.only,
    kills,
    seed: wholeNumber("--seed", values.seed, 2 ** 32 - 1),
    json: values.json ?? null,
    without: values.without ?? null,
    writeDocs: values["write-docs"],
    help: values.help,
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most) throw new Error(`${name} is a whole number from 0 to ${most}`);
  return value;
}

export const helpText = (): string => `npm run attack -- [options]

Tries attacks and faults against the real Workers, then kills the gateway again and again under a mixed load. Ends with a table on
standard output, and with exit code 1 where anything got through, was lost or happened twice. Progress is on standard error.

  --only TEXT     only attacks with TEXT in "area: name"; may be repeated; no kills unless --kills says so
  --kills N       how often the gateway is killed (50)
  --seed N        repeats the load and the moments of the kills (14)
  --json FILE     writes the result as JSON too
  --without TEXT  removes a check of the gateway first (part of the name of one in test/mutants/): the attacks must find that
  --write-docs    writes the table into docs/security.md

Areas: ${areas.map(({ name, attacks }) => `${name} (${attacks.length})`).join(", ")}
`;
