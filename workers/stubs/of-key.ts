// An object that keeps content of a key: the key knows of it before anything is written, and ends
// it when the key is revoked.

import type { Dependent } from "./key-calls.ts";
import type { Env } from "../platform/env.ts";
import { keyStub } from "./stubs.ts";

export class OfKey {
  readonly #env: Env;
  readonly #dependent: Dependent;
  #revoked = false;

  constructor(env: Env, kind: Exclude<Dependent["kind"], "run">, id: DurableObjectId) {
    this.#env = env;
    this.#dependent = { kind, name: id.toString() };
  }

  /**
   * Whether the caller may write now, before its next await. `until`: Unix milliseconds, when the
   * content expires.
   */
  async mayWrite(keyId: string, until: number): Promise<boolean> {
    const isAdded = await keyStub(this.#env, keyId).addDependent(this.#dependent, until);
    // The key may have been revoked, and this object told so, before its answer came.
    return isAdded && !this.#revoked;
  }

  revoked(): void {
    this.#revoked = true;
  }
}
