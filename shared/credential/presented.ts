// The credentials that a request presents to the control endpoint: in the body, in `Authorization`
// and in `X-Countersign-Key`. The protocol's description shows an API key beside a token, so a
// caller that sends several means all of them.

export type Credential = { readonly kind: "apiKey" | "token"; readonly text: string };

/**
 * In characters: longer than any token that an issuer makes for a header. Nothing longer is
 * decoded.
 */
export const longestToken = 8 * 1024;

/**
 * The compact form of a signed token (RFC 7515 section 7.1): three parts of base64url. The last may
 * be empty, and is then refused.
 */
const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

export const looksLikeToken = (text: string): boolean => compactForm.test(text);

/**
 * An access token that a client got by OAuth here: a person, a grant and a secret, with colons
 * between them. No key of ours has a colon.
 */
export const looksLikeAccessToken = (text: string): boolean => text.length <= 256 && /^[\w-]+:[\w-]+:[\w-]+$/.test(text);

/**
 * Every credential, each once, in the order api_key, token, Authorization, X-Countersign-Key. An
 * empty string is none. `Authorization` counts where its scheme is Bearer: what follows is a token
 * where it has the form of one, else an API key, and what can be neither stays, to be refused.
 */
export function presentedCredentials(given: {
  readonly apiKey: string | undefined;
  readonly token: string | undefined;
  readonly authorization: string | null;
  readonly keyHeader: string | null;
}): Credential[] {
  const bearer = /^Bearer(?: +(.*))?$/is.exec(given.authorization ?? "")?.[1]?.trim() ?? "";
  const all: Credential[] = [
    { kind: "apiKey", text: given.apiKey ?? "" },
    { kind: "token", text: given.token ?? "" },
    { kind: looksLikeToken(bearer) ? "token" : "apiKey", text: bearer },
    { kind: "apiKey", text: given.keyHeader?.trim() ?? "" },
  ];
  return all.filter(
    ({ kind, text }, index) => text !== "" && all.findIndex((other) => other.kind === kind && other.text === text) === index,
  );
}
