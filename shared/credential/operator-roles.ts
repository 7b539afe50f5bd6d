// Which operators Cloudflare Access brings, and what each may do: the variable OPERATORS. Nobody
// who is not named there is an operator, since an Access application may let reviewers in who are
// none.

import { type Result, err, ok } from "../result.ts";

/**
 * Each may do what those before it may. `see`: read everything. `decide`: stop and end what runs.
 * `change`: documents and keys.
 */
const roles = ["see", "decide", "change"] as const;
export type Role = (typeof roles)[number];

/** `who`: an email address in lower case, or `*@` and a domain. */
export type OperatorEntry = { readonly who: string; readonly role: Role };

const isRole = (word: string): word is Role => (roles as readonly string[]).includes(word);

/**
 * Parses `ann@example.com change, *@example.com see`.
 * @returns the entries, or the first entry that is none.
 */
export function parseOperators(text: string): Result<readonly OperatorEntry[], string> {
  const entries: OperatorEntry[] = [];
  for (const part of text.split(",").map((each) => each.trim())) {
    if (part === "") continue;
    const [who = "", role = "", ...rest] = part.split(/\s+/);
    if (rest.length > 0 || !isRole(role) || !/^(\*|[^\s@*]{1,64})@[^\s@*]{1,255}$/.test(who)) return err(part);
    entries.push({ who: who.toLowerCase(), role });
  }
  return ok(entries);
}

/** The role of this address: that of its own entry, else of its domain's, else none. */
export function roleOf(entries: readonly OperatorEntry[], email: string): Role | null {
  const address = email.trim().toLowerCase();
  const domain = `*${address.slice(address.lastIndexOf("@"))}`;
  const found = entries.find(({ who }) => who === address) ?? entries.find(({ who }) => who === domain);
  return found?.role ?? null;
}

export const allows = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);
