// A model that was asked for by name: which models of the table may serve it, and how near each one
// is. Unlike hints, which are advice, a name rules out every other model.

import type { NamedModel } from "../model/sampling.ts";
import { standInsFor } from "./equivalents.ts";
import { foldCase } from "./fold-case.ts";
import { foldedNamesOf, type Model, type Provider, type RoutingTable } from "./table.ts";

/** How a model matches the one that was named. */
export type NamedTier =
  /** It has that name, and the version and the provider as far as they were given. */
  | { readonly kind: "named"; readonly named: NamedModel }
  /** It has that name; what `differs` is not as it was asked for, or the table does not say. */
  | { readonly kind: "nearlyNamed"; readonly named: NamedModel; readonly differs: readonly ("version" | "provider")[] }
  /** It stands in, by the equivalents of `entry`. */
  | { readonly kind: "namedEquivalent"; readonly named: NamedModel; readonly entry: string };

type Candidate = { readonly model: Model; readonly provider: Provider; readonly providerName: string };

/** What may stand between a name and its version in a table's names. */
const separators = ["-", ":", "@", "_", " ", "/", "-v", " v"];

/**
 * The tiers of those among `candidates` that may serve the named model, nearest first; each
 * candidate is in one at most. Names are compared whole, whatever the case (`foldCase`), with white
 * space around them removed.
 */
export function namedTiers<T extends Candidate>(
  table: RoutingTable,
  named: NamedModel,
  candidates: readonly T[],
): { tier: NamedTier; members: T[] }[] {
  const assigned = new Set<T>();
  const tiers: { tier: NamedTier; members: T[] }[] = [];
  const assign = (tier: NamedTier, members: readonly T[]): void => {
    const fresh = members.filter((member) => !assigned.has(member));
    for (const member of fresh) assigned.add(member);
    if (fresh.length > 0) tiers.push({ tier, members: fresh });
  };
  const differing = candidates.map((member) => ({ member, differs: differencesFrom(named, member) }));
  const membersWith = (differs: string): T[] => differing.filter((each) => each.differs?.join() === differs).map(({ member }) => member);
  assign({ kind: "named", named }, membersWith(""));
  for (const differs of [["provider"], ["version"], ["version", "provider"]] as const)
    assign({ kind: "nearlyNamed", named, differs }, membersWith(differs.join()));
  const standIns = standInsFor(
    table,
    appliesTo(named),
    candidates.map((member) => ({ member, names: foldedNamesOf(member.model) })),
  );
  if (standIns !== undefined) assign({ kind: "namedEquivalent", named, entry: standIns.entry }, standIns.members);
  return tiers;
}

/** True where the model is the one that was named, in every part that was given. */
export const isExactlyNamed = (named: NamedModel, candidate: Candidate): boolean => differencesFrom(named, candidate)?.length === 0;

/** False where the name cannot lead to this model, whatever becomes of the others. */
export function mayBeMeant(table: RoutingTable, named: NamedModel, candidate: Candidate): boolean {
  if (differencesFrom(named, candidate) !== undefined) return true;
  const names = new Set(foldedNamesOf(candidate.model));
  const applies = appliesTo(named);
  return table.equivalents.some(({ hint, models }) => {
    const own = foldCase(hint.trim());
    return own !== "" && applies(own) && models.some((reference) => names.has(foldCase(reference)));
  });
}

/** In which parts the model differs from the named one; undefined where it has another name. */
function differencesFrom(named: NamedModel, { model, provider, providerName }: Candidate): readonly ("version" | "provider")[] | undefined {
  const names = new Set(foldedNamesOf(model));
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
 * Whether the provider is the one that was asked for: by its name in the table, or by its kind
 * where that is the maker itself. With an address of its own, a provider of kind `openai` is a
 * compatible server and not OpenAI.
 */
function isOf(asked: string | undefined, provider: Provider, providerName: string): boolean {
  if (asked === undefined) return true;
  const folded = foldCase(asked.trim());
  if (folded === foldCase(providerName)) return true;
  return provider.baseUrl === undefined && provider.baseUrlFrom === undefined && folded === foldCase(provider.kind);
}

/**
 * An entry applies where its hint begins in the name and ends there or in the version: `llama`
 * applies to `llama3-70b`.
 */
function appliesTo(named: NamedModel): (hint: string) => boolean {
  const name = foldCase(named.name.trim());
  const whole = named.version === undefined ? name : `${name}-${foldCase(named.version.trim())}`;
  return (hint) => {
    const at = whole.indexOf(hint);
    return at >= 0 && at < name.length;
  };
}
