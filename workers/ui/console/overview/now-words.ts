// What the overview and its page say about what fails now.

import type { InLanguages } from "../page.ts";
import type { Texts } from "../../../../shared/words/text.ts";

const en = {
  title: "Failing now",
  asOf: "last 5 minutes, as of {at}",
  fails: "{name} fails",
  ofCalls: "{failed} of {n, # model call/# model calls} failed in the last 5 minutes.",
  ofRequests: "{failed} of {n, # request/# requests} failed in the last 5 minutes.",
  expired: "{n, # review/# reviews} expired in the last 5 minutes.",
  undeliverable: "{n, # review/# reviews} reached nobody in the last 5 minutes.",
  show: "Show requests",
  showModels: "Show its models",
  none: "Nothing fails now.",
  isPartial: "More happened than can be told apart: these are not all.",
  lists: { providers: "Providers, last hour", models: "Models, last hour", servers: "Servers, last hour" },
  noCalls: "No model call in the last hour.",
  noRequests: "No request in the last hour.",
  line: "{failed} of {n} failed",
  tag: "fails",
  times: "p50 {p50}, p95 {p95}",
  all: "Failures and times of the hour",
  columns: {
    name: "Name",
    now: "Failed, 5 min",
    hour: "Failed, 1 hour",
    rate: "Rate",
    p50: "p50",
    p95: "p95",
    last: "Last failure",
  },
  of: "{failed} of {n}",
  modelsOf: "Models of {provider}",
  everything: "All providers",
  lead: "Model calls count for providers and models, each attempt by itself; requests count for servers. Times are those of what succeeded, without people’s time.",
  back: "Overview",
} as const;

type NowWords = Texts<typeof en>;

const zhCN: Texts<typeof en> = {
  title: "当前故障",
  asOf: "最近 5 分钟，截至 {at}",
  fails: "{name} 出错",
  ofCalls: "最近 5 分钟 {n} 次模型调用中有 {failed} 次失败。",
  ofRequests: "最近 5 分钟 {n} 个请求中有 {failed} 个失败。",
  expired: "最近 5 分钟有 {n} 个审核过期。",
  undeliverable: "最近 5 分钟有 {n} 个审核未能通知任何人。",
  show: "查看请求",
  showModels: "查看其模型",
  none: "目前没有故障。",
  isPartial: "发生的情况多于可区分的数量，此处并非全部。",
  lists: { providers: "提供商，最近一小时", models: "模型，最近一小时", servers: "服务器，最近一小时" },
  noCalls: "最近一小时没有模型调用。",
  noRequests: "最近一小时没有请求。",
  line: "{n} 次中 {failed} 次失败",
  tag: "出错",
  times: "p50 {p50}，p95 {p95}",
  all: "一小时内的失败与耗时",
  columns: {
    name: "名称",
    now: "失败（5 分钟）",
    hour: "失败（1 小时）",
    rate: "失败率",
    p50: "p50",
    p95: "p95",
    last: "最近一次失败",
  },
  of: "{failed} / {n}",
  modelsOf: "{provider} 的模型",
  everything: "所有提供商",
  lead: "提供商和模型按模型调用计数，每次尝试单独计；服务器按请求计数。耗时只计成功的，不含人工时间。",
  back: "概览",
};

export const nowWords: InLanguages<NowWords> = { en, "zh-CN": zhCN };
