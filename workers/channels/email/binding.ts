// Sends email through Cloudflare's `send_email` binding, and says what its errors mean for a
// notice.
//
// Source: Cloudflare Email Service, "Workers API", error codes. The binding has no idempotency key:
// where it does not answer in time, the email may arrive twice.

import type { NoticeError } from "../../../shared/notice-channels.ts";
import { isObject } from "../../../shared/json/values.ts";
import type { DeliveryResult } from "../channel.ts";
import { exchangeTimeoutMs } from "../channel-exchange.ts";
import type { MailSender } from "./sender.ts";

const failed: Readonly<Record<string, NoticeError>> = {
  E_VALIDATION_ERROR: "invalid",
  E_FIELD_MISSING: "invalid",
  E_TOO_MANY_RECIPIENTS: "invalid",
  E_CONTENT_TOO_LARGE: "invalid",
  E_HEADER_NOT_ALLOWED: "invalid",
  E_HEADER_USE_API_FIELD: "invalid",
  E_HEADER_VALUE_INVALID: "invalid",
  E_HEADER_VALUE_TOO_LONG: "invalid",
  E_HEADER_NAME_INVALID: "invalid",
  E_HEADERS_TOO_LARGE: "invalid",
  E_HEADERS_TOO_MANY: "invalid",
  E_SENDER_NOT_VERIFIED: "notVerified",
  E_SENDER_DOMAIN_NOT_AVAILABLE: "notVerified",
  E_RECIPIENT_NOT_ALLOWED: "notAllowed",
  E_RECIPIENT_SUPPRESSED: "suppressed",
};

const again: Readonly<Record<string, NoticeError>> = {
  E_RATE_LIMIT_EXCEEDED: "rateLimited",
  E_DAILY_LIMIT_EXCEEDED: "dailyLimit",
  E_DELIVERY_FAILED: "unavailable",
  E_INTERNAL_SERVER_ERROR: "unavailable",
};

export const bindingSender = (binding: SendEmail): MailSender => ({
  send: async ({ from, to, subject, text, html, headers }) => {
    const mail = {
      from: from.name === null ? from.email : { email: from.email, name: from.name },
      to: [...to],
      subject,
      text,
      html,
      headers,
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), exchangeTimeoutMs);
      });
      // An async function, so that a binding that throws is like one that rejects.
      const sending = (async () => (await binding.send(mail)) as unknown)();
      // It may still reject after the timeout, when the race no longer handles it.
      sending.catch(() => {});
      const result = await Promise.race([sending, late]);
      return result === null ? { kind: "again", why: "unavailable" } : { kind: "sent", receipt: messageIdOf(result) };
    } catch (error) {
      return sentOfError(error);
    } finally {
      clearTimeout(timer);
    }
  },
});

function messageIdOf(result: unknown): string | null {
  const id = isObject(result) ? result["messageId"] : undefined;
  return typeof id === "string" && id !== "" ? id : null;
}

/** The error's message is matched and never kept: it may have an address. */
function sentOfError(error: unknown): DeliveryResult {
  const { code, message } = { code: "", message: "", ...(error instanceof Error ? partsOf(error) : {}) };
  // A call between Workers may strip an error of everything but its message.
  const name = code === "" ? (/\bE_[A-Z_]+\b/.exec(message)?.[0] ?? "") : code;
  if (failed[name] !== undefined) return { kind: "failed", why: failed[name] };
  if (again[name] !== undefined) return { kind: "again", why: again[name] };
  // Email Routing and the local simulator send sentences, without codes.
  if (/not a verified address/i.test(message)) return { kind: "failed", why: "notVerified" };
  if (/not allowed/i.test(message)) return { kind: "failed", why: "notAllowed" };
  return { kind: "again", why: "unavailable" };
}

const partsOf = (error: Error): { readonly code: string; readonly message: string } => ({
  code: "code" in error && typeof error.code === "string" ? error.code : "",
  message: error.message,
});
