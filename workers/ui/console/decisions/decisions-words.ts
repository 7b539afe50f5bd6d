// The words of the list of decisions.

import { subjectsEn } from "../../../../shared/channels/words/en/kinds-en.ts";
import { subjectNames } from "../../../../shared/channels/words/kind-words.ts";
import { subjectsZh } from "../../../../shared/channels/words/zh/kinds-zh.ts";
import type { JudgedSubject } from "../../../../shared/model/judged-request.ts";
import type { Texts } from "../../../../shared/words/text.ts";
import type { Decision } from "../../../endpoints/admin/answers/decisions.ts";
import type { InLanguages } from "../page.ts";

type Verdict = Decision["decision"];

const en = {
  title: "Decisions",
  lead: "Who approved or denied what, from the record. Requests that a rule or an earlier permission allowed are not here: nobody decided about them.",
  by: "Person",
  decision: "Decision",
  any: "any",
  decisions: { approved: "Approved", denied: "Denied", dismissed: "Put away" } satisfies Record<Verdict, string>,
  vote: "Vote: yes",
  server: "Server",
  show: "Show",
  shown: "{n, # decision/# decisions} on this page",
  columns: {
    time: "Time",
    by: "Person",
    decision: "Decision",
    what: "What",
    key: "Key",
    known: "Known by",
    edited: "Changed",
    waited: "Took",
    receipt: "Receipt",
  },
  known: {
    link: "link",
    slack: "Slack account",
    inbox: "sign-in",
    email: "sign-in by email",
    access: "Cloudflare Access",
    issuer: "sign-in at {issuer}",
  } satisfies Record<Decision["known"], string>,
  gates: { request: "request", response: "reply" },
  subjects: { ...subjectNames(subjectsEn, "one"), function: "function" } satisfies Record<JudgedSubject, string>,
  edits: "{n, # change/# changes}",
  written: "written by them",
  none: "no",
  member: "{member} in {room}",
  empty: "Nobody decided anything in this time.",
  notYet: "None so far.",
  lookedBackTo: "Requests back to {at} were looked at.",
  older: "Earlier requests",
  newest: "Newest",
  csv: "Save as CSV",
  ndjson: "Save as NDJSON",
  badFilter: "These filters cannot be used. Nothing was searched.",
} as const;

const zhCN: Texts<typeof en> = {
  title: "决定",
  lead: "谁批准或拒绝了什么，取自记录。由规则或先前的放行允许的请求不在此列：没有人对其作出决定。",
  by: "审核人",
  decision: "决定",
  any: "任意",
  decisions: { approved: "批准", denied: "拒绝", dismissed: "关闭" },
  vote: "赞成票",
  server: "服务器",
  show: "显示",
  shown: "本页 {n} 个决定",
  columns: {
    time: "时间",
    by: "审核人",
    decision: "决定",
    what: "内容",
    key: "密钥",
    known: "身份依据",
    edited: "更改",
    waited: "用时",
    receipt: "凭据",
  },
  known: {
    link: "链接",
    slack: "Slack 账号",
    inbox: "登录",
    email: "通过邮件登录",
    access: "Cloudflare Access",
    issuer: "在 {issuer} 登录",
  },
  gates: { request: "请求", response: "回复" },
  subjects: { ...subjectNames(subjectsZh, "one"), function: "函数" },
  edits: "{n} 处更改",
  written: "由其撰写",
  none: "无",
  member: "{room} 中的 {member}",
  empty: "这段时间内没有人作出决定。",
  notYet: "目前没有。",
  lookedBackTo: "已查看到 {at} 为止的请求。",
  older: "更早的请求",
  newest: "最新",
  csv: "保存为 CSV",
  ndjson: "保存为 NDJSON",
  badFilter: "无法使用这些筛选条件，没有进行搜索。",
};

export const decisionsWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
