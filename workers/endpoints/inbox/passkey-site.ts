// Where a passkey is good, and what a browser posts of one: the values of hidden fields, of which
// nothing is believed.

import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { type Assertion, passkeyMs } from "../../../shared/receipt/passkey-proof.ts";
import type { GetOptions } from "../../../shared/review/passkey-form.ts";
import type { PasskeySite } from "../../tools/passkey.ts";
import { originOf } from "../review/review-link.ts";

/** The host of PUBLIC_URL, on pages of that origin. */
export const passkeySite = (publicUrl: string): PasskeySite => ({ rpId: new URL(publicUrl).hostname, origin: originOf(publicUrl) });

type Known = { readonly id: string; readonly transports: readonly string[] };

/** What a browser needs to ask for the signature of one of these passkeys. */
export const getOptions = (site: PasskeySite, challenge: string, known: readonly Known[]): GetOptions => ({
  challenge,
  rpId: site.rpId,
  allowCredentials: credentialsOf(known),
  userVerification: "required",
  timeout: passkeyMs,
});

export const credentialsOf = (known: readonly Known[]): GetOptions["allowCredentials"] =>
  known.map(({ id, transports }) => ({ type: "public-key", id, transports }));

/** An assertion as it was posted; null for any other text. */
export function postedAssertion(text: string): (Assertion & { readonly id: string }) | null {
  const posted = objectOf(parseJson(text));
  const response = objectOf(posted?.["response"]);
  const id = posted?.["id"];
  const { authenticatorData, clientDataJSON, signature } = response ?? {};
  if (typeof id !== "string" || typeof authenticatorData !== "string") return null;
  return typeof clientDataJSON === "string" && typeof signature === "string" ? { id, authenticatorData, clientDataJSON, signature } : null;
}
