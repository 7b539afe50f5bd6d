// What an object's storage has in it: its tables, and how what an earlier version stored becomes
// what this one stores. Each object has one, and a version of it (object-tables.ts).
//
// docs/storage-schema.md is made of the comments in these files: of those at the top of each, on
// tables with content, and beside their columns, what is about content and its end.

import type { DurableObjectStorage } from "@cloudflare/workers-types";

/** Changes what one version stored into what the next one stores. */
type Migration = (storage: DurableObjectStorage) => void;

export type Schema = {
  /** SQL that creates each table and index, as this version has them. */
  readonly tables: readonly string[];
  /**
   * The first leads from version 1 to version 2, and so on. It covers everything that the object
   * stores: rows, the JSON in them, and entries of its key-value storage.
   */
  readonly migrations: readonly Migration[];
};

/** From 1. */
export const versionOf = ({ migrations }: Schema): number => migrations.length + 1;

/** Each column, or `PRIMARY KEY` or `UNIQUE`, with what follows it in SQL. */
type Columns = Readonly<Record<string, string>>;

export const rowidTable = (name: string, columns: Columns): string =>
  `CREATE TABLE ${name} (${Object.entries(columns)
    .map((column) => column.join(" "))
    .join(", ")})`;

export const table = (name: string, columns: Columns): string => `${rowidTable(name, columns)} WITHOUT ROWID`;

/** Content, by names, each text in parts of at most 500,000 UTF-16 code units: `LongTexts`. */
export const longTexts = (name: string): string =>
  table(name, { name: "TEXT NOT NULL", part: "INTEGER NOT NULL", text: "TEXT NOT NULL", "PRIMARY KEY": "(name, part)" });
