import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { report, verifyRecord } from "../../../scripts/verify-record.ts";
import { nextActs } from "../../../shared/record/operators.ts";
import { entryTexts } from "../../../shared/record/log/entry.ts";
import {
  type ActsEnd,
  type OperatorFact,
  type RecordEvent,
  type RecordFact,
  numberEvents,
  exportLine,
  firstGap,
  providersWord,
} from "../../../shared/record/record.ts";

const facts: RecordFact[] = [
  {
    kind: "received",
    key: "key_1",
    server: "notes",
    method: "tools/call",
    name: "summarize",
    provenance: "claimed",
    endpoint: "sampling",
    requestDigest: "digest",
    rule: "default",
    requestGate: "review",
    responseGate: "allow",
    judged: { keyName: "dev", maxTokens: 100, risk: "none", models: [] },
    models: ["a", "b"],
    risks: [],
    contextIgnored: null,
    takenOver: false,
  },
  { kind: "reviewOpened", gate: "request", version: 1, digest: "digest", reviewers: ["Ada"], deadlineAt: "2026-11-22T00:00:02.000Z" },
  { kind: "approved", gate: "request", by: "Ada", channel: "outbox", version: 1, digest: "digest", reasonGiven: false },
  { kind: "called", call: 1, models: ["a", "b"], digest: "digest", again: false },
  { kind: "finished", outcome: "completed" },
];

const eventsOf = (run: string): RecordEvent[] => {
  const first = numberEvents(run, null, 1000, facts.slice(0, 2));
  return [...first, ...numberEvents(run, first.at(-1) ?? null, 1500, facts.slice(2))];
};

describe("what a provider calls its model, or why it stopped", () => {
  test.each(["", "claude-sonnet-4-5-20250929", "vendor/model-1:free", "@cf/meta/llama-3.1-8b", "end_turn", "x".repeat(128)])(
    "is kept where it is a name (%j)",
    (word) => {
      expect(providersWord(word)).toBe(word);
    },
  );

  test.each(["The prompt was: hello", "x".repeat(129), "a\nb", "\ud800", "x".repeat(3_000_000)])(
    "is not kept where it is none, which may be the prompt itself (case %#)",
    (word) => {
      expect(providersWord(word)).toBe("(not a name)");
    },
  );
});

describe("a run's events", () => {
  test("are numbered from one, however many are added at a time", () => {
    expect(eventsOf("run-1").map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(firstGap(eventsOf("run-1"))).toBeNull();
    expect(firstGap([])).toBeNull();
    expect(numberEvents("run-1", null, 1, [])).toEqual([]);
    const apart: RecordEvent[] = [];
    for (const fact of facts) apart.push(...numberEvents("run-1", apart.at(-1) ?? null, 7, [fact]));
    expect(apart).toEqual(numberEvents("run-1", null, 7, facts));
  });

  test("have a gap where one is missing, doubled, moved, or of another run", () => {
    const events = eventsOf("run-1");
    fc.assert(
      fc.property(fc.nat(events.length - 2), (index) => {
        expect(firstGap(events.toSpliced(index, 1))).toBe(index + 1);
        expect(firstGap(events.toSpliced(index, 0, events[index] as RecordEvent))).toBe(index + 2);
        expect(firstGap(events.with(index, events[index + 1] as RecordEvent).with(index + 1, events[index] as RecordEvent))).toBe(
          index + 1,
        );
        // Where the first one is of another run, those after it are not of its run.
        expect(firstGap(events.with(index, eventsOf("run-2")[index] as RecordEvent))).toBe(Math.max(index + 1, 2));
      }),
    );
  });
});

const asked: OperatorFact = { kind: "doctorAsked", by: { kind: "adminToken", fingerprint: "0123456789ab" } };
const month = (number: number): number => Date.UTC(2026, number - 1, 22);

const endOf = (events: readonly RecordEvent[]): ActsEnd | null => {
  const last = events.at(-1);
  return last === undefined ? null : { run: last.run, seq: last.seq, tree: null };
};
const lines = (events: readonly RecordEvent[]): string[] => events.map((event) => exportLine(event).trimEnd());

const alone = "\nNot compared with the log: give --url or --bucket.";
/** The texts of a log's entries: what each call of the ledger brought. */
const logOf = (...entries: readonly RecordEvent[][]): string[] =>
  entries.flatMap((events) =>
    entryTexts({ run: events[0]?.run ?? "", events: events.map(({ run: _run, ...event }) => event), line: null }),
  );
const against = (texts: readonly string[]) => async (each: (text: string, shard: number) => void) => {
  for (const text of texts) each(text, 3);
};

describe("verifying an exported record", () => {
  test("says how many events and runs there are, and that all are there", async () => {
    const verified = await verifyRecord(lines([...eventsOf("run-1"), ...eventsOf("run-2")]));
    expect(verified).toEqual({ runs: 2, events: 10, findings: [], unreadable: [], missing: null });
    expect(report(verified)).toEqual({ text: `10 events in 2 runs: 2 whole, 0 broken${alone}`, exitCode: 0 });
  });

  test("against the log: all holds, also of entries in parts, and what the file does not have is counted", async () => {
    const long = numberEvents("run-3", null, 7, [{ kind: "finished", outcome: "x".repeat(70_000) }]);
    const log = logOf(eventsOf("run-1").slice(0, 2), long, eventsOf("run-2"), eventsOf("run-1").slice(2));
    expect(log.length).toBeGreaterThan(4);
    expect(await verifyRecord(lines([...eventsOf("run-1"), ...long]), against(log))).toMatchObject({ findings: [], missing: 5 });
    expect(report(await verifyRecord(lines([...eventsOf("run-1"), ...long, ...eventsOf("run-2")]), against(log)))).toEqual({
      text: "11 events in 3 runs: 3 whole, 0 broken\nCompared with the log, which has 0 events that the file does not have.",
      exitCode: 0,
    });
  });

  test("against the log: finds the very event of which any field was changed, and one that nobody wrote", async () => {
    const events = eventsOf("run-1");
    const log = logOf(events);
    for (const [index, event] of events.entries())
      for (const changed of [
        { ...event, at: event.at + 1 },
        ...[...Object.keys(event.fact).slice(1), "added"].map((member) => ({
          ...event,
          fact: { ...event.fact, [member]: "other" } as RecordFact,
        })),
      ])
        expect(await verifyRecord(lines(events.with(index, changed)), against(log))).toMatchObject({
          findings: [{ kind: "changed", run: "run-1", seq: index + 1, line: index + 1 }],
        });
    const forged = numberEvents("run-1", events.at(-1) ?? null, 9, [{ kind: "finished", outcome: "completed" }]);
    const { text, exitCode } = report(await verifyRecord(lines([...events, ...forged]), against(log)));
    expect([exitCode, text.split("\n")[0]]).toEqual([1, "line 6: run-1: event 6 is not in the log, or no longer"]);
  });

  test("takes the events of several runs in turn, and the empty line after the last", async () => {
    const [one, two] = [eventsOf("run-1"), eventsOf("run-2")];
    const mixed = one.flatMap((event, index) => [event, two[index] as RecordEvent]);
    expect(report(await verifyRecord([...lines(mixed), ""])).exitCode).toBe(0);
  });

  const reversed = (line: string): string => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).reverse()));
  test.each<[string, (line: string) => string, RegExp]>([
    ["a second member of the same name", (line) => line.replace('"seq":', '"seq":7,"seq":'), /not written as the export writes it/],
    ["a second member within its fact", (line) => line.replace('"kind":', '"kind":"approved","kind":'), /not written as the export/],
    ["a member __proto__", (line) => line.replace('"fact":{', '"fact":{"__proto__":{"kind":"approved"},'), /__proto__/],
    ["a member that no event has", (line) => line.replace('"seq":', '"by":"Ann","seq":'), /Unrecognized key/],
    ["a shortened time", (line) => line.replace(/\.\d{3}Z"/, 'Z"'), /not written as the export/],
    ["a time in another zone", (line) => line.replace('Z","fact"', '+00:00","fact"'), /: at: /],
    ["white space", (line) => line.replace(":", ": "), /not written as the export/],
    ["white space at its end", (line) => `${line}\r`, /not written as the export/],
    ["its members in another order", reversed, /not written as the export/],
    ["an escape that is not needed", (line) => line.replace("run-1", "run\\u002d1"), /not written as the export/],
    ["nothing in it", () => "", /it is empty/],
  ])("refuses a line with %s, and says which", async (_what, change, why) => {
    const [first = "", second = "", ...more] = lines(eventsOf("run-1"));
    const { text, exitCode } = report(await verifyRecord([first, change(second), ...more]));
    expect(exitCode).toBe(2);
    expect(text.split("\n")[0]).toMatch(new RegExp(`^line 2: .*${why.source}`));
  });

  test("names the line, the run and the event where one is missing, and the other runs are whole", async () => {
    const events = [...eventsOf("run-1"), ...eventsOf("run-2")];
    events.splice(6, 1);
    const { text, exitCode } = report(await verifyRecord(lines(events)));
    expect(exitCode).toBe(1);
    expect(text).toBe(`line 7: run-2: event 2 is missing, or another stands in its place\n9 events in 2 runs: 1 whole, 1 broken${alone}`);
  });

  test("counts runs without an end, which is no fault", async () => {
    const { text, exitCode } = report(await verifyRecord(lines(eventsOf("run-1").slice(0, 3))));
    expect({ text, exitCode }).toEqual({ text: `3 events in 1 run: 1 whole, 0 broken; 1 run not ended yet${alone}`, exitCode: 0 });
  });

  test("verifies facts of kinds that it does not know", async () => {
    const fact = { kind: "granted", uses: 3 } as unknown as RecordFact;
    expect(report(await verifyRecord(lines(numberEvents("run-1", null, 1, [fact])))).exitCode).toBe(0);
  });

  test("a refusal is whole with its one event, and what operators do has no end", async () => {
    const refused: RecordFact = {
      kind: "refused",
      key: "key_1",
      endpoint: "sampling",
      server: null,
      method: null,
      name: null,
      reason: { kind: "notJson" },
    };
    const acts = nextActs(null, month(11), [asked]);
    expect((await verifyRecord(lines([...numberEvents("run-1", null, 1, [refused]), ...acts]))).findings).toEqual([]);
  });

  test("a month of operators' acts whose end is missing shows by the month after it", async () => {
    const november = nextActs(null, month(11), [asked, asked]);
    const december = nextActs(endOf(november), month(12), [asked]);
    expect(december.map(({ run, seq, fact }) => [run, seq, fact.kind])).toEqual([
      ["operators/2026-12", 1, "continued"],
      ["operators/2026-12", 2, "doctorAsked"],
    ]);
    // A clock that goes back begins no earlier month again.
    expect(nextActs(endOf(december), month(11), [asked]).map(({ run, seq }) => [run, seq])).toEqual([["operators/2026-12", 3]]);
    expect(report(await verifyRecord(lines([...november, ...december]))).exitCode).toBe(0);
    // Its time may be over.
    expect(report(await verifyRecord(lines(december))).exitCode).toBe(0);
    const { text, exitCode } = report(await verifyRecord(lines([...november.slice(0, 1), ...december])));
    expect(exitCode).toBe(1);
    expect(text).toBe(
      `operators/2026-11: the last events are missing; operators/2026-12 continues it after event 2\n3 events in 2 runs: 1 whole, 1 broken${alone}`,
    );
  });

  test("takes nothing for a record that is none", async () => {
    expect(report(await verifyRecord([])).exitCode).toBe(2);
    for (const line of ["{", "[]", '{"run":"r"}', '{"run":"r","seq":0,"at":"2026-11-22T00:00:00.000Z","fact":{"kind":"x"}}'])
      expect(report(await verifyRecord([...lines(eventsOf("run-1")), line]))).toMatchObject({
        exitCode: 2,
        text: expect.stringContaining("line 6"),
      });
  });
});

describe("the command", () => {
  const folder = mkdtempSync(join(tmpdir(), "verify-record-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const command = fileURLToPath(new URL("../../../scripts/verify-record.ts", import.meta.url));
  const run = (argument: string[], input = ""): { code: number | null; out: string; err: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...argument], { input, encoding: "utf8" });
    return { code: status, out: stdout, err: stderr };
  };

  test("reads a line to its line feed, and nothing that is no UTF-8", () => {
    const fact = { kind: "odd", text: "a\u2028b\u0085c" } as unknown as RecordFact;
    const [line = ""] = lines(numberEvents("run-1", null, 1, [fact]));
    expect(run(["-"], `${line}\n`)).toMatchObject({ code: 0 });
    const bytes = join(folder, "bytes.ndjson");
    writeFileSync(bytes, Buffer.concat([Buffer.from(line.slice(0, 40)), Buffer.of(0xff), Buffer.from(line.slice(40))]));
    expect(run([bytes])).toMatchObject({ code: 2, err: expect.stringContaining("cannot read") });
  });

  test("reads a file or its standard input, and its exit code says what it found", () => {
    const good = join(folder, "good.ndjson");
    writeFileSync(good, `${lines(eventsOf("run-1")).join("\n")}\n`);
    expect(run([good])).toMatchObject({ code: 0, out: `5 events in 1 run: 1 whole, 0 broken${alone}\n` });
    expect(run(["-"], lines(eventsOf("run-1").slice(1)).join("\n"))).toMatchObject({
      code: 1,
      out: expect.stringContaining("event 1 is missing"),
    });
    expect(run([])).toMatchObject({ code: 2, err: expect.stringContaining("usage") });
    expect(run([join(folder, "missing.ndjson")])).toMatchObject({ code: 2, err: expect.stringContaining("cannot read") });
  });
});
