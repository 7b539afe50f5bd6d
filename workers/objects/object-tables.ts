// The tables of one object, as its schema has them, and the version of all that it stores.
//
// The version is an entry of the object's key-value storage, written with the tables and deleted
// with them, so that it also says whether there are tables (SQLite's own `user_version` cannot be
// set in an object). An object that an earlier version wrote is migrated at its start, in one
// transaction. One that a later version wrote is left alone: it refuses every call until that
// version is deployed again, because what this one would write, the later one could not read.

import { logEvent } from "../platform/log.ts";
import { type Schema, versionOf } from "./schema/schema.ts";

const entry = "schemaVersion";

export class StoredByLaterVersion extends Error {
  override readonly name = "StoredByLaterVersion";
}

export class ObjectTables {
  readonly #storage: DurableObjectStorage;
  readonly #schema: Schema;
  #exist: boolean;

  /** Throws `StoredByLaterVersion`, and what a migration throws: then nothing has changed. */
  constructor(storage: DurableObjectStorage, schema: Schema) {
    this.#storage = storage;
    this.#schema = schema;
    const stored = this.#stored();
    this.#exist = stored !== undefined;
    if (stored !== undefined && stored !== versionOf(schema)) this.#migrate(stored);
  }

  #stored(): number | undefined {
    return this.#storage.kv.get<number>(entry);
  }

  #migrate(from: number): void {
    const to = versionOf(this.#schema);
    if (from > to) {
      logEvent("object.storedByLaterVersion");
      throw new StoredByLaterVersion(
        `this object is stored in version ${from}, and the code that runs knows ${to}: deploy the later version of the gateway again`,
      );
    }
    this.#storage.transactionSync(() => {
      for (const migration of this.#schema.migrations.slice(from - 1)) migration(this.#storage);
      this.#storage.kv.put(entry, to);
    });
  }

  get exist(): boolean {
    return this.#exist;
  }

  /** Where there are none. `tables`: those of the schema that this object has. */
  create(tables: readonly string[] = this.#schema.tables): void {
    if (this.#exist) return;
    this.#storage.transactionSync(() => {
      for (const statement of tables) this.#storage.sql.exec(statement);
      this.#storage.kv.put(entry, versionOf(this.#schema));
    });
    this.#exist = true;
  }

  /** A transaction was rolled back, perhaps one in which they were created. */
  lookAgain(): void {
    this.#exist = this.#stored() !== undefined;
  }

  /** Everything that the object stores. The deletion begins before this returns. */
  async deleteAll(): Promise<void> {
    this.#exist = false;
    try {
      await this.#storage.deleteAll();
    } catch (error) {
      this.lookAgain();
      throw error;
    }
  }
}
