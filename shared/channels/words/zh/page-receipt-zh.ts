// The page of a receipt, in simplified Chinese.

import type { pageReceiptEn } from "../en/page-receipt-en.ts";

export const pageReceiptZh: typeof pageReceiptEn = {
  title: "凭据",
  valid: "签名有效。",
  invalid: "无法检查签名。",
  entry: "日志 {shard} 的第 {index} 条。",
  noEntry: "记录中尚无此条。",
  what: "内容",
  decision: "决定",
  by: "决定者",
  mode: "方式",
  rule: "规则",
  sent: "已发送",
  answer: "答复",
  decisions: {
    approved: "已批准，{time}",
    denied: "已拒绝，{time}",
    expired: "期限内无人决定，{time}",
    undeliverable: "无法联系到任何审核人，{time}",
    cancelled: "已取消，{time}",
  },
  edited: "修改后批准，{time}",
  modes: { human: "由人决定", grant: "由授权放行", policy: "由策略决定", bypass: "已绕过审核" },
  signIn: { email: "通过邮件登录", access: "通过 Cloudflare Access 登录", issuer: "通过身份提供商登录" },
  amr: { link: "链接", inbox: "已登录", slack: "Slack", webauthn: "通行密钥" },
  ruleOf: "{rule}，策略版本 {version}",
  verify: "自行验证",
  receipt: "凭据",
  proof: "证明",
  limits: "凭据不能证明有人理解了请求，也不能证明 {server} 已执行。",
};
