// One reply that a caller asked to have again for the same request: content, for as long as the
// caller said.
//
// One object for each API key and digest of what was asked, so that no key gets another key's
// reply. The endpoint decides what the digest covers, and whether a reply may be kept.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { CacheCalls, KeptReply } from "../stubs/cache-calls.ts";
import type { Env } from "../platform/env.ts";
import { KeptTextObject } from "./kept-text-object.ts";
import { cacheSchema } from "./schema/kept-text-schema.ts";

export class CacheObject extends KeptTextObject<KeptReply> implements CacheCalls {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, cacheSchema, "cache");
  }

  async put(keyId: string, reply: JsonOf<KeptReply>, at: number, ttlMs: number): Promise<void> {
    if (!(await this.ofKey.mayWrite(keyId, at + ttlMs))) return;
    this.ctx.storage.transactionSync(() => this.kept.write(reply, at, at + ttlMs));
  }

  get(): { text: JsonOf<KeptReply>; at: number } | null {
    return this.kept.read(this.now());
  }
}
