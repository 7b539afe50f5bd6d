// The definitions of a server's tools, by the server's name in the servers document.

import { type Schema, table } from "./schema.ts";

export const toolsSchema: Schema = {
  tables: [
    table("tool", {
      name: "TEXT PRIMARY KEY",
      digest: "TEXT NOT NULL", // of the definition that was listed last
    }),
    // Those that were decided stay; of the others a tool has the last.
    table("definition", {
      tool: "TEXT NOT NULL",
      digest: "TEXT NOT NULL",
      state: "TEXT NOT NULL", // `accepted`, `waiting` or `hidden`
      definition: "TEXT", // JSON of ToolDefinition (shared/relay/tool-definition.ts); null where it is too long
      since: "INTEGER NOT NULL", // when it was first listed
      decided_at: "INTEGER NOT NULL", // when it was accepted or hidden; 0 where nobody did
      is_told: "INTEGER NOT NULL", // whether the record has that it waits
      "PRIMARY KEY": "(tool, digest)",
    }),
    // The first list, which is accepted as a whole: one row.
    table("first_list", {
      one: "INTEGER PRIMARY KEY",
      begun_at: "INTEGER NOT NULL",
      is_over: "INTEGER NOT NULL", // 1 once its last page has passed
    }),
    // Which keys called which tools.
    table("used", {
      key: "TEXT NOT NULL",
      tool: "TEXT NOT NULL",
      "PRIMARY KEY": "(key, tool)",
    }),
  ],
  migrations: [],
};
