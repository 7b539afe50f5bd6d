// What the CacheObject and the ConversationObject share: one kept text of a key's content, which
// the key knows of before it is written, and which is gone with its time, at once when it is to be
// forgotten, and for good when the key is revoked.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../platform/env.ts";
import { OfKey } from "../stubs/of-key.ts";
import { ContentSeal } from "./content-seal.ts";
import { KeptText } from "./kept-text.ts";

export abstract class KeptTextObject extends DurableObject<Env> {
  now = (): number => Date.now();
  random = (): number => Math.random();
  protected readonly kept: KeptText;
  protected readonly ofKey: OfKey;

  constructor(ctx: DurableObjectState, env: Env, kind: "cache" | "conversation") {
    super(ctx, env);
    this.kept = new KeptText(ctx.storage, new ContentSeal(env, ctx.id.toString()), { now: () => this.now(), random: () => this.random() });
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
