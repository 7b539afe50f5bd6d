// Verifies the record. Its logs, with the public key alone: over HTTP, or in a copy of the bucket.
// And an export of it, the NDJSON of GET /admin/record, against the logs; without them only that
// each run's events are there from the first to the last.
//
//   npm run verify-record -- --url https://gateway.example.com --key <key> --known checkpoints.txt
//   npm run verify-record -- --bucket <folder> --key <key>
//   npm run verify-record -- record.ndjson --url https://gateway.example.com --key <key>
//   npm run verify-record -- record.ndjson        (or `-` for standard input)
//
// `--key`: what GET /record/0/checkpoint says in its header Countersign-Record-Key, noted when the
// gateway was set up. `--known`: a file with the checkpoints of earlier verifications, to which the
// new ones are added: so a log that was cut short or written anew is found. `--witness`: the key of
// the witness, who has to have cosigned each log. `--from`: the entry to begin with. ADMIN_TOKEN of
// the environment is sent where the log is not public.
//
// Exit codes: 0 all of it holds; 1 something was changed or is missing; 2 it could not be read.

import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { gatewayAddress } from "../client/cli/gateway-address.ts";
import type { JsonObject } from "../shared/encoding.ts";
import { readEntries } from "../shared/record/log/entry.ts";
import { areActs } from "../shared/record/operators.ts";
import { type ReadEvent, endsRecord, exportLine, firstGap } from "../shared/record/record.ts";
import { type Result, err, ok } from "../shared/result.ts";
// Of Node: verifying is hashing.
import "../workers/platform/hashing.ts";
import { inFolder, keyOf, keyOfGateway, knownNotes, logReport, overHttp, remember, verifyLogs, witnessKeyOf } from "./verify-log.ts";

const lineSchema = z.strictObject({
  run: z.string().min(1),
  seq: z.int().min(1),
  at: z.iso.datetime().transform((text) => Date.parse(text)),
  fact: z.object({ kind: z.string() }).catchall(z.json()),
});

export type Finding =
  /** An event of the run is missing before this line's, or stands in another place. */
  | { readonly kind: "gap"; readonly run: string; readonly seq: number; readonly line: number }
  /** The next month says that this one had another last event. */
  | { readonly kind: "cut"; readonly run: string; readonly next: string; readonly seq: number }
  /** The log has another event in its place. */
  | { readonly kind: "changed"; readonly run: string; readonly seq: number; readonly line: number }
  /** The log does not have it, or no longer. */
  | { readonly kind: "absent"; readonly run: string; readonly seq: number; readonly line: number }
  /** The run has not ended yet. */
  | { readonly kind: "open"; readonly run: string };

export type Verified = {
  readonly runs: number;
  readonly events: number;
  readonly findings: readonly Finding[];
  /** The lines that are no events, by number. */
  readonly unreadable: readonly { readonly line: number; readonly why: string }[];
  /** Events of the log that the export does not have; null where no log was asked. */
  readonly missing: number | null;
};

/** Reads the entries of the logs, each text after the one before it in its log. */
type LogReader = (each: (text: string, shard: number) => void) => Promise<void>;

/**
 * Checks the lines of an exported record, without their line ends; only the last one may be empty.
 * A run's events may be apart, but must be in order. That an event was changed, and that runs or
 * the last events of one are missing, is found with the logs alone.
 */
export async function verifyRecord(lines: AsyncIterable<string> | Iterable<string>, readLogs?: LogReader): Promise<Verified> {
  const runs = new Map<string, { events: ReadEvent[]; lines: number[] }>();
  const unreadable: { line: number; why: string }[] = [];
  let blank: number | null = null;
  let line = 0;
  let events = 0;
  for await (const text of lines) {
    line += 1;
    if (blank !== null) unreadable.push({ line: blank, why: "not a record event: it is empty" });
    blank = text === "" ? line : null;
    if (blank !== null) continue;
    const parsed = parseLine(text);
    if (!parsed.ok) {
      unreadable.push({ line, why: parsed.error });
      continue;
    }
    const event = parsed.value;
    events += 1;
    const run = runs.get(event.run) ?? { events: [], lines: [] };
    run.events.push(event);
    run.lines.push(line);
    runs.set(event.run, run);
  }
  const findings = [...runs].flatMap(([run, { events: own, lines: at }]): Finding[] => {
    const gap = firstGap(own);
    if (gap !== null) return [{ kind: "gap", run, seq: gap, line: at[gap - 1] ?? 0 }];
    const before = own[0]?.fact;
    const cut = before?.kind === "continued" ? cutOff(run, before, runs) : [];
    return areActs(run) || own.some(({ fact }) => endsRecord(fact)) ? cut : [...cut, { kind: "open", run }];
  });
  const compared = readLogs === undefined ? null : await compare(runs, readLogs);
  return {
    runs: runs.size,
    events,
    findings: [...findings, ...(compared?.findings ?? [])],
    unreadable,
    missing: compared?.missing ?? null,
  };
}

type Runs = ReadonlyMap<string, { readonly events: readonly ReadEvent[]; readonly lines: readonly number[] }>;

/**
 * Whether a continued month ends where the next one says. A month that is not in the export is no
 * finding: its retention may be over.
 */
function cutOff(next: string, continued: ReadEvent["fact"], runs: Runs): Finding[] {
  const { run, seq } = continuedSchema.parse(continued);
  const last = runs.get(run)?.events.at(-1);
  return last === undefined || last.seq === seq ? [] : [{ kind: "cut", run, next, seq }];
}

async function compare(runs: Runs, readLogs: LogReader): Promise<{ findings: Finding[]; missing: number }> {
  const left = new Map<string, { event: ReadEvent; line: number }>();
  const nameOf = (run: string, seq: number): string => JSON.stringify([run, seq]);
  for (const [run, { events, lines }] of runs)
    for (const [index, event] of events.entries()) left.set(nameOf(run, event.seq), { event, line: lines[index] ?? 0 });
  const findings: Finding[] = [];
  let missing = 0;
  const parts = new Map<number, string[]>();
  await readLogs((text, shard) => {
    // An entry may be in several texts.
    const texts = [...(parts.get(shard) ?? []), text];
    const { entries, next } = readEntries(texts, 0);
    parts.set(shard, texts.slice(next));
    for (const { run, events } of entries)
      for (const event of events) {
        const name = nameOf(run, event.seq);
        const found = left.get(name);
        left.delete(name);
        if (found === undefined) missing += 1;
        else if (exportLine(found.event) !== exportLine({ run, ...event }))
          findings.push({ kind: "changed", run, seq: event.seq, line: found.line });
      }
  });
  for (const { event, line } of left.values()) findings.push({ kind: "absent", run: event.run, seq: event.seq, line });
  return { findings, missing };
}

const continuedSchema = z.object({ run: z.string(), seq: z.int() });

/**
 * The event that a line is, or why it is none. A line is byte for byte what the export writes:
 * another spelling of the same event, such as a second member of a name or a shortened time, could
 * be read as another event by somebody else.
 */
function parseLine(text: string): Result<ReadEvent, string> {
  let value: unknown;
  try {
    value = JSON.parse(text, (name, member: unknown) => {
      if (name === "__proto__") throw new Error("a member that no event has");
      return member;
    });
  } catch {
    return err("not a record event: it is not JSON, or has a member __proto__");
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return err(`not a record event: ${issue?.path.join(".") || "the line"}: ${issue?.message ?? "not valid"}`);
  }
  // The fact as it is written, so that kinds of later versions verify too.
  const event: ReadEvent = { ...parsed.data, fact: (value as { fact: JsonObject }).fact }; // checked above, and in its own order
  return text === exportLine(event).slice(0, -1)
    ? ok(event)
    : err("not written as the export writes it: check for a second member of the same name, another form of time, order or white space");
}

export function report({ runs, events, findings, unreadable, missing }: Verified): { readonly text: string; readonly exitCode: 0 | 1 | 2 } {
  const broken = new Set(findings.flatMap(({ kind, run }) => (kind === "open" ? [] : [run]))).size;
  const open = findings.filter(({ kind }) => kind === "open").length;
  const ends = open > 0 ? `; ${counted(open, "run")} not ended yet` : "";
  const lines = [
    ...unreadable.map(({ line, why }) => `line ${line}: ${why}`),
    ...findings.flatMap((finding) => (finding.kind === "open" ? [] : [wordsOf(finding)])),
    `${counted(events, "event")} in ${counted(runs, "run")}: ${runs - broken} whole, ${broken} broken${ends}`,
    missing === null
      ? "Not compared with the log: give --url or --bucket."
      : `Compared with the log, which has ${counted(missing, "event")} that the file does not have.`,
  ];
  const empty = events === 0 && unreadable.length === 0;
  if (empty) lines.push("The file contains no events.");
  return { text: lines.join("\n"), exitCode: unreadable.length > 0 || empty ? 2 : broken > 0 ? 1 : 0 };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function wordsOf(finding: Exclude<Finding, { kind: "open" }>): string {
  const { run, seq } = finding;
  switch (finding.kind) {
    case "gap":
      return `line ${finding.line}: ${run}: event ${seq} is missing, or another stands in its place`;
    case "cut":
      return `${run}: the last events are missing; ${finding.next} continues it after event ${seq}`;
    case "changed":
      return `line ${finding.line}: ${run}: event ${seq} was changed: the log has another one`;
    case "absent":
      return `line ${finding.line}: ${run}: event ${seq} is not in the log, or no longer`;
    default:
      return finding satisfies never;
  }
}

/** What stands between line feeds. Bytes that are no UTF-8 end the reading with an error. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  for await (const bytes of input) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}

const usage =
  "usage: npm run verify-record -- [<file.ndjson | ->] [--url <gateway> [--key <key>] | --bucket <folder> --key <key>] [--known <file>] [--witness <key>]";

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [path] = positionals;
  const hasLogs = values.url !== undefined || values.bucket !== undefined;
  if (path === undefined) {
    if (hasLogs) return guarded("", () => verifyFiles(values));
    console.error(usage);
    return 2;
  }
  return guarded(`cannot read ${path}: `, async () => {
    const input = path === "-" ? process.stdin : createReadStream(path);
    let ofLogs = 0;
    const readLogs: LogReader = async (each) => {
      ofLogs = await verifyFiles(values, each);
    };
    const { text, exitCode } = report(await verifyRecord(linesOf(input), hasLogs ? readLogs : undefined));
    console.log(text);
    return Math.max(exitCode, ofLogs);
  });
}

async function guarded(what: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    console.error(`npm run verify-record: ${what}${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}

const options = {
  url: { type: "string" },
  bucket: { type: "string" },
  key: { type: "string" },
  known: { type: "string" },
  witness: { type: "string" },
  from: { type: "string" },
} as const;

type Options = { readonly [Name in keyof typeof options]?: string | undefined };

async function verifyFiles(
  { url, bucket, key: given, known, witness: witnessed, from = "0" }: Options,
  each?: Parameters<LogReader>[0],
): Promise<number> {
  const adminToken = process.env["ADMIN_TOKEN"] || undefined;
  const gateway = url === undefined ? undefined : gatewayAddress(url, "ADMIN_TOKEN");
  const key = given !== undefined ? keyOf(given) : gateway === undefined ? undefined : await keyOfGateway(gateway, adminToken);
  if (key === undefined) throw new Error("--key is not a key: GET /record/0/checkpoint has it in the header Countersign-Record-Key");
  if (given === undefined) console.log("The key is what the gateway says of itself; give the one that you noted with --key.");
  const witness = witnessed === undefined ? undefined : witnessKeyOf(witnessed);
  if (witnessed !== undefined && witness === undefined)
    throw new Error("--witness is not the key of a witness: name+id+key, of an Ed25519 key that cosigns (type 4)");
  const files = gateway === undefined ? inFolder(bucket ?? "") : overHttp(gateway, adminToken);
  const reports = await verifyLogs(files, key, {
    from: Number(from),
    witness,
    ...(each === undefined ? {} : { each }),
    ...(known === undefined ? {} : { known: knownNotes(known) }),
  });
  const { text, exitCode } = logReport(reports);
  console.log(text);
  if (known !== undefined) remember(known, reports);
  return exitCode;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main(process.argv.slice(2));
