// One object for each request of a client to a server of revision 2026-07-28 that asked for input.
// Its name is a digest of the API key and, for a client of 2026-07-28, of the server, the method
// and the params; for an older one, of its session and the request's id. The object is deleted when
// its last call is forgotten, or the key is revoked.

import { type Schema, longTexts, rowidTable } from "./schema.ts";

export const callSchema: Schema = {
  tables: [
    rowidTable("call", {
      attempt: "TEXT NOT NULL UNIQUE", // random: of several calls of the same object one waits at a time
      server: "TEXT NOT NULL",
      method: "TEXT NOT NULL", // `tools/call`, `prompts/get` or `resources/read`
      name: "TEXT", // of the tool or prompt, or the resource's URI
      headers: "TEXT NOT NULL", // content: JSON of the request's Mcp-Param-… headers, which repeat arguments
      state: "TEXT NOT NULL", // JSON of CallState (`shared/relay/call.ts`): the round, who is asked for which key, whether the server has the answers
      ended: "INTEGER NOT NULL", // 1 once the server's last word is there
      until: "INTEGER NOT NULL", // a day after its client or an answer came last; ten minutes after its end
    }),
    // What the server asked, the answers, and its last word. Names: the attempt and `rest` (the
    // params), `round` (what the server asked, and its state), `answer` and a key, or `answer` (the
    // last word).
    longTexts("call_text"),
  ],
  migrations: [],
};
