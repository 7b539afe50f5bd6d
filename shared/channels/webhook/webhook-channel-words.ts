// What is said of webhooks as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const webhookChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "webhook",
    sentBy: "through your webhook",
    address: { label: "Webhook (optional)", hint: "The NAME of a secret WEBHOOK_NAME_URL." },
    taker: "The receiver",
    accepted: "The receiver accepted the test event.",
    failed: {
      unauthorized: "The receiver refused the signature. Set the same secret on both sides (WEBHOOK_…_SECRET).",
      notFound: "The address answers 404 or 410, or redirects. Correct WEBHOOK_…_URL.",
      invalid: "The receiver refused the event. It must accept events of the type countersign.test.",
    },
  },
  "zh-CN": {
    name: "webhook",
    sentBy: "通过你的 webhook ",
    address: { label: "Webhook（可选）", hint: "机密 WEBHOOK_NAME_URL 中的 NAME。" },
    taker: "接收方",
    accepted: "接收方已接受测试事件。",
    failed: {
      unauthorized: "接收方拒绝了签名。请在两端设置相同的密钥（WEBHOOK_…_SECRET）。",
      notFound: "该地址返回 404 或 410，或发生重定向。请更正 WEBHOOK_…_URL。",
      invalid: "接收方拒绝了该事件。它必须接受 countersign.test 类型的事件。",
    },
  },
};
