// The calls of a CacheObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { ToolCall } from "../../shared/model/subject/tool-call.ts";
import type { CachedReply } from "../../shared/run/work.ts";

export type KeptReply = Omit<CachedReply, "at">;

/** Which of them an object keeps follows from its name. */
export type Kept = KeptReply | ToolCall;

export interface CacheCalls<T extends Kept = Kept> extends Rpc.DurableObjectBranded {
  /**
   * Keeps a value of any length from `at` (Unix milliseconds) for `ttlMs` milliseconds, in place of
   * an earlier one; nothing where its key is revoked, or a later one is kept.
   */
  put(keyId: string, kept: JsonOf<T>, at: number, ttlMs: number): Promise<void>;
  /**
   * The value and when it was put (Unix milliseconds), or null where there is none or its time is
   * over.
   */
  get(): { text: JsonOf<T>; at: number } | null;
  forget(): Promise<void>;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
