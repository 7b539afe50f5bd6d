// Which models stand in for a name that leads to none: the table's `equivalents`.

import { foldCase } from "./fold-case.ts";
import type { RoutingTable } from "./table.ts";

/** A model with its names as `foldCase` writes them. */
type Named<T> = { readonly member: T; readonly names: readonly string[] };

/**
 * The models of the first entry of `equivalents` that applies and leads to one of `candidates`, in
 * the entry's order. `applies` gets an entry's own hint, in folded case and never empty.
 */
export function standInsFor<T>(
  table: RoutingTable,
  applies: (hint: string) => boolean,
  candidates: readonly Named<T>[],
): { entry: string; members: T[] } | undefined {
  for (const entry of table.equivalents) {
    const own = foldCase(entry.hint.trim());
    if (own === "" || !applies(own)) continue;
    const references = entry.models.map(foldCase);
    const members = new Set(
      references.flatMap((reference) => candidates.filter(({ names }) => names.includes(reference)).map(({ member }) => member)),
    );
    if (members.size > 0) return { entry: entry.hint, members: [...members] };
  }
  return undefined;
}
