// Verifies an exported record: reads the NDJSON of GET /admin/record and checks that each run's events follow from one another.
//
//   npm run verify-record -- record.ndjson        (or `-` for standard input)
//
// Exit codes: 0 all chains hold; 1 a chain is broken or events are missing; 2 the file could not be read as a record.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { type ReadEvent, firstBrokenEvent } from "../shared/outcome/record.ts";

const lineSchema = z.strictObject({
  run: z.string().min(1),
  seq: z.int().min(1),
  at: z.number(),
  fact: z.object({ kind: z.string() }).catchall(z.json()),
  hash: z.string().min(1),
});

export type Finding =
  /** Event `seq` of the run is missing or was changed, or an event before it was. */
  | { readonly kind: "broken"; readonly run: string; readonly seq: number; readonly line: number }
  /** The run goes on after it was finished, or has no end yet: no fault of the chain, but worth knowing. */
  | { readonly kind: "open"; readonly run: string };

export type Verified = {
  readonly runs: number;
  readonly events: number;
  readonly findings: readonly Finding[];
  /** Lines that are no events, by number. */
  readonly unreadable: readonly number[];
};

/**
 * Checks the lines of an exported record. Events of one run need not stand together, but have to be in their order.
 * What it cannot see: runs that are missing as a whole, and events that are missing from a run's end.
 */
export async function verifyRecord(lines: AsyncIterable<string> | Iterable<string>): Promise<Verified> {
  const runs = new Map<string, { events: ReadEvent[]; lines: number[] }>();
  const unreadable: number[] = [];
  let line = 0;
  let events = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === "") continue;
    const event = parseLine(text);
    if (event === null) {
      unreadable.push(line);
      continue;
    }
    events += 1;
    const run = runs.get(event.run) ?? { events: [], lines: [] };
    run.events.push(event);
    run.lines.push(line);
    runs.set(event.run, run);
  }
  const findings = [...runs].flatMap(([run, { events: chain, lines: at }]): Finding[] => {
    const broken = firstBrokenEvent(chain);
    if (broken !== null) return [{ kind: "broken", run, seq: broken, line: at[broken - 1] ?? 0 }];
    return chain.some(({ fact }) => fact.kind === "finished") ? [] : [{ kind: "open", run }];
  });
  return { runs: runs.size, events, findings, unreadable };
}

function parseLine(text: string): ReadEvent | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    // The hash is over the fact as it stands, whatever its kind: a later version's kinds verify as well.
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export function report({ runs, events, findings, unreadable }: Verified): { readonly text: string; readonly exitCode: 0 | 1 | 2 } {
  const broken = findings.filter((finding) => finding.kind === "broken");
  const open = findings.length - broken.length;
  const lines = [
    ...unreadable.map((line) => `line ${line}: not an event of a record`),
    ...broken.map(({ run, seq, line }) => `line ${line}: run ${run}: event ${seq} does not follow from the one before it`),
    `${events} events of ${runs} runs: ${runs - broken.length} chains hold, ${broken.length} are broken${open > 0 ? `; ${open} runs have no end yet` : ""}`,
  ];
  const empty = events === 0 && unreadable.length === 0;
  if (empty) lines.push("there are no events in it");
  return { text: lines.join("\n"), exitCode: unreadable.length > 0 || empty ? 2 : broken.length > 0 ? 1 : 0 };
}

async function main(path: string | undefined): Promise<number> {
  if (path === undefined) {
    console.error("usage: npm run verify-record -- <file.ndjson | ->");
    return 2;
  }
  const input = path === "-" ? process.stdin : createReadStream(path);
  try {
    // readline ends quietly where its input fails: the failure is waited for beside it.
    const failed = new Promise<never>((_, reject) => input.once("error", reject));
    const verified = await Promise.race([verifyRecord(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })), failed]);
    const { text, exitCode } = report(verified);
    console.log(text);
    return exitCode;
  } catch (error) {
    console.error(`${path} could not be read: ${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main(process.argv[2]);
