// What an API key has kept for it. A CacheObject, one for each key and digest of a request, has the
// reply that a caller of the control endpoint asked to store; or, one for each key, server, tool
// and those who decide, the call that they approved last, for `RETENTION_HOURS`. A
// ConversationObject, one for each key and session name, has the turns that a session of the
// control endpoint asked to store, at most 200 and 1 MiB of text (`shared/wire/control/turns.ts`);
// each turn renews the time of expiry. Names are digests of both. The tables are created by the
// first write, and the object is deleted when its text expires or is to be forgotten.

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
    // In a ConversationObject: the ids of added turns, so that a retry does not add a turn twice.
    // The newest 1,000 are stored.
    rowidTable("appended", {
      seq: "INTEGER PRIMARY KEY",
      turn: "TEXT NOT NULL UNIQUE", // the endpoint's id of the turn
    }),
  ],
  migrations: [],
};
