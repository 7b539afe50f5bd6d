// Whether a run's key may still be used: checked before a model is called and before a reply is
// delivered.

import type { KeyEnd } from "../../../../shared/model/gate.ts";
import type { Env } from "../../../platform/env.ts";
import { keyStub } from "../../../stubs/stubs.ts";
import type { StoredInput } from "../tables/run-store.ts";

const tries = 5;
const firstPauseMs = 100;

/**
 * Why the key may not be used, or null where it may. Throws where its object cannot be asked: that
 * counts as no.
 */
export async function keyEndOf(env: Env, { key }: Pick<StoredInput, "key">, now: number): Promise<KeyEnd | null> {
  if (key.expiresAt !== undefined && now >= key.expiresAt) return "keyExpired";
  for (let failures = 0; ;) {
    try {
      return (await keyStub(env, key.id).isRevoked()) ? "keyRevoked" : null;
    } catch (error) {
      failures += 1;
      if (failures === tries) throw error;
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** failures));
    }
  }
}
