// Four objects, each with everything that is stopped, so that isolates do not all ask one.

import { type Schema, table } from "./schema.ts";

export const stopSchema: Schema = {
  tables: [
    table("stop", {
      name: "TEXT PRIMARY KEY", // `everything`, or `server` or `key` with its name, or `tool` with a digest
      stop: "TEXT NOT NULL", // JSON of Stop (shared/policy/stops.ts)
      at: "INTEGER NOT NULL",
    }),
    // In the first of the objects: stops whose open runs are being cancelled. A row is deleted when
    // a look ten seconds after the stop finds none.
    table("withdrawal", {
      name: "TEXT PRIMARY KEY",
      stop: "TEXT NOT NULL",
      since: "INTEGER NOT NULL", // when it was stopped
      by_operator: "TEXT NOT NULL", // JSON of Operator: who stopped, for the runs' records; null for a reviewer's stop
      attempts: "INTEGER NOT NULL", // looks so far
      due_at: "INTEGER NOT NULL", // the next look
    }),
  ],
  migrations: [],
};
