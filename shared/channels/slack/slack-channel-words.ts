// What is said of Slack as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const slackChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "Slack",
    sentBy: "in Slack",
    address: { label: "Slack (optional)", hint: "A member’s id, such as U012ABCDEF, or a channel’s." },
    taker: "Slack",
    accepted: "Slack accepted the test message.",
    failed: {
      notAllowed: "Slack does not let the app post there. Invite the app to the channel, or allow it to send messages to this member.",
      unauthorized: "Slack refused the gateway’s token. Install the app again with the scope chat:write, then set SLACK_BOT_TOKEN.",
      notFound: "Slack knows no such member or channel. Correct the id in the policy; for a channel, invite the app to it.",
    },
  },
  "zh-CN": {
    name: "Slack",
    sentBy: "通过 Slack ",
    address: { label: "Slack（可选）", hint: "成员 ID，例如 U012ABCDEF，或频道 ID。" },
    taker: "Slack",
    accepted: "Slack 已接受测试消息。",
    failed: {
      notAllowed: "Slack 不允许应用在那里发消息。请邀请应用加入频道，或允许它向此成员发消息。",
      unauthorized: "Slack 拒绝了网关的令牌。请以 chat:write 权限重新安装应用，然后设置 SLACK_BOT_TOKEN。",
      notFound: "Slack 找不到此成员或频道。请在策略中更正 ID；若是频道，请邀请应用加入。",
    },
  },
};
