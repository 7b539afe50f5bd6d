// Receipts: what they say is what was decided and sent, and every check of them is made.

import type { Mutant } from "./mutant.ts";

const vectors = "test/shared/receipt/receipt.test.ts";
const contract = "test/workers/contract/receipts.test.ts";
const runReceipt = "test/shared/run/run-receipt.test.ts";
const token = "shared/receipt/token.ts";
const facts = "shared/run/run-receipt.ts";

export const receiptMutants: readonly Mutant[] = [
  {
    name: "a receipt's signature is checked",
    file: token,
    from: 'if (!(await crypt.verify(key, signature, text))) return bad("badSignature");',
    to: "",
    test: { file: vectors, only: "forged: another payload" },
  },
  {
    name: "a receipt has one algorithm",
    file: token,
    from: 'if (alg !== "ES256" || typ',
    to: "if (typ",
    test: { file: vectors, only: "forged: alg HS256" },
  },
  {
    name: "a receipt is no other token",
    file: token,
    from: "typ !== receiptType || ",
    to: "",
    test: { file: vectors, only: "another kind of token" },
  },
  {
    name: "a revoked key's receipts do not count",
    file: token,
    from: 'if (revokedAt !== undefined && (terms.now !== null || claims.iat >= revokedAt)) return bad("revokedKey");',
    to: 'if (revokedAt !== undefined && claims.iat >= revokedAt) return bad("revokedKey");',
    test: { file: vectors, only: "of a revoked key, dated before" },
  },
  {
    name: "a receipt is of this gateway",
    file: token,
    from: 'if (claims.iss !== terms.issuer) return bad("otherIssuer");',
    to: "",
    test: { file: vectors, only: "foreign: another gateway" },
  },
  {
    name: "a receipt is for this server",
    file: token,
    from: 'if (claims.aud !== terms.audience) return bad("otherAudience");',
    to: "",
    test: { file: vectors, only: "foreign: another server" },
  },
  {
    name: "a receipt ends",
    file: token,
    from: 'if (Math.min(claims.exp, claims.iat + receiptSeconds) <= terms.now) return bad("expired");',
    to: "",
    test: { file: vectors, only: "expired" },
  },
  {
    name: "only an approval approves",
    file: token,
    from: '(terms.decisions ?? ["approved"]).includes(claims.decision)',
    to: "(terms.decisions ?? [claims.decision]).includes(claims.decision)",
    test: { file: vectors, only: "of a denial" },
  },
  {
    name: "a receipt is of this request",
    file: token,
    from: "|| claims.request.jcs !== digest) return",
    to: ") return",
    test: { file: vectors, only: "altered: other arguments" },
  },
  {
    name: "a receipt is of this reply",
    file: token,
    from: "|| claims.reply?.jcs !== digest) return",
    to: ") return",
    test: { file: vectors, only: "altered: a reply that it does not name" },
  },
  {
    name: "a receipt is used once",
    file: token,
    from: 'if (terms.now !== null && terms.isFirstUse !== undefined && !(await terms.isFirstUse(claims.jti, claims.exp))) return bad("usedBefore");',
    to: "",
    test: { file: vectors, only: "is used once" },
  },
  {
    name: "a receipt never names a person where a grant opened a gate",
    file: facts,
    from: 'if (granted.length > 0) return "grant";',
    to: "",
    test: { file: runReceipt, only: "the weakest" },
  },
  {
    name: "a receipt says that a review was bypassed",
    file: facts,
    from: 'if (granted.some(({ bypass }) => bypass === true)) return "bypass";',
    to: "",
    test: { file: runReceipt, only: "the weakest" },
  },
  {
    name: "a run that failed before it was approved is not approved",
    file: facts,
    from: 'return call !== null && call.startedAt !== null ? "approved" : "cancelled";',
    to: 'return "approved";',
    test: { file: runReceipt, only: "nothing was approved" },
  },
  {
    name: "a call's receipt is of what is sent",
    file: facts,
    from: "jcs: callDigest(sent),",
    to: "jcs: callDigest(asked),",
    test: { file: runReceipt, only: "of what is sent" },
  },
  {
    name: "a receipt is for the key that made the run",
    file: "workers/endpoints/receipts.ts",
    from: "if (found === null || (key !== null && found.key !== key))",
    to: "if (found === null)",
    test: { file: contract, only: "is for the key that made the run" },
  },
  {
    name: "a receipt's page is for its reviewers",
    file: "workers/endpoints/receipts.ts",
    from: "return places.some((place) => place !== null);",
    to: "return true;",
    test: { file: contract, only: "is a page for a reviewer" },
  },
  {
    name: "what the log has is the operator's",
    file: "workers/endpoints/receipts.ts",
    from: "...(isOperator ? { entry } : {}),",
    to: "entry,",
    test: { file: contract, only: "with the proof that the record has it" },
  },
  {
    file: "shared/receipt/token.ts",
    name: "a call with another answer of its client than the receipt has is refused",
    from: "inputResponseOf(request.params, key)))) !== approved)",
    to: 'inputResponseOf(request.params, key)))) === "")',
    test: { file: "test/shared/receipt/receipt.test.ts", only: "altered: another answer" },
  },
];
