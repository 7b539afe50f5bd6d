// What emails and chats say around the beginning of the content, in simplified Chinese.

export const excerptZh = {
  heading: "开头部分",
  rule: "不可信内容。链接已停用，不可见字符写成 ⟨标签⟩。",
  start: {
    systemPrompt: "来自服务器：系统提示词",
    user: "来自服务器：用户消息",
    text: "来自服务器：将转成向量的文字",
    assistant: "来自服务器：以模型口吻写的消息",
    toolResult: "来自服务器：工具结果",
    inputResponses: "来自客户端：对服务器的回答",
    reply: "来自模型：回复",
    vectors: "来自模型：向量",
  },
  formatted: "来自服务器（回复格式的说明由 Countersign 撰写）：系统提示词",
  ownStart: {
    systemPrompt: "来自客户端（任务说明由 Countersign 撰写）：系统提示词",
    user: "来自客户端：用户消息",
    text: "来自客户端：将转成向量的文字",
    assistant: "来自客户端：以模型口吻写的消息",
    toolResult: "来自客户端：工具结果",
  },
  end: "外部内容到此为止",
  more: "另有 {n} 个字符和所有非文字内容，见页面。",
  all: "文字已全部列出。非文字内容见页面。",
  nothing: "没有可显示的文字。内容见页面。",
  none: "策略不允许在邮件中显示内容。请到页面查看。",
  later: "内容见页面。",
  cut: "… 另有 {n} 个字符",
  tab: "制表符",
} as const;
