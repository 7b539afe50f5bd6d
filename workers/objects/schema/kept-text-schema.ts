// What is kept for an API key; names are digests of the key and what is said here. A CacheObject
// has a reply that a caller of the control endpoint asked to store, or the call that was approved
// last for one server, tool and those who decide. A ConversationObject has the turns that a session
// of the control endpoint asked to store, at most 200 and 1 MiB of text
// (`shared/wire/control/turns.ts`); each turn renews the time of expiry. An object is deleted when
// its text expires or is to be forgotten.

import { type Schema, longTexts, rowidTable } from "./schema.ts";

const keptTables = [
  rowidTable("kept", {
    one: "INTEGER PRIMARY KEY CHECK (one = 1)",
    at: "INTEGER NOT NULL", // when it was written
    expires_at: "INTEGER NOT NULL",
  }),
  // The reply, the call, or JSON of the turns. Names: always `text`.
  longTexts("kept_text"),
];

export const cacheSchema: Schema = { tables: keptTables, migrations: [] };

export const conversationSchema: Schema = {
  tables: [
    ...keptTables,
    // In a ConversationObject: the ids of the newest 1,000 turns, so that a retry does not add one
    // twice.
    rowidTable("appended", {
      seq: "INTEGER PRIMARY KEY",
      turn: "TEXT NOT NULL UNIQUE", // the endpoint's id of the turn
    }),
  ],
  migrations: [],
};
