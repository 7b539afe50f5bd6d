// What the OAuth library stores: registered clients in sixteen objects, and each person's grants
// and tokens in one, with only digests of tokens, codes and secrets. A person's own login at a
// server has another object, sealed, because its tokens are sent there.

import { type Schema, table } from "./schema.ts";

export const oauthSchema: Schema = {
  tables: [
    table("entry", {
      name: "TEXT PRIMARY KEY", // the library's: `client:…`, `grant:…`, `token:…`; ours: `refresh:…`; of a login: `login`, `begun …`; of a person's sign-in at an issuer: `sign-in:…`
      value: "TEXT NOT NULL", // the library's JSON; of a login sealed where CONTENT_KEY is set
      metadata: "TEXT", // JSON that lists show
      expires_at: "INTEGER", // Unix milliseconds; null: it is kept
    }),
  ],
  migrations: [],
};
