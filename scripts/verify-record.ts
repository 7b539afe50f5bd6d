// Verifies the record. Its logs, with the public key alone: over HTTP, or in a copy of the bucket.
// Or an export of it, the NDJSON of GET /admin/record: the hash chain of each run, and of each
// month of operators' actions.
//
//   npm run verify-record -- --url https://gateway.example.com --key <key> --known checkpoints.txt
//   npm run verify-record -- --bucket <folder> --key <key>
//   npm run verify-record -- record.ndjson        (or `-` for standard input)
//
// `--key`: what GET /record/0/checkpoint says in its header Countersign-Record-Key, noted when the
// gateway was set up. `--known`: a file with the checkpoints of earlier verifications, to which the
// new ones are added: so a log that was cut short or written anew is found. `--from`: the entry to
// begin with. ADMIN_TOKEN of the environment is sent where the log is not public.
//
// Exit codes: 0 all of it holds; 1 something was changed or is missing; 2 it could not be read.

import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { JsonObject } from "../shared/encoding.ts";
import { isOperatorChain } from "../shared/record/operators.ts";
import { type ReadEvent, endsRecord, exportLine, firstBrokenEvent } from "../shared/record/record.ts";
import { type Result, err, ok } from "../shared/result.ts";
import { inFolder, keyOf, keyOfGateway, knownNotes, logReport, overHttp, remember, verifyLogs } from "./verify-log.ts";

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
  /** The lines that are no events, by number. */
  readonly unreadable: readonly { readonly line: number; readonly why: string }[];
};

/**
 * Checks the lines of an exported record, without their line ends; only the last one may be empty.
 * A run's events may be apart, but must be in order. It cannot detect whole runs that are missing,
 * events that are missing from a run's end or from the end of the newest chain, nor a chain that
 * somebody wrote anew: the hashes need no key.
 */
export async function verifyRecord(lines: AsyncIterable<string> | Iterable<string>): Promise<Verified> {
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
  const findings = [...runs].flatMap(([run, { events: chain, lines: at }]): Finding[] => {
    const broken = firstBrokenEvent(chain);
    if (broken !== null) return [{ kind: "broken", run, seq: broken, line: at[broken - 1] ?? 0 }];
    const before = chain[0]?.fact;
    const cut = before?.kind === "continued" ? cutOff(run, before, runs.get(String(before["chain"]))?.events) : [];
    return isOperatorChain(run) || chain.some(({ fact }) => endsRecord(fact)) ? cut : [...cut, { kind: "open", run }];
  });
  return { chains: runs.size, events, findings, unreadable };
}

/**
 * Whether a continued chain ends where the next one says. A chain that is not in the export is no
 * finding: its retention may be over.
 */
function cutOff(next: string, continued: ReadEvent["fact"], before: readonly ReadEvent[] | undefined): Finding[] {
  const { chain, seq, hash } = continuedSchema.parse(continued);
  const last = before?.at(-1);
  return last === undefined || (last.seq === seq && last.hash === hash) ? [] : [{ kind: "cut", run: chain, next, seq }];
}

const continuedSchema = z.object({ chain: z.string(), seq: z.int(), hash: z.string() });

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
  // The hash covers the fact as written, so that kinds of later versions verify too.
  const event: ReadEvent = { ...parsed.data, fact: (value as { fact: JsonObject }).fact }; // checked above, and in its own order
  return text === exportLine(event).slice(0, -1)
    ? ok(event)
    : err("not written as the export writes it: check for a second member of the same name, another form of time, order or white space");
}

export function report({ chains, events, findings, unreadable }: Verified): { readonly text: string; readonly exitCode: 0 | 1 | 2 } {
  const broken = new Set(findings.flatMap(({ kind, run }) => (kind === "open" ? [] : [run]))).size;
  const open = findings.filter(({ kind }) => kind === "open").length;
  const lines = [
    ...unreadable.map(({ line, why }) => `line ${line}: ${why}`),
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

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [path] = positionals;
  if (values.url !== undefined || values.bucket !== undefined) return verifyFiles(values);
  if (path === undefined) {
    console.error("usage: npm run verify-record -- <file.ndjson | -> | --url <gateway> [--key <key>] | --bucket <folder> --key <key>");
    return 2;
  }
  const input = path === "-" ? process.stdin : createReadStream(path);
  try {
    const verified = await verifyRecord(linesOf(input));
    const { text, exitCode } = report(verified);
    console.log(text);
    return exitCode;
  } catch (error) {
    console.error(`npm run verify-record: cannot read ${path}: ${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}

const options = {
  url: { type: "string" },
  bucket: { type: "string" },
  key: { type: "string" },
  known: { type: "string" },
  from: { type: "string" },
} as const;

type Options = { readonly [Name in keyof typeof options]?: string | undefined };

async function verifyFiles({ url, bucket, key: given, known, from = "0" }: Options): Promise<number> {
  try {
    const token = process.env["ADMIN_TOKEN"] || undefined;
    const gateway = url?.replace(/\/$/, "");
    const key = given !== undefined ? keyOf(given) : gateway === undefined ? undefined : await keyOfGateway(gateway, token);
    if (key === undefined) throw new Error("--key is not a key: GET /record/0/checkpoint has it in the header Countersign-Record-Key");
    if (given === undefined) console.log("The key is what the gateway says of itself; give the one that you noted with --key.");
    const files = gateway === undefined ? inFolder(bucket ?? "") : overHttp(gateway, token);
    const reports = await verifyLogs(files, key, { from: Number(from), ...(known === undefined ? {} : { known: knownNotes(known) }) });
    const { text, exitCode } = logReport(reports);
    console.log(text);
    if (known !== undefined) remember(known, reports);
    return exitCode;
  } catch (error) {
    console.error(`npm run verify-record: ${error instanceof Error ? error.message : "unknown error"}`);
    return 2;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = await main(process.argv.slice(2));
