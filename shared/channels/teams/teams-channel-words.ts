// What is said of Teams as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const teamsChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "Teams",
    sentBy: "in your Teams channel",
    address: { label: "Teams (optional)", hint: "The NAME of a secret TEAMS_NAME_URL." },
    taker: "The workflow",
    accepted: "The workflow accepted the test card. Check that it appears in the channel: Teams answers before it posts.",
    failed: {
      unauthorized: "The workflow refused its address’s signature. Copy the address from Teams again (TEAMS_…_URL).",
      notFound: "The workflow is switched off or deleted, or its address redirects. Switch it on, or set TEAMS_…_URL to a new one.",
      invalid: "The workflow refused the card. Use the workflow “Post to a channel when a webhook request is received”.",
    },
  },
  "zh-CN": {
    name: "Teams",
    sentBy: "在你的 Teams 频道中",
    address: { label: "Teams（可选）", hint: "机密 TEAMS_NAME_URL 中的 NAME。" },
    taker: "工作流",
    accepted: "工作流已接受测试卡片。请确认卡片出现在频道中：Teams 在发布之前就会应答。",
    failed: {
      unauthorized: "工作流拒绝了其地址中的签名。请从 Teams 重新复制地址（TEAMS_…_URL）。",
      notFound: "工作流已关闭或删除，或其地址发生重定向。请启用它，或将 TEAMS_…_URL 设为新地址。",
      invalid: "工作流拒绝了卡片。请使用工作流“收到 Webhook 请求时发布到频道”。",
    },
  },
};
