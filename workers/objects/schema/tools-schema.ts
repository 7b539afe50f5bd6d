// The definitions of a server's tools, named by the server's name in the servers document.

import { type Schema, table } from "./schema.ts";

export const toolsSchema: Schema = {
  tables: [
    table("tool", {
      name: "TEXT PRIMARY KEY",
      digest: "TEXT NOT NULL", // of the definition that was listed last
    }),
    // Those that were decided, and the last one of each tool.
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
    // One row: the first list, which is accepted as a whole.
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
