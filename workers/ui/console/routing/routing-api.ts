// The routing table and what the operator's API knows of it, as the routing pages read them.

import type { JsonObject } from "../../../../shared/json-types.ts";
import type { ExplainedModel, ExplainedReason } from "../../../../shared/routing/explain.ts";
import { type RoutingTable, parseRoutingTable } from "../../../../shared/routing/table.ts";
import { type Document, readDocument } from "../documents/document-api.ts";
import type { Visit } from "../page.ts";

/** As GET /admin/routing/ready has it. */
export type ReadyProvider = { readonly provider: string; readonly reason: string | null; readonly missing: string | null };

/** As POST /admin/routing/explain answers. */
export type Explained = {
  readonly hintsIgnored: number;
  readonly ranked: readonly ExplainedModel[];
  readonly passedOver: readonly ExplainedReason[];
};

/** As GET /admin/keys has it. */
export type ListedKey = {
  readonly id: string;
  readonly name: string;
  readonly models?: readonly string[];
  readonly revokedAt: string | null;
};

export const readKeys = async (visit: Visit): Promise<readonly ListedKey[]> =>
  (await visit.api.read<{ readonly keys: readonly ListedKey[] }>("/admin/keys")).keys.filter(({ revokedAt }) => revokedAt === null);

export const readReady = async (visit: Visit): Promise<ReadonlyMap<string, ReadyProvider>> => {
  const { providers } = await visit.api.read<{ readonly providers: readonly ReadyProvider[] }>("/admin/routing/ready");
  return new Map(providers.map((each) => [each.provider, each]));
};

/** As it is written, and as it is read: null where this version of the gateway cannot read it. */
export async function readTable(visit: Visit): Promise<{ readonly written: Document & JsonObject; readonly table: RoutingTable | null }> {
  const written = (await readDocument(visit, "routing")) as Document & JsonObject; // JSON of the API
  const parsed = parseRoutingTable(written);
  return { written, table: parsed.ok ? parsed.value : null };
}
