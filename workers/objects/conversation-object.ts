// The turns of a session that asked to have them remembered: content, kept until the session was
// idle for its time or its key forgets it.
//
// One object for each API key and session name. How much is kept is decided in
// shared/wire/control/turns.ts.

import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { ConversationCalls, AppendInput } from "../stubs/conversation-calls.ts";
import { conversationLimits, editedTurns, keptTurns } from "../../shared/wire/control/turns.ts";
import type { Turn } from "../../shared/wire/control/envelope.ts";
import type { Env } from "../platform/env.ts";
import { KeptTextObject } from "./kept-text-object.ts";
import { conversationSchema } from "./schema/kept-text-schema.ts";

/** A request that is repeated after so many others of its session counts as new. */
const mostTurnIds = 1_000;

export class ConversationObject extends KeptTextObject<readonly Turn[]> implements ConversationCalls {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, conversationSchema, "conversation");
  }

  read(): JsonOf<readonly Turn[]> | null {
    return this.kept.read(this.now())?.text ?? null;
  }

  async append({ keyId, turnId, turns, base, edits, ttlMs, limits = conversationLimits }: AppendInput): Promise<void> {
    if (!(await this.ofKey.mayWrite(keyId, this.now() + ttlMs))) return;
    const now = this.now();
    const added = readJsonOf(turns);
    this.ctx.storage.transactionSync(() => {
      const kept = this.kept.read(now);
      if (!this.#isNew(turnId, kept !== null)) return;
      const before = base !== "kept" ? readJsonOf(base.history) : kept === null ? [] : readJsonOf(kept.text);
      const left = edits === undefined ? before : editedTurns(before, readJsonOf(edits));
      this.kept.write(jsonOf(keptTurns([...left, ...added], limits)), now, now + ttlMs);
    });
  }

  /**
   * Stores the id; false where it is stored already. The ids of expired turns are forgotten with
   * them.
   */
  #isNew(turnId: string, isAlive: boolean): boolean {
    this.tables.create();
    const { sql } = this;
    if (!isAlive) sql.exec("DELETE FROM appended");
    const [row] = sql.exec<{ seq: number }>("INSERT OR IGNORE INTO appended (turn) VALUES (?) RETURNING seq", turnId).toArray();
    if (row === undefined) return false;
    sql.exec("DELETE FROM appended WHERE seq <= ?", row.seq - mostTurnIds);
    return true;
  }
}
