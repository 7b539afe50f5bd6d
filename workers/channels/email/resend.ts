// Sends email through Resend's HTTP API, for gateways without Cloudflare's binding, and says what
// its errors mean for a notice.
//
// Source: Resend, "Send Email", "Errors", "Usage Limits" and "Idempotency Keys". A key that may
// only send cannot read an email's Message-ID.

import { isObject, type Members } from "../../../shared/json/values.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import { mailboxText, type Mail } from "../../../shared/channels/email/email-rules.ts";
import type { DeliveryResult } from "../channel.ts";
import { type Exchanged, exchange } from "../channel-exchange.ts";
import type { MailSender } from "./sender.ts";

export type ResendSettings = { readonly apiKey: string; /** Without a trailing slash. */ readonly baseUrl: string };

export const resendAddress = "https://api.resend.com";
const longestKey = 256;

/** Resend refuses requests without a `User-Agent`. */
const headersOf = ({ apiKey }: ResendSettings): Record<string, string> => ({
  Authorization: `Bearer ${apiKey}`,
  "User-Agent": "countersign",
});

export const resendSender = (settings: ResendSettings): MailSender => ({
  send: async (mail, idempotencyKey) => {
    const headers = {
      ...headersOf(settings),
      "Content-Type": "application/json",
      "Idempotency-Key": idempotencyKey.length <= longestKey ? idempotencyKey : sha256Hex(idempotencyKey),
    };
    const request = { url: `${settings.baseUrl}/emails`, method: "POST", headers, body: bodyOf(mail) } as const;
    return sentOf(await exchange(request, { readJson: true }));
  },
});

const bodyOf = ({ from, to, subject, text, html, headers }: Mail): string =>
  JSON.stringify({ from: mailboxText(from), to, subject, text, html, headers });

/** The account's verified domains, in lower case; or why there is no list. */
type Domains =
  | { readonly kind: "listed"; readonly verified: readonly string[] }
  /** The key may only send. */
  | { readonly kind: "sendingOnly" }
  | { readonly kind: "refused" | "silent" };

/** Asks for the domains, which changes nothing and shows whether the key is valid. */
export async function resendDomains(settings: ResendSettings): Promise<Domains> {
  const answer = await exchange({ url: `${settings.baseUrl}/domains`, method: "GET", headers: headersOf(settings) }, { readJson: true });
  if (answer === undefined || answer.status === 429 || answer.status >= 500) return { kind: "silent" };
  if (answer.status === 401 && errorName(answer) === "restricted_api_key") return { kind: "sendingOnly" };
  const { data } = membersOf(answer.body);
  if (answer.status !== 200 || !Array.isArray(data)) return { kind: "refused" };
  const verified = data
    .map(membersOf)
    .flatMap(({ name, status }) => (status === "verified" && typeof name === "string" ? [name.toLowerCase()] : []));
  return { kind: "listed", verified };
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

const errorName = ({ body }: Exchanged): string => {
  const { name } = membersOf(body);
  // Resend's own SDK spells one of them with a capital.
  return typeof name === "string" ? name.toLowerCase() : "";
};

function sentOf(answer: Exchanged | undefined): DeliveryResult {
  if (answer === undefined) return { kind: "again", why: "unavailable" };
  const { status, afterMs } = answer;
  if (status >= 200 && status < 300) return { kind: "sent", receipt: null };
  const wait = afterMs === undefined ? {} : { afterMs };
  switch (errorName(answer)) {
    case "rate_limit_exceeded":
      return { kind: "again", why: "rateLimited", ...wait };
    case "daily_quota_exceeded":
    case "monthly_quota_exceeded":
      return { kind: "again", why: "dailyLimit", ...wait };
    // An earlier attempt at this notice was sent, with other minutes to the deadline.
    case "invalid_idempotent_request":
      return { kind: "sent", receipt: null };
    case "concurrent_idempotent_requests":
      return { kind: "again", why: "unavailable", ...wait };
    case "missing_api_key":
    case "invalid_api_key":
    case "restricted_api_key":
    case "suspended_api_key":
    case "invalid_access":
      return { kind: "failed", why: "unauthorized" };
    case "security_error":
      return { kind: "failed", why: "notAllowed" };
    case "validation_error":
    case "invalid_from_address":
      // With 403 the account may not send this: a domain that is not verified, or test email to
      // another person.
      return { kind: "failed", why: status === 403 ? "notVerified" : "invalid" };
    default:
      return sentOfStatus(status, wait);
  }
}

/** For an error without a name, or with an unknown one. */
function sentOfStatus(status: number, wait: { readonly afterMs?: number }): DeliveryResult {
  if (status === 429) return { kind: "again", why: "rateLimited", ...wait };
  if (status === 408 || status === 409 || status === 425 || status >= 500) return { kind: "again", why: "unavailable", ...wait };
  if (status === 401) return { kind: "failed", why: "unauthorized" };
  if (status === 403 || status === 451) return { kind: "failed", why: "notAllowed" };
  // A redirect too: it is not followed.
  return { kind: "failed", why: status === 404 || status < 400 ? "notFound" : "invalid" };
}
