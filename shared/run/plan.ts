// The plan for a sampling request: which models may serve it, which gates it must pass, and its warnings. Routing, risk and policy
// in one pure step, before anything is reserved, asked or spent.

import type { Refusal } from "../model/outcome.ts";
import { type GatePlan, evaluatePolicy, permittedCandidates } from "../policy/evaluate.ts";
import type { GrantPass } from "../policy/grant.ts";
import { barsOwn } from "../policy/own-requests.ts";
import { type RiskNote, findRisks } from "../policy/risk.ts";
import type { Policy } from "../policy/rules.ts";
import type { SamplingRequest } from "../model/sampling.ts";
import { cannotCarry } from "../provider/carry.ts";
import type { Note } from "../model/call.ts";
import { rulesOf } from "../provider/rules-by-kind.ts";
import { type Result, err, ok } from "../result.ts";
import { type Candidate, chooseCandidates } from "../routing/choose.ts";
import type { Provider, RoutingTable } from "../routing/table.ts";
import type { Requestor } from "./run-input.ts";

export type PlanInput = {
  readonly routing: RoutingTable;
  readonly policy: Policy;
  readonly request: SamplingRequest;
  readonly requestor: Requestor;
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly owner?: string | undefined;
    readonly servers?: readonly string[] | undefined;
    readonly models?: readonly string[] | undefined;
  };
  /** Why a provider cannot be used; undefined where it can. */
  readonly ready: (provider: Provider, name: string) => string | undefined;
  /** The only candidate, where the request names its destination. */
  readonly destination?: Candidate;
  /** Only the first candidate may be asked. */
  readonly once?: true;
};

export type Plan = {
  readonly candidates: readonly Candidate[];
  readonly gates: GatePlan;
  readonly risks: readonly RiskNote[];
  /** Closed gates that grants of the key open: added after planning. */
  readonly granted?: readonly GrantPass[];
};

/**
 * Refused: a server that the key is not for, a request that no model can serve, one that the policy refuses, and one whose owner is
 * unknown where people may not approve their own requests.
 */
export function planRun(input: PlanInput): Result<Plan, Refusal> {
  const { policy, request, requestor, key } = input;
  if (key.servers !== undefined && !key.servers.includes(requestor.server))
    return err({ kind: "policyRefused", rule: "the key's servers" });
  const ranked = rankedFor(input);
  if (!ranked.ok) return ranked;
  const risks = findRisks(request);
  const facts = {
    server: requestor.server,
    tool: requestor.name,
    method: requestor.method,
    keyName: key.name,
    keyOwner: key.owner ?? null,
    request,
    candidates: ranked.value,
    risk: risks,
    provenance: requestor.provenance,
  };
  // The request is refused only where the policy refuses it for every model.
  const permitted = permittedCandidates(policy, facts);
  const mayServe = permitted.length > 0 ? permitted : ranked.value;
  const candidates = input.once === true ? mayServe.slice(0, 1) : mayServe;
  const gates = evaluatePolicy(policy, { ...facts, candidates });
  if (gates.request === "refuse") return err({ kind: "policyRefused", rule: gates.rule });
  // It is unknown whom to bar. A grant or a second approval would not make up for that.
  if (barsOwn(gates) && gates.owner === null) return err({ kind: "ownerUnknown", rule: gates.rule });
  return ok({ candidates, gates, risks });
}

function rankedFor({ routing, request, requestor, key, ready, destination }: PlanInput): Result<readonly Candidate[], Refusal> {
  if (destination !== undefined) return ok([destination]);
  const choice = chooseCandidates({
    table: routing,
    request,
    key,
    server: requestor.server,
    ready,
    cannotCarry: (asked, model, provider) => cannotCarry(asked, model, provider.kind),
    ...(key.models === undefined ? {} : { onlyModels: key.models }),
  });
  return choice.ok ? ok(choice.value.ranked) : err(choice.error);
}

/** What the first candidate will leave out or change, as far as known before the call. */
export function plannedNotes(request: SamplingRequest, plan: Plan): readonly Note[] {
  const [candidate] = plan.candidates;
  return candidate === undefined || request.kind !== "chat" ? [] : rulesOf(candidate.provider.kind).plannedNotes({ request, candidate });
}
