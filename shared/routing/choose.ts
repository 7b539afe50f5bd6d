// Ranks models by a sampling request's preferences, deterministically and with reasons. Preferences
// are advice: they order what can serve the request, and never decide whether it is served.

import type { NamedModel } from "../model/sampling.ts";
import { err, ok, type Result } from "../result.ts";
import { findEligible, type PassedOver, type RoutingInput } from "./eligible.ts";
import { type Axis, axes, priorityOf, rank, type Ranked } from "./rank.ts";
import { foldCase } from "./fold-case.ts";
import type { Model, Provider } from "./table.ts";
import { whyEn } from "../words/en/why-en.ts";
import { type Text, type Texts, textOf } from "../words/text.ts";

export type { PassedOver, RoutingInput } from "./eligible.ts";

/** Why a model may answer, and why in this place. `whyText` says it. */
export type ModelWhy = Pick<Ranked, "tier" | "terms" | "points">;

/** A model that can serve this request. The list order is the failover order. */
export type Candidate = {
  readonly model: Model;
  readonly provider: Provider;
  readonly why: ModelWhy;
  /** Worst case in US dollars: all input tokens as estimated, and `maxTokens` of output. */
  readonly worstCostUsd: number;
};

export type Choice = {
  /** Never empty; the first will answer, the others only if those before it fail. */
  readonly ranked: readonly Candidate[];
  readonly passedOver: readonly PassedOver[];
};

/** `named`: a model was asked for by name. */
type NoModel = { readonly kind: "noModel"; readonly reasons: readonly PassedOver[]; readonly named?: true };

/**
 * Ranks the models that can serve a request (design: routing, steps 1 to 4). Every model of the
 * table is either in `ranked` or in `passedOver` with a reason. Refused: a request that no model
 * can serve, with the reason for each.
 */
export function chooseCandidates(input: RoutingInput): Result<Choice, NoModel> {
  const { eligible, passedOver, size } = findEligible(input);
  const ranked = rank(input.table, input.request, eligible, size);
  if (ranked.length === 0) {
    return err({ kind: "noModel", reasons: passedOver, ...(input.request.namedModel === undefined ? {} : { named: true }) });
  }
  const candidates = ranked.map((entry) => ({
    model: entry.model,
    provider: entry.provider,
    why: whyOf(entry),
    worstCostUsd: entry.worstCostUsd,
  }));
  return ok({ ranked: candidates, passedOver });
}

export const whyOf = ({ tier, terms, points }: Ranked): ModelWhy => ({ tier, terms, points });

/**
 * For people. Two sentences for a model: the hint or the name and how it matched, then the
 * arithmetic.
 */
export function whyText(why: ModelWhy, texts: Texts<typeof whyEn>): string {
  const say = <Places extends string>(text: Text<Places>, values: Readonly<Record<NoInfer<Places>, string>>) =>
    textOf(text, values, "en-GB"); // no numbers
  const { tier, terms, points } = why;
  const order =
    terms.length === 0 ? texts.noPriorities : say(texts.score, { sum: arithmeticOf(terms, texts.axes), points: decimal(points / 1e12) });
  return say(texts.both, { match: matchOf(tier), order });

  function matchOf(of: typeof tier): string {
    switch (of.kind) {
      case "hint":
        return say(texts.hint, { asked: quoted(of.hint) });
      case "equivalent":
        return say(texts.through, { asked: quoted(of.hint), alias: aliasOf(of.entry, of.hint) });
      case "rest":
        return texts.rest;
      case "named":
        return say(texts.hint, { asked: describeNamed(of.named) });
      case "nearlyNamed":
        return say(texts.nearly[of.differs.length === 2 ? "both" : (of.differs[0] ?? "version")], { asked: describeNamed(of.named) });
      case "namedEquivalent":
        return say(texts.through, { asked: describeNamed(of.named), alias: aliasOf(of.entry, of.named.name) });
    }
  }

  /** An entry of `equivalents`, by its hint where that is not what was asked for. */
  function aliasOf(entry: string, asked: string): string {
    return foldCase(entry.trim()) === foldCase(asked.trim()) ? texts.alias : say(texts.aliasOf, { entry: quoted(entry) });
  }

  function describeNamed({ name, version, provider }: NamedModel): string {
    if (version === undefined && provider === undefined) return quoted(name);
    const values = { name: quoted(name), version: quoted(version ?? ""), provider: quoted(provider ?? "") };
    return say(texts.named[version === undefined ? "provider" : provider === undefined ? "version" : "both"], values);
  }
}

/** In JSON. */
export const whySentence = (why: ModelWhy): string => whyText(why, whyEn);

export const arithmeticOf = (terms: Ranked["terms"], named: Readonly<Record<Axis, string>> = whyEn.axes): string =>
  terms.map(({ axis, priority, score }) => `${named[axis]} ${decimal(priority)} x ${decimal(score)}`).join(" + ");

/** Which model, which hint, which scores, and how many were passed over. */
export function summaryOf(input: RoutingInput, first: Ranked, count: number, passedOver: readonly PassedOver[]): string {
  const preferences = input.request.modelPreferences ?? {};
  const given = axes.filter((axis) => priorityOf(preferences, axis) !== undefined);
  const weighed = given.length === 0 ? "no priorities" : `priorities for ${given.join(", ")}`;
  const others = count === 1 ? "no other model can serve the request" : `${count - 1} more may take over if it fails`;
  return `${first.model.id} comes first with ${weighed}. ${whySentence(whyOf(first))} ${others[0]?.toUpperCase() ?? ""}${others.slice(1)}; ${passedOver.length} passed over.`;
}

/** At most six decimals, none of them spare. */
const decimal = (value: number): string => String(Math.round(value * 1e6) / 1e6);

/**
 * A hint is untrusted text: shortened, and quoted as JSON does, with invisible characters escaped.
 */
function quoted(hint: string): string {
  const short = [...hint];
  const shown = short.length > 40 ? `${short.slice(0, 40).join("")}…` : hint;
  return JSON.stringify(shown).replaceAll(
    /[^\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
