// What every channel says of a form in the same words, in simplified Chinese.

export const formZh = {
  open: "请打开页面回答。在这里无法回答。",
  ended: {
    titles: { approved: "已回答", denied: "已谢绝", expired: "已过期" },
    approved: "{by} 于 {at} 回答。",
    denied: "{by} 于 {at} 谢绝。",
    expired: "{at} 前无人回答。服务器已得知无人回答。",
  },
} as const;
