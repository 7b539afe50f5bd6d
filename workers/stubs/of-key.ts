// What an object keeps of a key's content: known to the key before it is there, and gone for good when the key is revoked.

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

  /** Whether something may be written now, with nothing awaited in between. `until`: Unix milliseconds, when it will be gone by itself. */
  async may(keyId: string, until: number): Promise<boolean> {
    const isHeld = await keyStub(this.#env, keyId).addDependent(this.#dependent, until);
    // The key may have been revoked, and this object told so, before its answer came.
    return isHeld && !this.#revoked;
  }

  revoked(): void {
    this.#revoked = true;
  }
}
