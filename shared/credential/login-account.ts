// Whose account at a server a person's own login there is: what reviewers are shown of it. No token
// and nothing that proves it.

export type LoginAccount = {
  /** The authorization server at which the person signed in. */
  readonly issuer: string;
  /** What that calls the account; null where it does not say. */
  readonly name: string | null;
};

/** Whether reviewers would be shown the same: an approval for one account is for no other. */
export const isSameAccount = (one: LoginAccount, other: LoginAccount): boolean => one.issuer === other.issuer && one.name === other.name;
