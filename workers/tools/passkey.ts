// Checks what a browser says of a passkey: at its registration, and with each decision that it
// confirms (WebAuthn level 3, 7.1 and 7.2). The user has to be verified by the authenticator, and
// no attestation is wanted: nothing depends on who made it.

import { type RegistrationResponseJSON, verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { fromBase64url, toBase64url } from "../../shared/encoding.ts";
import type { Assertion } from "../../shared/receipt/passkey-proof.ts";

/** Where a passkey is good: the gateway's own host, on its own pages. */
export type PasskeySite = { readonly rpId: string; readonly origin: string };

/** As the browser's `toJSON` has it. Nothing of it is believed. */
export type RegistrationInput = PasskeySite & { readonly challenge: string; readonly response: string };

export type AssertionInput = PasskeySite & {
  readonly challenge: string;
  readonly assertion: Assertion;
  /** Of the passkey that is to have signed. `counter`: as it was last. */
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
};

/** `publicKey`: a COSE key as base64url. */
export type NewPasskey = {
  readonly id: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly isSynced: boolean;
};

/** EdDSA, ES256 and RS256: what authenticators have. */
const algorithms = [-8, -7, -257];

/** Null for what is no registration of a passkey here, by this challenge, of a verified user. */
export async function checkRegistration({ rpId, origin, challenge, response }: RegistrationInput): Promise<NewPasskey | null> {
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(response) as RegistrationResponseJSON, // which checks it
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (registrationInfo === undefined) return null;
    const { credential, credentialBackedUp: isSynced } = registrationInfo;
    return { id: credential.id, publicKey: toBase64url(credential.publicKey), counter: credential.counter, isSynced };
  } catch {
    return null;
  }
}

/**
 * The passkey's new counter; null for what is no assertion of this passkey, here, over this
 * challenge, of a verified user, with a counter that went on.
 */
export async function checkAssertion(input: AssertionInput): Promise<number | null> {
  const { rpId, origin, challenge, assertion, id, publicKey, counter } = input;
  const key = fromBase64url(publicKey);
  if (key === undefined) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: "public-key", response: assertion, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id, publicKey: key.slice(), counter },
    });
    return verified && authenticationInfo.userVerified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
