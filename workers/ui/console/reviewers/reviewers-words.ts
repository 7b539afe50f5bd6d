// The words of the page of reviewers.

import type { GroupedReviewer } from "../../../../shared/policy/rules.ts";
import { addressFields, anyChannel } from "../../channel-registry.ts";
import type { FieldTexts } from "../fields.tsx";
import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Reviewers",
  lead: "The policy names these reviewers. “Test” sends one of them a message that says it is a test. It is about no request.",
  none: "The policy names no reviewer.",
  document: "The policy as JSON",
  add: "Add reviewer",
  edit: "Edit",
  remove: "Remove",
  removeSays:
    "{name} is removed from every group. Reviews that wait now go on as they were asked. A rule that names {name} alone keeps the policy from being saved.",
  removeButton: "Remove {name}",
  done: { saved: "Saved. Requests from now on ask by it.", removed: "The reviewer was removed." },
  requests: "Requests they were asked about",
  form: {
    add: "Add reviewer",
    edit: "Edit {name}",
    nameHint: "What the record and the pages call them. It cannot be changed later.",
    taken: "There is a reviewer of this name already. Edit that one.",
    known: "Groups of the policy: {groups}. Rules name groups; a new name makes a new group.",
  },
  fields: {
    name: { label: "Name", missing: "Enter a name." },
    groups: { label: "Groups", hint: "One on each line.", missing: "Name at least one group." },
    ...addressFields("en"),
    notify: {
      label: "Channels in order (optional)",
      hint: `${anyChannel("en")}, one on each line: each is used where the one before failed. Empty: all at once.`,
    },
    language: { label: "Language (optional)", hint: "Such as en or zh-CN." },
    timeZone: { label: "Time zone (optional)", hint: "Such as Europe/Berlin. Empty: UTC." },
    away: {
      from: { label: "Away from (optional)", hint: "First day, such as 2026-12-24." },
      until: { label: "Away until", hint: "Last day." },
      to: { label: "Who stands in", hint: "Another reviewer’s name." },
    },
    quietHours: {
      from: { label: "Quiet from (optional)", hint: "Such as 22:00: notices wait from then on, an escalation’s do not." },
      until: { label: "Quiet until", hint: "Such as 07:00." },
    },
  } satisfies FieldTexts<GroupedReviewer, "notify">,
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
  document: "策略（JSON）",
  add: "添加审核人",
  edit: "编辑",
  remove: "移除",
  removeSays: "{name} 会从所有组中移除。正在等待的审核照旧进行。若某条规则只指定了 {name}，策略将无法保存。",
  removeButton: "移除 {name}",
  done: { saved: "已保存。此后的请求按此询问。", removed: "已移除审核人。" },
  requests: "请其审核过的请求",
  form: {
    add: "添加审核人",
    edit: "编辑 {name}",
    nameHint: "记录和页面中使用的名称，以后不能更改。",
    taken: "已有同名审核人。请编辑已有的审核人。",
    known: "策略中的组：{groups}。规则指定的是组；新名称会建立新组。",
  },
  fields: {
    name: { label: "名称", missing: "请输入名称。" },
    groups: { label: "组", hint: "每行一个。", missing: "请至少填写一个组。" },
    ...addressFields("zh-CN"),
    notify: { label: "渠道顺序（可选）", hint: `${anyChannel("zh-CN")}，每行一个：前一个失败时使用下一个。留空表示同时使用全部。` },
    language: { label: "语言（可选）", hint: "例如 en 或 zh-CN。" },
    timeZone: { label: "时区（可选）", hint: "例如 Europe/Berlin。留空表示 UTC。" },
    away: {
      from: { label: "休假开始（可选）", hint: "第一天，例如 2026-12-24。" },
      until: { label: "休假结束", hint: "最后一天。" },
      to: { label: "代理人", hint: "另一位审核人的名称。" },
    },
    quietHours: {
      from: { label: "免打扰开始（可选）", hint: "例如 22:00：此后通知会等待，升级通知除外。" },
      until: { label: "免打扰结束", hint: "例如 07:00。" },
    },
  },
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
