// Notices by a Telegram bot: one message for each reviewer and gate, changed as the review changes.
// A person's chat with the bot gets their personal link, a group its own. Nothing can be decided in
// it, and the bot reads nothing.

import { parseJson } from "../../../shared/json/values.ts";
import type { ChatRenderInput } from "../../../shared/channels/chat-message.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import { isRoomAddress } from "../../../shared/notice-channels.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import { type DoctorPhrase, issuesText } from "../../../shared/words/doctor.ts";
import * as z from "zod";
import type { Env } from "../../platform/env.ts";
import type { Channel, ChannelAdapter, ChannelFinding, DeliveryResult, Notice, NoticeWhy } from "../channel.ts";
import { fromPages } from "../from-pages.ts";
import { serviceAddress } from "../http-service.ts";
import { type TelegramAnswer, type TelegramBot, callTelegram } from "./telegram-api.ts";

const publicApi = "https://api.telegram.org/";
/** Reviews in one message. */
const mostInDigest = 12;

const given = (text: string | undefined): string | null => (text === undefined || text.trim() === "" ? null : text.trim());

/** `bot` is null where Telegram is not set up, or not correctly. No issue has a value. */
function botOf(env: Env): { readonly bot: TelegramBot | null; readonly issues: readonly DoctorPhrase[] } {
  const token = given(env.TELEGRAM_BOT_TOKEN);
  const address = given(env.TELEGRAM_API_URL);
  if (token === null) return { bot: null, issues: address === null ? [] : [{ key: "telegramTokenUnset" }] };
  const issues: DoctorPhrase[] = [];
  if (!/^[1-9]\d{4,16}:[\w-]{30,64}$/.test(token)) issues.push({ key: "telegramToken" });
  const url = serviceAddress(address ?? publicApi, env);
  if (url === null || url.search !== "") issues.push({ key: "telegramApiUrl" });
  return issues.length > 0 || url === null ? { bot: null, issues } : { bot: { token, api: url.href.replace(/\/*$/, "/") }, issues };
}

/** What health reports. */
export const telegramIssues = (env: Env): readonly DoctorPhrase[] => botOf(env).issues;

const receiptSchema = z.strictObject({ chat: z.string().min(1).max(20), message: z.int() });
type Receipt = z.infer<typeof receiptSchema>;

/** Where the message is; null where the notice has none. */
function parseReceipt(text: string | null): Receipt | null {
  const parsed = receiptSchema.safeParse(text === null ? null : parseJson(text));
  return parsed.success ? parsed.data : null;
}

const posted = z.object({ message_id: z.int() });

/** Undefined where Telegram is not set up, or not correctly. */
export function telegramChannel(env: Env): Channel | undefined {
  const { bot } = botOf(env);
  return bot === null ? undefined : channelOf(bot, env.PAGES);
}

const sent: DeliveryResult = { kind: "sent", receipt: null };
/** Telegram must not fetch a review's link for a preview. */
const quiet = { link_preview_options: { is_disabled: true } } as const;
const isFirst = (why: NoticeWhy): boolean => why === "asked" || why === "escalated" || why === "handedOver";
const settled = (answer: TelegramAnswer): DeliveryResult => (answer.kind === "refused" ? answer.delivery : sent);
const isInvalid = (answer: TelegramAnswer): boolean =>
  answer.kind === "refused" && answer.delivery.kind === "failed" && answer.delivery.why === "invalid";

function channelOf(bot: TelegramBot, pages: Env["PAGES"]): Channel {
  const { renderers } = pages.channels.telegram;

  /**
   * Sends a message, or changes one: in its reader's language, and without buttons where Telegram
   * refuses these.
   */
  const say = async (at: Receipt | string, reader: Reviewer, asked: ChatRenderInput, extras: object = {}): Promise<TelegramAnswer> => {
    const method = typeof at === "string" ? "sendMessage" : "editMessageText";
    const where = typeof at === "string" ? { chat_id: at } : { chat_id: at.chat, message_id: at.message };
    const language = languageFor(reader.language);
    const call = { ...where, ...quiet, ...extras };
    const first = await callTelegram(bot, method, { ...call, ...(await fromPages(renderers.message(asked, language))) });
    return isInvalid(first) ? callTelegram(bot, method, { ...call, ...(await fromPages(renderers.plain(asked, language))) }) : first;
  };

  const inputOf = ({ view, excerpt, url, reviewer }: Notice) => ({
    view,
    excerpt,
    url,
    isRoom: isRoomAddress("telegram", reviewer.telegram),
  });

  const post = async (notice: Notice): Promise<DeliveryResult> => {
    const { reviewer } = notice;
    const { telegram: chat } = reviewer;
    if (chat === undefined) return { kind: "failed", why: "notFound" };
    const answer = await say(chat, reviewer, { kind: "review", input: inputOf(notice) });
    if (answer.kind !== "ok") return settled(answer);
    const message = posted.safeParse(answer.result);
    return { kind: "sent", receipt: message.success ? JSON.stringify({ chat, message: message.data.message_id } satisfies Receipt) : null };
  };

  return {
    name: "telegram",
    reaches: ({ telegram }) => telegram !== undefined,
    async send(notice) {
      const { reviewer, why } = notice;
      const receipt = parseReceipt(notice.receipt);
      if (receipt === null) return post(notice);
      if (isFirst(why)) {
        // The reviewer is asked again: the older message loses its content and its link.
        const retired = settled(await say(receipt, reviewer, { kind: "replaced" }));
        return retired.kind === "again" ? retired : post(notice);
      }
      const changed = await say(receipt, reviewer, { kind: "review", input: inputOf(notice) });
      if (changed.kind === "gone") return post(notice);
      if (changed.kind === "refused" || why !== "reminder") return settled(changed);
      const reply = { reply_parameters: { message_id: receipt.message, allow_sending_without_reply: true } };
      return settled(await say(receipt.chat, reviewer, { kind: "reminder", input: inputOf(notice) }, reply));
    },
    async ended({ receipt: text, view, reviewer }) {
      const receipt = parseReceipt(text);
      return receipt === null ? sent : settled(await say(receipt, reviewer, { kind: "ended", view }));
    },
    say: async ({ reviewer, said }) =>
      reviewer.telegram === undefined
        ? { kind: "failed", why: "notFound" }
        : settled(await say(reviewer.telegram, reviewer, { kind: "plain", said })),
    digest: {
      most: mostInDigest,
      address: ({ telegram = "" }) => telegram,
      counts: ({ receipt, why }, what) => what === "send" && (parseReceipt(receipt) === null || isFirst(why) || why === "reminder"),
      async send(entries) {
        const reviewer = entries[0]?.reviewer;
        if (reviewer?.telegram === undefined) return { kind: "failed", why: "notFound" };
        return settled(await say(reviewer.telegram, reviewer, { kind: "digest", entries }));
      },
    },
  };
}

/** Asks Telegram whose token it is. It posts nothing. */
export async function telegramDoctor(env: Env): Promise<ChannelFinding> {
  const { bot, issues } = botOf(env);
  if (issues.length > 0) return { ok: false, says: issuesText(issues) };
  if (bot === null) return { ok: true, says: { key: "chatNotSetUp", values: { chat: { key: "channel.telegram" } } } };
  const answer = await callTelegram(bot, "getMe", {});
  if (answer.kind !== "refused") return { ok: true, says: { key: "telegramAccepts" } };
  const { delivery } = answer;
  if (delivery.kind === "failed" && delivery.why === "unauthorized") return { ok: false, says: { key: "telegramRefuses" } };
  return { ok: false, says: { key: "telegramSilent" } };
}

export const telegramAdapter: ChannelAdapter = {
  open: telegramChannel,
  issues: telegramIssues,
  doctor: { check: "telegram", ask: telegramDoctor, remedy: () => ({ key: "telegramRemedy" }) },
};
