// The turns of a session that asked to be remembered: content, kept until the session was quiet for long enough or its key says forget.
//
// One object for each API key and session name. How much is kept is decided in shared/control/conversation.ts.

import { DurableObject } from "cloudflare:workers";
import {
  type ConversationEdits,
  type ConversationLimits,
  conversationLimits,
  editedTurns,
  keptTurns,
} from "../../shared/control/conversation.ts";
import type { Turn } from "../../shared/control/envelope.ts";
import type { Env } from "../env.ts";
import { KeptText } from "./kept-text.ts";
import { OfKey } from "./of-key.ts";

export type AppendInput = {
  readonly keyId: string;
  /** The same for every try of one request: twice is once. */
  readonly turnId: string;
  /** JSON of `Turn[]`: what the user asked and what the assistant answered. */
  readonly turns: string;
  /** What they follow: what is kept, or JSON of `Turn[]` that takes its place, where the request brought its own history. */
  readonly base: "kept" | { readonly history: string };
  /** JSON of `ConversationEdits`: what a reviewer changed of what they follow. */
  readonly edits?: string;
  /** From now until everything is forgotten, in milliseconds. */
  readonly ttlMs: number;
  readonly limits?: ConversationLimits;
};

/** A request that is tried again after so many others of its session counts as new. */
const mostTurnIds = 1_000;

export class ConversationObject extends DurableObject<Env> {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #kept: KeptText;
  readonly #ofKey: OfKey;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#kept = new KeptText(ctx.storage, { now: () => this.now(), random: () => this.random() });
    this.#ofKey = new OfKey(env, "conversation", ctx.id);
  }

  /** JSON of `Turn[]`, oldest first, or null where nothing is kept or its time is over. */
  read(): string | null {
    return this.#kept.read(this.now())?.text ?? null;
  }

  /**
   * Adds an exchange in one transaction and begins the time anew. One that was added before changes nothing, and nothing is added where
   * the key was revoked.
   */
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

  /** Deletes everything at once. */
  async forget(): Promise<void> {
    await this.#kept.forget();
  }

  /** Its key was revoked: nothing is kept, now or ever. */
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

/** Written by the door from turns that it had parsed, or here. */
const parseTurns = (text: string): readonly Turn[] => JSON.parse(text) as Turn[];
