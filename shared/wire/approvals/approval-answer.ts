// The answer about a call that its sender waits with: what was decided, and a sentence that a model
// can act on where the call must not be made.

import * as z from "zod";
import { checkExact } from "../../json/exact.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import type { Outcome } from "../../model/outcome.ts";
import { unreachable } from "../../result.ts";
import { describeRefusal } from "../describe.ts";

/** Only `approved` lets the call be made. */
const decisions = ["approved", "denied", "expired", "undeliverable", "cancelled", "failed"] as const;

export const approvalAnswer = () =>
  z.object({
    /** Of the run; absent where there is none. */
    id: z.string().exactOptional(),
    decision: z.enum(decisions),
    /** Who decided: a person about this call, the policy, or a grant that a person gave before. */
    mode: z.enum(["human", "policy", "grant"]).exactOptional(),
    /** To call the tool with, as approved. */
    arguments: z.looseObject({}).exactOptional(),
    /** Of a request with some: to send with the call. A rule may have masked a part. */
    inputResponses: z.looseObject({}).exactOptional(),
    /** A reviewer changed them. */
    edited: z.boolean().exactOptional(),
    /** The reviewer's, where the policy lets it be told. */
    reason: z.string().exactOptional(),
    message: z.string().exactOptional(),
    /** What the tool returns has to be brought to /approvals/{id}/result. */
    returnsResult: z.literal(true).exactOptional(),
    /** What was decided, signed (docs/receipts.md). */
    receipt: z.string().exactOptional(),
  });

/** What becomes of a tool's result: `approved` where it is delivered. */
export const resultAnswer = () =>
  z.object({
    id: z.string(),
    decision: z.enum(decisions),
    /** As delivered: masked, or as a reviewer changed it; else an error result for a model. */
    result: z.looseObject({}),
  });
export type ApprovalAnswer = z.infer<ReturnType<typeof approvalAnswer>>;

/** Of a task whose result nobody could bring to the rule about it. */
const taskText = "What this tool returns is reviewed, so that it cannot run as a task: call it without one.";

const rounded = "A reviewer gave this call a number that parsers of JSON round, so it cannot be made as it was approved.";

/** @param run The run's id; null where there is none. */
export const answerOf = (outcome: Outcome, run: string | null): ApprovalAnswer => ({
  ...decisionOf(outcome, run),
  ...(outcome.receipt === undefined ? {} : { receipt: outcome.receipt }),
});

function decisionOf(outcome: Outcome, run: string | null): ApprovalAnswer {
  const id = run === null ? {} : { id: run };
  switch (outcome.kind) {
    case "approved": {
      const issues = new IssueCollector();
      if (outcome.call.argumentsJson !== undefined) checkExact(outcome.call.argumentsJson, issues);
      // A reviewer wrote it, and the asker would read another number.
      if (issues.found.length > 0) return { id: outcome.run, decision: "failed", message: rounded };
      const mode = outcome.by === "person" ? "human" : outcome.by;
      const { arguments: input, inputResponses } = outcome.call;
      const answers = inputResponses === undefined ? {} : { inputResponses };
      return { id: outcome.run, decision: "approved", mode, arguments: input, ...answers, edited: outcome.edited };
    }
    case "rejected": {
      const { reason } = outcome;
      const message = reason === null ? "A reviewer denied this call." : `A reviewer denied this call: ${reason}`;
      return { ...id, decision: "denied", mode: "human", ...(reason === null ? {} : { reason }), message };
    }
    case "refused":
      return outcome.refusal.kind === "policyRefused"
        ? {
            decision: "denied",
            mode: "policy",
            message: outcome.refusal.asTask === true ? taskText : "The policy does not allow this call.",
          }
        : { ...id, decision: "failed", message: describeRefusal(outcome.refusal).message };
    case "expired":
      return { ...id, decision: "expired", message: "Nobody decided about this call in time, and nobody declined it." };
    case "undeliverable":
      return { ...id, decision: "undeliverable", message: "No reviewer of this call could be reached, and nobody declined it." };
    case "cancelled":
      return { ...id, decision: "cancelled", message: "The request about this call was cancelled before it was decided." };
    case "failed":
    case "broken":
      return { ...id, decision: "failed", message: "The gateway could not carry out the review of this call." };
    case "completed":
    case "ran":
    case "elicited":
      throw new Error("a reply as the decision about a call");
    default:
      return unreachable(outcome);
  }
}
