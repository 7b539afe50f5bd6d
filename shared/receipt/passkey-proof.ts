// What a passkey signs where a rule wants one for a decision: a challenge made of what was shown
// and of the whole decision. The record and the receipt have the assertion with what its challenge
// was made of, so that whoever has the public key can check it (WebAuthn level 3, 7.2).

import { digestOf } from "../encoding.ts";

/** How long a decision may follow its challenge. */
export const passkeyMs = 5 * 60_000;

/** What the challenge is made of, beside the run. */
type SignedDecision = {
  readonly gate: string;
  /** The version and the digest of what the reviewer was shown. */
  readonly version: number;
  readonly digest: string;
  /** The digest of all that the form says: what was pressed, each change, the reason, a grant. */
  readonly decision: string;
  /** Good once. */
  readonly nonce: string;
};

/** An assertion: base64url, as the browser gave it. */
export type Assertion = { readonly authenticatorData: string; readonly clientDataJSON: string; readonly signature: string };

/** `credential`: the passkey's id. */
export type PasskeyProof = Assertion & { readonly credential: string; readonly signed: SignedDecision };

/** SHA-256 as base64url. `submission`: of one decision, without its nonces. */
export const decisionDigest = (submission: object): string => digestOf("countersign/passkey-decision/v1", submission);

/** The challenge, as base64url: SHA-256 of the domain, a NUL and the RFC 8785 form. */
export const passkeyChallenge = (run: string, signed: SignedDecision): string => digestOf("countersign/passkey/v1", { run, ...signed });
