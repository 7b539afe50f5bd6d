// One object for each reviewer with an email address, if email or Cloudflare Access is set up,
// named by a digest of the reviewer's name. It has only digests of secrets. It is deleted with its
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
    // Devices that this person turned notices on for. A row is deleted when the device is turned
    // off, its push service says that it is gone, or all sessions of the person end.
    table("device", {
      id: "TEXT PRIMARY KEY", // digest of the subscription's address
      address: "TEXT NOT NULL", // digest of the person's address when it was turned on
      label: "TEXT NOT NULL", // the browser and the system, such as Firefox on Android
      subscription: "TEXT NOT NULL", // JSON of Subscription (shared/channels/push/subscription.ts); sealed as content is
      secret: "TEXT NOT NULL", // digest of the secret by which its browser may give a new subscription
      key: "TEXT NOT NULL", // the gateway's public key that the subscription is good for
      made_at: "INTEGER NOT NULL",
      used_at: "INTEGER", // when its push service took a message last
    }),
    // What was pushed to which device. A row is deleted when the notice is withdrawn, or an hour
    // after the review's deadline.
    table("pushed", {
      topic: "TEXT NOT NULL", // a digest that tells reviews apart
      device: "TEXT NOT NULL",
      message: "TEXT NOT NULL", // the message that was attempted last
      taken: "INTEGER NOT NULL", // 1: its push service took this message
      shown: "INTEGER NOT NULL", // 1: the device may show a message of this topic
      tries: "INTEGER NOT NULL",
      forget_at: "INTEGER NOT NULL",
      "PRIMARY KEY": "(topic, device)",
    }),
  ],
  migrations: [],
};
