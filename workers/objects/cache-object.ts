// One reply that a caller asked to have again for the same request: content, for as long as the caller said.
//
// One object for each API key and digest of what was asked, so no key is ever answered with another's. What the digest covers, and
// whether a reply may be kept at all, is the endpoint's to know.

import type { CacheCalls } from "../stubs/cache-calls.ts";
import { DurableObject } from "cloudflare:workers";
import type { Env } from "../platform/env.ts";
import { KeptText } from "./kept-text.ts";
import { OfKey } from "../stubs/of-key.ts";

export class CacheObject extends DurableObject<Env> implements CacheCalls {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #kept: KeptText;
  readonly #ofKey: OfKey;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#kept = new KeptText(ctx.storage, { now: () => this.now(), random: () => this.random() });
    this.#ofKey = new OfKey(env, "cache", ctx.id);
  }

  async put(keyId: string, text: string, at: number, ttlMs: number): Promise<void> {
    if (!(await this.#ofKey.may(keyId, at + ttlMs))) return;
    this.ctx.storage.transactionSync(() => this.#kept.write(text, at, at + ttlMs));
  }

  get(): { text: string; at: number } | null {
    return this.#kept.read(this.now());
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
}
