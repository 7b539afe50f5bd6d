// One object for each reviewer with an email address, where email or Cloudflare Access is set up,
// named by a digest of the reviewer's name. Of secrets it has only digests. It is deleted with its
// last row.

import { type Schema, table } from "./schema.ts";

export const inboxSchema: Schema = {
  tables: [
    // How the review of each run stands, as it was told last. A row is deleted an hour after the
    // review's deadline, or after the review stopped waiting.
    table("waiting", {
      run: "TEXT PRIMARY KEY",
      seq: "INTEGER NOT NULL", // of the row of the run's outbox: an older telling changes nothing
      gate: "TEXT", // null: it does not wait for this reviewer
      address: "TEXT NOT NULL", // digest of the reviewer's address in the run's plan: only its session sees the row
      deadline_at: "INTEGER NOT NULL",
      alike: "TEXT NOT NULL", // equal for reviews that differ in their messages alone (shared/review/inbox-facts.ts)
      warnings: "INTEGER NOT NULL",
      is_last: "INTEGER NOT NULL", // 1: one more of several approvals is enough
      facts: "TEXT NOT NULL", // JSON of InboxFacts: server, tool, client, model, cost, counts; `excerpt` is content
      forget_at: "INTEGER NOT NULL",
    }),
    // Sign-in links of the last 70 minutes, at most three of an hour unused.
    table("sign_in", {
      id: "TEXT PRIMARY KEY", // 16 random bytes; the link's token is computed from it and LINK_KEY
      browser: "TEXT NOT NULL", // digest of the secret in the cookie of the browser that asked
      address: "TEXT NOT NULL", // digest of the address that it was sent to
      to_review: "TEXT", // the review that was wanted
      asked_at: "INTEGER NOT NULL",
      used_at: "INTEGER", // when it was used, or ended with all sessions
      mail: "TEXT", // JSON with the address, until the email is sent
      attempts: "INTEGER NOT NULL", // at the email, counted before each
      due_at: "INTEGER NOT NULL",
    }),
    table("session", {
      id: "TEXT PRIMARY KEY", // digest of the session's secret
      address: "TEXT NOT NULL", // digest of the address that was signed in
      way: "TEXT NOT NULL", // JSON of SignInWay (shared/receipt/known.ts)
      created_at: "INTEGER NOT NULL",
      expires_at: "INTEGER NOT NULL", // INBOX_SESSION_HOURS later
    }),
    // The reviewer's passkeys. What is kept of each is public. The object lives as long as one.
    table("passkey", {
      id: "TEXT PRIMARY KEY", // the credential's id, base64url
      address: "TEXT NOT NULL", // digest of the address whose session added it: it counts for no other
      name: "TEXT NOT NULL", // as its owner calls it
      public_key: "TEXT NOT NULL", // a COSE key (RFC 9052), base64url
      counter: "INTEGER NOT NULL", // its signatures, where it counts them; else 0
      transports: "TEXT NOT NULL", // JSON, for the browser
      is_synced: "INTEGER NOT NULL", // 1: its maker keeps copies of it on several devices
      created_at: "INTEGER NOT NULL",
      used_at: "INTEGER", // for a decision, or for another passkey
    }),
    // The nonces of the last five minutes by which a passkey was added: each adds one.
    table("passkey_nonce", { nonce: "TEXT PRIMARY KEY", until: "INTEGER NOT NULL" }),
  ],
  migrations: [],
};
