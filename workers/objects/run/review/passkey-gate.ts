// Whether a decision has the passkey's assertion that its rule wants. The Worker has checked the
// signature; here it is compared with the very decision that is committed, and counts once. Only
// what lets something go on needs one: to deny is safe, and a person whose passkey is lost can.

import { readJsonOf } from "../../../../shared/json/json-of.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { fromBase64url, fromUtf8 } from "../../../../shared/encoding.ts";
import { type PasskeyProof, decisionDigest, passkeyChallenge } from "../../../../shared/receipt/passkey-proof.ts";
import type { DecideInput, Submission } from "../../../stubs/run-calls.ts";
import type { RunStore, StoredInput } from "../tables/run-store.ts";

const approving: ReadonlySet<Submission["act"]> = new Set(["approve", "answer", "askModel", "fill"]);

/** Null where none is wanted. */
export function passkeyFor(
  store: RunStore,
  { id: run, gatePolicy }: StoredInput,
  { gate, passkey }: DecideInput,
  submission: Submission,
): PasskeyProof | null | "needsPasskey" {
  if (gatePolicy.passkey !== true || !approving.has(submission.act)) return null;
  const proof = passkey === null ? null : readJsonOf(passkey);
  if (proof === null || store.usedNonce(proof.signed.nonce) !== null) return "needsPasskey";
  const { version, digest } = submission;
  const signed = { gate, version, digest, decision: decisionDigest(submission), nonce: proof.signed.nonce };
  return challengeIn(proof) === passkeyChallenge(run, signed) ? { ...proof, signed } : "needsPasskey";
}

/** What the browser says that was signed. */
function challengeIn({ clientDataJSON }: PasskeyProof): unknown {
  const bytes = fromBase64url(clientDataJSON);
  return bytes === undefined ? undefined : objectOf(parseJson(fromUtf8(bytes)))?.["challenge"];
}
