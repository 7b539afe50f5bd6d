// The calls of a ConversationObject and their values. It imports no object.

import type { ConversationLimits } from "../../shared/wire/control/turns.ts";

export type AppendInput = {
  readonly keyId: string;
  /** The same for every attempt at one request, which is appended once. */
  readonly turnId: string;
  /** JSON of `Turn[]`: the user's turn and the assistant's. */
  readonly turns: string;
  /**
   * The turns before them: the kept ones, or JSON of `Turn[]` that replaces those, where the
   * request brought its own history.
   */
  readonly base: "kept" | { readonly history: string };
  /** JSON of `ConversationEdits`: a reviewer's changes of the turns before them. */
  readonly edits?: string;
  /** From now until everything is forgotten, in milliseconds. */
  readonly ttlMs: number;
  readonly limits?: ConversationLimits;
};

export interface ConversationCalls extends Rpc.DurableObjectBranded {
  /** JSON of `Turn[]`, oldest first, or null where nothing is kept or its time is over. */
  read(): string | null;
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
