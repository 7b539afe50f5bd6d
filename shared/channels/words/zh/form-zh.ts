// What every channel says of a form in the same words, in simplified Chinese.

import type { Gate } from "../../../model/gate.ts";

const gate = { lead: "服务器在等待回答。", content: "它的问题", approve: "回答" } as const;

export const formZh = {
  gates: { request: gate, response: gate } satisfies Record<Gate, object>,
  silence: "{at} 前无人回答，服务器会得知无人回答。",
  /** In a chat, where nothing can be filled in. */
  open: "请打开页面回答。在这里无法回答。",
  ended: {
    titles: { approved: "已回答", denied: "已谢绝", expired: "已过期" },
    approved: "{by} 于 {at} 回答。",
    denied: "{by} 于 {at} 谢绝。",
    expired: "{at} 前无人回答。服务器已得知无人回答。",
  },
  /** What is wrong with what was typed into a field. */
  fault: {
    missing: "这一项必填。",
    notNumber: "这里必须是数字。",
    notWholeNumber: "这里必须是整数。",
    notOffered: "请从列表中选择。",
    unfit: "这不符合服务器的要求。",
    tooShort: "这里至少要有 {n} 个字符。",
    tooLong: "这里最多只能有 {n} 个字符。",
    tooFew: "请至少选择 {n} 项。",
    tooMany: "最多只能选择 {n} 项。",
    tooSmall: "这里必须大于等于 {limit}。",
    tooLarge: "这里必须小于等于 {limit}。",
    notOfFormat: {
      email: "这里必须是电子邮件地址。",
      uri: "这里必须是网址，例如 {example}。",
      date: "这里必须是日期，例如 {example}。",
      "date-time": "这里必须是日期和时间，例如 {example}。",
    },
  },
} as const;
