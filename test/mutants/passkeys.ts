// Passkeys, and how a person was known: each check on the way from a browser to a decision.

import type { Mutant } from "./mutant.ts";

const decisions = "test/workers/contract/passkey-decisions.test.ts";
const adding = "test/workers/contract/passkeys.test.ts";
const gate = { file: "workers/objects/run/review/passkey-gate.ts", test: { file: decisions } };
const confirmation = { file: "workers/endpoints/review/passkey-confirmation.ts", test: { file: decisions } };
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
  },
  {
    ...tools,
    name: "the user of a confirming passkey is verified",
    from: "requireUserVerification: true,\n      credential",
    to: "requireUserVerification: false,\n      credential",
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
    test: { file: adding, only: "counts from before" },
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
