// The line that says what a notice is about, in simplified Chinese: for a subject, a header, a
// fallback text or a title.

import type { Gate } from "../../../model/gate.ts";
import type { RequestKind } from "../../../review/review-facts.ts";

const noticeReply = "{model} 回复 {client}";

const noticeWhat: Readonly<Record<RequestKind, Readonly<Record<Gate, string>>>> = {
  sampling: { request: "{server} · {name} 请求 {model}", response: "{model} 回复 {server} · {name}" },
  text: { request: "{client} 请 {model} 生成文字", response: noticeReply },
  translation: { request: "{client} 请 {model} 翻译", response: noticeReply },
  embedding: { request: "{client} 请 {model} 生成向量", response: noticeReply },
  functionChoice: { request: "{client} 请 {model} 选择函数", response: noticeReply },
  multimodal: { request: "{client} 请 {model} 解读图片", response: noticeReply },
  toolCall: { request: "{client} 想在 {server} 上运行 {name}", response: "{server} 上的 {name} 回复 {client}" },
  form: { request: "{server} · {name} 向你提问", response: "给 {server} 的填写结果" },
  address: { request: "{server} · {name} 请你打开一个网址", response: "给 {server} 的填写结果" },
};

export const noticeZh = {
  what: noticeWhat,
  noModel: "模型",
  until: "{time} 截止",
  /** How much time is left, in its largest unit. */
  left: { second: "{n}秒", minute: "{n}分钟", hour: "{n}小时", day: "{n}天" },
  passed: "已过截止时间",
  warnings: "{n} 条警告",
} as const;
