// The calls of a CacheObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { CachedReply } from "../../shared/run/run-input.ts";

export type KeptReply = Omit<CachedReply, "at">;

export interface CacheCalls extends Rpc.DurableObjectBranded {
  /**
   * Keeps a reply of any length from `at` (Unix milliseconds) for `ttlMs` milliseconds, in place of
   * an earlier one; nothing where its key is revoked.
   */
  put(keyId: string, reply: JsonOf<KeptReply>, at: number, ttlMs: number): Promise<void>;
  /**
   * The reply and when it was put (Unix milliseconds), or null where there is none or its time is
   * over.
   */
  get(): { text: JsonOf<KeptReply>; at: number } | null;
  forget(): Promise<void>;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
