// What a run's receipt says, from its state: no content, and the people by their names, which the
// signed receipt does not have. Whoever signs it adds the digests of what is sent.

import { argumentsJsonOf, type CalledTool } from "../model/subject/tool-call.ts";
import { type SubjectRequest, factsOf, isToolCall, subjectOf } from "../model/subject/subject.ts";
import { type ReceiptDecision, type ReceiptMode, amrOf, canonicalText, requestText } from "../receipt/claims.ts";
import type { ReceiptFacts, ReviewerFacts } from "../receipt/facts.ts";
import { sha256Of, toBase64url, utf8ToBytes } from "../encoding.ts";
import type { Review, Vote } from "../review/decision.ts";
import { signInWays } from "../receipt/known.ts";
import type { RunState } from "./lifecycle.ts";
import { noReviews } from "./stages.ts";
import type { RequestInput } from "./run-input.ts";
import { jurorOf } from "./work.ts";

type ReceiptInput = Pick<
  RequestInput,
  "id" | "key" | "endpoint" | "requestor" | "gatePolicy" | "granted" | "work" | "asked" | "policyVersion"
>;

/**
 * `asked`: as it came; `sent`: as it is, or would be, sent. `state`: null where nobody was asked.
 */
type ReceiptOf = { readonly asked: SubjectRequest; readonly sent: SubjectRequest; readonly state: RunState | null; readonly at: number };

export const textDigest = (text: string): string => toBase64url(sha256Of(utf8ToBytes(text)));

export function receiptFacts(input: ReceiptInput, { asked, sent, state, at }: ReceiptOf): ReceiptFacts {
  const { request, response } = state?.reviews ?? noReviews;
  const decision = decisionOf(state);
  const reviewers = [request, response].flatMap((review) => (review === null ? [] : reviewersOf(review)));
  const isWritten = request?.written !== undefined;
  const shown = (review: Review | null): { shown?: string } => (review === null ? {} : { shown: review.digest });
  return {
    run: input.id,
    at,
    server: input.requestor.server,
    method: methodOf(sent, input),
    name: input.requestor.name,
    key: input.key.id,
    policy: { rule: input.gatePolicy.rule, version: input.policyVersion ?? 0 },
    mode: modeOf(decision, reviewers, input),
    decision,
    edited: { request: !isWritten && (request?.version ?? 1) > 1, reply: isWritten || (response?.version ?? 1) > 1 },
    reviewers,
    request: { ...requestDigests(input, asked, sent), ...shown(request) },
    reply: shown(response),
    ...(isToolCall(sent) && sent.definition !== undefined ? { tool: definitionDigest(sent.definition) } : {}),
  };
}

/** Of what came by no MCP, the endpoint's own name for it. */
function methodOf(request: SubjectRequest, { endpoint, requestor }: ReceiptInput): string {
  const { method } = factsOf(subjectOf(request));
  if (method !== null) return method;
  return endpoint === "sampling" || endpoint === "relay" ? "sampling/createMessage" : requestor.method;
}

const definitionDigest = (definition: CalledTool): string => textDigest(canonicalText(definition));

/** Of a call: what is sent. Of everything else: what its server sent, which it alone has. */
function requestDigests({ asked: digest }: ReceiptInput, asked: SubjectRequest, sent: SubjectRequest): ReceiptFacts["request"] {
  if (!isToolCall(sent) || !isToolCall(asked)) return digest === undefined ? {} : { jcs: digest };
  const callDigest = ({ tool: name, arguments: input }: typeof sent): string =>
    textDigest(requestText("tools/call", { name, arguments: input }));
  const isEdited = argumentsJsonOf(asked) !== argumentsJsonOf(sent);
  const { inputResponses: answers = {} } = sent;
  const answered = Object.entries(answers).map(([key, answer]) => [key, textDigest(canonicalText(answer))] as const);
  return {
    jcs: callDigest(sent),
    ...(isEdited ? { proposed: callDigest(asked) } : {}),
    ...(answered.length === 0 ? {} : { inputResponses: Object.fromEntries(answered) }),
  };
}

/** A run that waits still, or that failed before anything was approved, approves nothing. */
function decisionOf(state: RunState | null): ReceiptDecision {
  if (state === null) return "approved";
  const { end, call } = state;
  switch (end?.kind) {
    case "completed":
      return "approved";
    case "rejected":
      return "denied";
    case "expired":
    case "undeliverable":
    case "cancelled":
      return end.kind;
    case "failed":
    case undefined:
      return call !== null && call.startedAt !== null ? "approved" : "cancelled";
    default:
      return end satisfies never;
  }
}

/**
 * A person only where a person decided this, and nothing weaker opened another gate of it. What
 * nobody decided in time is the policy's.
 */
function modeOf(
  decision: ReceiptDecision,
  reviewers: readonly ReviewerFacts[],
  { granted = [], work }: Pick<ReceiptInput, "granted" | "work">,
): ReceiptMode {
  if (decision === "denied") return "human";
  if (decision !== "approved") return "policy";
  if (granted.some(({ bypass }) => bypass === true)) return "bypass";
  if (jurorOf(work)?.verdict === "passed") return "policy";
  if (granted.length > 0) return "grant";
  return reviewers.length > 0 ? "human" : "policy";
}

/** An issuer's name is the gateway's own: no receipt has it. */
function knownOf({
  channel,
  known,
  passkey,
}: Pick<Vote, "channel" | "known" | "passkey">): Pick<ReviewerFacts, "amr" | "signIn" | "passkey"> {
  const signIn = signInWays.find((how) => how === known?.how);
  const by = signIn === undefined ? {} : { signIn };
  if (passkey === undefined) return { amr: amrOf(channel), ...by };
  const { credential: _id, ...proof } = passkey;
  return { amr: "webauthn", ...by, passkey: proof };
}

/** Those whose approvals counted for the version that was decided, or the one who denied it. */
function reviewersOf({ gate, votes, closing }: Review): ReviewerFacts[] {
  const approved = votes.map(({ reviewer: name, at, ...how }): ReviewerFacts => ({
    name,
    gate,
    decision: "approved",
    at,
    ...knownOf(how),
  }));
  if (closing?.how !== "denied") return approved;
  return [...approved, { name: closing.by, gate, decision: "denied", at: closing.at, ...knownOf(closing) }];
}
