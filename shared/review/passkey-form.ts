// What the pages that want a passkey hand to their script, and the hidden fields that it fills.
// Bytes are base64url.

/** What the passkey signed, the nonce of what it signed, and a new passkey. */
export const passkeyFields = { proof: "passkey", nonce: "passkey-nonce", made: "passkey-made" } as const;

/** The page of a reviewer's passkeys, for a sign-in on the way there. */
export const passkeysTarget = "passkeys";

type Credential = { readonly type: "public-key"; readonly id: string; readonly transports: readonly string[] };

/** What a browser needs to ask for a passkey's signature. */
export type GetOptions = {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials: readonly Credential[];
  readonly userVerification: "required";
  readonly timeout: number;
};

/** What it needs to make one. */
export type CreateOptions = {
  readonly challenge: string;
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly type: "public-key"; readonly alg: number }[];
  readonly excludeCredentials: readonly Credential[];
  readonly authenticatorSelection: { readonly residentKey: "preferred"; readonly userVerification: "required" };
  readonly attestation: "none";
  readonly timeout: number;
};
