// How many vectors a reply has, in simplified Chinese.

export const vectorsZh = {
  none: "没有向量",
  alike: "{n} 个向量，每个 {most} 个数字",
  unlike: "{n} 个向量，每个 {least} 到 {most} 个数字",
} as const;
