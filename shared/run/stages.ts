// The stages of a run, from what the policy says and which grants it has: a review of the request,
// the act, a review of what came of it.

import type { Gate } from "../model/gate.ts";
import { canonicalJson } from "../encoding.ts";
import { factsOf } from "../model/subject/subject.ts";
import { riskAbove, riskLevels } from "../policy/risk.ts";
import { type Condition, type ReviewedContent, type RunState, type Stage, isReviewDue } from "./lifecycle.ts";
import type { RunInput } from "./run-input.ts";
import { type PlannedWork, type ToolWork, type Work, jurorOf } from "./work.ts";

/** `act`: of a planned call of a tool, whose work does not say it yet. */
type StagesInput = Pick<RunInput, "gatePolicy" | "granted"> & {
  readonly work: PlannedWork | Work;
  readonly act?: ToolWork["act"] | undefined;
};

/** What is done between the reviews of each kind of subject. */
function actOf({ work, act: decided }: Pick<StagesInput, "work" | "act">): Extract<Stage, { kind: "act" }>["act"] {
  const act = decided ?? ("act" in work ? work.act : factsOf(work.kind).act);
  return act === "answer" || act === "caller" ? "none" : act;
}

/**
 * A person must decide at the gates that the policy closes and no grant opens, nor its juror. A
 * grant for the reply covers the reply to the request as asked: the policy counts where a reviewer
 * edits the request. The review of the reply also opens for a risk: by the rule, or by a grant for
 * replies with a lower risk. Nobody reviews what comes of an act that its caller does elsewhere.
 */
export function stagesOf({ gatePolicy, granted = [], work, act: decided }: StagesInput): readonly Stage[] {
  const act = actOf({ work, act: decided });
  const isOpened = (gate: Gate): boolean =>
    granted.some((pass) => pass.gate === gate) || (gate === "request" && jurorOf(work)?.verdict === "passed");
  const asked = (gate: Gate): readonly Condition[] => (gatePolicy[gate] === "review" && !isOpened(gate) ? [{ kind: "always" }] : []);
  const ceilings = granted.flatMap(({ gate, replyRiskAtMost }) =>
    gate === "response" && replyRiskAtMost !== undefined ? [riskAbove(replyRiskAtMost)] : [],
  );
  const level = riskLevels.find((each) => [gatePolicy.replyRisk, ...ceilings].includes(each));
  const response: Condition[] = [
    ...asked("response"),
    ...(gatePolicy.response === "review" ? [{ kind: "ifEdited" } as const] : []),
    ...(level === undefined ? [] : [{ kind: "ifRisk", level } as const]),
  ];
  return [
    { kind: "review", name: "request", when: asked("request") },
    { kind: "act", act },
    { kind: "review", name: "response", when: act === "none" ? [] : response },
  ];
}

export const noReviews = { request: null, response: null } as const;

/** At which gates a person must decide about this content. */
export function closedGates(stages: readonly Stage[], content: ReviewedContent): Readonly<Record<Gate, boolean>> {
  const isClosed = (gate: Gate): boolean =>
    stages.some((stage) => stage.kind === "review" && stage.name === gate && isReviewDue(stage.when, content));
  return { request: isClosed("request"), response: isClosed("response") };
}

/** Whether a person may have to decide about what comes of the request. */
export const mayReviewReply = (stages: readonly Stage[]): boolean =>
  stages.some((stage) => stage.kind === "review" && stage.name === "response" && stage.when.length > 0);

/** Whether people are asked in the same cases. A written reply changes only the act between. */
export const haveSameReviews = (one: readonly Stage[], other: readonly Stage[]): boolean => reviewsIn(one) === reviewsIn(other);

const reviewsIn = (stages: readonly Stage[]): string => canonicalJson(stages.filter(({ kind }) => kind === "review"));

/** Whether a reviewer edited the request, or wrote a reply in the model's place. */
export const isEdited = ({ reviews }: Pick<RunState, "reviews">): boolean => (reviews.request?.version ?? 1) > 1;
