// One object for each run, named by the 16 random bytes of the run's id in hexadecimal. The tables
// are created with the run. **The object is deleted `RETENTION_HOURS` (24 by default) after the
// run's end.** It never has a link's token, an API key or a provider's credential.

import { type Schema, longTexts, rowidTable } from "./schema.ts";

export const runTables = [
  // One row: the run's state and all that changes with it, written once for each step. Each column
  // is JSON (RunColumns in workers/objects/run/tables/run-row.ts).
  rowidTable("run", {
    one: "INTEGER PRIMARY KEY CHECK (one = 1)",
    state: "TEXT", // RunState (shared/run/lifecycle.ts); reasons and notes in it are content
    outbox: "TEXT", // work outside the object: rows of one chain are performed in order, and a row is gone when it is done
    schedule: "TEXT", // `deadline:`, `escalate:`, `away:`, `remind0:` … with the gate; `requestor`, `claim`, `keyExpires`, `forget`
    links: "TEXT", // each gate, reviewer and channel has one that is not revoked; LINK_KEY makes the token of it
    versions: "TEXT", // who edited which version of the request and the reply; 1 is the server's or the model's original
    nonces: "TEXT", // used form nonces and signatures of Slack requests, each with the SHA-256 of its form: a double click is one decision
    refs: "TEXT", // the requests that this run answers; it is cancelled when the last is withdrawn
    model: "TEXT", // usage, notes and attempts
    delivery: "TEXT", // when the response was released, after the record had it, and to how many callers; 0: it is kept for an identical request
    requestor_gone: "TEXT", // whether no requestor is connected
    shipped_seq: "TEXT", // the newest event that the ledger has
  }),
  // The run's own copy of its record. Events that were committed together are one row.
  rowidTable("event", {
    seq: "INTEGER PRIMARY KEY", // of the row's first event, from 1
    events: "TEXT NOT NULL", // JSON of RecordEvent[] (shared/record/record.ts) without the run
  }),
  // A denied reply is deleted in the transaction of the denial. Names: `input` (RunInput without
  // request, redaction, cached reply and juror's reason: no content), `cached`, `redaction:<gate>`
  // (what rules masked), `request:<version>`, `reply:<version>`, `written:<version>`, `outcome`,
  // `lastCall` (what was approved of its tool before), `jurorReason` (what a rule's juror wrote),
  // `relayed` (the message of a call that is a task), `round` (what its server asked last, and what
  // its client answered), `passed` (the response to it).
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
