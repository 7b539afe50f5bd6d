// Which texts cannot serve as a secret. Pure; the text itself is in no answer.

/**
 * `short`: fewer than `shortestSecret` characters. `example`: what documents write in a secret's
 * place, or a text without variety.
 */
export type SecretError = "empty" | "short" | "example";

export const shortestSecret = 16;

/**
 * What is wrong with this text as a secret; null where nothing is. A text that passes is not proven
 * to be random.
 */
export function secretError(text: string): SecretError | null {
  if (text.trim() === "") return "empty";
  if (text.length < shortestSecret) return "short";
  return isExample(text) ? "example" : null;
}

/** The error as the end of a sentence that begins with the secret's name. */
export const secretErrorWords: Readonly<Record<SecretError, string>> = {
  empty: "is empty",
  short: `is shorter than ${shortestSecret} characters`,
  example: "is an example and not a secret",
};

/**
 * Placeholders of documents and of `.dev.vars.example` files. A random text of 16 characters or
 * more has none of them by chance.
 */
const placeholder =
  /change[-_ ]?me|replace[-_ ]?(?:me|this|with)|example|placeholder|^(?:your|my|insert|enter|the|a)[-_ ].*(?:here|secret|key|token)$|^<.*>$|x{8}|\.{4}|…/i;

/** Letters and digits in their own order, and those of a keyboard. */
const sequences = [
  "0123456789".repeat(4),
  "abcdefghijklmnopqrstuvwxyz".repeat(2),
  "0123456789abcdef".repeat(3),
  "qwertyuiopasdfghjklzxcvbnm",
];

const fewestCharacters = 6;

function isExample(text: string): boolean {
  const lower = text.toLowerCase();
  return (
    placeholder.test(text) ||
    new Set(text).size < fewestCharacters ||
    /^(.{1,12}?)\1+$/.test(lower) ||
    sequences.some((sequence) => sequence.includes(lower)) ||
    /^(?:[-_ ]|password|passw0rd|secret|admin|token|test|key|link|\d{1,4})+$/.test(lower)
  );
}
