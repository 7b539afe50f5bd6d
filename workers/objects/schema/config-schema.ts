// One object, named `one`, is the only writer of configuration. It has no API key and no provider's
// credential. When documents and keys are migrated here, their copies in KV are published again.

import { type Schema, rowidTable, table } from "./schema.ts";

export const configSchema: Schema = {
  tables: [
    // The configuration documents: of each the last 20 versions that operators wrote, and of the
    // policy the last 20 that people wrote in their inbox.
    table("document", {
      name: "TEXT NOT NULL", // `routing`, `policy`, `servers`, `issuers` or `budgets`
      version: "INTEGER NOT NULL", // from 1
      at: "INTEGER NOT NULL",
      text: "TEXT NOT NULL", // the document with its version, JSON
      writer: "TEXT NOT NULL", // JSON: the operator, and the old version that was restored
      "PRIMARY KEY": "(name, version)",
    }),
    // API keys. Rows are permanent, so that lists and the record can name every key.
    table("key", {
      id: "TEXT PRIMARY KEY", // `key_` and the first 16 hexadecimal digits of the hash
      hash: "TEXT NOT NULL UNIQUE", // the key's SHA-256 in hexadecimal
      record: "TEXT NOT NULL", // JSON: the response of POST /admin/keys without the key
      created_at: "INTEGER NOT NULL",
      revoked_at: "INTEGER",
    }),
    // Values that are committed and not yet in KV.
    table("unpublished", {
      kv_key: "TEXT PRIMARY KEY",
      value: "TEXT NOT NULL",
      attempts: "INTEGER NOT NULL", // failed ones
      due_at: "INTEGER NOT NULL",
    }),
    // One row: which `LINK_KEY`, form and version the copies in KV were made with. If these are not
    // the current ones, the object publishes all copies again when it starts.
    rowidTable("published_with", {
      one: "INTEGER PRIMARY KEY",
      mark: "TEXT NOT NULL", // a MAC with the key that signs copies
    }),
    // One row: what the doctor found last.
    rowidTable("doctor_report", {
      one: "INTEGER PRIMARY KEY",
      at: "INTEGER NOT NULL",
      documents: "TEXT NOT NULL", // JSON of the versions that were checked
      checks: "TEXT NOT NULL", // JSON of the checks: what was checked, `good`, `note` or `fix`, and a sentence
    }),
    // Operators' actions, as events of the record, each committed with its change and then sent to
    // the ledger. All but the newest, to which a check compares the log, are then deleted.
    rowidTable("act", {
      n: "INTEGER PRIMARY KEY AUTOINCREMENT",
      run: "TEXT NOT NULL", // one for each month (UTC): `operators/2026-11`
      seq: "INTEGER NOT NULL", // from 1 in each month
      at: "INTEGER NOT NULL",
      fact: "TEXT NOT NULL", // JSON of OperatorFact (shared/record/record.ts)
      sent: "INTEGER NOT NULL", // 1 if the ledger has it
      tree: "TEXT", // JSON of TreeHead: the log's tree when the ledger had it; null until then
    }),
    // One row: the Ed25519 key that signs checkpoints of the record.
    rowidTable("record_key", {
      one: "INTEGER PRIMARY KEY",
      public_key: "TEXT NOT NULL", // 32 bytes, as base64url
      secret: "TEXT NOT NULL", // PKCS #8, as base64url; sealed as content is
    }),
    // One row: the key by which push services know the gateway (RFC 8292).
    rowidTable("push_key", {
      one: "INTEGER PRIMARY KEY",
      public_key: "TEXT NOT NULL", // 65 bytes, as base64url
      secret: "TEXT NOT NULL", // PKCS #8, as base64url; sealed as content is
    }),
    // The ES256 keys of receipts. Rows are permanent, so that every receipt can be checked.
    table("receipt_key", {
      kid: "TEXT PRIMARY KEY", // the public key's thumbprint (RFC 7638)
      x: "TEXT NOT NULL",
      y: "TEXT NOT NULL",
      secret: "TEXT NOT NULL", // PKCS #8, as base64url; sealed as content is; empty once it is revoked
      made_at: "INTEGER NOT NULL",
      signs_at: "INTEGER NOT NULL", // it is published before
      revoked_at: "INTEGER",
    }),
    // Who is signed in to the console by the admin token.
    table("console_session", {
      id: "TEXT PRIMARY KEY", // SHA-256 of the cookie's secret
      fingerprint: "TEXT NOT NULL", // tells admin tokens apart, as in the record; or `issuer` and JSON of its name and the operator's address
      until: "INTEGER NOT NULL", // 12 hours after signing in
    }),
    // Which operator read which reviewer's link, so that the record has the first time alone. Rows
    // are deleted after 400 days.
    table("link_given", {
      link: "TEXT NOT NULL",
      operator: "TEXT NOT NULL", // the admin token's fingerprint, or the address that Cloudflare Access signed in
      at: "INTEGER NOT NULL",
      "PRIMARY KEY": "(link, operator)",
    }),
    "CREATE INDEX link_given_at ON link_given (at)",
  ],
  migrations: [],
};
