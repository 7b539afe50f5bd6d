// The sentences of push notices that no other channel says, in simplified Chinese.

export const pushZh = {
  digest: "{n, # 项新审核}",
  still: "收件箱会显示其中哪些仍在等待。",
} as const;
