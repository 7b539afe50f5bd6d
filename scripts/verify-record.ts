// Verifies an exported record: reads the NDJSON of GET /admin/record and checks the hash chain of each run, and of each month of operators'
// actions.
//
//   npm run verify-record -- record.ndjson        (or `-` for standard input)
//
// Exit codes: 0 all chains are intact; 1 a chain is broken or events are missing; 2 the file could not be read as a record.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { isOperatorChain } from "../shared/record/operators.ts";
import { type ReadEvent, endsRecord, firstBrokenEvent } from "../shared/record/record.ts";

const lineSchema = z.strictObject({
  run: z.string().min(1),
  seq: z.int().min(1),
  /** The hash is over its milliseconds. */
  at: z.iso.datetime().transform((text) => Date.parse(text)),
  fact: z.object({ kind: z.string() }).catchall(z.json()),
  hash: z.string().min(1),
});

export type Finding =
  /** Event `seq` of the run is missing or was changed, or an event before it was. */
  | { readonly kind: "broken"; readonly run: string; readonly seq: number; readonly line: number }
  /** The next chain shows that this one had an event after its last one. */
  | { readonly kind: "cut"; readonly run: string; readonly next: string; readonly seq: number }
  /** The run has not ended yet; its chain is intact. */
  | { readonly kind: "open"; readonly run: string };

export type Verified = {
  readonly chains: number;
  readonly events: number;
  readonly findings: readonly Finding[];
  /** The numbers of lines that are no events. */
  readonly unreadable: readonly number[];
};

/**
 * Checks the lines of an exported record. A run's events may be apart, but must be in order. It cannot detect whole runs that are missing,
 * nor events that are missing from a run's end or from the end of the newest chain.
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
    const before = chain[0]?.fact;
    const cut = before?.kind === "continued" ? cutOff(run, before, runs.get(String(before["chain"]))?.events) : [];
    return isOperatorChain(run) || chain.some(({ fact }) => endsRecord(fact)) ? cut : [...cut, { kind: "open", run }];
  });
  return { chains: runs.size, events, findings, unreadable };
}

/** Whether a continued chain ends where the next one says. A chain that is not in the export is no finding: its retention may be over. */
function cutOff(next: string, continued: ReadEvent["fact"], before: readonly ReadEvent[] | undefined): Finding[] {
  const { chain, seq, hash } = continuedSchema.parse(continued);
  const last = before?.at(-1);
  return last === undefined || (last.seq === seq && last.hash === hash) ? [] : [{ kind: "cut", run: chain, next, seq }];
}

const continuedSchema = z.object({ chain: z.string(), seq: z.int(), hash: z.string() });

function parseLine(text: string): ReadEvent | null {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(text));
    // The hash covers the fact as written, so that kinds of later versions verify too.
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export function report({ chains, events, findings, unreadable }: Verified): { readonly text: string; readonly exitCode: 0 | 1 | 2 } {
  const broken = new Set(findings.flatMap(({ kind, run }) => (kind === "open" ? [] : [run]))).size;
  const open = findings.filter(({ kind }) => kind === "open").length;
  const lines = [
    ...unreadable.map((line) => `line ${line}: not a record event`),
    ...findings.flatMap((finding) => (finding.kind === "open" ? [] : [wordsOf(finding)])),
    `${counted(events, "event")} in ${counted(chains, "chain")}: ${chains - broken} intact, ${broken} broken${open > 0 ? `; ${counted(open, "run")} not ended yet` : ""}`,
  ];
  const empty = events === 0 && unreadable.length === 0;
  if (empty) lines.push("The file contains no events.");
  return { text: lines.join("\n"), exitCode: unreadable.length > 0 || empty ? 2 : broken > 0 ? 1 : 0 };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const wordsOf = (finding: Exclude<Finding, { kind: "open" }>): string =>
  finding.kind === "broken"
    ? `line ${finding.line}: ${finding.run}: event ${finding.seq} does not follow from the event before it: one of them was changed or is missing`
    : `${finding.run}: the last events are missing or were changed; ${finding.next} continues this chain after event ${finding.seq}`;

async function main(path: string | undefined): Promise<number> {
  if (path === undefined) {
    console.error("usage: npm run verify-record -- <file.ndjson | ->");
    return 2;
  }
  const input = path === "-" ? process.stdin : createReadStream(path);
  try {
    // readline ends without an error where its input fails, so the input's error is awaited too.
    const failed = new Promise<never>((_, reject) => input.once("error", reject));
    const verified = await Promise.race([verifyRecord(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })), failed]);
    const { text, exitCode } = report(verified);
    console.log(text);
    return exitCode;
  } catch (error) {
    console.error(`npm run verify-record: cannot read ${path}: ${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main(process.argv[2]);
