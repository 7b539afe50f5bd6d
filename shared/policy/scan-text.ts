// One pass over a text for what its characters show: blank lines, long gaps, encoded data, keys. The time is linear whatever the
// text is.

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
  | "privateKey";

export type TextScan = {
  /** Nothing but tabs, line ends, spaces and characters that are surely visible: no need to look for invisible ones. */
  readonly plain: boolean;
  /** The longest run of lines with nothing on them. */
  readonly blankLines: number;
  /** The longest run of spaces and tabs within a line. */
  readonly longestSpace: number;
  /** The length of the longest run of base64 or hexadecimal, wrapped lines together. */
  readonly blob: number;
  /** The first secret that something in the text is shaped like. */
  readonly credential: CredentialKind | undefined;
  /** Whether a web address with a query, or with a place for data, may be in the text. */
  readonly url: boolean;
};

// Classes of ASCII characters: 0 other, 1 part of a run (a key, base64, base64url), 2 space or tab, 3 line feed, 4 `=`.
const classes = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-.") classes[character.charCodeAt(0)] = 1;
classes[0x20] = 2;
classes[0x09] = 2;
classes[0x0d] = 2;
classes[0x0a] = 3;
classes[0x3d] = 4;

/** Latin, Greek, Cyrillic, Chinese, Japanese and Korean letters, and common punctuation: always visible. */
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
  let credential: CredentialKind | undefined;

  const endRun = (end: number): void => {
    const length = end - runStart;
    if (length >= shortestRun) {
      const run = text.slice(runStart, end);
      credential ??= credentialIn(run);
      if (length >= wrappedRun && isEncoded(run)) {
        // A line end (one or two characters) joins it to the run before.
        wrapped = wrappedEnd >= 0 && runStart - wrappedEnd <= 2 ? wrapped + length : length;
        wrappedEnd = end;
        if (wrapped > blob) blob = wrapped;
      }
    }
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
    if (plain && (unit < 0x20 || unit > 0x7e) && !isSurelySeen(unit)) plain = false;
  }
  if (runStart >= 0) endRun(length);
  return { plain, blankLines, longestSpace, blob, credential: credential ?? pemKey(text), url: /[?{$]/.test(text) && text.includes("://") };
}

/** Whether a warning calls something in the text a secret. */
export const isSecret = (text: string): boolean => scanText(text).credential !== undefined;

/** Prefixes of keys by which issuers find leaked ones, and the least number of characters that follow. */
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
];

const isWordCharacter = (unit: number): boolean => (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);

/** The key in a run: a known prefix at the start of a word with enough after it, or three parts of a JSON Web Token. */
function credentialIn(run: string): CredentialKind | undefined {
  for (const [prefix, least, kind] of prefixes) {
    const at = run.indexOf(prefix);
    if (at === -1 || (at > 0 && isWordCharacter(run.charCodeAt(at - 1)))) continue;
    let following = 0;
    let digits = 0;
    for (let i = at + prefix.length; i < run.length; i += 1) {
      const unit = run.charCodeAt(i);
      if (!isWordCharacter(unit) && unit !== 0x2d && unit !== 0x5f) break;
      if (unit <= 57 && unit >= 48) digits += 1;
      following += 1;
    }
    // A hyphenated word such as "sk-learn-compatible-estimators" has no digit.
    if (following >= least && digits > 0) return kind;
  }
  const token = run.indexOf("eyJ");
  if (token !== -1 && (token === 0 || !isWordCharacter(run.charCodeAt(token - 1)))) {
    const parts = run.slice(token).split(".", 4);
    if (parts.length >= 3 && parts.slice(0, 3).every((part) => part.length >= 10) && parts[1]?.startsWith("eyJ") === true)
      return "jsonWebToken";
  }
  return undefined;
}

/** PEM, RFC 7468: "-----BEGIN … PRIVATE KEY-----". */
function pemKey(text: string): CredentialKind | undefined {
  for (let at = text.indexOf("-----BEGIN "); at !== -1; at = text.indexOf("-----BEGIN ", at + 11)) {
    if (/^[A-Z0-9 ]{0,30}PRIVATE KEY( BLOCK)?-----/.test(text.slice(at + 11, at + 70))) return "privateKey";
  }
  return undefined;
}

/** Encoded data has letters and digits and few separators, unlike long words, paths and rows of dashes. */
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
