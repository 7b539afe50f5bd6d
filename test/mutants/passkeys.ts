// Passkeys, and how a person was known: each check on the way from a browser to a decision.

import type { Mutant } from "./mutant.ts";

const decisions = "test/workers/contract/passkey-decisions.test.ts";
const ways = "test/workers/contract/passkey-ways.test.ts";
const adding = "test/workers/contract/passkeys.test.ts";
const gate = { file: "workers/objects/run/review/passkey-gate.ts", test: { file: decisions, only: "approved without one" } };
const confirmation = {
  file: "workers/endpoints/review/passkey-confirmation.ts",
  test: { file: decisions, only: "is void once" },
};
const tools = { file: "workers/tools/passkey.ts" };

export const passkeyMutants: readonly Mutant[] = [
  {
    ...gate,
    name: "an approval without a passkey does not count where the rule wants one",
    from: 'return "needsPasskey";\n  const { version',
    to: "return null;\n  const { version",
  },
  {
    ...gate,
    name: "each way to approve needs the passkey",
    from: 'new Set(["approve", "answer", "askModel", "fill"])',
    to: 'new Set(["approve"])',
  },
  {
    ...confirmation,
    name: "a passkey's confirmation is late after five minutes",
    from: "Date.now(), passkeyMs);",
    to: "Date.now());",
  },
  {
    ...confirmation,
    name: "a passkey signs the whole decision",
    from: "decision: decisionDigest(submission), nonce",
    to: 'decision: "", nonce',
    test: { file: decisions, only: "the change that it was made for" },
  },
  {
    ...confirmation,
    name: "a passkey signs no forged nonce",
    from: 'if (judged === "late" || judged === "forged") return judged === "late" ? "late" : "failed";',
    to: 'if (judged === "late") return "late";',
    test: { file: decisions, only: "did not make for it" },
  },
  {
    name: "a reply that was approved with a passkey serves no other request",
    file: "workers/objects/run/begin/run-adoption.ts",
    from: "callersAct(input.work) === null && !isRetry && isApproved(state)",
    to: "callersAct(input.work) !== null && !isRetry && isApproved(state)",
    test: { file: ways, only: "that nobody took" },
  },
  {
    name: "no grant and no bypass counts where a rule wants a passkey",
    file: "shared/run/granting.ts",
    from: "|| gatePolicy.passkey === true ||",
    to: "||",
    test: { file: ways, only: "let none go on" },
  },
  {
    name: "a cached reply serves no request that wants a passkey",
    file: "workers/pipeline/plan/cached-reply.ts",
    from: "if (gatePolicy.passkey === true && (closed.request || closed.response)) return false;",
    to: "",
    test: { file: ways, only: "a cached reply serves none" },
  },
  {
    ...tools,
    name: "the user of a confirming passkey is verified",
    // Asked of the package, and looked at in its answer.
    from: "true,\n      credential: { id, publicKey: key.slice(), counter },\n    });\n    return verified && authenticationInfo.userVerified ?",
    to: "false,\n      credential: { id, publicKey: key.slice(), counter },\n    });\n    return verified ?",
    test: { file: decisions, only: "anything else" },
  },
  {
    ...tools,
    name: "the user of a new passkey is verified",
    from: "requireUserVerification: true,\n      supportedAlgorithmIDs",
    to: "requireUserVerification: false,\n      supportedAlgorithmIDs",
    test: { file: adding, only: "was not verified" },
  },
  {
    name: "a further passkey needs one that is there",
    file: "workers/objects/inbox/inbox-passkeys.ts",
    from: "if (known.length > 0 && (confirmed === null || !this.use({ address, ...confirmed }, now)))",
    to: "if (known.length > mostPasskeys && (confirmed === null || !this.use({ address, ...confirmed }, now)))",
    test: { file: adding, only: "where it is stored" },
  },
  {
    name: "who removes a passkey may change the gateway",
    file: "workers/endpoints/admin/needed-role.ts",
    from: "inboxes\\/[^/]+\\/sessions$/",
    to: "inboxes\\/[^/]+\\//",
    test: { file: "test/workers/contract/console/access.test.ts", only: "each role may do what it may" },
  },
  {
    name: "a first passkey needs a fresh sign-in",
    file: "workers/endpoints/inbox/passkeys.ts",
    from: "passkeys > 0 || (since !== null && Date.now() - since < freshMs)",
    to: "passkeys > 0 || since !== null",
    test: { file: adding, only: "not long after" },
  },
  {
    name: "reviewers have to be signed in where a rule wants a passkey",
    file: "shared/policy/rules.ts",
    from: 'identity === "signedIn" || confirm === "passkey"',
    to: 'identity === "signedIn"',
    test: { file: "test/shared/policy/rules.test.ts" },
  },
];
