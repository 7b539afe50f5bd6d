// The words of the page of reviewers.

import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Reviewers",
  lead: "The policy names these reviewers. “Test” sends one of them a message that says it is a test. It is about no request.",
  none: "The policy names no reviewer.",
  edit: "Change reviewers in the policy",
  columns: { name: "Reviewer", waiting: "Waiting", channels: "Channels", action: "Action" },
  groups: "in {groups}",
  language: "reads {language}",
  room: "room: everybody in it decides as one",
  waiting: "{n, # review waits/# reviews wait}",
  noneWaits: "no review waits",
  noInbox: "no inbox",
  outbox: "links are listed for operators",
  uses: {
    first: "used first",
    then: "used if another fails",
    leftOut: "not in the reviewer’s order",
    notSetUp: "not set up",
  },
  test: "Test",
  testAbout: "{channel} for {reviewer}",
  sent: "Test of {channel} for {reviewer}: sent",
  notSent: "Test of {channel} for {reviewer}: not sent",
  again: "This channel was tested five times for this reviewer within a minute. Wait a minute.",
  notSetUp: "This channel is not set up. Run the doctor to see what is missing.",
  noAddress: "The policy has no address of this reviewer that this channel can use. Add or correct it in the policy.",
  signOut: "Sign out",
  signOutSays: "Every session of {reviewer} in the inbox ends, and so do sign-in links that were not used. Links in notices go on working.",
  signOutButton: "Sign {reviewer} out",
  signedOut: "Signed out: {n, # session/# sessions} ended.",
} as const;

const zhCN: Texts<typeof en> = {
  title: "审核人",
  lead: "以下审核人由策略指定。“测试”会向审核人发送一条标明为测试的消息，与任何请求无关。",
  none: "策略没有指定审核人。",
  edit: "在策略中更改审核人",
  columns: { name: "审核人", waiting: "等待中", channels: "渠道", action: "操作" },
  groups: "所在组：{groups}",
  language: "语言：{language}",
  room: "多人频道：所有成员共一票",
  waiting: "{n} 个审核等待中",
  noneWaits: "没有等待的审核",
  noInbox: "没有收件箱",
  outbox: "链接列给操作员",
  uses: { first: "首先使用", then: "其他渠道失败时使用", leftOut: "不在审核人的顺序中", notSetUp: "未设置" },
  test: "测试",
  testAbout: "{reviewer} 的{channel}",
  sent: "测试 {reviewer} 的{channel}：已发送",
  notSent: "测试 {reviewer} 的{channel}：未发送",
  again: "一分钟内已为此审核人测试此渠道五次。请等一分钟。",
  notSetUp: "此渠道尚未设置。请运行诊断查看缺少什么。",
  noAddress: "策略中没有此渠道可用的审核人地址。请在策略中添加或更正。",
  signOut: "退出登录",
  signOutSays: "{reviewer} 在收件箱的所有会话都会结束，未使用的登录链接也会失效。通知中的链接仍然有效。",
  signOutButton: "让 {reviewer} 退出登录",
  signedOut: "已退出登录：结束了 {n} 个会话。",
};

export const reviewersWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
