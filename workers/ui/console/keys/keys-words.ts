// The words of the page of API keys.

import { plural } from "../../../../shared/channels/words/en/page-numbers-en.ts";
import type { KeyRequest } from "../../../../shared/budget/key-request.ts";
import type { FieldTexts } from "../fields.tsx";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Keys",
  lead: "A client presents an API key with each request. Here you create, limit and revoke keys.",
  create: "Create key",
  count: (n: number): string => plural(n, "key", "keys"),
  show: { live: "Show accepted keys only", all: "Show revoked and expired keys too" },
  none: "No key is accepted. Create one for each client.",
  noneEver: "No key has been created yet. Create one for each client. A local gateway also accepts its DEV_API_KEY, which is not listed.",
  columns: {
    key: "Key",
    owner: "Owner",
    spend: "Spend and budget",
    access: "Access",
    limits: "Limits",
    used: "Last used",
    action: "Action",
  },
  noOwner: "no owner",
  noBudget: "no budget of its own",
  allServers: "every server",
  allModels: "every model",
  scopes: { sampling: "sampling", control: "control", v1: "/v1" },
  limits: (perMinute: number, atOnce: number): string =>
    `${perMinute.toLocaleString("en-GB")} a minute, ${atOnce.toLocaleString("en-GB")} at once`,
  never: "never",
  tags: { revoked: "revoked", expired: "expired", expires: "expires {at}" },
  revoked: "revoked {at}",
  expired: "expired {at}",
  revoke: "Revoke",
  revokeButton: "Revoke {name}",
  ends: (open: number, isMore: boolean): string =>
    open === 0
      ? "It has no open requests."
      : `Its ${isMore ? "more than " : ""}${plural(open, "open request is", "open requests are")} cancelled.`,
  revokeSays: "Requests with this key are refused from now on. Its reviews are withdrawn, its grants end. This cannot be undone.",
  done: { revoked: "The key was revoked." },
  newer: "Newer",
  older: "Older",
  made: {
    ready: "Key created: {name}",
    copy: "Copy it now. It is not shown again.",
    button: "Copy",
    copied: "Copied",
    back: "All keys",
    twice:
      "This form created the key {id} before, and no second one now. The key is not shown again: if you did not copy it, revoke it and create another.",
  },
  form: {
    title: "Create key",
    more: "Servers, models and limits",
    button: "Create",
    once: "The key is shown once, after you create it.",
  },
  fields: {
    name: { label: "Name", hint: "What you will know it by, such as the client’s name.", missing: "Enter a name." },
    owner: {
      label: "Owner (optional)",
      hint: "A reviewer’s name or email. Owners may not approve their own requests where the policy says so.",
    },
    scopes: {
      label: "Where it is accepted",
      options: { sampling: "POST /sampling and the relay", control: "POST /control", v1: "the API under /v1" },
    },
    servers: { label: "MCP servers (optional)", hint: "Exact names, one on each line. Empty: every server." },
    models: { label: "Models (optional)", hint: "Exact ids, one on each line. Empty: every model." },
    limits: {
      requestsPerMinute: { label: "Requests a minute" },
      concurrent: { label: "Requests at once, those in review included" },
      callsPerMinute: { label: "Messages of any kind a minute" },
      heldStreams: { label: "Open responses at once" },
      sessions: { label: "Sessions" },
      roundsPerOriginatingRequest: { label: "Sampling requests for one client request" },
      bodyBytes: { label: "Bytes of one request" },
    },
    budget: {
      usd: { label: "Budget in US dollars (optional)" },
      tokens: { label: "Budget in tokens (optional)" },
      per: { label: "The budget is for", options: { day: "each day", month: "each month" } },
    },
    expiresAt: { label: "Last day (optional)", hint: "The key expires at the end of this day, UTC." },
  } satisfies FieldTexts<Omit<KeyRequest, "once">, "expiresAt">,
  wrong: { note: "No key was created. Correct the fields below.", date: "Enter a day, such as 2027-01-31." },
};

const zhCN: typeof en = {
  title: "密钥",
  lead: "客户端的每个请求都带有 API 密钥。您可以在此创建、限制和撤销密钥。",
  create: "创建密钥",
  count: (n) => `${n} 个密钥`,
  show: { live: "只显示有效的密钥", all: "同时显示已撤销和已过期的密钥" },
  none: "没有有效的密钥。请为每个客户端创建一个。",
  noneEver: "还没有创建密钥。请为每个客户端创建一个。本地网关还接受 DEV_API_KEY，它不在此列表中。",
  columns: { key: "密钥", owner: "所有者", spend: "花费与预算", access: "访问范围", limits: "限制", used: "上次使用", action: "操作" },
  noOwner: "无所有者",
  noBudget: "没有单独的预算",
  allServers: "所有服务器",
  allModels: "所有模型",
  scopes: { sampling: "采样", control: "control", v1: "/v1" },
  limits: (perMinute, atOnce) => `每分钟 ${perMinute} 个，同时 ${atOnce} 个`,
  never: "从未",
  tags: { revoked: "已撤销", expired: "已过期", expires: "{at} 到期" },
  revoked: "{at} 撤销",
  expired: "{at} 过期",
  revoke: "撤销",
  revokeButton: "撤销 {name}",
  ends: (open, isMore) => (open === 0 ? "它没有进行中的请求。" : `它的${isMore ? "超过 " : " "}${open} 个进行中的请求将被取消。`),
  revokeSays: "从现在起，使用此密钥的请求会被拒绝。它的审核会被撤回，授权会终止。此操作无法撤消。",
  done: { revoked: "密钥已撤销。" },
  newer: "更新",
  older: "更早",
  made: {
    ready: "已创建密钥：{name}",
    copy: "请立即复制，之后不再显示。",
    button: "复制",
    copied: "已复制",
    back: "所有密钥",
    twice: "此表单之前已创建密钥 {id}，现在没有再创建。密钥不会再次显示：如果没有复制，请撤销它并另行创建。",
  },
  form: {
    title: "创建密钥",
    more: "服务器、模型和限制",
    button: "创建",
    once: "密钥在创建后只显示一次。",
  },
  fields: {
    name: { label: "名称", hint: "便于您辨认的名称，例如客户端的名字。", missing: "请输入名称。" },
    owner: { label: "所有者（可选）", hint: "审核人的姓名或邮箱。若策略如此规定，所有者不能批准自己的请求。" },
    scopes: {
      label: "可用于",
      options: { sampling: "POST /sampling 和中继", control: "POST /control", v1: "/v1 下的 API" },
    },
    servers: { label: "MCP 服务器（可选）", hint: "完整名称，每行一个。留空表示所有服务器。" },
    models: { label: "模型（可选）", hint: "完整 ID，每行一个。留空表示所有模型。" },
    limits: {
      requestsPerMinute: { label: "每分钟请求数" },
      concurrent: { label: "同时进行的请求数，包括审核中的" },
      callsPerMinute: { label: "每分钟各类消息数" },
      heldStreams: { label: "同时打开的响应数" },
      sessions: { label: "会话数" },
      roundsPerOriginatingRequest: { label: "每个客户端请求的采样请求数" },
      bodyBytes: { label: "单个请求的字节数" },
    },
    budget: {
      usd: { label: "预算，美元（可选）" },
      tokens: { label: "预算，token 数（可选）" },
      per: { label: "预算周期", options: { day: "每天", month: "每月" } },
    },
    expiresAt: { label: "最后一天（可选）", hint: "密钥在这一天结束时（UTC）过期。" },
  },
  wrong: { note: "没有创建密钥。请更正以下字段。", date: "请输入日期，例如 2027-01-31。" },
};

export const keysWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };
