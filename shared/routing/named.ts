// A model that was asked for by name: which models of the table may serve it, and how near each one is. In contrast to hints,
// which are advice, nothing else may.

import type { NamedModel } from "../model/sampling.ts";
import { standInsFor } from "./equivalents.ts";
import { foldCase, namesOf, type Model, type Provider, type RoutingTable } from "./table.ts";

/** How a model came to serve one that was named. */
export type NamedTier =
  /** It goes by that name, in that version and from that provider as far as they were said. */
  | { readonly kind: "named"; readonly named: NamedModel }
  /** It goes by that name; what `differs` is not as it was asked for, or the table does not say. */
  | { readonly kind: "nearlyNamed"; readonly named: NamedModel; readonly differs: readonly ("version" | "provider")[] }
  /** It stands in, by the equivalents of `entry`. */
  | { readonly kind: "namedEquivalent"; readonly named: NamedModel; readonly entry: string };

type Candidate = { readonly model: Model; readonly provider: Provider; readonly providerName: string };

/** What may stand between a name and its version in the names of a table, besides nothing else. */
const separators = ["-", ":", "@", "_", " ", "/", "-v", " v"];

/**
 * The tiers of those among `candidates` that may serve the named model, nearest first; each candidate is in one at the most. Names
 * are compared whole, whatever the case (`foldCase`), with white space around them removed.
 */
export function namedTiers<T extends Candidate>(
  table: RoutingTable,
  named: NamedModel,
  candidates: readonly T[],
): { tier: NamedTier; members: T[] }[] {
  const claimed = new Set<T>();
  const tiers: { tier: NamedTier; members: T[] }[] = [];
  const claim = (tier: NamedTier, members: readonly T[]): void => {
    const fresh = members.filter((member) => !claimed.has(member));
    for (const member of fresh) claimed.add(member);
    if (fresh.length > 0) tiers.push({ tier, members: fresh });
  };
  const differing = candidates.map((member) => ({ member, differs: differencesFrom(named, member) }));
  const whose = (differs: string): T[] => differing.filter((each) => each.differs?.join() === differs).map(({ member }) => member);
  claim({ kind: "named", named }, whose(""));
  for (const differs of [["provider"], ["version"], ["version", "provider"]] as const)
    claim({ kind: "nearlyNamed", named, differs }, whose(differs.join()));
  const standIns = standInsFor(
    table,
    appliesTo(named),
    candidates.map((member) => ({ member, names: namesOf(member.model).map(foldCase) })),
  );
  if (standIns !== undefined) claim({ kind: "namedEquivalent", named, entry: standIns.entry }, standIns.members);
  return tiers;
}

/** True where the model is the one that was named, in every part that was said. */
export const isExactlyNamed = (named: NamedModel, candidate: Candidate): boolean => differencesFrom(named, candidate)?.length === 0;

/** False where nothing that happens to other models could lead from the name to this one. */
export function mayBeMeant(table: RoutingTable, named: NamedModel, candidate: Candidate): boolean {
  if (differencesFrom(named, candidate) !== undefined) return true;
  const names = new Set(namesOf(candidate.model).map(foldCase));
  const applies = appliesTo(named);
  return table.equivalents.some(({ hint, models }) => {
    const own = foldCase(hint.trim());
    return own !== "" && applies(own) && models.some((reference) => names.has(foldCase(reference)));
  });
}

/** In which parts the model is not what was asked for; undefined where it goes by another name. */
function differencesFrom(named: NamedModel, { model, provider, providerName }: Candidate): readonly ("version" | "provider")[] | undefined {
  const names = new Set(namesOf(model).map(foldCase));
  const name = foldCase(named.name.trim());
  const version = named.version === undefined ? undefined : foldCase(named.version.trim());
  // Without a version the newest is meant; some servers call that one `latest`.
  const isVersion =
    version === undefined
      ? names.has(name) || names.has(`${name}:latest`)
      : separators.some((separator) => names.has(`${name}${separator}${version}`));
  if (!isVersion && !names.has(name)) return undefined;
  return [...(isVersion ? [] : (["version"] as const)), ...(isOf(named.provider, provider, providerName) ? [] : (["provider"] as const))];
}

/**
 * Whether the provider is the one that was asked for: by its name in the table, or by its kind where that is the maker itself.
 * With an address of its own, a provider of kind `openai` is a compatible server and not OpenAI.
 */
function isOf(asked: string | undefined, provider: Provider, providerName: string): boolean {
  if (asked === undefined) return true;
  const folded = foldCase(asked.trim());
  if (folded === foldCase(providerName)) return true;
  return provider.baseUrl === undefined && provider.baseUrlFrom === undefined && folded === foldCase(provider.kind);
}

/** An entry applies where the name holds its hint, as for hints: `llama3-70b` finds `llama`. A version may complete the name, not be all of it. */
function appliesTo(named: NamedModel): (hint: string) => boolean {
  const name = foldCase(named.name.trim());
  const whole = named.version === undefined ? name : `${name}-${foldCase(named.version.trim())}`;
  return (hint) => {
    const at = whole.indexOf(hint);
    return at >= 0 && at < name.length;
  };
}
