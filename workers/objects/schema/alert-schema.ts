// One object, `one`: what operators were told of and what they are to be told. It has names of
// providers, budgets and reviewers, and counts; nothing of a request.

import { type Schema, rowidTable, table } from "./schema.ts";

export const alertSchema: Schema = {
  tables: [
    // What is wrong and not over.
    table("open", {
      topic: "TEXT PRIMARY KEY", // by which it is known (topicKey in shared/telemetry/alerts.ts)
      id: "TEXT NOT NULL",
      text: "TEXT NOT NULL", // JSON of OpenAlert
      told: "INTEGER NOT NULL", // 0: too many within the hour, nobody heard of its beginning
    }),
    // Amounts of budgets that refuse what a call may cost, as long as that is so.
    table("used_up", {
      topic: "TEXT PRIMARY KEY",
      allowance: "TEXT NOT NULL", // JSON of UsedUp (workers/stubs/alert-calls.ts)
    }),
    // Messages that are to be sent, or that wait for an earlier one to the same person.
    table("telling", {
      id: "TEXT NOT NULL", // of the alert
      phase: "TEXT NOT NULL", // `began` or `ended`
      reviewer: "TEXT NOT NULL",
      channel: "TEXT NOT NULL",
      asked: "TEXT NOT NULL", // JSON of the channels that were tried or are used beside it
      text: "TEXT NOT NULL", // JSON of Alert
      attempts: "INTEGER NOT NULL",
      due_at: "INTEGER NOT NULL",
      "PRIMARY KEY": "(id, phase, reviewer, channel)",
    }),
    // Alerts of the last hour.
    rowidTable("counted", {
      seq: "INTEGER PRIMARY KEY",
      at: "INTEGER NOT NULL",
      told: "INTEGER NOT NULL", // 0: nobody heard, and the next one says so
    }),
    // One row, while something is to be looked at.
    rowidTable("looking", {
      one: "INTEGER PRIMARY KEY",
      at: "INTEGER NOT NULL",
    }),
  ],
  migrations: [],
};
