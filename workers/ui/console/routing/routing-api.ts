// The routing table and what the operator's API knows of it, as the routing pages read them.

import { type RoutingTable, parseRoutingTable } from "../../../../shared/routing/table.ts";
import type { ListedKey } from "../../../endpoints/admin/answers/keys.ts";
import type { ReadyProvider } from "../../../endpoints/admin/answers/routing.ts";
import { paths } from "../../../platform/urls.ts";
import { type Document, readDocument } from "../documents/document-api.ts";
import type { Visit } from "../page.ts";

export const readKeys = async (visit: Visit): Promise<readonly ListedKey[]> =>
  (await visit.api.read(paths.admin.keys)).keys.filter(({ revokedAt }) => revokedAt === null);

export const readReady = async (visit: Visit): Promise<ReadonlyMap<string, ReadyProvider>> => {
  const { providers } = await visit.api.read(paths.admin.ready);
  return new Map(providers.map((each) => [each.provider, each]));
};

/** As it is written, and as it is read: null where this version of the gateway cannot read it. */
export async function readTable(visit: Visit): Promise<{ readonly written: Document; readonly table: RoutingTable | null }> {
  const written = await readDocument(visit, "routing");
  const parsed = parseRoutingTable(written);
  return { written, table: parsed.ok ? parsed.value : null };
}
