// The plan for a request: which models may serve it, which gates it must pass, and its
// warnings. Routing, risk and policy in one pure step, before anything is reserved, asked or spent.

import type { Refusal } from "../model/outcome.ts";
import type { CallFacts, JudgedRequest, JudgedSubject } from "../model/judged-request.ts";
import type { CallArguments } from "../policy/argument-conditions.ts";
import { judged } from "../policy/conditions.ts";
import { type GatePlan, judge } from "../policy/evaluate.ts";
import { formGates } from "../policy/form-gates.ts";
import type { GrantPass } from "../policy/grant.ts";
import { type RiskNote, findRisks } from "../policy/risk.ts";
import { redactionTermsOf } from "../policy/redaction-terms.ts";
import { type Policy, everyoneIn } from "../policy/rules.ts";
import { withStandIns } from "../policy/stand-ins.ts";
import { type Redaction, type RedactionTerms, redactRequest, rulesAt } from "../redaction/redact.ts";
import { type SubjectKind, type SubjectRequest, isForm, isMessage, isToolCall, subjectOf } from "../model/subject/subject.ts";
import { cannotCarry } from "../provider/carry.ts";
import type { ReasonPhrase } from "../words/reasons.ts";
import type { Note } from "../model/call.ts";
import type { Endpoint } from "../record/record.ts";
import { rulesOf } from "../provider/rules-by-kind.ts";
import { type Result, err, ok } from "../result.ts";
import { type Candidate, chooseCandidates } from "../routing/choose.ts";
import type { Provider, RoutingTable } from "../routing/table.ts";
import type { Requestor } from "./run-input.ts";
import { type PlannedWork, candidatesOf } from "./work.ts";
import { ownRules } from "../policy/own-rules.ts";

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
  /** Of a tool's call. */
  readonly call?: CallFacts;
  /** Unix milliseconds: who is on holiday then is not asked. */
  readonly now: number;
};

export type Plan = {
  /** The request as it may be sent: redacted. Everything after the plan takes it from here. */
  readonly request: SubjectRequest;
  /** What was masked in it; null where nothing was. */
  readonly redacted: Redaction | null;
  /** The rules for its reply and its notices; null where none apply. */
  readonly redaction: RedactionTerms | null;
  /** The models that may be asked, or what is known of a call, by the kind of the subject. */
  readonly work: PlannedWork;
  readonly gatePolicy: GatePlan;
  readonly policyVersion?: number;
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
    return err({ kind: "policyRefused", rule: ownRules.keyServers });
  const about = {
    subject: judgedSubject(input),
    server: requestor.server,
    tool: requestor.name,
    method: requestor.method,
    keyName: key.name,
    keyOwner: key.owner ?? null,
    provenance: requestor.provenance,
  };
  const mayLift = everyoneIn(policy, policy.redaction.mayLift).map(({ name }) => name);
  const redaction = redactionTermsOf(policy.redaction, mayLift, about);
  // A form goes to no model, and its answer has to fit its schema: only its notices are masked.
  const rules = redaction === null || isForm(input.request) ? [] : rulesAt(redaction, "request");
  const masked = redactRequest(input.request, rules);
  if (!masked.ok) return err({ kind: "policyRefused", rule: masked.error.rule });
  const { value: request, redaction: redacted } = masked.value;
  const ranked = rankedFor({ ...input, request });
  if (!ranked.ok) return ranked;
  const risks = findRisks(request);
  const asked = judged({ ...about, request, candidates: ranked.value, risk: risks, call: input.call }, input.once === true);
  const judgement = judge(policy, asked, argumentsOf(input.request, request));
  if (judgement.kind === "refused") return err({ kind: judgement.why, rule: judgement.rule, judged: asked });
  const { gates, models } = judgement;
  const permitted = ranked.value.filter(({ model: { id } }) => models.includes(id));
  const work = plannedWork(subjectOf(request), permitted);
  const byRules = isForm(request) ? formGates(gates, policy, key.owner ?? null, { isUrl: request.url !== undefined }) : gates;
  const gatePolicy = withStandIns(policy, byRules, input.now);
  return ok({ request, redacted, redaction, work, gatePolicy, policyVersion: policy.version, risks, judged: asked });
}

/** Of a tool's call, as it came and as it is sent. */
export const argumentsOf = (given: SubjectRequest, sent: SubjectRequest): CallArguments | undefined =>
  isToolCall(given) && isToolCall(sent) ? { given: given.arguments, sent: sent.arguments } : undefined;

const judgedSubject = ({ request, endpoint }: PlanInput): JudgedSubject =>
  isToolCall(request) && endpoint === "control" ? "function" : subjectOf(request);

/** `candidates`: the models that the policy permits; none for what no model answers. */
const plannedWork = (kind: SubjectKind, candidates: readonly Candidate[]): PlannedWork =>
  kind === "message" ? { kind, candidates } : { kind };

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
  const [candidate] = candidatesOf(plan.work);
  return candidate === undefined || request.kind !== "chat" ? [] : rulesOf(candidate.provider.kind).plannedNotes({ request, candidate });
}
