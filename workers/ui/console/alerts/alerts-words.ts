// The words of the form that says who hears what of the gateway itself.

import type { Alerts } from "../../../../shared/policy/alert-terms.ts";
import type { Texts } from "../../../../shared/words/text.ts";
import type { FieldTexts } from "../fields.tsx";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Alerts",
  lead: "Who hears that something is wrong with the gateway: once when it begins and once when it ends, by their channels as for a review. An alert has nothing of any request.",
  told: "Alerts go to {to}.",
  nobodyTold: "Nobody is alerted.",
  done: { saved: "Saved. Alerts from now on go by it.", removed: "Nobody is alerted from now on." },
  remove: "Alert nobody",
  removeSays: "The policy is saved without its alerts. What began is not said to be over.",
  removeButton: "Alert nobody from now on",
  change: "Change who is alerted",
  now: "What fails now",
  reviewers: "Reviewers and their channels",
  json: "The policy as JSON",
  form: { add: "Who is alerted", edit: "Who is alerted", nameHint: "" },
  fields: {
    to: {
      label: "Reviewers and groups",
      hint: "Somebody whom no rule asks needs a group of their own. “Test”, on the page of reviewers, tries a channel.",
    },
    about: {
      label: "What they hear of",
      options: {
        providerFailing: "A provider fails",
        budgetUsedUp: "A budget refuses requests",
        nobodyReached: "A review reaches nobody",
        reviewsExpire: "Reviews expire",
      },
    },
    perHour: { label: "At most in an hour", hint: "Of more nobody hears; the next alert counts them." },
  } satisfies FieldTexts<Alerts, "to">,
} as const;

const zhCN: Texts<typeof en> = {
  title: "告警",
  lead: "网关自身出问题时通知谁：开始时一次，结束时一次，通过各人接收审核的渠道。告警不包含任何请求的内容。",
  told: "告警发送给 {to}。",
  nobodyTold: "没有人会收到告警。",
  done: { saved: "已保存。之后的告警按此发送。", removed: "今后没有人会收到告警。" },
  remove: "不再告警",
  removeSays: "保存的策略将不含告警。已开始的问题结束时不再通知。",
  removeButton: "今后不再告警",
  change: "更改告警对象",
  now: "当前故障",
  reviewers: "审核人及其渠道",
  json: "策略的 JSON",
  form: { add: "通知谁", edit: "通知谁", nameHint: "" },
  fields: {
    to: { label: "审核人和组", hint: "如果此人不在任何规则中，需要为其单设一个组。在审核人页面用“测试”检查渠道。" },
    about: {
      label: "通知内容",
      options: {
        providerFailing: "提供商出错",
        budgetUsedUp: "预算拒绝请求",
        nobodyReached: "审核无法通知到人",
        reviewsExpire: "审核过期",
      },
    },
    perHour: { label: "每小时最多", hint: "超出的不会发送，下一条告警会注明数量。" },
  },
};

export const alertsWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
