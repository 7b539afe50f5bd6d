// What another policy would have done with recorded requests, from the record alone. Pure: no
// content is read, nothing is asked or sent.
//
// The rules are judged as for a new request, by what the record has of it. Told apart are who is
// asked about the prompt and about the reply. Not replayed: what is masked, deadlines and
// escalations, and what reviewers would have decided. A reply that is reviewed only where it has
// warnings counts as such, because the record does not have the warnings of every reply.

import { type JudgedRequest, judgedRequest } from "../model/judged-request.ts";
import type { Gate, Provenance } from "../model/gate.ts";
import { type GatePlan, judge, peopleOfPlan, restsOnArguments } from "../policy/evaluate.ts";
import { isSamePerson } from "../policy/person.ts";
import type { Policy } from "../policy/rules.ts";
import type { LineState, RecordFact } from "./record.ts";

/** A request as the ledger has it. */
export type ReplayedRequest = {
  readonly run: string;
  /** How it stands, or ended. */
  readonly state: LineState;
  /** The first event of its record; null where that is deleted. */
  readonly fact: RecordFact | null;
  /** Its events `grantUsed`, and `jurorDecided`. */
  readonly grants: readonly RecordFact[];
};

/**
 * From the least that people see to the most. A reply may be reviewed only where it has warnings.
 */
type Asking = { readonly prompt: 0 | 2; readonly reply: 0 | 1 | 2 };

/** What a policy does with a request. */
export type Ruling =
  | { readonly kind: "refused"; readonly rule: string; readonly shadow?: undefined }
  | {
      readonly kind: "asks";
      readonly rule: string;
      /** The rule in shadow that would have decided. */
      readonly shadow?: string | undefined;
      readonly asking: Asking;
      readonly reviewers: readonly string[];
      readonly quorum: number;
    };

export const effects = [
  "newlyUnseen",
  "newlyRefused",
  "noLongerRefused",
  "newlyAsked",
  "asksMore",
  "asksLess",
  "asksOtherwise",
  "same",
] as const;
export type Effect = (typeof effects)[number];

/** Why it cannot be told what another policy would have done. */
export const unknowns = ["countedOnly", "deleted", "arguments"] as const;
export type Unknown = (typeof unknowns)[number];

export type Replayed =
  | {
      readonly kind: "judged";
      readonly server: string;
      readonly tool: string;
      readonly before: Ruling;
      readonly after: Ruling;
      readonly effect: Effect;
    }
  /** `count`: refusals of a flood are counted in one event. */
  | { readonly kind: "unknown"; readonly why: Unknown; readonly count: number }
  /** No rule decided: it was refused for another reason, or handed back without being sent. */
  | { readonly kind: "notByRules"; readonly count: number };

/** One request under the policy that judged it, and under another one. */
export function replay(policy: Policy, { fact, grants }: Pick<ReplayedRequest, "fact" | "grants">): Replayed {
  if (fact === null) return { kind: "unknown", why: "deleted", count: 1 };
  if (fact.kind === "refusedMany") {
    const isByRules = fact.reason === "policyRefused" || fact.reason === "ownerUnknown";
    return isByRules ? { kind: "unknown", why: "countedOnly", count: fact.count } : { kind: "notByRules", count: fact.count };
  }
  if (fact.kind === "refused") {
    // Without `judged`, what refused it is the key's list of servers or the server's entry.
    if (!("rule" in fact.reason) || fact.judged === undefined) return { kind: "notByRules", count: 1 };
    return compared(policy, judgedRequest(fact.judged, fact.judged), { kind: "refused", rule: fact.reason.rule }, []);
  }
  if (fact.kind !== "received") return { kind: "notByRules", count: 1 };
  const { server, name: tool, method } = fact;
  const provenance = fact.provenance as Provenance; // written by receivedFact
  return compared(policy, judgedRequest({ server, tool, method, provenance }, fact.judged), rulingBefore(fact, grants), grants);
}

function compared(policy: Policy, request: JudgedRequest, before: Ruling, grants: readonly RecordFact[]): Replayed {
  if (restsOnArguments(policy, request)) return { kind: "unknown", why: "arguments", count: 1 };
  const after = rulingAfter(policy, request, before.rule, grants);
  return { kind: "judged", server: request.server, tool: request.tool, before, after, effect: effectOf(before, after) };
}

const isGranted = (grants: readonly RecordFact[], gate: Gate): boolean =>
  grants.some((each) => (each.kind === "grantUsed" ? each.gate === gate : gate === "request" && isPass(each)));

const isPass = (fact: RecordFact): boolean => fact.kind === "jurorDecided" && fact.verdict === "passed";

function rulingBefore(fact: Extract<RecordFact, { kind: "received" }>, grants: readonly RecordFact[]): Ruling {
  const { rule, requestGate, responseGate, replyRisk = null, asked = { reviewers: [], quorum: 1 } } = fact;
  const asking = askingOf({ request: requestGate, response: responseGate, replyRisk }, grants);
  return { kind: "asks", rule, shadow: fact.shadow?.rule, asking, ...asked };
}

function rulingAfter(policy: Policy, request: JudgedRequest, ruleBefore: string, grants: readonly RecordFact[]): Ruling {
  const judgement = judge(policy, request);
  if (judgement.kind === "refused") return { kind: "refused", rule: judgement.rule };
  const { gates } = judgement;
  const counting = gates.rule === ruleBefore ? grants.filter((grant) => stillCounts(gates, request, grant)) : [];
  const { rule, reviewers, quorum } = gates;
  return {
    kind: "asks",
    rule,
    shadow: gates.shadow?.rule,
    asking: askingOf(gates, counting),
    reviewers: reviewers.map(({ name }) => name),
    quorum,
  };
}

/**
 * Whether a grant, or a juror, that let a request pass would do so under the same rule of another
 * policy, as far as the record says.
 */
function stillCounts(gates: GatePlan, { provenance }: JudgedRequest, grant: RecordFact): boolean {
  if (isPass(grant)) return gates.juror !== undefined;
  if (grant.kind === "grantUsed" && grant.bypass === true) return true;
  if (grant.kind !== "grantUsed" || !gates.grants || gates.quorum > 1) return false;
  if (provenance === "inferred" && !gates.grantsInferred) return false;
  if (!gates.selfApproval && isSamePerson(gates.owner, grant.by)) return false;
  return peopleOfPlan(gates).some(({ name }) => name === grant.by);
}

/**
 * A grant for replies counts where they have no more warnings than the one that it was given for.
 */
function askingOf(
  { request, response, replyRisk }: { readonly request: string; readonly response: string; readonly replyRisk: string | null },
  grants: readonly RecordFact[],
): Asking {
  const ifWarned = response === "review" ? isGranted(grants, "response") : replyRisk !== null;
  return {
    prompt: request !== "allow" && !isGranted(grants, "request") ? 2 : 0,
    reply: ifWarned ? 1 : response === "review" ? 2 : 0,
  };
}

/** Whether a person sees it for sure. */
const isSeen = ({ prompt, reply }: Asking): boolean => prompt === 2 || reply === 2;
const asksAnybody = ({ prompt, reply }: Asking): boolean => prompt > 0 || reply > 0;

export function effectOf(before: Ruling, after: Ruling): Effect {
  if (after.kind === "refused") return before.kind === "refused" ? "same" : "newlyRefused";
  const isSeenAfter = isSeen(after.asking);
  if (before.kind === "refused") return isSeenAfter ? "noLongerRefused" : "newlyUnseen";
  const isSeenBefore = isSeen(before.asking);
  if (isSeenBefore !== isSeenAfter) return isSeenAfter ? "newlyAsked" : "newlyUnseen";
  if (!asksAnybody(before.asking) && !asksAnybody(after.asking)) return "same";
  const differences = [
    after.asking.prompt - before.asking.prompt,
    after.asking.reply - before.asking.reply,
    asksAnybody(before.asking) && asksAnybody(after.asking) ? after.quorum - before.quorum : 0,
  ];
  const isMore = differences.some((each) => each > 0);
  const isLess = differences.some((each) => each < 0);
  if (isMore && isLess) return "asksOtherwise";
  if (isMore || isLess) return isMore ? "asksMore" : "asksLess";
  return isSameSet(before.reviewers, after.reviewers) ? "same" : "asksOtherwise";
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));
