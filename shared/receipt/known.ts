// How the gateway knew the person who decided: by the link that was sent to them, by their account
// in Slack, or by their sign-in to the inbox. The record and the receipt have it with the decision.

/** How a reviewer signed in to their inbox. `issuer`: its name in the issuers document. */
export type SignInWay = { readonly how: "email" | "access" } | { readonly how: "issuer"; readonly issuer: string };

export const signInWays = ["email", "access", "issuer"] as const satisfies readonly SignInWay["how"][];

/**
 * `link`: whoever had the link that was sent to them. `slack`: Slack vouches for the account that
 * pressed its button. `inbox`: signed in before the gateway kept how.
 */
export type KnownBy = SignInWay | { readonly how: "link" | "slack" | "inbox" };

export const knownHows = ["link", "slack", "inbox", ...signInWays] as const satisfies readonly KnownBy["how"][];

/** Of a decision that says only through which channel it came. */
export const knownByChannel = (channel: string): KnownBy => ({ how: channel === "inbox" || channel === "slack" ? channel : "link" });
