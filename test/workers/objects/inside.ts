// What only a test inside workerd can do: look into an object's tables, cut objects off, and run
// alarms.

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import { type RecordEvent, type RecordFact, firstGap } from "../../../shared/record/record.ts";
import { originatingKey } from "../../../workers/pipeline/incoming/sampling-call.ts";
import type { KeptReply } from "../../../workers/stubs/cache-calls.ts";
import type { AssociateInput } from "../../../workers/stubs/session-calls.ts";
import { runStub } from "../../../workers/stubs/stubs.ts";
import type { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import type { RunObject } from "../../../workers/objects/run/run-object.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { env, eventually } from "../support/gateway.ts";
import { recordLines } from "../support/record.ts";
import { idsOf } from "../support/scope.ts";

/**
 * The same stub, for what only a test does: it gets at the object itself, and not merely at its
 * calls.
 */
export const asObject = <O extends Rpc.DurableObjectBranded>(stub: DurableObjectStub): DurableObjectStub<O> => stub as DurableObjectStub<O>; // the caller names its class

export const stubOf = (run: string): DurableObjectStub<RunObject> => asObject(runStub(env, run));

/** The crash: every object is gone, whatever it was doing. */
export const crash = abortAllDurableObjects;

/** A question to a session: a fresh request of the server `open`, where nothing else is given. */
export const associateInput = (more: Partial<AssociateInput> = {}): AssociateInput => ({
  originating: originatingKey("open", 7),
  request: "r",
  digest: "d",
  run: "run-a",
  leaseMs: 30_000,
  roundsLimit: 3,
  alone: false,
  reservation: null,
  reserve: true,
  durable: false,
  facts: null,
  settled: [],
  ...more,
});

/** A reply of which nothing matters but that it is kept. */
export const keptReply = jsonOf<KeptReply>({
  reply: { content: [{ type: "text", text: "Kept." }], model: "m" },
  facts: { candidate: "m", notes: [] },
  approved: { request: false, response: false, deciders: "" },
});

export const isRunId = (id: string): boolean => parseRunId(settingsOf(env).keys, id) !== undefined;

export type Rows = Record<string, Record<string, unknown>[]>;

/** Every row of every table of an object. What a run's row has lists of is a table of that name. */
export const tablesOf = (stub: DurableObjectStub<RunObject> | DurableObjectStub): Promise<Rows> =>
  // A callback that returns rows: what an RPC could carry is of no matter here.
  runInDurableObject(stub as DurableObjectStub, (_, state) => tablesIn(state.storage));

/** What a run has to do behind: the kinds of its outbox's rows. */
export const outboxOf = async (run: string): Promise<string[]> =>
  ((await tablesOf(stubOf(run)))["outbox"] ?? []).map(({ kind }) => String(kind));

/** Waits until a run has done what it does behind: its key, sessions and cache know of it. */
export const quiet = (run: string): Promise<boolean> => eventually("an empty outbox", async () => (await outboxOf(run)).length === 0);

export function tablesIn(storage: DurableObjectStorage): Rows {
  const names = storage.sql
    .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'")
    .toArray();
  const tables = Object.fromEntries(names.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM "${name}"`).toArray()]));
  return { ...tables, ...(tables["run"] === undefined ? {} : tablesInRun(tables["run"][0] ?? {})) };
}

function tablesInRun(row: Record<string, unknown>): Rows {
  const columns = Object.entries(row).map(
    ([name, text]) => [name, typeof text === "string" ? (JSON.parse(text) as unknown) : text] as const,
  );
  const rowsOf = (value: unknown): unknown => (value !== null && typeof value === "object" && "rows" in value ? value.rows : value);
  const lists = columns.map(([name, value]) => [name, rowsOf(value)] as const).filter(([, value]) => Array.isArray(value));
  return { outbox: [], run: [Object.fromEntries(columns)], ...(Object.fromEntries(lists) as Rows) }; // written by RunRow
}

/**
 * Changes a column of a run's row behind its back, with SQL's functions of JSON, and has it read
 * anew.
 */
export async function changeRunRow(run: string, column: string, expression: string): Promise<void> {
  await runInDurableObject(stubOf(run), (_, { storage }) => void storage.sql.exec(`UPDATE run SET ${column} = ${expression}`));
  await crash();
}

/** Every row of every object of the gateway, by its class: for what must be nowhere. */
export async function everything(): Promise<string> {
  const namespaces = {
    SESSION: env.SESSION,
    KEY: env.KEY,
    RUN: env.RUN,
    CONFIGURATION: env.CONFIGURATION,
    LEDGER: env.LEDGER,
    CONCURRENCY_QUEUE: env.CONCURRENCY_QUEUE,
    CACHE: env.CACHE,
    CONVERSATION: env.CONVERSATION,
    CALL: env.CALL,
    BRIDGE: env.BRIDGE,
    DIGEST: env.DIGEST,
    BUDGET: env.BUDGET,
    STOP: env.STOP,
    TOOL_DEFINITIONS: env.TOOL_DEFINITIONS,
    OAUTH_STORE: env.OAUTH_STORE,
    ALERTS: env.ALERTS,
  };
  const parts: string[] = [];
  for (const [name, namespace] of Object.entries(namespaces)) {
    const any = namespace as DurableObjectNamespace;
    for (const id of await idsOf(any)) {
      const tables = await runInDurableObject(any.get(id), async (_, state) => {
        const values = state.storage.kv.list();
        return { tables: tablesIn(state.storage), values: [...values] };
      });
      parts.push(`${name} ${id.toString()} ${JSON.stringify(tables)}`);
    }
  }
  return parts.join("\n");
}

/** Whether the ledger has every event of a run that the run's object has. */
async function isShipped(run: string): Promise<boolean> {
  const { run: [row] = [], event = [] } = await tablesOf(stubOf(run));
  const events = event.flatMap(({ events: some }) => JSON.parse(String(some)) as RecordEvent[]); // written by EventRows
  return events.every(({ seq }) => seq <= Number(row?.["shipped_seq"] ?? 0));
}

/**
 * A run's events as the exported record has them, once it has all that there are now: they are
 * written behind. Fails where one is missing.
 */
export async function recordOf(run: string): Promise<RecordEvent[]> {
  await eventually("the record of a run", () => isShipped(run));
  const events = await recordLines({ run });
  const broken = firstGap(events);
  if (broken !== null) throw new Error(`the record of ${run} is broken at event ${broken}`);
  return events;
}

export type FactKind = RecordFact["kind"];

export const kindsOf = (events: readonly RecordEvent[]): FactKind[] => events.map(({ fact }) => fact.kind);

/** The record once it has an event of this kind. */
export const recordWith = (run: string, kind: FactKind): Promise<RecordEvent[]> =>
  eventually(`${kind} in the record`, async () => {
    const events = await recordOf(run);
    return events.some(({ fact }) => fact.kind === kind) ? events : null;
  });

export const ringAlarm = (stub: DurableObjectStub<RunObject> | DurableObjectStub): Promise<boolean> =>
  runDurableObjectAlarm(stub as DurableObjectStub);

/**
 * The same, of an object that always has a next alarm: one that goes off by itself meanwhile is
 * waited for, and then the one after it is rung.
 */
export const ringNextAlarm = (stub: DurableObjectStub<RunObject> | DurableObjectStub): Promise<boolean> =>
  eventually("an alarm to ring", () => ringAlarm(stub));

/** Which instance of its class an object is: another one after it was evicted or reset. */
export const instanceOf = (run: string): Promise<RunObject> => runInDurableObject(stubOf(run), (instance) => instance);

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const realNow = Date.now.bind(Date);
let ahead = 0;
export function backToNow(): void {
  ahead = 0;
}

/**
 * Time goes on from so much later, for the Worker and every object; more each time it is called.
 * Alarms are not moved: ring them.
 */
export function later(milliseconds: number): void {
  ahead += milliseconds;
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + ahead);
}

/** What a call of a shard answers, and how many rows it reads. */
export function countedRows<T>(
  ledger: DurableObjectStub<LedgerObject>,
  call: (object: LedgerObject) => Promise<T>,
): Promise<{ found: T; read: number }> {
  return runInDurableObject(ledger, async (object: LedgerObject, { storage: { sql } }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const exec = sql.exec.bind(sql);
    Object.defineProperty(sql, "exec", {
      configurable: true,
      value: (query: string, ...values: SqlStorageValue[]) => {
        const cursor = exec(query, ...values);
        cursors.push(cursor);
        return cursor;
      },
    });
    const found = await call(object);
    Object.defineProperty(sql, "exec", { configurable: true, value: exec });
    return { found, read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0) };
  });
}
