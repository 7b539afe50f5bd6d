// The gateway with its billed operations counted: the same Worker and the same objects, whose calls
// to objects, storage and KV pass a counter. GET /bench/counts returns the counts so far; with
// ?mark, run objects that are awake are counted from then on.

import gateway, * as classes from "../../workers/index.ts";

type Counts = {
  objectRequests: number;
  alarms: number;
  rowsRead: number;
  rowsWritten: number;
  kvReads: number;
  kvWrites: number;
  workerRequests: number;
  /** The wall time during which an object had a call or work of its own, over all objects. */
  objectMs: number;
  /**
   * Run objects that were called since the mark, and those of them whose first call found an
   * instance from before.
   */
  called: number;
  awake: number;
};
const counts: Counts = {
  objectRequests: 0,
  alarms: 0,
  rowsRead: 0,
  rowsWritten: 0,
  kvReads: 0,
  kvWrites: 0,
  workerRequests: 0,
  objectMs: 0,
  called: 0,
  awake: 0,
};

/** An object that is asleep is made again when it is called. */
const madeSinceMark = new Set<string>();
const calledSinceMark = new Set<string>();
function mark(): void {
  madeSinceMark.clear();
  calledSinceMark.clear();
  counts.called = 0;
  counts.awake = 0;
}
function noteCalled(object: string): void {
  if (calledSinceMark.has(object)) return;
  calledSinceMark.add(object);
  counts.called += 1;
  if (!madeSinceMark.has(object)) counts.awake += 1;
}

/** Work under way, by object: overlapping work of one object is counted once. */
const busy = new Map<string, { running: number; since: number }>();
async function timed<T>(object: string, work: () => Promise<T> | T): Promise<T> {
  const state = busy.get(object) ?? { running: 0, since: Date.now() };
  busy.set(object, state);
  state.running += 1;
  try {
    return await work();
  } finally {
    state.running -= 1;
    if (state.running === 0) {
      counts.objectMs += Date.now() - state.since;
      busy.delete(object);
    }
  }
}

// A cursor knows its rows only once it was read.
let cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
function foldCursors(): void {
  for (const cursor of cursors) {
    counts.rowsRead += cursor.rowsRead;
    counts.rowsWritten += cursor.rowsWritten;
  }
  cursors = [];
}

let isPatched = false;
/** Counts at the prototypes, so that the objects keep the storage that the runtime gave them. */
function patchStorage(ctx: DurableObjectState): void {
  if (isPatched) return;
  isPatched = true;
  const sql = Object.getPrototypeOf(ctx.storage.sql) as SqlStorage;
  const { exec } = sql;
  sql.exec = function (this: SqlStorage, ...args: Parameters<typeof exec>) {
    if (cursors.length > 10_000) foldCursors();
    const cursor = exec.apply(this, args);
    cursors.push(cursor);
    return cursor;
  } as typeof exec;
  const storage = Object.getPrototypeOf(ctx.storage) as Record<string, (...args: unknown[]) => unknown>;
  const count = (name: string, kind: "rowsRead" | "rowsWritten"): void => {
    const original = storage[name];
    if (original === undefined) return;
    storage[name] = function (this: unknown, ...args: unknown[]) {
      counts[kind] += 1;
      return original.apply(this, args);
    };
  };
  for (const name of ["put", "delete", "setAlarm", "deleteAlarm"]) count(name, "rowsWritten");
  for (const name of ["get"]) count(name, "rowsRead");
  const state = Object.getPrototypeOf(ctx) as DurableObjectState;
  const { waitUntil } = state;
  state.waitUntil = function (this: DurableObjectState, promise: Promise<unknown>) {
    void timed(String(this.id), () => promise).catch(() => {});
    waitUntil.call(this, promise);
  };
}

type AnyObject = new (ctx: DurableObjectState, env: Env) => { alarm?: () => Promise<void> };
type Env = Record<string, unknown>;

const countedEnvs = new WeakMap<Env, Env>();
const namespaces = [
  "SESSION",
  "KEY",
  "RUN",
  "CONFIGURATION",
  "LEDGER",
  "CONCURRENCY_QUEUE",
  "CACHE",
  "CONVERSATION",
  "DIGEST",
  "CALL",
  "BRIDGE",
  "BUDGET",
  "STOP",
  "TOOL_DEFINITIONS",
];

/** The environment whose namespaces and KV count. */
function countedEnv(env: Env): Env {
  const known = countedEnvs.get(env);
  if (known !== undefined) return known;
  const counted: Env = { ...env, CONFIG: countedKv(env["CONFIG"] as KVNamespace) };
  for (const name of namespaces)
    counted[name] = countedNamespace(env[name] as DurableObjectNamespace, name === "RUN" ? noteCalled : () => {});
  countedEnvs.set(env, counted);
  return counted;
}

const countedKv = (kv: KVNamespace): object => ({
  get: (...args: Parameters<KVNamespace["get"]>) => ((counts.kvReads += 1), kv.get(...args)),
  put: (...args: Parameters<KVNamespace["put"]>) => ((counts.kvWrites += 1), kv.put(...args)),
});

const countedNamespace = (namespace: DurableObjectNamespace, called: (object: string) => void): object => ({
  idFromName: (name: string) => namespace.idFromName(name),
  idFromString: (id: string) => namespace.idFromString(id),
  get: (id: DurableObjectId) => countedStub(namespace.get(id), called),
  getByName: (name: string) => countedStub(namespace.getByName(name), called),
});

const countedStub = (stub: DurableObjectStub, called: (object: string) => void): object =>
  new Proxy(stub, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        counts.objectRequests += 1;
        const object = String(target.id);
        return timed(object, async () => {
          const result: unknown = await Reflect.apply(value, target, args);
          called(object);
          return result;
        });
      };
    },
  });

/** `made`: a class of the gateway's objects. */
function counted(made: unknown): AnyObject {
  const Class = made as AnyObject;
  const Counted = class extends Class {
    constructor(ctx: DurableObjectState, env: Env) {
      patchStorage(ctx);
      super(ctx, countedEnv(env));
      madeSinceMark.add(String(ctx.id));
    }
  };
  const { alarm } = Class.prototype as { alarm?: (this: unknown) => Promise<void> };
  if (alarm !== undefined)
    (Counted.prototype as { alarm: () => Promise<void> }).alarm = function (this: { ctx: DurableObjectState }) {
      counts.alarms += 1;
      return timed(String(this.ctx.id), () => alarm.call(this));
    } as () => Promise<void>;
  return Counted;
}

export const BridgeObject = counted(classes.BridgeObject);
export const BudgetObject = counted(classes.BudgetObject);
export const CacheObject = counted(classes.CacheObject);
export const CallObject = counted(classes.CallObject);
export const ConfigObject = counted(classes.ConfigObject);
export const ConversationObject = counted(classes.ConversationObject);
export const DigestObject = counted(classes.DigestObject);
export const InboxObject = counted(classes.InboxObject);
export const KeyObject = counted(classes.KeyObject);
export const ConcurrencyQueueObject = counted(classes.ConcurrencyQueueObject);
export const LedgerObject = counted(classes.LedgerObject);
export const RunObject = counted(classes.RunObject);
export const SessionObject = counted(classes.SessionObject);

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/bench/counts") {
      if (searchParams.has("mark")) mark();
      foldCursors();
      return Response.json(counts);
    }
    counts.workerRequests += 1;
    return gateway.fetch(request, countedEnv(env) as never, ctx);
  },
};
export const StopObject = counted(classes.StopObject);
export const ToolsObject = counted(classes.ToolsObject);
