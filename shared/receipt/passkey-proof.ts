// What a passkey signs (WebAuthn level 3, 7.2), as base64url.

/** How long what is to be signed is good. */
export const passkeyMs = 5 * 60_000;

/** An assertion, as the browser gave it. */
export type Assertion = { readonly authenticatorData: string; readonly clientDataJSON: string; readonly signature: string };
