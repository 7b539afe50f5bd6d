// One object for each API key and session name, named by a digest of both. The tables are created
// with the first row, and the object is deleted with the last. An ended session or request is known
// for 48 hours, and until the last of its runs is deleted.
//
// Its key-value storage has `begun`, true once a sampling request was reserved, if the KeyObject
// counts the session; and `instructions`: **content**, an MCP server's instructions from
// `initialize` if its entry says `context: true`, with the time and the log level that the client
// of a translated session asked for, until the session ends or for 30 days.

import { type Schema, longTexts, rowidTable, table } from "./schema.ts";

export const sessionSchema: Schema = {
  tables: [
    // A row means that the session was ended.
    rowidTable("session", {
      one: "INTEGER PRIMARY KEY CHECK (one = 1)",
      ended_at: "INTEGER NOT NULL",
    }),
    // The originating requests: the open ones without rows in `sampling`, and the newest 256 that
    // ended; older ones are in `ended`. An open one counts as ended after 24 idle hours.
    table("originating", {
      key: "TEXT PRIMARY KEY", // server and JSON-RPC id, the id with its JSON type: `["notes",7]`
      state: "TEXT NOT NULL", // `open` or `ended`
      last_at: "INTEGER NOT NULL", // of its last sampling request that is deleted, or of its end
      rounds: "INTEGER NOT NULL", // sampling requests that are deleted, for the limit on tool loops
    }),
    // The originating requests that ended, 4,096 in a row: eight bytes of a digest of each, which
    // is enough to refuse it. Two million are the most of a session.
    rowidTable("ended", {
      id: "INTEGER PRIMARY KEY",
      until: "INTEGER NOT NULL", // 48 hours after the last of them ended
      marks: "BLOB NOT NULL", // eight bytes each, ascending, little-endian
    }),
    // The sampling requests, by which repeats are recognized. A row is deleted ten minutes after
    // its response; of a run 24 hours after the run's end, or after 60 days without word of it; of
    // a refused request at once; of one whose Worker was lost after 24 hours. None is deleted while
    // the record may lack its line.
    table("sampling", {
      originating: "TEXT NOT NULL",
      request: "TEXT NOT NULL", // the sampling request's JSON-RPC id with its type
      digest: "TEXT NOT NULL", // of the params without progress token and task
      run: "TEXT NOT NULL",
      state: "TEXT NOT NULL", // `fast`: a Worker handles it; `settled`: it has its response; `durable`: a RunObject has it
      at: "INTEGER NOT NULL", // when it was reserved
      rounds: "INTEGER NOT NULL", // 1; 0 if it serves no client request
      lease_until: "INTEGER NOT NULL", // for `fast`: a repeat takes over only after this time
      settled_at: "INTEGER", // of its response or of its run's end
      kept: "TEXT", // for `settled`: the name of the text in `result` that has its outcome
      unrecorded: "TEXT", // JSON of ReservedFacts (shared/run/unknown-outcome.ts) until its Worker says that the record has its line; null for `durable`
      "PRIMARY KEY": "(originating, request)",
    }),
    // Reservations that were taken over or released, whose Worker may have answered: as
    // `sampling.unrecorded`, until the record has a line of each.
    table("unrecorded", {
      run: "TEXT PRIMARY KEY",
      at: "INTEGER NOT NULL", // when it was reserved
      due_at: "INTEGER NOT NULL", // when its Worker's time is over
      facts: "TEXT NOT NULL", // JSON of ReservedFacts
    }),
    // Withdrawn requests whose run has to be told.
    table("withdrawal", {
      originating: "TEXT NOT NULL",
      request: "TEXT NOT NULL",
      cause: "TEXT NOT NULL", // `caller`, `originatingRequest`, `session` or `timedOut`
      attempts: "INTEGER NOT NULL",
      due_at: "INTEGER NOT NULL",
      "PRIMARY KEY": "(originating, request)",
    }),
    // Requests of a relay's client that a server may sample for, unless its entry says
    // `association: "strict"`: those under way for a second, and for up to 24 hours those that
    // sampled.
    rowidTable("in_flight", {
      request: "TEXT PRIMARY KEY", // the request's JSON-RPC id with its type
      originating: "TEXT NOT NULL", // the same request, or for `tasks/result` the request of the task
      named: "TEXT NOT NULL", // content: that request's id, method and name, JSON; with `context: true` its arguments, shortened
      holder: "TEXT NOT NULL", // a random id of the stream that relays it
      at: "INTEGER NOT NULL",
      until: "INTEGER NOT NULL", // renewed once a minute; a broken stream sets it to 0
    }),
    // Tasks of an MCP server behind the relay, with the client request that created each, for 24
    // hours.
    table("task", {
      id: "TEXT PRIMARY KEY", // the server's
      named: "TEXT NOT NULL", // id, method and name, JSON
      at: "INTEGER NOT NULL",
    }),
    // The request ids of the control endpoint, in the sixteen objects that a key's control requests
    // share: the same id with another envelope is refused. Kept for a day.
    table("request_id", {
      id: "TEXT PRIMARY KEY", // the envelope's `request_id`
      digest: "TEXT NOT NULL", // of the envelope without `auth`
      at: "INTEGER NOT NULL", // of the last reservation
      reserved: "INTEGER NOT NULL", // reservations that were not released; at 0 the row is deleted
    }),
    // Outcomes of the fast path, JSON of Settled[], for ten minutes: those that came together are
    // one text. Names: random.
    longTexts("result"),
  ],
  migrations: [],
};
