// The calls of an OAuthObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";

export type OAuthEntry = {
  readonly value: string;
  readonly metadata: JsonOf<unknown> | null;
  /** Unix milliseconds; null: it is kept. */
  readonly expiresAt: number | null;
};

export type OAuthNames = {
  readonly entries: readonly (Omit<OAuthEntry, "value"> & { readonly name: string })[];
  /** There are more after the last of these. */
  readonly more: boolean;
};

/** A registered client that nobody has let in yet is forgotten after so long. */
export const unusedClientMs = 7 * 86_400_000;

export interface OAuthCalls extends Rpc.DurableObjectBranded {
  /** Null where there is none, or where its time is over. */
  read(name: string): OAuthEntry | null;
  /** Of registered clients that nobody has let in, the newest thousand stay. */
  write(name: string, entry: OAuthEntry): void;
  /** The key of a grant that is removed ends too, where no other grant stands for it. */
  remove(name: string): Promise<void>;
  /** Names with this prefix in order, those after `after` alone; at most a thousand. */
  names(prefix: string, after: string | null, limit: number): OAuthNames;
}
