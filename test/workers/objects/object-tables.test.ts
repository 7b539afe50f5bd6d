// The version of what an object stores: an earlier one is migrated when the object starts, and a
// later one, which only later code can read, is left alone.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import * as gateway from "../../../workers/index.ts";
import { ObjectTables, StoredByLaterVersion } from "../../../workers/objects/object-tables.ts";
import { type Schema, table, versionOf } from "../../../workers/objects/schema/schema.ts";
import { schemas } from "../../../workers/objects/schema/schemas.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { env } from "../support/gateway.ts";
import { tablesIn } from "./inside.ts";

const first: Schema = { tables: [table("word", { text: "TEXT PRIMARY KEY" })], migrations: [] };
const grown: Schema = {
  tables: [table("word", { text: "TEXT PRIMARY KEY", length: "INTEGER NOT NULL" })],
  migrations: [
    ({ sql }) => void sql.exec("ALTER TABLE word ADD COLUMN length INTEGER NOT NULL DEFAULT 0"),
    ({ sql, kv }) => {
      sql.exec("UPDATE word SET length = length(text)");
      kv.delete("note");
    },
  ],
};

/** In the storage of an object that nothing else uses. */
const inStorage = (work: (storage: DurableObjectStorage) => void): Promise<void> =>
  runInDurableObject(env.DIGEST.get(env.DIGEST.newUniqueId()) as DurableObjectStub, (_, { storage }) => work(storage));

const stored = (storage: DurableObjectStorage) => ({ tables: tablesIn(storage), entries: Object.fromEntries(storage.kv.list()) });

const filled = (storage: DurableObjectStorage): void => {
  new ObjectTables(storage, first).create();
  storage.sql.exec("INSERT INTO word (text) VALUES ('haiku')");
  storage.kv.put("note", "of the first version");
};

describe("an object's tables", () => {
  test("are there once they are created, in the schema's version, and are deleted with it", async () => {
    await inStorage((storage) => {
      const object = new ObjectTables(storage, first);
      expect([object.exist, stored(storage)]).toEqual([false, { tables: {}, entries: {} }]);
      object.create();
      object.create();
      expect([object.exist, stored(storage)]).toEqual([true, { tables: { word: [] }, entries: { schemaVersion: 1 } }]);
      expect(new ObjectTables(storage, first).exist).toBe(true);
      void object.deleteAll();
      expect([object.exist, new ObjectTables(storage, first).exist]).toEqual([false, false]);
    });
  });

  test("are not there where the transaction that created them was rolled back", async () => {
    await inStorage((storage) => {
      const object = new ObjectTables(storage, first);
      const failing = (): void =>
        storage.transactionSync(() => {
          object.create();
          throw new Error("full");
        });
      expect(failing).toThrow("full");
      object.lookAgain();
      expect([object.exist, stored(storage)]).toEqual([false, { tables: {}, entries: {} }]);
    });
  });

  test("of an earlier version are migrated step by step, and of this one not again", async () => {
    await inStorage((storage) => {
      filled(storage);
      for (const _start of ["first", "second"]) expect(new ObjectTables(storage, grown).exist).toBe(true);
      expect(stored(storage)).toEqual({ tables: { word: [{ text: "haiku", length: 5 }] }, entries: { schemaVersion: 3 } });
    });
  });

  test("are as they were where a migration fails, and the next start tries it again", async () => {
    await inStorage((storage) => {
      filled(storage);
      const before = stored(storage);
      const broken = { ...grown, migrations: [...grown.migrations, () => void storage.sql.exec("SELECT * FROM missing")] };
      expect(() => new ObjectTables(storage, broken)).toThrow("no such table");
      expect(stored(storage)).toEqual(before);
      expect(new ObjectTables(storage, grown).exist).toBe(true);
    });
  });

  test("of a later version are refused and left as they are", async () => {
    await inStorage((storage) => {
      filled(storage);
      expect(new ObjectTables(storage, grown).exist).toBe(true);
      const before = stored(storage);
      expect(() => new ObjectTables(storage, first)).toThrow(StoredByLaterVersion);
      expect(stored(storage)).toEqual(before);
    });
  });
});

const classes: Readonly<Record<keyof typeof schemas, new (state: DurableObjectState, env: Env) => unknown>> = gateway;

describe("each object", () => {
  test.each(Object.keys(schemas) as (keyof typeof schemas)[])(
    "%s starts with what its own version stored, and with nothing of a later one",
    async (name) => {
      await runInDurableObject(env.DIGEST.get(env.DIGEST.newUniqueId()) as DurableObjectStub, (_, state) => {
        const { storage } = state;
        new ObjectTables(storage, schemas[name]).create();
        storage.kv.put("schemaVersion", versionOf(schemas[name]) + 1);
        const before = stored(storage);
        expect(() => new classes[name](state, env)).toThrow(/stored in version \d+, .*: deploy the later version of the gateway again/);
        expect(stored(storage)).toEqual(before);
        storage.kv.put("schemaVersion", versionOf(schemas[name]));
        expect(() => new classes[name](state, env)).not.toThrow();
      });
    },
  );
});
