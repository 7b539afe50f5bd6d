// The record: an event is stored once and stays as it is, and a chain is deleted as a whole or not
// at all.

import type { Mutant } from "./mutant.ts";

const ledger = "test/workers/objects/ledger.test.ts";

export const recordMutants: readonly Mutant[] = [
  {
    name: "an event is stored once",
    file: "workers/objects/ledger/ledger-events.ts",
    from: "first === undefined ? ofRun : this.#notStored(run, ofRun)",
    to: "first === undefined ? ofRun : ofRun.filter(({ seq }) => seq > first.firstSeq)",
    test: { file: ledger, only: "is stored once" },
  },
  {
    name: "an event that came before another is stored too",
    file: "workers/objects/ledger/ledger-events.ts",
    from: "first === undefined ? ofRun : this.#notStored(run, ofRun)",
    to: "first === undefined ? ofRun : ofRun.filter(({ seq }) => seq > (this.last(run)?.seq ?? 0))",
    test: { file: ledger, only: "in whatever order" },
  },
  {
    name: "a chain is as old as its last event",
    file: "workers/objects/ledger/ledger-events.ts",
    from: "Math.max(first?.lastAt ?? 0, ...batches.map(({ newestAt }) => newestAt))",
    to: "first?.lastAt ?? begin.newestAt",
    test: { file: ledger, only: "that has a young event" },
  },
  {
    name: "a chain is deleted as a whole",
    file: "workers/objects/ledger/ledger-events.ts",
    from: "AND NOT EXISTS ${beingDeleted} ORDER BY run,",
    to: "ORDER BY run,",
    test: { file: ledger, only: "longer than a slice" },
  },
  {
    name: "the line of an open run is kept",
    file: "workers/objects/ledger/ledger-lines.ts",
    from: "WHERE created_at < ? AND ended_at IS NOT NULL ORDER",
    to: "WHERE created_at < ? ORDER",
    test: { file: ledger, only: "thousands of old runs" },
  },
  {
    name: "a chain that goes on is kept, whenever it began",
    file: "workers/objects/ledger/ledger-events.ts",
    from: "WHERE id < ? AND last_at < ? ORDER",
    to: "WHERE id < ? AND ? > 0 AND last_at IS NOT NULL ORDER",
    test: { file: ledger, only: "that has a young event" },
  },
  {
    name: "a key's lines are in the hours that are read",
    file: "workers/objects/ledger/ledger-lines.ts",
    from: 'this.#note(hourOf(createdAt), key, server ?? "", state);',
    to: 'this.#note(hourOf(createdAt) - 1, key, server ?? "", state);',
    test: { file: ledger, only: "by a key" },
  },
  {
    name: "a page of the list ends where a shard has not read further",
    file: "shared/record/line-list.ts",
    from: "frontier === null || byAge(line, frontier) <= 0",
    to: "frontier === null || byAge(line, frontier) !== 0 || true",
    test: { file: "test/shared/record/line-list.test.ts", only: "goes on behind the place" },
  },
  {
    name: "a search goes on behind the lines that it has read",
    file: "workers/objects/ledger/ledger-lines.ts",
    from: "const isAll = filters.length === 0 || cursor.rowsRead < lines;",
    to: "const isAll = filters.length === 0 || cursor.rowsRead >= 0;",
    test: { file: ledger, only: "however few lines" },
  },
  {
    name: "a run that ends after its line was passed is counted for its server",
    file: "workers/objects/ledger/ledger-counter.ts",
    from: "return line.createdAt < createdAt ||",
    to: "return line.createdAt < 0 ||",
    test: { file: "test/workers/objects/ledger.test.ts", only: "is that of all its lines" },
  },
  {
    name: "a name in CSV is no formula",
    file: "shared/csv.ts",
    from: "formula.test(cell) ? `'${cell}` : cell",
    to: "cell",
    test: { file: "test/shared/csv.test.ts", only: "no text begins a formula" },
  },
  {
    file: "scripts/verify-record.ts",
    name: "a line of an export is byte for byte what the export writes",
    from: "return text === exportLine(event).slice(0, -1)\n    ? ok(event)",
    to: 'return text !== ""\n    ? ok(event)',
    test: { file: "test/shared/record/record.test.ts", only: "refuses a line with a second member" },
  },
  {
    file: "scripts/verify-record.ts",
    name: "a line of an export has no member __proto__",
    from: 'if (name === "__proto__") throw',
    to: 'if (name === "no such name") throw',
    test: { file: "test/shared/record/record.test.ts", only: "refuses a line with a member __proto__" },
  },
  {
    file: "scripts/verify-record.ts",
    name: "a continued chain ends with the event that the next one names",
    from: "(last.seq === seq && last.hash === hash)",
    to: "last.seq === seq",
    test: { file: "test/shared/record/record.test.ts", only: "a month that was written anew" },
  },
  {
    file: "scripts/verify-record.ts",
    name: "a continued chain has all the events before the next one",
    from: "(last.seq === seq && last.hash === hash)",
    to: "last.hash === hash || true",
    test: { file: "test/shared/record/record.test.ts", only: "whose end is missing or was changed" },
  },
];
