// The turns of a session that asked to be remembered: content, kept until the session was quiet for long enough or its key says forget.
//
// One object for each API key and session name. How much is kept is decided in shared/wire/control/turns.ts.

import type { ConversationCalls, AppendInput } from "../stubs/conversation-calls.ts";
import { DurableObject } from "cloudflare:workers";
import { type ConversationEdits, conversationLimits, editedTurns, keptTurns } from "../../shared/wire/control/turns.ts";
import type { Turn } from "../../shared/wire/control/envelope.ts";
import type { Env } from "../platform/env.ts";
import { KeptText } from "./kept-text.ts";
import { OfKey } from "../stubs/of-key.ts";

/** A request that is tried again after so many others of its session counts as new. */
const mostTurnIds = 1_000;

export class ConversationObject extends DurableObject<Env> implements ConversationCalls {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #kept: KeptText;
  readonly #ofKey: OfKey;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#kept = new KeptText(ctx.storage, { now: () => this.now(), random: () => this.random() });
    this.#ofKey = new OfKey(env, "conversation", ctx.id);
  }

  read(): string | null {
    return this.#kept.read(this.now())?.text ?? null;
  }

  async append({ keyId, turnId, turns, base, edits, ttlMs, limits = conversationLimits }: AppendInput): Promise<void> {
    if (!(await this.#ofKey.may(keyId, this.now() + ttlMs))) return;
    const now = this.now();
    const added = parseTurns(turns);
    this.ctx.storage.transactionSync(() => {
      const kept = this.#kept.read(now);
      if (!this.#isNew(turnId, kept !== null)) return;
      const before = base === "kept" ? parseTurns(kept?.text ?? "[]") : parseTurns(base.history);
      const left = edits === undefined ? before : editedTurns(before, JSON.parse(edits) as ConversationEdits); // written by RunObject
      this.#kept.write(JSON.stringify(keptTurns([...left, ...added], limits)), now, now + ttlMs);
    });
  }

  async forget(): Promise<void> {
    await this.#kept.forget();
  }

  async keyRevoked(): Promise<void> {
    this.#ofKey.revoked();
    await this.#kept.forget();
  }

  override async alarm(): Promise<void> {
    await this.#kept.forgetExpired();
  }

  /** Takes down the id. Ids of what was forgotten with its time are forgotten too. */
  #isNew(turnId: string, isAlive: boolean): boolean {
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS appended (seq INTEGER PRIMARY KEY, turn TEXT NOT NULL UNIQUE)");
    if (!isAlive) sql.exec("DELETE FROM appended");
    const [row] = sql.exec<{ seq: number }>("INSERT OR IGNORE INTO appended (turn) VALUES (?) RETURNING seq", turnId).toArray();
    if (row === undefined) return false;
    sql.exec("DELETE FROM appended WHERE seq <= ?", row.seq - mostTurnIds);
    return true;
  }
}

/** Written by the endpoint from turns that it had parsed, or here. */
const parseTurns = (text: string): readonly Turn[] => JSON.parse(text) as Turn[];
