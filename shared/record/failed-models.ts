// Why every model of a request failed: what each did, in the order in which it was asked, and which
// of that is the cause. Kinds, numbers and names of the routing table, never what a provider said.
// Pure.

import type { Attempt, ProviderError } from "../model/call.ts";
import { wasSent } from "../provider/provider-error.ts";

/** Attempts that followed each other at one model and failed alike. */
export type ModelFailure = Pick<Attempt, "model" | "provider"> &
  Pick<ProviderError, "kind" | "status" | "detail"> & { readonly times: number };

/** How a model failed, as far as it makes a difference for what an operator does about it. */
export type FailureReason =
  | Exclude<ProviderError["kind"], "connection">
  | "unreachable"
  | "abandoned"
  | "outcomeUnknown"
  | "outOfTime"
  | "redirected"
  | "budgetUnknown"
  | "stopUnknown";

/**
 * `tried`: the number of all attempts. `reason`: the cause; null where there was no attempt.
 * `failures`: the first sixteen, in order.
 */
export type FailedCause = {
  readonly kind: "failed";
  readonly tried: number;
  readonly reason: FailureReason | null;
  readonly failures: readonly ModelFailure[];
};

const mostFailures = 16;

export function failedCause(attempts: readonly Attempt[]): FailedCause {
  const failures = failuresOf(attempts);
  return { kind: "failed", tried: attempts.length, reason: causeOf(failures), failures: failures.slice(0, mostFailures) };
}

export function failuresOf(attempts: readonly Attempt[]): ModelFailure[] {
  const failures: ModelFailure[] = [];
  for (const { model, provider, fault } of attempts) {
    const { kind, status, detail } = fault;
    const last = failures.at(-1);
    if (last?.model === model && last.kind === kind && last.status === status && last.detail === detail)
      failures[failures.length - 1] = { ...last, times: last.times + 1 };
    else
      failures.push({
        model,
        provider,
        kind,
        ...(status === undefined ? {} : { status }),
        ...(detail === undefined ? {} : { detail }),
        times: 1,
      });
  }
  return failures;
}

export function reasonOf({ kind, detail }: Pick<ModelFailure, "kind" | "detail">): FailureReason {
  if (kind === "connection") return detail === "cancelled" ? "abandoned" : detail === "outcomeUnknown" ? detail : "unreachable";
  if (kind === "timeout" && detail === "outOfTime") return detail;
  if (kind === "providerError" && detail === "redirected") return detail;
  if (detail === "unverified") return kind === "overBudget" ? "budgetUnknown" : "stopUnknown";
  return kind;
}

/**
 * The cause of a request's failure: how its first choice failed, because every later model only
 * stands in for it. Where more than half of all models were asked and failed alike, that explains
 * more, and is the cause: no provider can be reached, say. Each model counts once, for what it did
 * most often, and of equals for what it did first. So the order of the models after the first does
 * not matter.
 * @param failures in the order in which the models were asked
 */
export function causeOf(failures: readonly ModelFailure[]): FailureReason | null {
  const reasons = byModel(failures).flatMap(mostOften);
  const common = failures.find(
    (failure) => wasSent({ fault: failure }) && reasons.filter((reason) => reason === reasonOf(failure)).length * 2 > reasons.length,
  );
  return common === undefined ? (reasons[0] ?? null) : reasonOf(common);
}

const byModel = (failures: readonly ModelFailure[]): ModelFailure[][] => [...Map.groupBy(failures, ({ model }) => model).values()];

function mostOften(failures: readonly ModelFailure[]): FailureReason[] {
  const reasons = [...Map.groupBy(failures, reasonOf)].map(([reason, of]) => ({
    reason,
    times: of.reduce((sum, { times }) => sum + times, 0),
  }));
  return reasons
    .toSorted((a, b) => b.times - a.times)
    .slice(0, 1)
    .map(({ reason }) => reason);
}

/** What failed first of all that failed as the cause says; undefined where there was no attempt. */
export const causingFailure = ({ reason, failures }: FailedCause): ModelFailure | undefined =>
  failures.find((failure) => reasonOf(failure) === reason) ?? failures[0];

/** Models that did the same: what, one after the other. */
type FailedModels = { readonly models: readonly string[]; readonly did: readonly ModelFailure[] };

/** In order, but what failed as the cause says comes first. */
export function failedModels({ reason, failures }: FailedCause): FailedModels[] {
  const inWords = (did: readonly ModelFailure[]): string => JSON.stringify(did.map(({ kind, status, detail }) => [kind, status, detail]));
  const alike = [...Map.groupBy(byModel(failures), inWords).values()].map((all): FailedModels => ({
    models: [...new Set(all.flat().map(({ model }) => model))],
    did: all[0] ?? [],
  }));
  return causeFirst(alike, ({ did }) => did.some((failure) => reasonOf(failure) === reason));
}

/** What there is to be done something about, the cause first; each with its models, in order. */
export function failedReasons({ reason, failures }: FailedCause): { readonly reason: FailureReason; readonly models: readonly string[] }[] {
  const reasons = [...Map.groupBy(failures, reasonOf)].map(([each, of]) => ({
    reason: each,
    models: [...new Set(of.map(({ model }) => model))],
  }));
  return causeFirst(reasons, (each) => each.reason === reason);
}

const causeFirst = <T>(all: readonly T[], isCause: (each: T) => boolean): T[] =>
  all.toSorted((a, b) => Number(isCause(b)) - Number(isCause(a)));
