// The calls of a CacheObject and their values. It imports no object.

export interface CacheCalls extends Rpc.DurableObjectBranded {
  /**
   * Keeps a text of any length from `at` (Unix milliseconds) for `ttlMs` milliseconds, in place of
   * an earlier one; nothing where its key is revoked.
   */
  put(keyId: string, text: string, at: number, ttlMs: number): Promise<void>;
  /**
   * The text and when it was put (Unix milliseconds), or null where there is none or its time is
   * over.
   */
  get(): { text: string; at: number } | null;
  forget(): Promise<void>;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
