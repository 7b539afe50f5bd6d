// What is said of ntfy as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const ntfyChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "ntfy",
    sentBy: "through ntfy",
    address: { label: "ntfy (optional)", hint: "The NAME of a secret NTFY_NAME_URL." },
    taker: "The ntfy server",
    accepted: "The ntfy server accepted the test message. Check that a device that subscribes to the topic shows it.",
    failed: {
      unauthorized: "The ntfy server does not let the gateway write to this topic. Set NTFY_…_TOKEN to a token that may.",
      notFound: "No ntfy server answers at this address, or it redirects. Correct NTFY_…_URL.",
      invalid: "The ntfy server refused the message or the topic’s name. Correct NTFY_…_URL.",
      dailyLimit: "The ntfy server takes no more messages today. Wait, or use a token with a higher limit (NTFY_…_TOKEN).",
    },
  },
  "zh-CN": {
    name: "ntfy",
    sentBy: "通过 ntfy ",
    address: { label: "ntfy（可选）", hint: "机密 NTFY_NAME_URL 中的 NAME。" },
    taker: "ntfy 服务器",
    accepted: "ntfy 服务器已接受测试消息。请确认订阅该主题的设备显示了它。",
    failed: {
      unauthorized: "ntfy 服务器不允许网关写入此主题。请将 NTFY_…_TOKEN 设为有权写入的令牌。",
      notFound: "此地址没有 ntfy 服务器应答，或发生重定向。请更正 NTFY_…_URL。",
      invalid: "ntfy 服务器拒绝了消息或主题名称。请更正 NTFY_…_URL。",
      dailyLimit: "ntfy 服务器今天不再接受消息。请等待，或使用上限更高的令牌（NTFY_…_TOKEN）。",
    },
  },
};
