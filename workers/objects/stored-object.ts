// What all objects of the gateway have: their tables, migrated before anything else is done with
// them; a clock and randomness, which tests replace; and the making of their alarm.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../platform/env.ts";
import { type AlarmDeps, ObjectAlarm } from "./alarm.ts";
import { ObjectTables } from "./object-tables.ts";
import type { Schema } from "./schema/schema.ts";

export abstract class StoredObject extends DurableObject<Env> {
  now = (): number => Date.now();
  random = (): number => Math.random();
  protected readonly clock = { now: (): number => this.now(), random: (): number => this.random() };
  protected readonly sql: SqlStorage;
  protected readonly tables: ObjectTables;

  constructor(ctx: DurableObjectState, env: Env, schema: Schema) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    this.tables = new ObjectTables(ctx.storage, schema);
  }

  /** Deletes everything, with the alarm. */
  protected async deleteAll(alarm: ObjectAlarm): Promise<void> {
    alarm.forget();
    await Promise.all([this.ctx.storage.deleteAlarm(), this.tables.deleteAll()]);
  }

  protected alarmFor(deps: Pick<AlarmDeps, "nextDue" | "failed" | "earlyMs">): ObjectAlarm {
    return new ObjectAlarm({ storage: this.ctx.storage, ...this.clock, ...deps });
  }
}
