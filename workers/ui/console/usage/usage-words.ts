// The words of the usage page.

import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Usage",
  counting: "Older requests are still being counted. The numbers are too low until then. Reload in a few seconds.",
  views: "Group by",
  by: { server: "Server", model: "Model", key: "Key", day: "Day" },
  periods: "Period",
  days: "{n} days",
  own: "Another time",
  show: "Show",
  whole: "Counted in whole days from {from} to {until}.",
  csv: "Download CSV",
  requests: { server: "Requests by server", model: "Requests by model", key: "Requests by key", day: "Requests by day" },
  legend: {
    allowed: "allowed by a rule {n}",
    approved: "approved by people {n}",
    denied: "denied or expired {n}",
    other: "failed, cancelled or refused {n}",
  },
  most: "{n} at most",
  below: "below the line: {what}",
  columns: {
    requests: "Requests",
    approved: "Approved",
    denied: "Denied",
    failed: "Failed",
    input: "Input tokens",
    output: "Output tokens",
    cost: "Cost",
    wait: "Wait, p50",
  },
  chart: "{total} requests from {from} to {to}, in UTC days. Most on {at}: {n}.",
  unnamed: { server: "server not known", model: "no model asked", key: "" },
  rest: "others",
  restSays: "Each day the gateway tells 200 names apart in each part of the ledger. The rest is counted here.",
  total: "Total",
  more: "More",
  first: "First page",
  empty: "No request ended in this time.",
  jurors: {
    title: "Jurors of rules",
    rule: "Rule",
    today: "Used today",
    apart: "A juror is asked before people are. What it costs counts for its own budget and is not in the numbers above.",
  },
  utc: "Days are UTC. A request counts on the day it came, once it has ended. Waits are within 5%.",
} as const;

export type UsageWords = Texts<typeof en>;

const zhCN: Texts<typeof en> = {
  title: "用量",
  counting: "较早的请求仍在统计中，数字目前偏低。请过几秒后刷新。",
  views: "分组",
  by: { server: "服务器", model: "模型", key: "密钥", day: "日期" },
  periods: "时间段",
  days: "{n} 天",
  own: "其他时间",
  show: "显示",
  whole: "按 {from} 至 {until} 的整天统计。",
  csv: "下载 CSV",
  requests: { server: "各服务器的请求", model: "各模型的请求", key: "各密钥的请求", day: "每天的请求" },
  legend: { allowed: "规则放行 {n}", approved: "人工批准 {n}", denied: "拒绝或过期 {n}", other: "失败、取消或拒收 {n}" },
  most: "最多 {n}",
  below: "线下：{what}",
  columns: {
    requests: "请求",
    approved: "批准",
    denied: "拒绝",
    failed: "失败",
    input: "输入 token",
    output: "输出 token",
    cost: "费用",
    wait: "等待 p50",
  },
  chart: "{from}至{to}（UTC）共 {total} 个请求，最多的一天是{at}：{n} 个。",
  unnamed: { server: "服务器未知", model: "未调用模型", key: "" },
  rest: "其他",
  restSays: "网关在账本的每个分片中每天最多区分 200 个名称，其余的计入此行。",
  total: "合计",
  more: "更多",
  first: "第一页",
  empty: "这段时间没有已结束的请求。",
  jurors: {
    title: "规则的陪审模型",
    rule: "规则",
    today: "今天已用",
    apart: "陪审模型在询问人员之前先被询问。其费用计入自己的预算，不在上面的数字中。",
  },
  utc: "日期按 UTC 计算。请求结束后计入其到达的那一天。等待时间误差不超过 5%。",
};

export const usageWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
