// The line that says what a notice is about, in simplified Chinese: for a subject, a header, a
// fallback text or a title.

export const noticeZh = {
  noModel: "模型",
  until: "{time} 截止",
  left: { second: "{n}秒", minute: "{n}分钟", hour: "{n}小时", day: "{n}天" },
  passed: "已过截止时间",
  warnings: "{n} 条警告",
} as const;
