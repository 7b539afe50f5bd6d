// One object for each channel and address of a reviewer, named by a digest of both. It has which
// notices were sent and which wait for a digest, no address and no usable link, and is deleted with
// its last row.

import { type Schema, rowidTable, table } from "./schema.ts";

export const digestSchema: Schema = {
  tables: [
    // The messages of the last minute.
    rowidTable("passed", {
      seq: "INTEGER PRIMARY KEY",
      at: "INTEGER NOT NULL",
    }),
    // Notices that wait to be sent or were sent, for 24 hours.
    table("item", {
      id: "TEXT PRIMARY KEY", // the same for every attempt at a notice
      run: "TEXT NOT NULL",
      link: "TEXT NOT NULL", // the link's id in RunObject
      channel: "TEXT NOT NULL", // the name of a channel that has digests
      state: "TEXT NOT NULL", // `now` (by itself), `waiting`, `told` (in a digest), or why no digest could be delivered
      deadline_at: "INTEGER NOT NULL", // of its review
      at: "INTEGER NOT NULL", // when it was first queued
    }),
    // One row: the state of the digest.
    rowidTable("sending", {
      one: "INTEGER PRIMARY KEY CHECK (one = 1)",
      last_at: "INTEGER", // when the last digest was sent
      attempts: "INTEGER NOT NULL", // at the digest that is due
      not_before: "INTEGER NOT NULL", // the earliest time of the next attempt, or 0
    }),
  ],
  migrations: [],
};
