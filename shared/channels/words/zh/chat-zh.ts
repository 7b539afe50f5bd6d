// What only the chats say in which nothing can be decided, in simplified Chinese.

export const chatZh = {
  room: "任何人从此频道打开审核，都以 {reviewer} 的身份决定：只算一票，不记个人姓名。",
  because: "依据策略中的规则 {rule} 请求审核。",
  noExcerpt: "策略不允许在通知中显示内容。请到页面查看。",
  page: "批准、编辑和拒绝都在页面上进行，不能在 {channel} 中决定。",
} as const;
