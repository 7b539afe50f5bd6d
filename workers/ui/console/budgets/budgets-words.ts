// The words of the page of budgets.

import type { Budget } from "../../../../shared/budget/budgets.ts";
import type { FieldTexts } from "../fields.tsx";
import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Budgets",
  lead: "A budget limits what models may cost in a day or a month (UTC). Nothing more is sent once it is used up.",
  add: "Add budget",
  count: "{n, # budget/# budgets}",
  none: "There is no budget. Requests are limited by their keys alone.",
  columns: { name: "Budget", of: "What it limits", spend: "Spent", resets: "Starts again", action: "Action" },
  of: {
    everything: "everything",
    server: "MCP server {name}",
    key: "API key {name}",
    owner: "owner {name}",
    eachKey: "each key",
    eachOwner: "each owner",
  },
  more: "{n} more with less spent",
  nobody: "Nobody’s spend counts for it yet.",
  reserved: "reserved {amount}",
  unaccounted: "unaccounted {amount}",
  explained: {
    title: "What the numbers mean",
    reserved: "Reserved: the most that calls under way may cost. It is free again when they end.",
    unaccounted: "Unaccounted: calls whose answer was lost. They may have been paid, so they count as spent.",
    reset: "A day or month begins at midnight UTC.",
  },
  keys: "Keys may have budgets of their own: see Keys.",
  notified: "{n, # address is told/# addresses are told}",
  edit: "Edit",
  remove: "Remove",
  removeSays: "The budget {name} no longer limits anything. What it has counted is forgotten once the day or month ends.",
  removeButton: "Remove {name}",
  json: "Edit as JSON",
  done: { saved: "Saved. It takes effect within a minute.", removed: "Removed. It takes effect within a minute." },
  form: {
    add: "Add budget",
    edit: "Edit budget {name}",
    nameHint: "Letters, digits, . _ - only.",
    ofs: {
      everything: "Everything",
      server: "One MCP server",
      key: "One API key",
      owner: "One owner",
      eachKey: "Each key for itself",
      eachOwner: "Each owner for itself",
    },
    ofName: "Name of the server or owner, or id of the key",
  },
  fields: {
    of: { label: "What it limits" },
    usd: { label: "US dollars", hint: "Enter one of the two, or both." },
    tokens: { label: "Tokens" },
    per: { label: "For", options: { day: "each day", month: "each month" } },
    notify: { label: "Who is told (optional)", hint: "Email addresses, one on each line. They get an email at 80% and at 100%." },
  } satisfies FieldTexts<Budget, "of">,
  wrong: { ofName: "Enter whose budget it is.", amount: "Enter an amount of money or of tokens." },
} as const;

const zhCN: Texts<typeof en> = {
  title: "预算",
  lead: "预算限制模型每天或每月（UTC）的花费。用完后不再发送任何内容。",
  add: "添加预算",
  count: "{n} 个预算",
  none: "没有预算。请求仅受其密钥限制。",
  columns: { name: "预算", of: "对象", spend: "已花费", resets: "重新开始", action: "操作" },
  of: {
    everything: "全部",
    server: "MCP 服务器 {name}",
    key: "API 密钥 {name}",
    owner: "所有者 {name}",
    eachKey: "每个密钥",
    eachOwner: "每个所有者",
  },
  more: "另有 {n} 项花费更少",
  nobody: "目前还没有计入此预算的对象。",
  reserved: "预留 {amount}",
  unaccounted: "未确认 {amount}",
  explained: {
    title: "这些数字的含义",
    reserved: "预留：进行中的调用最多可能花费的金额，结束后释放。",
    unaccounted: "未确认：应答丢失的调用。可能已经计费，因此算作已花费。",
    reset: "每天和每月从 UTC 零点开始。",
  },
  keys: "密钥可以有自己的预算：请见“密钥”。",
  notified: "通知 {n} 个地址",
  edit: "编辑",
  remove: "删除",
  removeSays: "预算 {name} 将不再限制任何内容。它的计数在当天或当月结束后清除。",
  removeButton: "删除 {name}",
  json: "以 JSON 编辑",
  done: { saved: "已保存，一分钟内生效。", removed: "已删除，一分钟内生效。" },
  form: {
    add: "添加预算",
    edit: "编辑预算 {name}",
    nameHint: "仅限字母、数字和 . _ -。",
    ofs: {
      everything: "全部",
      server: "一个 MCP 服务器",
      key: "一个 API 密钥",
      owner: "一个所有者",
      eachKey: "每个密钥各自",
      eachOwner: "每个所有者各自",
    },
    ofName: "服务器或所有者的名称，或密钥的 ID",
  },
  fields: {
    of: { label: "对象" },
    usd: { label: "美元", hint: "填写其中一项，或两项都填。" },
    tokens: { label: "Token 数" },
    per: { label: "周期", options: { day: "每天", month: "每月" } },
    notify: { label: "通知对象（可选）", hint: "邮箱地址，每行一个。用到 80% 和 100% 时会收到邮件。" },
  },
  wrong: { ofName: "请输入预算的对象。", amount: "请输入金额或 token 数。" },
};

export const budgetsWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
