// What is said of the outbox as a channel, to operators and on the page of a new link.

import type { ChannelWords } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const outboxChannelWords: Readonly<Record<Language, ChannelWords>> = {
  en: {
    name: "outbox",
    sentBy: "to the gateway’s list of notices, which its operator can read",
    taker: "The outbox",
    accepted: "The outbox sends nothing. This reviewer’s links are listed at GET /admin/notices.",
  },
  "zh-CN": {
    name: "发件箱",
    sentBy: "通过网关的通知列表（管理员可见）",
    taker: "发件箱",
    accepted: "发件箱不发送任何内容。此审核人的链接列在 GET /admin/notices。",
  },
};
