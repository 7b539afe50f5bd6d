// One object for each API key, server with sessions, and what a client of revision 2026-07-28
// declares (its capabilities, name and version, and its own credential for the server, which is not
// stored), named by a digest of these. A call that is answered within a second and asks nothing is
// not written. The object is deleted when the session has ended (half an hour after its last use)
// and the last call is forgotten, or the key is revoked.

import { type Schema, longTexts, rowidTable } from "./schema.ts";

export const bridgeSchema: Schema = {
  tables: [
    // One row: the session.
    rowidTable("bridge", {
      id: "TEXT NOT NULL", // the relay's id of the session, sealed
      revision: "TEXT NOT NULL", // that the server speaks in it
      server: "TEXT NOT NULL",
      key: "TEXT NOT NULL", // JSON of the API key's record, without the key
      client: "TEXT NOT NULL", // JSON of the client's capabilities, name and version
      own_credential: "INTEGER NOT NULL", // 1: the server gets the client's own, and after a reset the client has to come back
      log_level: "TEXT", // the last `logging/setLevel`
      event_id: "TEXT", // the last event of the stand-alone stream
      used_at: "INTEGER NOT NULL", // to five minutes
    }),
    rowidTable("bridge_call", {
      call: "TEXT PRIMARY KEY", // random: the JSON-RPC id of the request at the server
      bound: "TEXT NOT NULL", // a digest of key, server, method and params, by which the same request finds the call
      method: "TEXT NOT NULL",
      session: "TEXT NOT NULL", // as `bridge.id`; a newer session may have begun since
      revision: "TEXT NOT NULL",
      event_id: "TEXT", // the last event of its response stream; null where the server gives none: then a reset ends the call
      state: "TEXT NOT NULL", // JSON of CallState (`shared/relay/call.ts`): what the server asks under which key, and whether the server has the answer
      taken: "INTEGER NOT NULL", // 1 once the client has the answer
      until: "INTEGER NOT NULL", // a day after its client or an answer came last; ten minutes after its end
    }),
    // What the server asked, the client's answers, and results. Names: `initialized` (the server's
    // result of `initialize`); the call and a key (the question's params, then its answer); the
    // call and `answer`.
    longTexts("bridge_text"),
  ],
  migrations: [],
};
