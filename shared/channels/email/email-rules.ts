// Checks an email by the senders' own rules before a sender gets it: a local simulator accepts what
// production refuses. It sends nothing, and its issues never repeat an address, a subject or a
// text.
//
// Source of the rules: Cloudflare Email Service, "Email headers" and "Limits"; RFC 5321 section
// 4.5.3.1 and RFC 5322 section 2.1.1.

import { err, ok, type Result } from "../../result.ts";

export type MailAddress = { readonly email: string; readonly name: string | null };

export type Mail = {
  readonly from: MailAddress;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** `header` is a name that the gateway set itself: no name comes from outside. */
type MailIssue =
  | { readonly kind: "badSender" | "noRecipient" | "tooManyRecipients" | "badRecipient" }
  | { readonly kind: "noSubject" | "subjectTooLong" | "lineBreakInSubject" }
  | { readonly kind: "noBody" | "tooLarge" }
  | { readonly kind: "headerName" | "headerNotAllowed" | "headerHasField" | "headerValue" | "headerTooLong"; readonly header: string }
  | { readonly kind: "tooManyHeaders" | "headersTooLarge" };

const mailLimits = {
  recipients: 50,
  subjectCharacters: 998,
  /** A whole message may have 5 MiB, and base64 and the parts' headers add to the body. */
  bodyBytes: 3 * 1024 * 1024,
  headerNameBytes: 100,
  headerValueBytes: 2_048,
  headersBytes: 16 * 1024,
  allowedHeaders: 20,
} as const;

/**
 * In lower case. Any other header must begin with `X-`; the platform writes Message-ID and Date
 * itself.
 */
const allowedHeaders: ReadonlySet<string> = new Set([
  "in-reply-to",
  "references",
  "list-unsubscribe",
  "list-unsubscribe-post",
  "list-id",
  "list-archive",
  "list-help",
  "list-owner",
  "list-post",
  "list-subscribe",
  "precedence",
  "auto-submitted",
  "content-language",
  "keywords",
  "comments",
  "importance",
  "priority",
  "sensitivity",
  "organization",
  "require-recipient-valid-since",
  "expires",
  "reply-by",
  "archived-at",
]);

/** Senders take these as fields, so they are refused among the headers. */
const fields: ReadonlySet<string> = new Set(["from", "to", "cc", "bcc", "subject", "reply-to"]);

/** Headers with a fixed list of values. */
const values: ReadonlyMap<string, readonly string[]> = new Map([
  ["auto-submitted", ["auto-generated", "auto-replied", "auto-notified"]],
  ["precedence", ["bulk", "list", "junk"]],
  ["importance", ["high", "normal", "low"]],
  ["priority", ["normal", "non-urgent", "urgent"]],
  ["sensitivity", ["personal", "private", "company-confidential"]],
]);

/**
 * Every character that some reader takes for a line end, and every other control character, tab
 * included.
 */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const atext = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const address = new RegExp(`^(?=.{1,64}@)${atext}(?:\\.${atext})*@(?=.{1,253}$)(?:${label}\\.)+(?!\\d+$)${label}$`);

/**
 * Whether this is `local@domain` as every sender accepts it: ASCII, dot-atoms, a domain of two
 * labels or more; at most 254 characters.
 */
export const isMailAddress = (text: string): boolean => text.length <= 254 && address.test(text);

const longestName = 100;

/**
 * Reads `address` or `Name <address>`; the name may stand in double quotes. Refused: an invalid
 * address, and a name over 100 characters or with control characters, angle brackets, quotes or
 * backslashes. The error says which of the two.
 */
export function parseMailbox(text: string): Result<MailAddress, "address" | "name"> {
  const trimmed = text.trim();
  const named = /^(?<name>.*?)\s*<(?<email>[^<>]*)>$/s.exec(trimmed);
  const email = named?.groups?.["email"]?.trim() ?? trimmed;
  if (!isMailAddress(email)) return err("address");
  const given = named?.groups?.["name"] ?? "";
  const name = /^".*"$/s.test(given) ? given.slice(1, -1).trim() : given;
  return isMailName(name) ? ok({ email, name: name === "" ? null : name }) : err("name");
}

const isMailName = (name: string): boolean => name.length <= longestName && !control.test(name) && !/[<>"\\]/.test(name);

/**
 * A mailbox for a header: the name is quoted, so that a comma in it does not separate addresses.
 */
export const mailboxText = ({ email, name }: MailAddress): string => (name === null ? email : `"${name}" <${email}>`);

/** Every rule that this email breaks; empty where it may be sent. */
export function mailIssues(mail: Mail): MailIssue[] {
  return [...addressIssues(mail), ...subjectIssues(mail.subject), ...bodyIssues(mail), ...headerIssues(mail.headers)];
}

function addressIssues({ from, to }: Mail): MailIssue[] {
  const issues: MailIssue[] = [];
  if (!isMailAddress(from.email) || (from.name !== null && !isMailName(from.name))) issues.push({ kind: "badSender" });
  if (to.length === 0) issues.push({ kind: "noRecipient" });
  if (to.length > mailLimits.recipients) issues.push({ kind: "tooManyRecipients" });
  if (!to.every(isMailAddress)) issues.push({ kind: "badRecipient" });
  return issues;
}

function subjectIssues(subject: string): MailIssue[] {
  const issues: MailIssue[] = [];
  if (subject.trim() === "") issues.push({ kind: "noSubject" });
  if (subject.length > mailLimits.subjectCharacters) issues.push({ kind: "subjectTooLong" });
  if (control.test(subject)) issues.push({ kind: "lineBreakInSubject" });
  return issues;
}

function bodyIssues({ text, html }: Mail): MailIssue[] {
  if (text.trim() === "" && html.trim() === "") return [{ kind: "noBody" }];
  return bytesOf(text) + bytesOf(html) > mailLimits.bodyBytes ? [{ kind: "tooLarge" }] : [];
}

function headerIssues(headers: Mail["headers"]): MailIssue[] {
  const issues: MailIssue[] = [];
  let allowed = 0;
  let size = 0;
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase();
    const custom = name.startsWith("x-");
    size += bytesOf(header) + bytesOf(value) + 4;
    if (!custom) allowed += 1;
    if (!(custom ? /^x-[a-z0-9_-]+$/ : /^[a-z0-9-]+$/).test(name) || name.length > mailLimits.headerNameBytes)
      issues.push({ kind: "headerName", header });
    else if (fields.has(name)) issues.push({ kind: "headerHasField", header });
    else if (!custom && !allowedHeaders.has(name)) issues.push({ kind: "headerNotAllowed", header });
    if (value.trim() === "" || control.test(value) || values.get(name)?.includes(value) === false)
      issues.push({ kind: "headerValue", header });
    if (bytesOf(value) > mailLimits.headerValueBytes) issues.push({ kind: "headerTooLong", header });
  }
  if (allowed > mailLimits.allowedHeaders) issues.push({ kind: "tooManyHeaders" });
  if (size > mailLimits.headersBytes) issues.push({ kind: "headersTooLarge" });
  return issues;
}
