// Sixteen objects, `shard-0` to `shard-15`, selected by the run's id. Data is kept for
// `RECORD_DAYS`, 400 by default; once a day an alarm deletes older data in slices of at most 500
// rows. The object has no prompt, reply, reason, token or key; it has names of servers, tools,
// keys, reviewers, models and rules.

import { type Schema, rowidTable, table } from "./schema.ts";

export const ledgerSchema: Schema = {
  tables: [
    // The record ([record.md](record.md)): a row has the entries of one call. A run's entries are
    // stored before its response is released; those of a fast-path request follow its response
    // after about a quarter of a second. Of the full bundles in R2 the newest 64 are here too.
    // Whole bundles are deleted `RECORD_DAYS` after their last entry.
    rowidTable("log_batch", {
      first: "INTEGER PRIMARY KEY", // the index in the log of the first entry
      last: "INTEGER NOT NULL",
      at: "INTEGER NOT NULL", // of arrival; never less than the row before
      entries: "TEXT NOT NULL", // JSON of LogEntry or a part of it (shared/record/log/entry.ts), one a line; at most 500,000 UTF-16 code units
    }),
    // The hash of each full tile of the tree: of 256 entries at level 0, of 256 tiles above it.
    // Other hashes are computed from these and from the newest entries.
    table("log_tile", {
      level: "INTEGER NOT NULL",
      n: "INTEGER NOT NULL", // counted from 0 in each level
      hash: "BLOB NOT NULL",
      last_at: "INTEGER", // when the last of the 256 entries arrived; null above level 0
      lines: "INTEGER", // requests that were answered at once among them: their lines stand in the log alone
      min_at: "INTEGER", // when the first of these came; null where there are none
      peak_at: "INTEGER", // when the last of all came, in this bundle and those before
      "PRIMARY KEY": "(level, n)",
    }),
    "CREATE INDEX log_tile_at ON log_tile (last_at) WHERE level = 0",
    // Where the entries of a run are that has several. The one of a request that is answered at
    // once is found by the time in its id.
    table("log_entry", {
      run: "TEXT NOT NULL", // run id, or the name of a month of operators' actions
      first_seq: "INTEGER NOT NULL", // events are numbered from 1 in each run
      last_seq: "INTEGER NOT NULL",
      first: "INTEGER NOT NULL", // the index in the log of the entry, or of its first part
      last: "INTEGER NOT NULL", // of its last part
      line_at: "INTEGER", // `summary.created_at` of the run's line; null if it has none
      "PRIMARY KEY": "(run, first_seq)",
    }),
    // One row.
    rowidTable("log_state", {
      one: "INTEGER PRIMARY KEY",
      shard: "TEXT NOT NULL", // the log's folder in R2
      origin: "TEXT", // the log's name in checkpoints, from the first of them on
      stored: "INTEGER NOT NULL", // full bundles that are in R2
      pruned: "INTEGER NOT NULL", // the first entries, which are deleted
      counted: "INTEGER NOT NULL", // entries that sums and metrics count already
    }),
    // One row, where there is a witness (`RECORD_WITNESS_URL`).
    rowidTable("log_witness", {
      one: "INTEGER PRIMARY KEY",
      witness: "TEXT NOT NULL", // its key and its address
      size: "INTEGER NOT NULL", // entries of the checkpoint that it took last
      tried_at: "INTEGER NOT NULL", // when one was sent last
      problem: "TEXT", // WitnessProblem (workers/stubs/ledger-calls.ts); null where it took the last one
      cosigned: "TEXT", // the last checkpoint that it cosigned, a signed note; null where there is none
    }),
    // One line for each request that was not answered at once, by time. A line with an end does not
    // change, and one without is not deleted.
    table("summary", {
      run: "TEXT NOT NULL",
      created_at: "INTEGER NOT NULL",
      ended_at: "INTEGER", // null while it is open
      key: "TEXT NOT NULL", // the API key's id
      state: "TEXT NOT NULL", // `waiting`, `generating`, `responseReview`, or how it ended
      server: "TEXT", // null where it could not be read
      text: "TEXT NOT NULL", // JSON of RunSummary (shared/record/record.ts)
      "PRIMARY KEY": "(created_at, run)",
    }),
    "CREATE INDEX summary_open ON summary (created_at) WHERE ended_at IS NULL",
    // The hours, days and months of 32 days in which there are lines with this key, server and
    // state, which lists by these read alone. Deleted with the lines.
    table("line_span", {
      unit: "INTEGER NOT NULL", // in hours: 1, 24 or 768
      n: "INTEGER NOT NULL", // units since 1970 of `summary.created_at`
      key: "TEXT NOT NULL",
      server: "TEXT NOT NULL", // empty for null
      state: "TEXT NOT NULL", // when the line was written
      "PRIMARY KEY": "(unit, n, key, server, state)",
    }),
    // Counted refusals: more than 20 of one key, endpoint and reason within a minute are one event,
    // half a minute after that minute. Deleted a day later.
    table("flood", {
      run: "TEXT PRIMARY KEY", // an id for this count; the event and the line have it
      until: "INTEGER NOT NULL", // the end of its minute
      count: "INTEGER NOT NULL", // the largest that the Worker reported
      written: "INTEGER NOT NULL", // refusals that events count already
      text: "TEXT NOT NULL", // JSON of Flood (workers/stubs/ledger-calls.ts)
      last: "TEXT", // JSON of the number of its last event; null where it has none
    }),
    "CREATE INDEX flood_open ON flood (until) WHERE count > written",
    "CREATE INDEX flood_closed ON flood (until) WHERE count = written",
    // Requests that failed in the last hour, by the minute of their end.
    table("failure", {
      minute: "INTEGER NOT NULL", // minutes since 1970
      of: "TEXT NOT NULL", // JSON of the server and the cause, without content
      requests: "INTEGER NOT NULL",
      last_at: "INTEGER NOT NULL", // when the last of them ended
      "PRIMARY KEY": "(minute, of)",
    }),
    // What the sampling of an MCP server came to in a month, for GET /admin/sunset, added up when
    // the report is asked for and once a day.
    table("server_use", {
      server: "TEXT NOT NULL",
      month: "TEXT NOT NULL", // of `summary.created_at`, in UTC: `2026-11`
      text: "TEXT NOT NULL", // JSON of ServerUse (shared/record/server-use.ts)
      "PRIMARY KEY": "(server, month)",
    }),
    // One row: the line of `summary` up to which `server_use` is added up. A line before it that
    // ends later is added when it ends.
    rowidTable("counted_to", {
      one: "INTEGER PRIMARY KEY",
      created_at: "INTEGER NOT NULL",
      run: "TEXT NOT NULL",
    }),
    // One row: the counters and histograms of GET /metrics, added up to `log_state.counted`. It
    // stays when entries are deleted, so that no counter decreases.
    rowidTable("metric_sums", {
      one: "INTEGER PRIMARY KEY",
      text: "TEXT NOT NULL", // JSON of MetricSums (shared/telemetry/metric-sums.ts)
    }),
    // What the requests that came in an hour came to, added up when a page asks, with one of 64
    // lines that end, and once a day. Deleted after 32 days.
    rowidTable("usage_hour", {
      hour: "INTEGER PRIMARY KEY", // hours since 1970 of `summary.created_at`
      text: "TEXT NOT NULL", // JSON of UsageSum (shared/record/usage.ts)
    }),
    // The same of a day of UTC, in whole and by name: at most 200 servers, models or keys in a row,
    // and the others as its rest.
    table("usage_day", {
      day: "INTEGER NOT NULL", // days since 1970 of `summary.created_at`
      dimension: "TEXT NOT NULL", // `all`, `server`, `model` or `key`
      text: "TEXT NOT NULL", // JSON of UsageSum for `all`, else of Breakdown (shared/record/usage-breakdown.ts)
      "PRIMARY KEY": "(dimension, day)",
    }),
    // One row: as `counted_to`, for `usage_hour` and `usage_day`.
    rowidTable("usage_counted_to", {
      one: "INTEGER PRIMARY KEY",
      created_at: "INTEGER NOT NULL",
      run: "TEXT NOT NULL",
    }),
    // Notices, for GET /admin/notices, which computes a link's token when it lists the link.
    table("notice", {
      id: "TEXT PRIMARY KEY", // the link's id
      at: "INTEGER NOT NULL", // when it was first sent
      run: "TEXT NOT NULL",
      text: "TEXT NOT NULL", // JSON of NoticeRow (workers/stubs/ledger-calls.ts)
    }),
    "CREATE INDEX notice_at ON notice (at)",
    // The next time at which each run's object has work to do, as it said with the last part of its
    // record. The sweep wakes overdue runs. Deleted with the run.
    table("expected", {
      run: "TEXT PRIMARY KEY",
      due_at: "INTEGER NOT NULL",
    }),
    "CREATE INDEX expected_due ON expected (due_at)",
  ],
  migrations: [],
};
