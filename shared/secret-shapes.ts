// Secrets that no issuer's prefix tells: a value behind the word password, and the number of a
// payment card. Time is linear in the text.

/** UTF-16 offsets of a part of a text. */
export type Part = { readonly start: number; readonly end: number };

const passwordNames = ["password", "passwd", "passphrase", "passcode", "pwd", "密码", "密碼", "口令"] as const;
const longestName = 10;
const anyName = new RegExp(passwordNames.join("|"), "gi");
const nameAtEnd = new RegExp(`(?:${passwordNames.join("|")})$`, "i");

/**
 * From the name to its value: quotes, also escaped ones, and a sign of assignment or the word "is".
 */
const assignment = /\\?["'`]?[ \t]{0,4}(?:[:=\uFF1A]|=>|is[ \t]|\u662F|\u4E3A)[ \t]{0,4}\\?["'`]?/iy;
const valueCharacters = /[^\s"'`<>{}()[\],;|\\\u3002\uFF0C\uFF1B]{6,64}/y;

/** The words before which a value stands, for who looks for them in another way. */
export const passwordWords: readonly string[] = passwordNames;

/**
 * The password after a name that ends at `nameEnd`; null where none follows that looks like one.
 */
export function passwordAfter(text: string, nameEnd: number): Part | null {
  assignment.lastIndex = nameEnd;
  if (!assignment.test(text)) return null;
  const start = assignment.lastIndex;
  valueCharacters.lastIndex = start;
  const value = valueCharacters.exec(text)?.[0].replace(/[.:]+$/, "") ?? "";
  const end = start + value.length;
  return value.length >= 6 && text[end] !== "(" && isPassword(value) ? { start, end } : null;
}

/** The passwords in a text, each behind its name. */
export function* passwordsIn(text: string): Generator<Part> {
  for (const { index, 0: name } of text.matchAll(anyName)) {
    const part = passwordAfter(text, index + name.length);
    if (part !== null) yield part;
  }
}

/** Whether a member of JSON with this name holds a password. */
export const isPasswordMember = (name: string, value: string): boolean => nameAtEnd.test(name) && passwordAfter(`:${value}`, 0) !== null;

/** Whether a field of this name or title asks for a password, a key, or a number that pays. */
export const namesSecret = (name: string): boolean =>
  secretName.test(
    name
      .slice(0, longestFieldName)
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .toLowerCase(),
  );

const longestFieldName = 500;
const secretName =
  /\b(?:passwords?|passwd|passphrase|passcode|pin|secrets?|(?<!max )tokens?|api ?keys?|(?:access|private|secret) keys?|credentials?|(?:card|account) number|credit card|cv[vc]2?|security code|otp|one time (?:code|password)|ssn|social security)\b|密码|口令|密钥|令牌|验证码|卡号|身份证/u;

/** Quotes and spaces between a name and its sign. */
const mostBetween = 6;

/** Whether the sign of assignment at this place stands between the word password and a value. */
export function assignsPassword(text: string, sign: number): boolean {
  let nameEnd = sign;
  while (sign - nameEnd < mostBetween && isBetween(text.charCodeAt(nameEnd - 1))) nameEnd -= 1;
  // Every name ends with one of these; most words before a colon end otherwise.
  return (
    "deDE码碼令".includes(text.charAt(nameEnd - 1) || " ") &&
    nameAtEnd.test(text.slice(Math.max(0, nameEnd - longestName), nameEnd)) &&
    passwordAfter(text, nameEnd) !== null
  );
}

/** Space, tab, quotes and a backslash. */
const isBetween = (unit: number): boolean =>
  unit === 0x20 || unit === 0x09 || unit === 0x22 || unit === 0x27 || unit === 0x60 || unit === 0x5c;

/**
 * A type, a constant's name, a path in a program or on a disk, an address or a template has the
 * place of a password and is none.
 */
function isPassword(value: string): boolean {
  if (/^[/~$%]|^\.|:\/\/|^\*+$/.test(value)) return false;
  if (/^[A-Z][A-Z0-9_]*$/.test(value) || /^[a-z_]\w*(?:\.[a-z_]\w*)+$/i.test(value)) return false;
  const isOfWords = value.length >= 16 && value.split("-").length > 2;
  return isOfWords || /\d/.test(value) || /[!@#$%^&*?+~]/.test(value);
}

/**
 * How cards are printed: as one number, in fours, and as American Express and Diners Club group
 * them. Not the decimals of a number.
 */
const printed = /(?<!\w|\d\.)(?:[2-6]\d{12,18}|[2-6]\d{3}[ -](?:\d{4}[ -]\d{4}[ -]\d{1,4}(?:[ -]\d{1,3})?|\d{6}[ -]\d{4,5}))(?!\w|\.\d)/g;
/**
 * The beginnings that issuers have, with their lengths (ISO/IEC 7812-1): Visa, Mastercard, American
 * Express, Diners Club, Discover, JCB, UnionPay, Maestro.
 */
const issuers =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12,15}|35(?:2[89]|[3-8]\d)\d{12,15}|62\d{14,17}|(?:5[0678]|6[37])\d{11,17})$/;

/**
 * The numbers of payment cards in a text, in order and apart: the form, an issuer's beginning, and
 * the check digit (ISO/IEC 7812-1, Luhn).
 */
export function cardNumbers(text: string): Part[] {
  const found: Part[] = [];
  printed.lastIndex = 0;
  for (let match = printed.exec(text); match !== null; match = printed.exec(text)) {
    const [written] = match;
    // Groups of digits may stand before a card's, and behind it.
    const card = [written, written.slice(0, Math.max(written.lastIndexOf(" "), written.lastIndexOf("-"), 0))].find(isCard);
    if (card !== undefined) found.push({ start: match.index, end: match.index + card.length });
    printed.lastIndex = match.index + (card?.length ?? /^\d+/.exec(written)?.[0].length ?? 0);
  }
  return found;
}

function isCard(written: string): boolean {
  const digits = written.replaceAll(/[ -]/g, "");
  return issuers.test(digits) && !/^(\d)\1*$/.test(digits) && luhnOf(digits) % 10 === 0;
}

function luhnOf(digits: string): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const value = (digits.charCodeAt(digits.length - 1 - place) - 48) * (place % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum;
}
