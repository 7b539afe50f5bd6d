// One value of an API key: a reply that a caller asked to have again for the same request, for as
// long as the caller said; or the call of a tool that people approved last.
//
// One object for each API key and digest, so that no key gets another key's content. Whoever keeps
// it decides what the digest covers, and whether it may be kept.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { CacheCalls, Kept } from "../stubs/cache-calls.ts";
import type { Env } from "../platform/env.ts";
import { KeptTextObject } from "./kept-text-object.ts";
import { cacheSchema } from "./schema/kept-text-schema.ts";

export class CacheObject extends KeptTextObject<Kept> implements CacheCalls {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, cacheSchema, "cache");
  }

  async put(keyId: string, kept: JsonOf<Kept>, at: number, ttlMs: number): Promise<void> {
    if (!(await this.ofKey.mayWrite(keyId, at + ttlMs))) return;
    // What was put late takes the place of nothing newer.
    if ((this.get()?.at ?? 0) > at) return;
    this.ctx.storage.transactionSync(() => this.kept.write(kept, at, at + ttlMs));
  }

  get(): { text: JsonOf<Kept>; at: number } | null {
    return this.kept.read(this.now());
  }
}
