// What the CacheObject and the ConversationObject share: one kept text of a key's content, which
// the key knows of before it is written, and which is gone with its time, at once when it is to be
// forgotten, and for good when the key is revoked.

import type { Env } from "../platform/env.ts";
import { OfKey } from "../stubs/of-key.ts";
import { ContentSeal } from "./content-seal.ts";
import { KeptText } from "./kept-text.ts";
import type { Schema } from "./schema/schema.ts";
import { StoredObject } from "./stored-object.ts";

export abstract class KeptTextObject<T> extends StoredObject {
  protected readonly kept: KeptText<T>;
  protected readonly ofKey: OfKey;

  constructor(ctx: DurableObjectState, env: Env, schema: Schema, kind: "cache" | "conversation") {
    super(ctx, env, schema);
    this.kept = new KeptText(ctx.storage, this.tables, new ContentSeal(env, ctx.id.toString()), this.clock);
    this.ofKey = new OfKey(env, kind, ctx.id);
  }

  async forget(): Promise<void> {
    await this.kept.forget();
  }

  async keyRevoked(): Promise<void> {
    this.ofKey.revoked();
    await this.kept.forget();
  }

  override async alarm(): Promise<void> {
    await this.kept.forgetExpired();
  }
}
