// One object for each API key, named by the key's id. It does not have the key.
//
// Its key-value storage has `state`, JSON of `KeyState` (`shared/policy/limits.ts`): token buckets,
// running requests, and the shares of the limits that isolates hold. It is written at most once a
// second, and no request waits for that; a share is written before it is given.

import { type Schema, rowidTable, table } from "./schema.ts";

export const keySchema: Schema = {
  tables: [
    // A row means that the key was revoked. It is permanent.
    rowidTable("revocation", {
      one: "INTEGER PRIMARY KEY CHECK (one = 1)",
      at: "INTEGER NOT NULL",
    }),
    // What ends when the key is revoked: a run from before its first notice until its end, anything
    // else from before it is written until it expires.
    table("dependent", {
      kind: "TEXT NOT NULL", // `run`, `cache`, `conversation`, `call` or `bridge`
      name: "TEXT NOT NULL", // a run's id, or the object's
      until: "INTEGER", // when it expires; null: it reports its end itself
      attempts: "INTEGER NOT NULL", // to end it, counted before each
      due_at: "INTEGER", // null while the key is valid
      "PRIMARY KEY": "(kind, name)",
    }),
    // Runs have no `until`: they are not in it.
    "CREATE INDEX dependent_until ON dependent (until) WHERE until IS NOT NULL",
    // The sessions that count for the limit `sessions`. After two minutes, and then every 12 hours,
    // the object asks each whether it has begun and not ended.
    table("live_session", {
      id: "TEXT PRIMARY KEY", // the SessionObject's id
      check_at: "INTEGER NOT NULL", // when the session is asked next
    }),
    // The run that an identical request of this key attaches to: while the run is open, and for an
    // hour if its reply was delivered to no caller.
    table("identical", {
      digest: "TEXT PRIMARY KEY",
      run: "TEXT NOT NULL",
      expires_at: "INTEGER NOT NULL",
    }),
    // Grants ([policy.md](policy.md#grants)). Thirty days after its end a row is deleted when
    // another grant is given.
    table("grant", {
      id: "TEXT PRIMARY KEY", // the key's id, a dot, 22 characters that follow from run and gate
      expires_at: "INTEGER NOT NULL",
      text: "TEXT NOT NULL", // JSON of Grant (shared/policy/grant.ts): the grant and its remainder
    }),
    // Counted uses, so that a repeat of the request is not counted twice. A row is kept for a day.
    table("grant_use", {
      identity: "TEXT NOT NULL", // digest of session, originating request, JSON-RPC id and params
      gate: "TEXT NOT NULL",
      grant: "TEXT NOT NULL",
      run: "TEXT NOT NULL", // for which it was counted
      at: "INTEGER NOT NULL",
      micro_usd: "INTEGER NOT NULL", // the money used of the grant, in millionths of a US dollar
      "PRIMARY KEY": "(identity, gate)",
    }),
    "CREATE INDEX grant_use_at ON grant_use (at)",
    // The calls that rules' jurors were asked about in the last hour.
    table("juror_case", {
      run: "TEXT PRIMARY KEY", // the run's id
      rule: "TEXT NOT NULL",
      call: "TEXT NOT NULL", // the digest by which an identical call is known
      at: "INTEGER NOT NULL",
      passed: "INTEGER NOT NULL", // 1, also while the juror is asked; 0: it had people asked
    }),
  ],
  migrations: [],
};
