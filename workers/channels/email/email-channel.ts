// Notices by email: one for each reviewer and gate, with the reviewer's personal link. Replies to
// the sender's address are never read.

import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { isLoopbackHost } from "../../../shared/address.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import { err, ok, type Result } from "../../../shared/result.ts";
import { type Mail, type MailAddress, mailIssues, parseMailbox } from "../../../shared/channels/email/email-rules.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import type { Env } from "../../platform/env.ts";
import type { MailContent } from "../../ui/mail.tsx";
import type { AskedMail } from "../../ui/mails.ts";
import type { Channel, ChannelAdapter, Notice, NoticeWhy, DeliveryResult } from "../channel.ts";
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
 * RESEND_API_KEY wins over the binding. The error: a sentence on each variable that is missing or
 * wrong, without its value.
 */
function emailSettings(env: Env): Result<EmailSettings, readonly string[]> {
  const issues: string[] = [];
  const from = parseFrom(env.EMAIL_FROM, issues);
  const sender = parseSender(env, issues);
  return from !== undefined && sender !== undefined && issues.length === 0 ? ok({ from, sender }) : err(issues);
}

function parseFrom(text: string | undefined, issues: string[]): MailAddress | undefined {
  if (text === undefined || text.trim() === "") {
    issues.push("EMAIL_FROM is not set: no email is sent; set it to the sender address that reviewers see");
    return undefined;
  }
  const read = parseMailbox(text);
  if (read.ok) return read.value;
  issues.push(
    read.error === "address"
      ? "EMAIL_FROM is neither an address nor `Name <address>`: no email is sent; correct it"
      : "EMAIL_FROM has a name with quotes, angle brackets, backslashes or control characters, or one that is too long: no email is sent; correct it",
  );
  return undefined;
}

function parseSender({ RESEND_API_KEY, RESEND_BASE_URL, EMAIL }: Env, issues: string[]): Sender | undefined {
  if (RESEND_API_KEY === undefined || RESEND_API_KEY.trim() === "") {
    if (EMAIL !== undefined) return { kind: "binding", binding: EMAIL };
    issues.push(
      "EMAIL_FROM is set, but there is no way to send email: set RESEND_API_KEY, or add the send_email binding EMAIL to the Worker",
    );
    return undefined;
  }
  const apiKey = RESEND_API_KEY.trim();
  // oxlint-disable-next-line no-control-regex
  if (!/^[\u0021-\u007e]+$/.test(apiKey)) {
    issues.push("RESEND_API_KEY has characters that are not allowed in a header: no email is sent; set it again");
    return undefined;
  }
  const base = unset(RESEND_BASE_URL) ? resendAddress : (RESEND_BASE_URL ?? "").trim();
  const url = URL.parse(base);
  const plain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  const safe = url !== null && (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)));
  if (!plain || !safe) {
    issues.push("RESEND_BASE_URL is not a plain https address (http is for loopback addresses only): no email is sent; correct it");
    return undefined;
  }
  return { kind: "resend", settings: { apiKey, baseUrl: base.replace(/\/+$/, "") } };
}

const senderOf = ({ sender }: EmailSettings): MailSender =>
  sender.kind === "resend" ? resendSender(sender.settings) : bindingSender(sender.binding);

export const canSendEmail = (env: Env): boolean => emailSettings(env).ok;

/** Sends an email that is no notice to one address. May be called twice with one key. */
export async function sendEmail(env: Env, to: string, asked: AskedMail, idempotencyKey: string): Promise<DeliveryResult> {
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
    send: async (notice) => deliver(notice, askingMail(notice)),
    ended: async (notice) => deliver(notice, endingMail(notice)),
    test: ({ reviewer: { name, email, language }, gateway, idempotencyKey }) =>
      email === undefined
        ? Promise.resolve({ kind: "failed", why: "notFound" })
        : sendEmail(env, email, { kind: "test", reviewer: name, gateway, language: languageFor(language) }, idempotencyKey),
    digest: {
      most: 100,
      address: ({ email = "" }) => email.toLowerCase(),
      counts: (notice, what) => (what === "send" ? isMailed(notice.why) : endingMail(notice) !== undefined),
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

  async function deliver(notice: Notice, asked: AskedMail | undefined): Promise<DeliveryResult> {
    if (asked === undefined) return { kind: "sent", receipt: null };
    const mail = mailOf(notice, from, await fromPages(env.PAGES.channels.email.renderers.mail(asked)));
    if (mailIssues(mail).length > 0) return { kind: "failed", why: "invalid" };
    return withReceipt(notice, await send(mail, notice.idempotencyKey));
  }
}

/** What health reports. */
export function emailIssues(env: Env): string[] {
  const settings = isWanted(env) ? emailSettings(env) : undefined;
  return settings === undefined || settings.ok ? [] : [...settings.error];
}

const automatic = {
  "Auto-Submitted": "auto-generated",
  // For Exchange, which answers automatic email all the same.
  "X-Auto-Response-Suppress": "All",
} as const;

const isMailed = (why: NoticeWhy): why is Exclude<NoticeWhy, "voted"> => why !== "voted";

/** Undefined where no email is sent: for another reviewer's vote, and after a decision. */
function askingMail({ view, reviewer, url, why, excerpt, link }: Notice): AskedMail | undefined {
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
function endingMail({ view, reviewer, url, link }: Notice): AskedMail | undefined {
  const { keyEnd = null } = view;
  if (view.state.kind !== "cancelled" || keyEnd === null || link.notice !== "sent") return undefined;
  return { kind: "ended", input: { view, language: languageFor(reviewer.language), keyEnd, url } };
}

function mailOf({ view, why, link, reviewer, receipt }: Notice, from: MailAddress, { subject, text, html, language }: MailContent): Mail {
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

/**
 * Whether email works, as far as that can be checked without sending any. The text has no address
 * and no key.
 */
export async function emailDoctor(env: Env): Promise<{ ok: boolean; text: string }> {
  if (!isWanted(env)) return { ok: true, text: "Email is not configured." };
  const settings = emailSettings(env);
  if (!settings.ok) return { ok: false, text: settings.error.map((issue) => `${issue}.`).join(" ") };
  const { sender, from } = settings.value;
  if (sender.kind === "binding") {
    return {
      ok: true,
      text: "Email is sent through the send_email binding, which exists. Whether it delivers cannot be checked without sending an email.",
    };
  }
  const domains = await resendDomains(sender.settings);
  switch (domains.kind) {
    case "sendingOnly":
      return {
        ok: true,
        text: "Resend accepts the key for sending. Whether EMAIL_FROM's domain is verified cannot be checked with this key.",
      };
    case "refused":
      return { ok: false, text: "Resend refused the key, or is not at RESEND_BASE_URL: check RESEND_API_KEY and RESEND_BASE_URL." };
    case "silent":
      return { ok: false, text: "Resend did not answer, or is overloaded: try again." };
    case "listed": {
      const domain = from.email.slice(from.email.lastIndexOf("@") + 1).toLowerCase();
      return domains.verified.includes(domain)
        ? { ok: true, text: "Resend accepts the key, and EMAIL_FROM's domain is verified." }
        : {
            ok: false,
            text: "Resend accepts the key, but EMAIL_FROM's domain is not verified: verify it, or use another domain.",
          };
    }
  }
}

export const emailAdapter: ChannelAdapter = {
  open: emailChannel,
  issues: emailIssues,
  doctor: {
    check: "email",
    ask: emailDoctor,
    address: "an email",
    remedy: () => "an email address: set up email (EMAIL_FROM, and RESEND_API_KEY or the send_email binding)",
  },
};
