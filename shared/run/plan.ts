// The plan for a request: which models may serve it, which gates it must pass, and its
// warnings. Routing, risk and policy in one pure step, before anything is reserved, asked or spent.

import type { Refusal } from "../model/outcome.ts";
import type { JudgedRequest } from "../model/judged-request.ts";
import { judged } from "../policy/conditions.ts";
import { type GatePlan, judge } from "../policy/evaluate.ts";
import type { GrantPass } from "../policy/grant.ts";
import { type RiskNote, findRisks } from "../policy/risk.ts";
import { redactionTermsOf } from "../policy/redaction-terms.ts";
import { type Policy, everyoneIn } from "../policy/rules.ts";
import { type Redaction, type RedactionTerms, redactRequest, rulesAt } from "../redaction/redact.ts";
import { type SubjectRequest, isMessage, isToolCall, subjectOf } from "../model/subject/subject.ts";
import { cannotCarry } from "../provider/carry.ts";
import type { ReasonPhrase } from "../words/reasons.ts";
import type { Note } from "../model/call.ts";
import type { Endpoint } from "../record/record.ts";
import { rulesOf } from "../provider/rules-by-kind.ts";
import { type Result, err, ok } from "../result.ts";
import { type Candidate, chooseCandidates } from "../routing/choose.ts";
import type { Provider, RoutingTable } from "../routing/table.ts";
import type { Requestor } from "./run-input.ts";

type PlanInput = {
  readonly routing: RoutingTable;
  readonly policy: Policy;
  readonly request: SubjectRequest;
  readonly endpoint: Endpoint;
  readonly requestor: Requestor;
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly owner?: string | undefined;
    readonly servers?: readonly string[] | undefined;
    readonly models?: readonly string[] | undefined;
  };
  /** Why a provider cannot be used; undefined where it can. */
  readonly ready: (provider: Provider, name: string) => ReasonPhrase | undefined;
  /** Only the first candidate may be asked. */
  readonly once?: true;
};

export type Plan = {
  /** The request as it may be sent: redacted. Everything after the plan takes it from here. */
  readonly request: SubjectRequest;
  /** What was masked in it; null where nothing was. */
  readonly redacted: Redaction | null;
  /** The rules for its reply and its notices; null where none apply. */
  readonly redaction: RedactionTerms | null;
  readonly candidates: readonly Candidate[];
  readonly gatePolicy: GatePlan;
  readonly risks: readonly RiskNote[];
  /** What the rules judged it by, for the record. */
  readonly judged: JudgedRequest;
  /** Closed gates that grants of the key open: added after planning. */
  readonly granted?: readonly GrantPass[];
};

/**
 * The request is redacted first: routing, risks and rules see it as it will be sent. Refused: a
 * server that the key is not for, a request that cannot be redacted, that no model can serve, or
 * that the policy refuses, and one whose owner is unknown where people may not approve their own
 * requests.
 */
export function planRun(input: PlanInput): Result<Plan, Refusal> {
  const { policy, requestor, key } = input;
  if (key.servers !== undefined && !key.servers.includes(requestor.server))
    return err({ kind: "policyRefused", rule: "the key's servers" });
  const redaction = termsFor(input);
  const masked = redactRequest(input.request, redaction === null ? [] : rulesAt(redaction, "request"));
  if (!masked.ok) return err({ kind: "policyRefused", rule: masked.error.rule });
  const { value: request, redaction: redacted } = masked.value;
  const ranked = rankedFor({ ...input, request });
  if (!ranked.ok) return ranked;
  const risks = findRisks(request);
  const asked = judged(
    {
      subject: isToolCall(request) && input.endpoint === "control" ? "function" : subjectOf(request),
      server: requestor.server,
      tool: requestor.name,
      method: requestor.method,
      keyName: key.name,
      keyOwner: key.owner ?? null,
      request,
      candidates: ranked.value,
      risk: risks,
      provenance: requestor.provenance,
    },
    input.once === true,
  );
  const judgement = judge(policy, asked);
  if (judgement.kind === "refused") return err({ kind: judgement.why, rule: judgement.rule, judged: asked });
  const { gates, models } = judgement;
  const candidates = ranked.value.filter(({ model: { id } }) => models.includes(id));
  return ok({ request, redacted, redaction, candidates, gatePolicy: gates, risks, judged: asked });
}

const termsFor = ({ policy, requestor, key }: PlanInput): RedactionTerms | null =>
  redactionTermsOf(
    policy.redaction,
    everyoneIn(policy, policy.redaction.mayLift).map(({ name }) => name),
    { server: requestor.server, tool: requestor.name, method: requestor.method, keyName: key.name, provenance: requestor.provenance },
  );

/** The models that can serve it; none for what no model answers. */
function rankedFor({ routing, request, requestor, key, ready }: PlanInput): Result<readonly Candidate[], Refusal> {
  if (!isMessage(request)) return ok([]);
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
export function plannedNotes(plan: Plan): readonly Note[] {
  const { request } = plan;
  const [candidate] = plan.candidates;
  return candidate === undefined || request.kind !== "chat" ? [] : rulesOf(candidate.provider.kind).plannedNotes({ request, candidate });
}
