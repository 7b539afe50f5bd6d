// One object for each reviewer with an email address, where email or Cloudflare Access is set
// up; its name is a digest of the reviewer's name. It has nothing of a review's content, no
// token, and of secrets only digests. The tables are created by the first review or sign-in, and
// the object is deleted with its last row.

import { type Schema, table } from "./schema.ts";

export const inboxSchema: Schema = {
  tables: [
    // How the newest telling of each run says that its review stands. A row is deleted an hour
    // after the review's deadline, or after it was told that the review does not wait any more.
    table("waiting", {
      run: "TEXT PRIMARY KEY",
      seq: "INTEGER NOT NULL", // of the row of the run's outbox: an older telling changes nothing
      gate: "TEXT", // null: it does not wait for this reviewer
      address: "TEXT NOT NULL", // digest of the reviewer's address in the run's plan: only its session sees the row
      deadline_at: "INTEGER NOT NULL",
      alike: "TEXT NOT NULL", // equal for reviews that differ in their messages alone (shared/review/inbox-facts.ts)
      warnings: "INTEGER NOT NULL",
      is_last: "INTEGER NOT NULL", // 1: one more of several approvals is enough
      facts: "TEXT NOT NULL", // JSON of InboxFacts: server, tool, client, model, cost, counts
      forget_at: "INTEGER NOT NULL",
    }),
    // Sign-in links of the last 70 minutes: of an hour three at most that are unused.
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
      created_at: "INTEGER NOT NULL",
      expires_at: "INTEGER NOT NULL", // INBOX_SESSION_HOURS later
    }),
  ],
  migrations: [],
};
