// What a mail must be before any sender gets it: the rules of the senders themselves, because a local simulator accepts what
// production refuses. It never sends, and never repeats an address, a subject or a text in what it answers.
//
// Source of the rules: Cloudflare Email Service, "Email headers" and "Limits"; RFC 5321 section 4.5.3.1 and RFC 5322 section 2.1.1.

import { err, ok, type Result } from "../result.ts";

export type MailAddress = { readonly email: string; readonly name: string | null };

export type Mail = {
  readonly from: MailAddress;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What is wrong with a mail. `header` is the name of one of ours: no name comes from outside. */
export type MailIssue =
  | { readonly kind: "badSender" | "noRecipient" | "tooManyRecipients" | "badRecipient" }
  | { readonly kind: "noSubject" | "subjectTooLong" | "lineBreakInSubject" }
  | { readonly kind: "noBody" | "tooLarge" }
  | { readonly kind: "headerName" | "headerNotAllowed" | "headerHasField" | "headerValue" | "headerTooLong"; readonly header: string }
  | { readonly kind: "tooManyHeaders" | "headersTooLarge" };

const mailLimits = {
  recipients: 50,
  subjectCharacters: 998,
  /** The whole message, 5 MiB, with what base64 and the parts' headers add. */
  bodyBytes: 3 * 1024 * 1024,
  headerNameBytes: 100,
  headerValueBytes: 2_048,
  headersBytes: 16 * 1024,
  allowedHeaders: 20,
} as const;

/** In lower case. Anything else must begin with `X-`; what the platform writes itself (Message-ID, Date) is in neither. */
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

/** These have a field of their own, and are refused among the headers. */
const fields: ReadonlySet<string> = new Set(["from", "to", "cc", "bcc", "subject", "reply-to"]);

/** Headers that take a few values only. */
const values: ReadonlyMap<string, readonly string[]> = new Map([
  ["auto-submitted", ["auto-generated", "auto-replied", "auto-notified"]],
  ["precedence", ["bulk", "list", "junk"]],
  ["importance", ["high", "normal", "low"]],
  ["priority", ["normal", "non-urgent", "urgent"]],
  ["sensitivity", ["personal", "private", "company-confidential"]],
]);

/** Whatever ends a line for some reader, and every other control character. A tab is one too. */
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const atext = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const address = new RegExp(`^(?=.{1,64}@)${atext}(?:\\.${atext})*@(?=.{1,253}$)(?:${label}\\.)+(?!\\d+$)${label}$`);

/** Whether this is `local@domain` as every sender takes it: ASCII, dot-atoms, a domain of two labels or more; at most 254 characters. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && address.test(text);

const longestName = 100;

/**
 * Reads `address` or `Name <address>`; the name may stand in double quotes. Refused: an address that is none, and a name with
 * control characters, angle brackets, quotes or backslashes. The error says which, without repeating it.
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

/** A mailbox as a header has it: the name in quotes, so that a comma in it separates nothing. */
export const mailboxText = ({ email, name }: MailAddress): string => (name === null ? email : `"${name}" <${email}>`);

/** Every rule that this mail breaks; empty for a mail that may be sent. */
export function mailIssues(mail: Mail): MailIssue[] {
  return [...addressIssues(mail), ...subjectIssues(mail.subject), ...bodyIssues(mail), ...headerIssues(mail.headers)];
}

function addressIssues({ from, to }: Mail): MailIssue[] {
  const faults: MailIssue[] = [];
  if (!isMailAddress(from.email) || (from.name !== null && !isMailName(from.name))) faults.push({ kind: "badSender" });
  if (to.length === 0) faults.push({ kind: "noRecipient" });
  if (to.length > mailLimits.recipients) faults.push({ kind: "tooManyRecipients" });
  if (!to.every(isMailAddress)) faults.push({ kind: "badRecipient" });
  return faults;
}

function subjectIssues(subject: string): MailIssue[] {
  const faults: MailIssue[] = [];
  if (subject.trim() === "") faults.push({ kind: "noSubject" });
  if (subject.length > mailLimits.subjectCharacters) faults.push({ kind: "subjectTooLong" });
  if (control.test(subject)) faults.push({ kind: "lineBreakInSubject" });
  return faults;
}

function bodyIssues({ text, html }: Mail): MailIssue[] {
  if (text.trim() === "" && html.trim() === "") return [{ kind: "noBody" }];
  return bytesOf(text) + bytesOf(html) > mailLimits.bodyBytes ? [{ kind: "tooLarge" }] : [];
}

function headerIssues(headers: Mail["headers"]): MailIssue[] {
  const faults: MailIssue[] = [];
  let allowed = 0;
  let size = 0;
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase();
    const custom = name.startsWith("x-");
    size += bytesOf(header) + bytesOf(value) + 4;
    if (!custom) allowed += 1;
    if (!(custom ? /^x-[a-z0-9_-]+$/ : /^[a-z0-9-]+$/).test(name) || name.length > mailLimits.headerNameBytes)
      faults.push({ kind: "headerName", header });
    else if (fields.has(name)) faults.push({ kind: "headerHasField", header });
    else if (!custom && !allowedHeaders.has(name)) faults.push({ kind: "headerNotAllowed", header });
    if (value.trim() === "" || control.test(value) || values.get(name)?.includes(value) === false)
      faults.push({ kind: "headerValue", header });
    if (bytesOf(value) > mailLimits.headerValueBytes) faults.push({ kind: "headerTooLong", header });
  }
  if (allowed > mailLimits.allowedHeaders) faults.push({ kind: "tooManyHeaders" });
  if (size > mailLimits.headersBytes) faults.push({ kind: "headersTooLarge" });
  return faults;
}
