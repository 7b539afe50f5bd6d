// The calls of a ConversationObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { Turn } from "../../shared/wire/control/envelope.ts";
import type { ConversationEdits, ConversationLimits } from "../../shared/wire/control/turns.ts";

export type AppendInput = {
  readonly keyId: string;
  /** The same for every attempt at one request, which is appended once. */
  readonly turnId: string;
  /** The user's turn and the assistant's. */
  readonly turns: JsonOf<readonly Turn[]>;
  /**
   * The turns before them: the kept ones, or those that replace them, where the request brought its
   * own history.
   */
  readonly base: "kept" | { readonly history: JsonOf<readonly Turn[]> };
  /** A reviewer's changes of the turns before them. */
  readonly edits?: JsonOf<ConversationEdits>;
  /** From now until everything is forgotten, in milliseconds. */
  readonly ttlMs: number;
  readonly limits?: ConversationLimits;
};

export interface ConversationCalls extends Rpc.DurableObjectBranded {
  /** Oldest first, or null where nothing is kept or its time is over. */
  read(): JsonOf<readonly Turn[]> | null;
  /**
   * Adds an exchange in one transaction and begins the time anew. Changes nothing where the
   * exchange was added before or the key is revoked.
   */
  append(appendInput: AppendInput): Promise<void>;
  /** Deletes everything at once. */
  forget(): Promise<void>;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
