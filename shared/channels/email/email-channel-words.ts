// What is said of email as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const emailChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "email",
    sentBy: "by email",
    address: { label: "Email (optional)", hint: "Without one they have no inbox." },
    taker: "The mail service",
    accepted: "The mail service accepted the test email. Check that it arrived; look in the spam folder too.",
    failed: {
      notAllowed: "The mail service does not allow email to this address. Check the allowed destinations of the binding or of the account.",
      notVerified: "The sender is not verified, or the account may only send to verified addresses. Verify the domain of EMAIL_FROM.",
      invalid: "The mail service refused the email as invalid. Check EMAIL_FROM, and the reviewer’s address in the policy.",
      unauthorized: "The mail service refused the gateway’s key. Set RESEND_API_KEY again.",
      notFound: "There is no mail service at RESEND_BASE_URL. Correct it, or remove it.",
    },
  },
  "zh-CN": {
    name: "邮件",
    sentBy: "通过邮件",
    address: { label: "邮箱（可选）", hint: "没有邮箱就没有收件箱。" },
    taker: "邮件服务",
    accepted: "邮件服务已接受测试邮件。请确认邮件已送达，也请查看垃圾邮件文件夹。",
    failed: {
      notAllowed: "邮件服务不允许向此地址发送邮件。请检查绑定或账户允许的收件地址。",
      notVerified: "发件人未经验证，或账户只能向已验证的地址发送。请验证 EMAIL_FROM 的域名。",
      invalid: "邮件服务认为邮件无效，已拒绝。请检查 EMAIL_FROM 和策略中审核人的地址。",
      unauthorized: "邮件服务拒绝了网关的密钥。请重新设置 RESEND_API_KEY。",
      notFound: "RESEND_BASE_URL 处没有邮件服务。请更正或删除它。",
    },
  },
};
