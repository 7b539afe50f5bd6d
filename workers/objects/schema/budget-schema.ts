// One object for each amount of a budget ([budgets.md](budgets.md)): of the whole, of one key or
// owner of a `*` budget, or of a scoped token; money and tokens separately. Amounts are billionths
// of a US dollar, or tokens. The object of a scoped token is emptied eight days after the token's
// end.

import { type Schema, rowidTable, table } from "./schema.ts";

export const budgetSchema: Schema = {
  tables: [
    // What an attempt at a model, or an isolate's share, took out of the budget and is not settled.
    // Written before the answer leaves. An hour after `until` it is counted as unaccounted.
    table("held", {
      id: "TEXT PRIMARY KEY", // random
      amount: "INTEGER NOT NULL",
      starts_at: "INTEGER NOT NULL", // the beginning of the day or month that it counts for
      until: "INTEGER NOT NULL", // by then it is settled, or its holder is gone
    }),
    // What was used in each of the last 62 days or months.
    table("used", {
      starts_at: "INTEGER PRIMARY KEY",
      spent: "INTEGER NOT NULL", // as providers reported it
      unaccounted: "INTEGER NOT NULL", // of attempts whose outcome nobody knows
    }),
    // One row: the budget as the newest reservation had it.
    rowidTable("allowance", {
      one: "INTEGER PRIMARY KEY CHECK (one = 1)",
      text: "TEXT NOT NULL", // JSON of Allowance (shared/budget/budgets.ts)
    }),
    // One row: the percentage that operators were told of last.
    table("told", {
      starts_at: "INTEGER PRIMARY KEY", // the beginning of its day or month
      percent: "INTEGER NOT NULL", // 80 or 100
    }),
    // What operators are still to be told. A row is deleted when it is recorded or emailed, and
    // after twenty attempts.
    table("telling", {
      starts_at: "INTEGER NOT NULL",
      percent: "INTEGER NOT NULL",
      address: "TEXT NOT NULL", // of the email; empty for the event in the record; `alerts` for the AlertObject
      attempts: "INTEGER NOT NULL",
      due_at: "INTEGER NOT NULL",
      "PRIMARY KEY": "(starts_at, percent, address)",
    }),
  ],
  migrations: [],
};
