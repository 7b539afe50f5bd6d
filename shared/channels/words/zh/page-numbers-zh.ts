// Counts, times and amounts, in simplified Chinese.

import { numberWords } from "../by-intl.ts";

export const numbersZh = numberWords("zh-CN", {
  // The long ones are "秒钟", which nobody writes.
  units: "short",
  free: "免费",
  under: "不到 {cost}",
  bytes: "{n} 字节",
});

export const { number, clockTime, stampedTime, span, dollars, bytes } = numbersZh;

/** A number with its measure word: "3 条消息". Chinese has no plural. */
export const counted = (n: number, what: string): string => `${number(n)} ${what}`;
