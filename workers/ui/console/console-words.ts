// The words of the console's frame, and those that several of its pages use. Each page has its own
// beside it.

import type { Texts } from "../../../shared/words/text.ts";
import type { InLanguages } from "./page.ts";

const en = {
  title: "Console",
  nav: {
    label: "Console",
    more: "More",
    overview: "Overview",
    requests: "Requests",
    usage: "Usage",
    routing: "Routing",
    policy: "Policy",
    keys: "Keys",
    servers: "Servers",
    reviewers: "Reviewers",
    budgets: "Budgets",
    grants: "Grants",
    stops: "Stop",
    decisions: "Decisions",
    record: "Record",
  },
  skip: "Skip to content",
  inbox: "Inbox",
  admin: "Admin",
  signOut: "Sign out",
  signOutEverywhere: "Sign out all sessions",
  signIn: {
    title: "Sign in to the console",
    lead: "Enter the admin token of this gateway. A local gateway has it in .dev.vars, as ADMIN_TOKEN.",
    token: "Admin token",
    button: "Sign in",
    at: "Sign in with {issuer}",
    none: "This gateway has no admin token. Set one of 22 random characters or more: npx wrangler secret put ADMIN_TOKEN",
    problems: {
      wrong: "This is not the admin token. Nobody was signed in.",
      over: "Your session has ended. Nothing was changed. Sign in, then do it again.",
      stranger: "That account has no verified email address of an operator. Nobody was signed in here.",
    },
  },
  failed: {
    title: "This page could not be made",
    back: "Back to the overview",
  },
  notFound: { title: "There is no such page", lead: "The console has no page at this address." },
  notAllowed: "Your role does not allow this. Ask somebody who may change the gateway.",
  wasRefused: "Nothing was changed.",
  earlier: "Earlier",
  later: "Later",
  none: "none",
  yes: "yes",
  no: "no",
  cancel: "Cancel",
  save: "Save",
} as const;

export type ConsoleWords = Texts<typeof en>;

const zhCN: Texts<typeof en> = {
  title: "控制台",
  nav: {
    label: "控制台",
    more: "更多",
    overview: "概览",
    requests: "请求",
    usage: "用量",
    routing: "路由",
    policy: "策略",
    keys: "密钥",
    servers: "服务器",
    reviewers: "审核人",
    budgets: "预算",
    grants: "授权",
    stops: "停止",
    decisions: "决定",
    record: "记录",
  },
  skip: "跳到正文",
  inbox: "收件箱",
  admin: "管理员",
  signOut: "退出登录",
  signOutEverywhere: "退出所有会话",
  signIn: {
    title: "登录控制台",
    lead: "请输入此网关的管理员令牌。本地网关的令牌在 .dev.vars 文件的 ADMIN_TOKEN 中。",
    token: "管理员令牌",
    button: "登录",
    at: "使用 {issuer} 登录",
    none: "此网关没有管理员令牌。请设置一个不少于 22 个随机字符的令牌：npx wrangler secret put ADMIN_TOKEN",
    problems: {
      wrong: "这不是管理员令牌，没有登录。",
      over: "您的会话已结束，没有更改任何内容。请登录后重试。",
      stranger: "该账号没有已验证的运维人员邮箱地址。没有在此登录。",
    },
  },
  failed: { title: "无法生成此页面", back: "返回概览" },
  notFound: { title: "没有这个页面", lead: "控制台在此地址没有页面。" },
  notAllowed: "您的角色不允许此操作。请联系可以更改网关的人。",
  wasRefused: "没有更改任何内容。",
  earlier: "更早",
  later: "更晚",
  none: "无",
  yes: "是",
  no: "否",
  cancel: "取消",
  save: "保存",
};

export const consoleWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
