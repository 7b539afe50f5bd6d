import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { report, verifyRecord } from "../../../scripts/verify-record.ts";
import { chainActs } from "../../../shared/record/operators.ts";
import {
  type OperatorFact,
  type RecordEvent,
  type RecordFact,
  chainEvents,
  eventHash,
  exportLine,
  firstBrokenEvent,
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

const chain = (run: string): RecordEvent[] => {
  const first = chainEvents(run, null, 1000, facts.slice(0, 2));
  return [...first, ...chainEvents(run, first.at(-1) ?? null, 1500, facts.slice(2))];
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

describe("the chain of a run's events", () => {
  test("numbers events from one, however many are added at a time, and holds", () => {
    expect(chain("run-1").map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(firstBrokenEvent(chain("run-1"))).toBeNull();
    expect(firstBrokenEvent([])).toBeNull();
    expect(chainEvents("run-1", null, 1, [])).toEqual([]);
  });

  test("is the same whether facts come together or one by one", () => {
    const apart: RecordEvent[] = [];
    for (const fact of facts) apart.push(...chainEvents("run-1", apart.at(-1) ?? null, 7, [fact]));
    expect(apart).toEqual(chainEvents("run-1", null, 7, facts));
  });

  test("breaks at the very event of which any field was changed", () => {
    const other: { [Field in keyof RecordEvent]: RecordEvent[Field] } = {
      run: "run-2",
      seq: 9,
      at: 1001,
      fact: { kind: "finished", outcome: "rejected" },
      hash: "A".repeat(43),
    };
    for (const [index, event] of chain("run-1").entries()) {
      for (const [field, value] of Object.entries(other)) {
        const changed = chain("run-1");
        changed[index] = { ...event, [field]: value };
        expect(firstBrokenEvent(changed), `${field} of event ${index + 1}`).toBe(index + 1);
      }
    }
  });

  test("breaks where any member of any fact was changed, left out or added", () => {
    for (const [index, event] of chain("run-1").entries()) {
      for (const member of [...Object.keys(event.fact), "added"]) {
        for (const value of [undefined, "other"]) {
          if (member === "added" && value === undefined) continue;
          const changed = chain("run-1");
          changed[index] = { ...event, fact: { ...event.fact, [member]: value } as RecordFact };
          expect(firstBrokenEvent(changed), `${member} of event ${index + 1}`).toBe(index + 1);
        }
      }
    }
  });

  test("breaks where an event is missing, doubled, moved, or of another run", () => {
    const events = chain("run-1");
    fc.assert(
      fc.property(fc.nat(events.length - 2), (index) => {
        expect(firstBrokenEvent(events.toSpliced(index, 1))).toBe(index + 1);
        expect(firstBrokenEvent(events.toSpliced(index, 0, events[index] as RecordEvent))).toBe(index + 2);
        expect(firstBrokenEvent(events.with(index, events[index + 1] as RecordEvent).with(index + 1, events[index] as RecordEvent))).toBe(
          index + 1,
        );
        // A first event of another run stands by itself; what follows it does not follow from it.
        expect(firstBrokenEvent(events.with(index, chain("run-2")[index] as RecordEvent))).toBe(Math.max(index + 1, 2));
      }),
    );
  });

  test("cannot be mended by a new hash on the changed event alone", () => {
    const events = chain("run-1");
    const [first, second] = events;
    if (first === undefined || second === undefined) throw new Error("too short");
    const forged: RecordFact = {
      kind: "reviewOpened",
      gate: "request",
      version: 1,
      digest: "other",
      reviewers: ["Ada"],
      deadlineAt: "2026-11-22T00:00:02.000Z",
    };
    const changed = events.with(1, { ...second, fact: forged, hash: eventHash(first.hash, "run-1", 2, second.at, forged) });
    expect(firstBrokenEvent(changed)).toBe(3);
  });
});

const asked: OperatorFact = { kind: "doctorAsked", by: { kind: "adminToken", fingerprint: "0123456789ab" } };
const month = (number: number): number => Date.UTC(2026, number - 1, 22);

const lines = (events: readonly RecordEvent[]): string[] => events.map((event) => exportLine(event).trimEnd());

describe("verifying an exported record", () => {
  test("says how many events and runs there are, and that all hold", async () => {
    const verified = await verifyRecord(lines([...chain("run-1"), ...chain("run-2")]));
    expect(verified).toEqual({ chains: 2, events: 10, findings: [], unreadable: [] });
    expect(report(verified)).toEqual({ text: "10 events in 2 chains: 2 intact, 0 broken", exitCode: 0 });
  });

  test("takes the events of several runs in turn, and the empty line after the last", async () => {
    const [one, two] = [chain("run-1"), chain("run-2")];
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
    const [first = "", second = "", ...more] = lines(chain("run-1"));
    const { text, exitCode } = report(await verifyRecord([first, change(second), ...more]));
    expect(exitCode).toBe(2);
    expect(text.split("\n")[0]).toMatch(new RegExp(`^line 2: .*${why.source}`));
  });

  test("names the line, the run and the event where a chain breaks, and the other runs still hold", async () => {
    const events = [...chain("run-1"), ...chain("run-2")];
    events.splice(6, 1);
    const { text, exitCode } = report(await verifyRecord(lines(events)));
    expect(exitCode).toBe(1);
    expect(text).toBe(
      "line 7: run-2: event 2 does not follow from the event before it: one of them was changed or is missing\n9 events in 2 chains: 1 intact, 1 broken",
    );
  });

  test("counts runs without an end, which is no fault", async () => {
    const { text, exitCode } = report(await verifyRecord(lines(chain("run-1").slice(0, 3))));
    expect({ text, exitCode }).toEqual({ text: "3 events in 1 chain: 1 intact, 0 broken; 1 run not ended yet", exitCode: 0 });
  });

  test("verifies facts of kinds that it does not know", async () => {
    const fact = { kind: "granted", uses: 3 } as unknown as RecordFact;
    expect(report(await verifyRecord(lines(chainEvents("run-1", null, 1, [fact])))).exitCode).toBe(0);
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
    const acts = chainActs(null, month(11), [asked]);
    expect((await verifyRecord(lines([...chainEvents("run-1", null, 1, [refused]), ...acts]))).findings).toEqual([]);
  });

  test("a month of operators' acts whose end is missing or was changed shows by the month after it", async () => {
    const november = chainActs(null, month(11), [asked, asked]);
    const december = chainActs(november.at(-1) ?? null, month(12), [asked]);
    expect(december.map(({ run, seq, fact }) => [run, seq, fact.kind])).toEqual([
      ["operators/2026-12", 1, "continued"],
      ["operators/2026-12", 2, "doctorAsked"],
    ]);
    // A clock that goes back begins no earlier month again.
    expect(chainActs(december.at(-1) ?? null, month(11), [asked]).map(({ run, seq }) => [run, seq])).toEqual([["operators/2026-12", 3]]);
    expect(report(await verifyRecord(lines([...november, ...december]))).exitCode).toBe(0);
    // Its time may be over.
    expect(report(await verifyRecord(lines(december))).exitCode).toBe(0);
    const { text, exitCode } = report(await verifyRecord(lines([...november.slice(0, 1), ...december])));
    expect(exitCode).toBe(1);
    expect(text).toBe(
      "operators/2026-11: the last events are missing or were changed; operators/2026-12 continues this chain after event 2\n3 events in 2 chains: 1 intact, 1 broken",
    );
  });

  test("a month that was written anew shows by the month after it", async () => {
    const november = chainActs(null, month(11), [asked, asked]);
    const december = chainActs(november.at(-1) ?? null, month(12), [asked]);
    const anew = chainActs(null, month(11), [asked, { ...asked, by: { kind: "adminToken", fingerprint: "ba9876543210" } }]);
    expect(report(await verifyRecord(lines([...anew, ...december]))).text).toMatch(
      /^operators\/2026-11: the last events are missing or were changed/,
    );
  });

  test("takes nothing for a record that is none", async () => {
    expect(report(await verifyRecord([])).exitCode).toBe(2);
    for (const line of ["{", "[]", '{"run":"r"}', '{"run":"r","seq":0,"at":"2026-11-22T00:00:00.000Z","fact":{"kind":"x"},"hash":"h"}'])
      expect(report(await verifyRecord([...lines(chain("run-1")), line]))).toMatchObject({
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
    const [line = ""] = lines(chainEvents("run-1", null, 1, [fact]));
    expect(run(["-"], `${line}\n`)).toMatchObject({ code: 0 });
    const bytes = join(folder, "bytes.ndjson");
    writeFileSync(bytes, Buffer.concat([Buffer.from(line.slice(0, 40)), Buffer.of(0xff), Buffer.from(line.slice(40))]));
    expect(run([bytes])).toMatchObject({ code: 2, err: expect.stringContaining("cannot read") });
  });

  test("reads a file or its standard input, and its exit code says what it found", () => {
    const good = join(folder, "good.ndjson");
    writeFileSync(good, `${lines(chain("run-1")).join("\n")}\n`);
    expect(run([good])).toMatchObject({ code: 0, out: "5 events in 1 chain: 1 intact, 0 broken\n" });
    expect(run(["-"], lines(chain("run-1").slice(1)).join("\n"))).toMatchObject({
      code: 1,
      out: expect.stringContaining("event 1 does not follow"),
    });
    expect(run([])).toMatchObject({ code: 2, err: expect.stringContaining("usage") });
    expect(run([join(folder, "missing.ndjson")])).toMatchObject({ code: 2, err: expect.stringContaining("cannot read") });
  });
});
