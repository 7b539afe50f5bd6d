import { alertMutants } from "./alerts.ts";
import { budgetMutants } from "./budgets.ts";
import { approvalMutants } from "./approvals.ts";
import { relayedCallMutants } from "./relayed-calls.ts";
import { associationMutants } from "./association.ts";
import { callMutants } from "./calls.ts";
import { configurationMutants } from "./configuration.ts";
import { consoleMutants } from "./console.ts";
import { credentialMutants } from "./credentials.ts";
import { budgetGapMutants } from "./gaps-budgets.ts";
import { noticeGapMutants } from "./gaps-notices.ts";
import { relayGapMutants } from "./gaps-relay.ts";
import { failureMutants } from "./failures.ts";
import { formMutants } from "./forms.ts";
import { issuerSignInMutants } from "./issuer-sign-in.ts";
import { oauthMutants } from "./oauth.ts";
import { jurorMutants } from "./juror.ts";
import { ownLoginMutants } from "./own-login.ts";
import { grantMutants } from "./grants.ts";
import { imageMutants } from "./images.ts";
import { inboxMutants } from "./inbox.ts";
import { standInMutants } from "./stand-ins.ts";
import { linkMutants } from "./links.ts";
import { passkeyMutants } from "./passkeys.ts";
import type { Mutant } from "./mutant.ts";
import { negotiationMutants } from "./negotiation.ts";
import { noticeMutants } from "./notices.ts";
import { operatorMutants } from "./operators.ts";
import { outsideMutants } from "./outside-addresses.ts";
import { ownershipMutants } from "./ownership.ts";
import { policyMutants } from "./policy.ts";
import { redactionMutants } from "./redaction.ts";
import { relay2026Mutants } from "./relay-2026.ts";
import { replyMutants } from "./replies.ts";
import { revocationMutants } from "./revocation.ts";
import { pushMutants } from "./push.ts";
import { receiptMutants } from "./receipts.ts";
import { recordMutants } from "./record.ts";
import { reviewMutants } from "./review.ts";
import { secretMutants } from "./secrets.ts";
import { sessionAddressMutants } from "./session-address.ts";
import { signInMutants } from "./sign-in.ts";
import { spellingMutants } from "./spelling.ts";
import { stdioRoundMutants } from "./rounds-stdio.ts";
import { stopMutants } from "./stops.ts";
import { streamMutants } from "./streams.ts";
import { toolMutants } from "./tools.ts";
import { v1Mutants } from "./v1.ts";
import { runMutants } from "./runs.ts";

export const mutants: readonly Mutant[] = [
  ...alertMutants,
  ...reviewMutants,
  ...linkMutants,
  ...passkeyMutants,
  ...inboxMutants,
  ...standInMutants,
  ...policyMutants,
  ...formMutants,
  ...issuerSignInMutants,
  ...oauthMutants,
  ...ownLoginMutants,
  ...grantMutants,
  ...associationMutants,
  ...callMutants,
  ...jurorMutants,
  ...approvalMutants,
  ...relayedCallMutants,
  ...runMutants,
  ...ownershipMutants,
  ...replyMutants,
  ...revocationMutants,
  ...consoleMutants,
  ...failureMutants,
  ...credentialMutants,
  ...configurationMutants,
  ...noticeMutants,
  ...operatorMutants,
  ...outsideMutants,
  ...imageMutants,
  ...pushMutants,
  ...receiptMutants,
  ...recordMutants,
  ...redactionMutants,
  ...secretMutants,
  ...sessionAddressMutants,
  ...signInMutants,
  ...spellingMutants,
  ...relay2026Mutants,
  ...negotiationMutants,
  ...stdioRoundMutants,
  ...streamMutants,
  ...budgetMutants,
  ...stopMutants,
  ...toolMutants,
  ...v1Mutants,
  ...budgetGapMutants,
  ...relayGapMutants,
  ...noticeGapMutants,
];
