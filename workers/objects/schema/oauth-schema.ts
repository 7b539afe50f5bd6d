// What the OAuth library stores: registered clients in sixteen objects, and the grants and tokens
// of a person in one of their own. Of tokens, codes and secrets it has digests alone.

import { type Schema, table } from "./schema.ts";

export const oauthSchema: Schema = {
  tables: [
    table("entry", {
      name: "TEXT PRIMARY KEY", // the library's: `client:…`, `grant:…`, `token:…`; ours: `refresh:…`
      value: "TEXT NOT NULL", // the library's JSON
      metadata: "TEXT", // JSON that lists show
      expires_at: "INTEGER", // Unix milliseconds; null: it is kept
    }),
  ],
  migrations: [],
};
