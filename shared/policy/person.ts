// When two names are one person's: the policy refuses two such reviewers, and nobody is barred or counted by a capital letter.

/** `name` as names are compared: compatibility forms composed, case and white space at the ends left out. */
export const nameKey = (name: string): string => name.normalize("NFKC").trim().toLowerCase();

/** Whether both names stand for one person. A key's owner is written by hand, apart from the policy that has the reviewer's name. */
export const isSamePerson = (one: string | null, other: string): boolean => one !== null && nameKey(one) === nameKey(other);
