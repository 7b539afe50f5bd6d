// What is said of Telegram as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const telegramChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "Telegram",
    sentBy: "by Telegram",
    address: { label: "Telegram (optional)", hint: "The id of a chat with the bot, such as 123456789; a group’s begins with -." },
    taker: "Telegram",
    accepted: "Telegram accepted the test message.",
    failed: {
      unauthorized: "Telegram refused the bot’s token. Set TELEGRAM_BOT_TOKEN again.",
      notAllowed: "The bot may not write to this chat: it was blocked or removed. Unblock it, or add it to the group again.",
      notFound: "Telegram does not know this chat. The person must open the bot and press Start; then correct the id in the policy.",
    },
  },
  "zh-CN": {
    name: "Telegram",
    sentBy: "通过 Telegram ",
    address: { label: "Telegram（可选）", hint: "与机器人的聊天 ID，例如 123456789；群组的 ID 以 - 开头。" },
    taker: "Telegram ",
    accepted: "Telegram 已接受测试消息。",
    failed: {
      unauthorized: "Telegram 拒绝了机器人的令牌。请重新设置 TELEGRAM_BOT_TOKEN。",
      notAllowed: "机器人不能向此聊天发送消息：它被屏蔽或移除了。请取消屏蔽，或将其重新加入群组。",
      notFound: "Telegram 找不到此聊天。对方必须先打开机器人并按“开始”；然后在策略中更正 ID。",
    },
  },
};
