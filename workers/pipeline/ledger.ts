// The fast path's way into the record: entries of one moment go to their shard in one call.

import type { Env } from "../env.ts";
import type { LedgerEntry } from "../objects/ledger.ts";
import { ledgerShardOf, ledgerStub } from "../objects/names.ts";

/** Appends one request's events and summary. Rejects where the shard could not be reached. */
export async function appendToLedger(env: Env, entry: LedgerEntry & { readonly summary: { readonly run: string } }): Promise<void> {
  await ledgerStub(env, ledgerShardOf(entry.summary.run)).append(JSON.stringify([entry]));
}
