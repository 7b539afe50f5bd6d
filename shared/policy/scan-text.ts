// One pass over a text for what its characters show: blank lines, long gaps, encoded data, keys.
// The time is linear whatever the text is.

import { type Part, assignsPassword, cardNumbers, passwordsIn } from "../secret-shapes.ts";

/** What a secret is shaped like. */
export type CredentialKind =
  | "apiKey"
  | "awsAccessKey"
  | "gitHubToken"
  | "gitLabToken"
  | "slackToken"
  | "googleApiKey"
  | "npmToken"
  | "jsonWebToken"
  | "privateKey"
  /** An API key or a token of a gateway like this one. */
  | "countersignKey"
  | "password"
  | "cardNumber";

type TextScan = {
  /**
   * Nothing but tabs, line ends, spaces and characters that are surely visible: no need to look for
   * invisible ones.
   */
  readonly plain: boolean;
  /** The longest run of lines with nothing on them. */
  readonly blankLines: number;
  /** The longest run of spaces and tabs within a line. */
  readonly longestSpace: number;
  /** The length of the longest run of base64 or hexadecimal, wrapped lines together. */
  readonly blob: number;
  /**
   * The secrets that parts of the text are shaped like: each kind once, in the order of the text,
   * private keys, passwords and cards last.
   */
  readonly credentials: readonly CredentialKind[];
  /** Whether a web address with a query, or with a place for data, may be in the text. */
  readonly url: boolean;
};

// Classes of ASCII characters: 0 other, 1 part of a run (a key, base64, base64url), 2 space or tab,
// 3 line feed, 4 `=`.
const classes = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-.") classes[character.charCodeAt(0)] = 1;
classes[0x20] = 2;
classes[0x09] = 2;
classes[0x0d] = 2;
classes[0x0a] = 3;
classes[0x3d] = 4;

/**
 * Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters, and common punctuation: always
 * visible.
 */
const isSurelySeen = (unit: number): boolean =>
  (unit >= 0x4e00 && unit <= 0x9fff) ||
  (unit >= 0xa1 && unit <= 0x34e && unit !== 0xad) ||
  (unit >= 0x384 && unit <= 0x52f && unit !== 0x38b && unit !== 0x38d && unit !== 0x3a2) ||
  (unit >= 0x2010 && unit <= 0x2027) ||
  (unit >= 0x2030 && unit <= 0x205e) ||
  (unit >= 0x3001 && unit <= 0x312f) ||
  (unit >= 0xac00 && unit <= 0xd7a3) ||
  (unit >= 0xff01 && unit <= 0xff9f);

/** Shorter runs are words; the shortest known key has 20 characters. */
const shortestRun = 20;
/** A run that fills most of a line: encoded data is wrapped at 60, 64 or 76 characters. */
const wrappedRun = 56;

export function scanText(text: string): TextScan {
  let plain = true;
  let lines = 0;
  let blankLines = 0;
  let space = 0;
  let longestSpace = 0;
  let runStart = -1;
  let blob = 0;
  let wrapped = 0;
  let wrappedEnd = -1;
  const credentials = new Set<CredentialKind>();
  let hasPassword = false;

  const endRun = (end: number): void => {
    const length = end - runStart;
    if (length >= shortestRun) {
      const run = text.slice(runStart, end);
      addCredentials(run, credentials);
      if (length >= wrappedRun && isEncoded(run) && !isPicture(text, runStart)) {
        // A line end (one or two characters) joins it to the run before.
        wrapped = wrappedEnd >= 0 && runStart - wrappedEnd <= 2 ? wrapped + length : length;
        wrappedEnd = end;
        if (wrapped > blob) blob = wrapped;
      }
    }
    // "The password is …": the word is between spaces.
    else if (length === 2 && !hasPassword && text.startsWith("is", runStart)) hasPassword = assignsPassword(text, runStart);
    runStart = -1;
  };

  const { length } = text;
  for (let i = 0; i < length; i += 1) {
    const unit = text.charCodeAt(i);
    const kind = unit < 128 ? (classes[unit] ?? 0) : 0;
    if (kind === 1) {
      if (runStart < 0) runStart = i;
      lines = 0;
      space = 0;
      continue;
    }
    if (runStart >= 0) endRun(i);
    if (kind === 2) {
      space += 1;
      if (space > longestSpace) longestSpace = space;
      if (unit === 0x0d && text.charCodeAt(i + 1) !== 0x0a) plain = false;
      continue;
    }
    space = 0;
    if (kind === 3) {
      lines += 1;
      if (lines - 1 > blankLines) blankLines = lines - 1;
      continue;
    }
    // A line of non-ASCII spaces is blank too.
    if (unit === 0xa0 || unit === 0x3000) continue;
    lines = 0;
    // Colons, of full width too, and signs of equality.
    if ((unit === 0x3a || unit === 0x3d || unit === 0xff1a) && !hasPassword) hasPassword = assignsPassword(text, i);
    if (plain && (unit < 0x20 || unit > 0x7e) && !isSurelySeen(unit)) plain = false;
  }
  if (runStart >= 0) endRun(length);
  if (hasPemKey(text)) credentials.add("privateKey");
  if (hasPassword) credentials.add("password");
  if (cardNumbers(text).length > 0) credentials.add("cardNumber");
  return { plain, blankLines, longestSpace, blob, credentials: [...credentials], url: /[?{$]/.test(text) && text.includes("://") };
}

/** Whether a warning calls something in the text a secret. */
export const isSecret = (text: string): boolean => scanText(text).credentials.length > 0;

/**
 * Prefixes of keys by which issuers find leaked ones, and the least number of characters that
 * follow.
 */
const prefixes: readonly (readonly [string, number, CredentialKind])[] = [
  ["sk-", 20, "apiKey"],
  ["sk_live_", 16, "apiKey"],
  ["rk_live_", 16, "apiKey"],
  ["AKIA", 16, "awsAccessKey"],
  ["ASIA", 16, "awsAccessKey"],
  ["ghp_", 30, "gitHubToken"],
  ["gho_", 30, "gitHubToken"],
  ["ghs_", 30, "gitHubToken"],
  ["github_pat_", 30, "gitHubToken"],
  ["glpat-", 20, "gitLabToken"],
  ["xoxb-", 20, "slackToken"],
  ["xoxp-", 20, "slackToken"],
  ["AIza", 35, "googleApiKey"],
  ["npm_", 36, "npmToken"],
  ["csk_", 20, "countersignKey"],
  ["cst_", 20, "countersignKey"],
];

const isWordCharacter = (unit: number): boolean => (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);

/**
 * The keys in a run: a known prefix at the start of a word with enough after it, or three parts of
 * a JSON Web Token.
 */
function addCredentials(run: string, found: Set<CredentialKind>): void {
  for (const [prefix, least, kind] of prefixes) if (!found.has(kind) && hasKey(run, prefix, least)) found.add(kind);
  const token = run.indexOf("eyJ");
  if (token !== -1 && (token === 0 || !isWordCharacter(run.charCodeAt(token - 1)))) {
    const parts = run.slice(token).split(".", 4);
    if (parts.length >= 3 && parts.slice(0, 3).every((part) => part.length >= 10) && parts[1]?.startsWith("eyJ") === true)
      found.add("jsonWebToken");
  }
}

const hasKey = (run: string, prefix: string, least: number): boolean => keysAt(run, prefix, least).next().done !== true;

/** What follows one prefix is not read again for the next. */
function* keysAt(text: string, prefix: string, least: number): Generator<Part> {
  for (let at = text.indexOf(prefix), end = 0; at !== -1; at = text.indexOf(prefix, end)) {
    end = at + prefix.length;
    if (at > 0 && isWordCharacter(text.charCodeAt(at - 1))) continue;
    let digits = 0;
    for (; end < text.length; end += 1) {
      const unit = text.charCodeAt(end);
      if (!isWordCharacter(unit) && unit !== 0x2d && unit !== 0x5f) break;
      if (unit <= 57 && unit >= 48) digits += 1;
    }
    // A hyphenated word such as "sk-learn-compatible-estimators" has no digit.
    if (end - at - prefix.length >= least && digits > 0) yield { start: at, end };
  }
}

const pemKey = /^[A-Z0-9 ]{0,30}PRIVATE KEY( BLOCK)?-----/;
const longestPem = 4_000;

/** PEM, RFC 7468: "-----BEGIN … PRIVATE KEY-----". */
function* pemKeysAt(text: string): Generator<Part> {
  for (let at = text.indexOf("-----BEGIN "); at !== -1; at = text.indexOf("-----BEGIN ", at + 11)) {
    if (!pemKey.test(text.slice(at + 11, at + 70))) continue;
    const end = /-----END [A-Z0-9 ]{0,40}-----/.exec(text.slice(at, at + longestPem));
    yield { start: at, end: end === null ? Math.min(text.length, at + 70) : at + end.index + end[0].length };
  }
}

const hasPemKey = (text: string): boolean => pemKeysAt(text).next().done !== true;

/** How the four kinds of picture begin in a `data:` address. */
const pictureStart = /data:image\/(?:png;base64,iVBORw0KGgo|jpe?g;base64,\/9j\/|gif;base64,R0lGOD|webp;base64,UklGR)/i;

/** Whether the run that begins at `start` is such a picture, and no message. */
const isPicture = (text: string, start: number): boolean => pictureStart.test(text.slice(Math.max(0, start - 23), start + 11));

/** Where the secrets of one kind are. A JSON Web Token has three parts in base64url. */
export function* credentialsAt(text: string, kind: CredentialKind): Generator<Part> {
  for (const [prefix, least, of] of prefixes) if (of === kind) yield* keysAt(text, prefix, least);
  if (kind === "privateKey") yield* pemKeysAt(text);
  else if (kind === "password") yield* passwordsIn(text);
  else if (kind === "cardNumber") yield* cardNumbers(text);
  else if (kind === "jsonWebToken")
    for (const match of text.matchAll(/(?<![A-Za-z0-9])eyJ[\w+/-]{7,}\.eyJ[\w+/-]{7,}\.[\w+/-]{10,}/g))
      yield { start: match.index, end: match.index + match[0].length };
}

/** Where encoded data is, wrapped lines together. */
export function* blobsAt(text: string, least: number): Generator<Part> {
  for (const { index, 0: run } of text.matchAll(/[A-Za-z0-9+/_.-]{56,}(?:\r?\n[A-Za-z0-9+/_.-]{56,})*/g))
    if (run.length >= least && isEncoded(run.split("\n", 1)[0] ?? "") && !isPicture(text, index))
      yield { start: index, end: index + run.length };
}

/**
 * Encoded data has letters and digits and few separators, unlike long words, paths and rows of
 * dashes.
 */
function isEncoded(run: string): boolean {
  let upper = 0;
  let lower = 0;
  let digits = 0;
  for (let i = 0; i < run.length; i += 1) {
    const unit = run.charCodeAt(i);
    if (unit >= 48 && unit <= 57) digits += 1;
    else if (unit >= 65 && unit <= 90) upper += 1;
    else if (unit >= 97 && unit <= 122) lower += 1;
  }
  const separators = run.length - upper - lower - digits;
  return separators * 8 < run.length && digits * 50 > run.length && (upper + lower) * 8 > run.length;
}
