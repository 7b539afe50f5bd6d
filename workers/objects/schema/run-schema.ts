// One object for each run, named by the 16 random bytes of the run's id in hexadecimal. The tables
// are created with the run. **The object is deleted `RETENTION_HOURS` (24 by default) after the
// run's end.** It never has a link's token, an API key or a provider's credential.

import { type Schema, longTexts, rowidTable, table } from "./schema.ts";

export const runTables = [
  rowidTable("run", {
    one: "INTEGER PRIMARY KEY CHECK (one = 1)",
    state: "TEXT NOT NULL", // JSON of RunState (shared/run/lifecycle.ts); reasons and notes in it are content
    delivered_at: "INTEGER", // when the response was released, after the record had it
    delivered_to: "INTEGER", // callers that received it; 0: it is kept for an identical request
    requestor_gone: "INTEGER NOT NULL DEFAULT 0", // 1 while no requestor is connected
    shipped_seq: "INTEGER NOT NULL DEFAULT 0", // the newest event that the ledger has
  }),
  table("version", {
    gate: "TEXT NOT NULL", // `request` or `response`
    version: "INTEGER NOT NULL", // 1 is the server's or the model's original
    by: "TEXT", // the reviewer who edited; null for version 1
    at: "INTEGER NOT NULL",
    "PRIMARY KEY": "(gate, version)",
  }),
  // Each gate, reviewer and channel has one live link, stored as its claims and random bytes;
  // `LINK_KEY` makes the token of them.
  table("link", {
    id: "TEXT PRIMARY KEY", // the link's 12 random bytes
    gate: "TEXT NOT NULL",
    reviewer: "INTEGER NOT NULL", // the position in the list of all who may decide, from 0
    channel: "TEXT NOT NULL", // `outbox`, `email`, `slack`, `webhook` or `teams`
    created_at: "INTEGER NOT NULL",
    expires_at: "INTEGER NOT NULL", // Unix seconds: LINK_HOURS later, or the deadline plus the retention time if that is earlier
    revoked_at: "INTEGER", // when a new link replaced it
    notice: "TEXT NOT NULL", // of its first notice: `queued`, `sent` or `failed`
    receipt: "TEXT", // the channel's own JSON, with which it changes or follows its message; never a token
  }),
  "CREATE UNIQUE INDEX link_live ON link (gate, reviewer, channel) WHERE revoked_at IS NULL",
  // Used form nonces and signatures of Slack requests: a double click is one decision, and a replay
  // is refused.
  table("nonce", {
    id: "TEXT PRIMARY KEY", // a digest of the nonce or signature
    form: "TEXT NOT NULL", // SHA-256 of the whole form: the same form again gets the same response
    used_at: "INTEGER NOT NULL",
  }),
  // Work outside the object. A row is written in the transaction that caused it, and deleted when
  // it is done. Rows of one chain are performed in order. Retries are after 1 s, doubling up to 60
  // s, or when the other side says; a notice is attempted at most eight times.
  rowidTable("outbox", {
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    chain: "TEXT NOT NULL", // the kind, or `inbox:` with a reviewer's position, or `notice:` and `tell:` with a link's id
    kind: "TEXT NOT NULL", // OutboxKind (workers/stubs/run-calls.ts)
    detail: "TEXT NOT NULL", // data of the kind, JSON
    attempts: "INTEGER NOT NULL", // counted before each
    due_at: "INTEGER NOT NULL",
  }),
  table("schedule", {
    kind: "TEXT PRIMARY KEY", // `deadline:`, `escalate:`, `away:`, `remind0:` … with the gate; `requestor`, `claim`, `keyExpires`, `forget`
    due_at: "INTEGER NOT NULL",
    attempts: "INTEGER NOT NULL", // failed ones; the retry is after 0.5 to 1 s, doubling up to five minutes
  }),
  // The run's own copy of its record. Events that were committed together are one row.
  rowidTable("event", {
    seq: "INTEGER PRIMARY KEY", // of the row's first event, from 1
    events: "TEXT NOT NULL", // JSON of RecordEvent[] (shared/record/record.ts) without the run
  }),
  // The sampling requests that this run answers: several where identical requests adopted it. The
  // run is cancelled when the last is withdrawn.
  table("request_ref", {
    session: "TEXT NOT NULL", // the SessionObject's id
    originating: "TEXT NOT NULL",
    request: "TEXT NOT NULL",
    "PRIMARY KEY": "(session, originating, request)",
  }),
  // A denied reply is deleted in the transaction of the denial. Names: `input` (RunInput without
  // request, redaction, cached reply and juror's reason: no content), `cached`, `redaction:<gate>`
  // (what rules masked), `request:<version>`, `reply:<version>`, `written:<version>`, `model`
  // (usage, notes, attempts: no content), `outcome`, `lastCall` (what was approved of its tool
  // before), `jurorReason` (what a rule's juror wrote), `relayed` (the message of a call that is a
  // task), `round` (what its server asked last, and what its client answered), `passed` (the
  // response to it).
  longTexts("content"),
];

export const parkedTables = [
  // A sampling request that the relay's client is asked first (`mode: "fallback"`).
  //
  // Objects with this table are not runs, and have no other; they are named by a MAC over session
  // and request, and deleted when the client has responded, when the server's call has ended, or
  // after 15 minutes. Names: `request` (JSON of ParkedSampling), or `forgetAt` (the time of
  // deletion).
  longTexts("parked"),
];

export const runSchema: Schema = { tables: [...runTables, ...parkedTables], migrations: [] };
