// The words of a test message, and of what became of it. An error's sentence says what to do.

import type { Language } from "../../shared/channels/words/languages.ts";
import type { LinkChannel, NoticeError } from "../../shared/notice-channels.ts";

type ChannelTestWords = {
  readonly message: { readonly title: string; readonly text: string };
  readonly names: Readonly<Record<LinkChannel, string>>;
  readonly sent: Readonly<Record<LinkChannel, string>>;
  readonly failed: Readonly<Record<NoticeError, string>>;
  /** Where a channel has a better answer than the one for all. */
  readonly failedThere: { readonly [Channel in LinkChannel]?: Partial<Readonly<Record<NoticeError, string>>> };
};

const en: ChannelTestWords = {
  message: {
    title: "Test message from Countersign",
    text: "This is a test for {reviewer}, sent by an operator of {gateway}. Reviews will arrive this way. There is nothing to decide.",
  },
  names: { email: "The mail service", slack: "Slack", webhook: "The receiver", teams: "The workflow", outbox: "The outbox" },
  sent: {
    email: "The mail service accepted the test email. Check that it arrived; look in the spam folder too.",
    slack: "Slack accepted the test message.",
    webhook: "The receiver accepted the test event.",
    teams: "The workflow accepted the test card. Check that it appears in the channel: Teams answers before it posts.",
    outbox: "The outbox sends nothing. This reviewer’s links are listed at GET /admin/notices.",
  },
  failed: {
    rateLimited: "{channel} has too many messages at the moment. Wait a minute, then test again.",
    dailyLimit: "{channel} has reached its limit for today or this month. Raise the limit, or wait.",
    suppressed: "{channel} no longer sends to this address. Take it off the suppression list, or correct it in the policy.",
    notAllowed: "{channel} does not allow messages to this address.",
    notVerified: "{channel} has not verified the sender.",
    invalid: "{channel} refused the test message as invalid.",
    unauthorized: "{channel} refused the gateway’s credential. Set it again.",
    notFound: "{channel} does not know this address. Correct it in the policy.",
    unavailable: "{channel} did not answer in time. The message may have arrived. Wait a minute, then test again.",
    notConfigured: "This channel is not set up. Run the doctor to see what is missing.",
  },
  failedThere: {
    email: {
      notAllowed: "The mail service does not allow email to this address. Check the allowed destinations of the binding or of the account.",
      notVerified: "The sender is not verified, or the account may only send to verified addresses. Verify the domain of EMAIL_FROM.",
      invalid: "The mail service refused the email as invalid. Check EMAIL_FROM, and the reviewer’s address in the policy.",
      unauthorized: "The mail service refused the gateway’s key. Set RESEND_API_KEY again.",
      notFound: "There is no mail service at RESEND_BASE_URL. Correct it, or remove it.",
    },
    slack: {
      notAllowed: "Slack does not let the app post there. Invite the app to the channel, or allow it to send messages to this member.",
      unauthorized: "Slack refused the gateway’s token. Install the app again with the scope chat:write, then set SLACK_BOT_TOKEN.",
      notFound: "Slack knows no such member or channel. Correct the id in the policy; for a channel, invite the app to it.",
    },
    webhook: {
      unauthorized: "The receiver refused the signature. Set the same secret on both sides (WEBHOOK_…_SECRET).",
      notFound: "The address answers 404 or 410, or redirects. Correct WEBHOOK_…_URL.",
      invalid: "The receiver refused the event. It must accept events of the type countersign.test.",
    },
    teams: {
      unauthorized: "The workflow refused its address’s signature. Copy the address from Teams again (TEAMS_…_URL).",
      notFound: "The workflow is switched off or deleted, or its address redirects. Switch it on, or set TEAMS_…_URL to a new one.",
      invalid: "The workflow refused the card. Use the workflow “Post to a channel when a webhook request is received”.",
    },
  },
};

const zhCN: ChannelTestWords = {
  message: {
    title: "Countersign 测试消息",
    text: "这是发给 {reviewer} 的测试消息，由 {gateway} 的操作员发送。审核通知将以此方式送达。您无需做任何决定。",
  },
  names: { email: "邮件服务", slack: "Slack", webhook: "接收方", teams: "工作流", outbox: "发件箱" },
  sent: {
    email: "邮件服务已接受测试邮件。请确认邮件已送达，也请查看垃圾邮件文件夹。",
    slack: "Slack 已接受测试消息。",
    webhook: "接收方已接受测试事件。",
    teams: "工作流已接受测试卡片。请确认卡片出现在频道中：Teams 在发布之前就会应答。",
    outbox: "发件箱不发送任何内容。此审核人的链接列在 GET /admin/notices。",
  },
  failed: {
    rateLimited: "{channel}目前消息过多。请等一分钟再测试。",
    dailyLimit: "{channel}已达到今天或本月的上限。请提高上限，或稍后再试。",
    suppressed: "{channel}不再向此地址发送。请将其移出禁发名单，或在策略中更正。",
    notAllowed: "{channel}不允许向此地址发送消息。",
    notVerified: "{channel}尚未验证发件人。",
    invalid: "{channel}认为测试消息无效，已拒绝。",
    unauthorized: "{channel}拒绝了网关的凭据。请重新设置。",
    notFound: "{channel}找不到此地址。请在策略中更正。",
    unavailable: "{channel}没有及时应答，消息可能已送达。请等一分钟再测试。",
    notConfigured: "此渠道尚未设置。请运行诊断查看缺少什么。",
  },
  failedThere: {
    email: {
      notAllowed: "邮件服务不允许向此地址发送邮件。请检查绑定或账户允许的收件地址。",
      notVerified: "发件人未经验证，或账户只能向已验证的地址发送。请验证 EMAIL_FROM 的域名。",
      invalid: "邮件服务认为邮件无效，已拒绝。请检查 EMAIL_FROM 和策略中审核人的地址。",
      unauthorized: "邮件服务拒绝了网关的密钥。请重新设置 RESEND_API_KEY。",
      notFound: "RESEND_BASE_URL 处没有邮件服务。请更正或删除它。",
    },
    slack: {
      notAllowed: "Slack 不允许应用在那里发消息。请邀请应用加入频道，或允许它向此成员发消息。",
      unauthorized: "Slack 拒绝了网关的令牌。请以 chat:write 权限重新安装应用，然后设置 SLACK_BOT_TOKEN。",
      notFound: "Slack 找不到此成员或频道。请在策略中更正 ID；若是频道，请邀请应用加入。",
    },
    webhook: {
      unauthorized: "接收方拒绝了签名。请在两端设置相同的密钥（WEBHOOK_…_SECRET）。",
      notFound: "该地址返回 404 或 410，或发生重定向。请更正 WEBHOOK_…_URL。",
      invalid: "接收方拒绝了该事件。它必须接受 countersign.test 类型的事件。",
    },
    teams: {
      unauthorized: "工作流拒绝了其地址中的签名。请从 Teams 重新复制地址（TEAMS_…_URL）。",
      notFound: "工作流已关闭或删除，或其地址发生重定向。请启用它，或将 TEAMS_…_URL 设为新地址。",
      invalid: "工作流拒绝了卡片。请使用工作流“收到 Webhook 请求时发布到频道”。",
    },
  },
};

export const channelTestWords: Readonly<Record<Language, ChannelTestWords>> = { en, "zh-CN": zhCN };
