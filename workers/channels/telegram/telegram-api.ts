// One call of Telegram's Bot API, bounded in time. The bot's token is a part of its address, so
// nothing of the address, the call or Telegram's description is in an error or a log.
//
// Source: https://core.telegram.org/bots/api#making-requests; what is refused, with which words:
// Client.cpp at github.com/tdlib/telegram-bot-api.

import { objectOf } from "../../../shared/json/values.ts";
import type { DeliveryResult } from "../channel.ts";
import { exchange, longestWaitMs } from "../channel-exchange.ts";

/** `api`: with a slash at the end. */
export type TelegramBot = { readonly token: string; readonly api: string };

export type TelegramAnswer =
  | { readonly kind: "ok"; readonly result: unknown }
  /** The message is gone, or can no longer be changed. */
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly delivery: DeliveryResult };

type Method = "getMe" | "sendMessage" | "editMessageText";

/** Calls `method` once. */
export async function callTelegram({ token, api }: TelegramBot, method: Method, params: object): Promise<TelegramAnswer> {
  const answer = await exchange(
    {
      url: `${api}bot${token}/${method}`,
      method: "POST",
      headers: { "Content-Type": "application/json; charset=utf-8" },
      body: JSON.stringify(params),
    },
    { readJson: true },
  );
  const body = objectOf(answer?.body);
  if (answer === undefined || body === null) return refused({ kind: "again", why: "unavailable" });
  if (answer.status === 200 && body["ok"] === true) return { kind: "ok", result: body["result"] };
  const description = typeof body["description"] === "string" ? body["description"].toLowerCase() : "";
  // The message says already what it is to say.
  if (description.includes("message is not modified")) return { kind: "ok", result: null };
  if (/message to edit not found|message can't be edited|message_id_invalid/.test(description)) return { kind: "gone" };
  const seconds = objectOf(body["parameters"])?.["retry_after"];
  const afterMs = typeof seconds === "number" && seconds > 0 ? Math.min(seconds * 1_000, longestWaitMs) : answer.afterMs;
  return refused(deliveryOf(answer.status, description, afterMs === undefined ? {} : { afterMs }));
}

const refused = (delivery: DeliveryResult): TelegramAnswer => ({ kind: "refused", delivery });

function deliveryOf(status: number, description: string, wait: { readonly afterMs?: number }): DeliveryResult {
  if (status === 429) return { kind: "again", why: "rateLimited", ...wait };
  if (status >= 500 || status === 408) return { kind: "again", why: "unavailable", ...wait };
  // 404 is for a token of another shape: every method that is called here exists.
  if (status === 401 || status === 404) return { kind: "failed", why: "unauthorized" };
  if (status === 403) return { kind: "failed", why: "notAllowed" };
  if (status < 400 || /chat not found|group chat was upgraded|chat_id is empty|peer_id_invalid/.test(description))
    return { kind: "failed", why: "notFound" };
  if (/not enough rights|have no rights|chat_write_forbidden|topic_closed/.test(description)) return { kind: "failed", why: "notAllowed" };
  return { kind: "failed", why: "invalid" };
}
