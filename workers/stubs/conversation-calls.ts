// What may be asked of a ConversationObject, and the values of those calls. It imports no object.

import type { ConversationLimits } from "../../shared/wire/control/turns.ts";

export type AppendInput = {
  readonly keyId: string;
  /** The same for every try of one request: twice is once. */
  readonly turnId: string;
  /** JSON of `Turn[]`: what the user asked and what the assistant answered. */
  readonly turns: string;
  /** What they follow: what is kept, or JSON of `Turn[]` that takes its place, where the request brought its own history. */
  readonly base: "kept" | { readonly history: string };
  /** JSON of `ConversationEdits`: what a reviewer changed of what they follow. */
  readonly edits?: string;
  /** From now until everything is forgotten, in milliseconds. */
  readonly ttlMs: number;
  readonly limits?: ConversationLimits;
};

export interface ConversationCalls extends Rpc.DurableObjectBranded {
  /** JSON of `Turn[]`, oldest first, or null where nothing is kept or its time is over. */
  read(): string | null;
  /**
   * Adds an exchange in one transaction and begins the time anew. One that was added before changes nothing, and nothing is added where
   * the key was revoked.
   */
  append(appendInput: AppendInput): Promise<void>;
  /** Deletes everything at once. */
  forget(): Promise<void>;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
