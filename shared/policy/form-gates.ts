// Who answers a form, by what the policy's rules say of it.

import { isRoom } from "../notice-channels.ts";
import type { GatePlan, Reviewer } from "./evaluate.ts";
import { reviewerWhoIs } from "./own-requests.ts";
import { type Policy, canSignIn } from "./rules.ts";

/**
 * The plan for a form. Somebody has to answer it, so nothing opens its gate; what they send is the
 * answer, and is not reviewed again. Without a rule for it the owner of the API key is asked. An
 * address is for the owner alone, signed in: whoever opens it links their own account, and a link
 * that was forwarded neither shows it nor declines it. A room answers nothing: an answer has an
 * author.
 */
export function formGates(gates: GatePlan, policy: Policy, keyOwner: string | null, { isUrl }: { readonly isUrl: boolean }): GatePlan {
  const owner = reviewerWhoIs(policy, keyOwner);
  const asked = {
    ...gates,
    request: "review",
    response: "allow",
    replyRisk: null,
    grants: false,
    context: "none",
  } as const satisfies GatePlan;
  if (isUrl) return { ...asked, ...ownerAlone, ...signedIn, reviewers: owner === null || !canSignIn(owner) ? [] : [owner] };
  if (gates.rule === "default") return { ...asked, ...ownerAlone, reviewers: owner === null ? [] : [owner] };
  const { escalate } = gates;
  return {
    ...asked,
    reviewers: people(gates.reviewers),
    escalate: escalate === null ? null : { ...escalate, to: people(escalate.to) },
    handOverTo: people(gates.handOverTo),
  };
}

const ownerAlone = { quorum: 1, selfApproval: true, escalate: null, handOverTo: [] } as const;
const signedIn = { identity: "signedIn", noticeExcerpt: "none" } as const;

const people = (of: readonly Reviewer[]): readonly Reviewer[] => of.filter((each) => !isRoom(each));
