// Counts, times and amounts, in simplified Chinese.

import { numberWords } from "../by-intl.ts";

export const numbersZh = numberWords("zh-CN", {
  // The long ones are "秒钟", which nobody writes.
  units: "short",
  free: "免费",
  under: "不到 {cost}",
  bytes: "{n} 字节",
});

export const { clockTime, stampedTime, dollars, bytes } = numbersZh;
