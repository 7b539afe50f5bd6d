// One object for each model of each provider that has, or had, a `lane`, named by both ids. Each
// row has a WebSocket from its caller, whose attachment is the ticket, the number of the socket and
// whether the caller has confirmed it.

import { type Schema, rowidTable, table } from "./schema.ts";

export const queueSchema: Schema = {
  tables: [
    // Callers that have a slot of the model or wait for one. A row is deleted when its caller's
    // socket closes, when its time has passed, or when the caller has not confirmed a socket within
    // five seconds.
    table("slot", {
      ticket: "TEXT PRIMARY KEY", // random, from the caller, for one call of the model
      has_slot: "INTEGER NOT NULL", // 1: the call may run; 0: it waits
      priority: "TEXT NOT NULL", // `high`, `normal` or `low`
      arrival: "INTEGER NOT NULL", // ascending, in the order of arrival
      arrived_at: "INTEGER NOT NULL", // by this object's clock
      until: "INTEGER NOT NULL", // ten seconds after the time of the call, by the caller's clock
    }),
    // One row: the newest limits that a caller has sent.
    rowidTable("limits", {
      one: "INTEGER PRIMARY KEY CHECK (one = 1)",
      version: "INTEGER NOT NULL", // of the routing table with these limits; 0: unknown
      concurrency: "INTEGER NOT NULL", // slots
      queue: "INTEGER NOT NULL", // calls that may wait
      promote_after_ms: "INTEGER NOT NULL", // a call that has waited longer goes first
    }),
  ],
  migrations: [],
};
