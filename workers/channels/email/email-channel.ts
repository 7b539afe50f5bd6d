// Notices by email: one for each reviewer and gate, with the reviewer's personal link. Replies to
// the sender's address are never read.

import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { isLoopbackHost } from "../../../shared/this-machine.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import { err, ok, type Result } from "../../../shared/result.ts";
import { type Mail, type MailAddress, mailIssues, parseMailbox } from "../../../shared/channels/email/email-rules.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import { type DoctorPhrase, issuesText } from "../../../shared/words/doctor.ts";
import type { Env } from "../../platform/env.ts";
import type { EmailContent } from "../../ui/review-email.tsx";
import type { EmailRenderInput } from "../../ui/emails.ts";
import type { Channel, ChannelAdapter, ChannelFinding, Notice, NoticeWhy, DeliveryResult } from "../channel.ts";
import { fromPages } from "../from-pages.ts";
import { bindingSender } from "./binding.ts";
import type { MailSender } from "./sender.ts";
import { resendAddress, resendDomains, resendSender, type ResendSettings } from "./resend.ts";

type Sender = { readonly kind: "resend"; readonly settings: ResendSettings } | { readonly kind: "binding"; readonly binding: SendEmail };
type EmailSettings = { readonly from: MailAddress; readonly sender: Sender };

const unset = (text: string | undefined): boolean => text === undefined || text.trim() === "";

/**
 * Whether any of its variables is set: otherwise email is not wanted, and health has no issue of
 * it.
 */
const isWanted = (env: Env): boolean => !unset(env.RESEND_API_KEY) || !unset(env.EMAIL_FROM) || env.EMAIL !== undefined;

/**
 * RESEND_API_KEY wins over the binding. The error: each variable that is missing or wrong, without
 * its value.
 */
function emailSettings(env: Env): Result<EmailSettings, readonly DoctorPhrase[]> {
  const issues: DoctorPhrase[] = [];
  const from = parseFrom(env.EMAIL_FROM, issues);
  const sender = parseSender(env, issues);
  return from !== undefined && sender !== undefined && issues.length === 0 ? ok({ from, sender }) : err(issues);
}

function parseFrom(text: string | undefined, issues: DoctorPhrase[]): MailAddress | undefined {
  if (text === undefined || text.trim() === "") {
    issues.push({ key: "emailFromUnset" });
    return undefined;
  }
  const read = parseMailbox(text);
  if (read.ok) return read.value;
  issues.push({ key: read.error === "address" ? "emailFromAddress" : "emailFromName" });
  return undefined;
}

function parseSender({ RESEND_API_KEY, RESEND_BASE_URL, EMAIL }: Env, issues: DoctorPhrase[]): Sender | undefined {
  if (RESEND_API_KEY === undefined || RESEND_API_KEY.trim() === "") {
    if (EMAIL !== undefined) return { kind: "binding", binding: EMAIL };
    issues.push({ key: "emailNoSender" });
    return undefined;
  }
  const apiKey = RESEND_API_KEY.trim();
  // oxlint-disable-next-line no-control-regex
  if (!/^[\u0021-\u007e]+$/.test(apiKey)) {
    issues.push({ key: "emailKeyWrong" });
    return undefined;
  }
  const base = unset(RESEND_BASE_URL) ? resendAddress : (RESEND_BASE_URL ?? "").trim();
  const url = URL.parse(base);
  const plain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  const safe = url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)));
  if (!plain || !safe) {
    issues.push({ key: "emailBaseUrl" });
    return undefined;
  }
  return { kind: "resend", settings: { apiKey, baseUrl: base.replace(/\/+$/, "") } };
}

const senderOf = ({ sender }: EmailSettings): MailSender =>
  sender.kind === "resend" ? resendSender(sender.settings) : bindingSender(sender.binding);

export const canSendEmail = (env: Env): boolean => emailSettings(env).ok;

/** Sends an email that is no notice to one address. May be called twice with one key. */
export async function sendEmail(env: Env, to: string, asked: EmailRenderInput, idempotencyKey: string): Promise<DeliveryResult> {
  const settings = emailSettings(env);
  if (!settings.ok) return { kind: "failed", why: "notConfigured" };
  try {
    const { language, ...content } = await fromPages(env.PAGES.channels.email.renderers.mail(asked));
    const mail = { from: settings.value.from, to: [to], ...content, headers: { ...automatic, "Content-Language": language } };
    return mailIssues(mail).length > 0 ? { kind: "failed", why: "invalid" } : await senderOf(settings.value).send(mail, idempotencyKey);
  } catch {
    return { kind: "again", why: "unavailable" };
  }
}

/** Undefined where email is not configured, or not correctly: `emailIssues` says what is wrong. */
export function emailChannel(env: Env): Channel | undefined {
  const settings = emailSettings(env);
  if (!settings.ok) return undefined;
  const { from } = settings.value;
  const { send } = senderOf(settings.value);
  return {
    name: "email",
    reaches: ({ email }) => email !== undefined,
    send: async (notice) => deliver(notice, askedEmailOf(notice)),
    ended: async (notice) => deliver(notice, endedEmailOf(notice)),
    say: ({ reviewer: { email, language }, said, idempotencyKey }) =>
      email === undefined
        ? Promise.resolve({ kind: "failed", why: "notFound" })
        : sendEmail(env, email, { kind: "plain", said, language: languageFor(language) }, idempotencyKey),
    digest: {
      most: 100,
      address: ({ email = "" }) => email.toLowerCase(),
      counts: (notice, what) => (what === "send" ? isMailed(notice.why) : endedEmailOf(notice) !== undefined),
      send: async (entries, idempotencyKey) => {
        const to = entries.flatMap(({ reviewer: { email } }) => email ?? []).slice(0, 1);
        const language = languageFor(entries[0]?.reviewer.language);
        const { language: tag, ...content } = await fromPages(
          env.PAGES.channels.email.renderers.mail({ kind: "digest", entries, language }),
        );
        const mail = { from, to, ...content, headers: { ...automatic, "Content-Language": tag } };
        return mailIssues(mail).length > 0 ? { kind: "failed", why: "invalid" } : send(mail, idempotencyKey);
      },
    },
  };

  async function deliver(notice: Notice, asked: EmailRenderInput | undefined): Promise<DeliveryResult> {
    if (asked === undefined) return { kind: "sent", receipt: null };
    const mail = mailOf(notice, from, await fromPages(env.PAGES.channels.email.renderers.mail(asked)));
    if (mailIssues(mail).length > 0) return { kind: "failed", why: "invalid" };
    return withReceipt(notice, await send(mail, notice.idempotencyKey));
  }
}

/** What health reports. */
export function emailIssues(env: Env): readonly DoctorPhrase[] {
  const settings = isWanted(env) ? emailSettings(env) : undefined;
  return settings === undefined || settings.ok ? [] : settings.error;
}

const automatic = {
  "Auto-Submitted": "auto-generated",
  // For Exchange, which answers automatic email all the same.
  "X-Auto-Response-Suppress": "All",
} as const;

const isMailed = (why: NoticeWhy): why is Exclude<NoticeWhy, "voted"> => why !== "voted";

/** Undefined where no email is sent: for another reviewer's vote, and after a decision. */
function askedEmailOf({ view, reviewer, url, why, excerpt, link }: Notice): EmailRenderInput | undefined {
  if (!isMailed(why) || (view.state.kind !== "open" && view.state.kind !== "voted")) return undefined;
  return {
    kind: "review",
    input: { view, language: languageFor(reviewer.language), url, why, excerpt, expiresAt: link.expiresAtSeconds * 1000 },
  };
}

/**
 * Only where the request's key ended before a decision: its reviewers are told. After a decision
 * the link's page shows the outcome.
 */
function endedEmailOf({ view, reviewer, url, link }: Notice): EmailRenderInput | undefined {
  const { keyEnd = null } = view;
  if (view.state.kind !== "cancelled" || keyEnd === null || link.notice !== "sent") return undefined;
  return { kind: "ended", input: { view, language: languageFor(reviewer.language), keyEnd, url } };
}

function mailOf({ view, why, link, reviewer, receipt }: Notice, from: MailAddress, { subject, text, html, language }: EmailContent): Mail {
  const thread = threadOf(view.run, link, from);
  const first = messageIdIn(receipt);
  return {
    from,
    to: reviewer.email === undefined ? [] : [reviewer.email],
    subject,
    text,
    html,
    headers: {
      ...automatic,
      "Content-Language": language,
      References: first === undefined ? thread : `${thread} ${first}`,
      ...(why === "asked" && receipt === null ? {} : { "In-Reply-To": first ?? thread }),
    },
  };
}

/**
 * Neither sender lets us choose a Message-ID. So all emails about one gate of a run to one reviewer
 * refer to one id that no email has, which email programs show as one conversation. It is a digest,
 * which discloses nothing.
 */
function threadOf(run: string, { gate, reviewer }: Notice["link"], { email }: MailAddress): string {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  return `<${sha256Hex(`countersign/mail-thread/v1\0${run}\0${gate}\0${reviewer}`).slice(0, 32)}@${domain}>`;
}

/** The receipt has the Message-ID of the first email, where the sender returned one. */
function withReceipt({ receipt }: Notice, sent: DeliveryResult): DeliveryResult {
  if (sent.kind !== "sent" || sent.receipt === null || receipt !== null)
    return sent.kind === "sent" ? { kind: "sent", receipt: null } : sent;
  return { kind: "sent", receipt: JSON.stringify({ messageId: sent.receipt }) };
}

function messageIdIn(receipt: string | null): string | undefined {
  const id = objectOf(parseJson(receipt ?? ""))?.["messageId"];
  // A sender's id need not be valid in a header.
  const shaped = typeof id === "string" ? /^<?([\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>?$/.exec(id)?.[1] : undefined;
  return shaped === undefined || shaped.length > 200 ? undefined : `<${shaped}>`;
}

/** Whether email works, as far as that can be checked without sending any. */
export async function emailDoctor(env: Env): Promise<ChannelFinding> {
  if (!isWanted(env)) return { ok: true, says: { key: "emailNotSetUp" } };
  const settings = emailSettings(env);
  if (!settings.ok) return { ok: false, says: issuesText(settings.error) };
  const { sender, from } = settings.value;
  if (sender.kind === "binding") return { ok: true, says: { key: "emailBinding" } };
  const domains = await resendDomains(sender.settings);
  switch (domains.kind) {
    case "sendingOnly":
      return { ok: true, says: { key: "resendSendingOnly" } };
    case "refused":
      return { ok: false, says: { key: "resendRefused" } };
    case "silent":
      return { ok: false, says: { key: "resendSilent" } };
    case "listed": {
      const domain = from.email.slice(from.email.lastIndexOf("@") + 1).toLowerCase();
      const ok = domains.verified.includes(domain);
      return { ok, says: { key: ok ? "resendVerified" : "resendUnverified" } };
    }
  }
}

export const emailAdapter: ChannelAdapter = {
  open: emailChannel,
  issues: emailIssues,
  doctor: {
    check: "email",
    ask: emailDoctor,
    remedy: () => ({ key: "emailRemedy" }),
  },
};
