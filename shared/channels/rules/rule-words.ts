// The words of a rule's sentences. `{value}` is a place for a value, and what stands between two
// `*` is stressed.

import type { Language } from "../words/languages.ts";

const en = {
  if: "if {conditions}, {act}",
  /** Between conditions; "": as the language lists things. */
  and: "",
  always: "for every request: ",
  nobody: "nobody",
  space: " ",
  when: {
    subject: { message: "a *model* is asked", toolCall: "a *tool* is called", form: "a server asks for a *form*" },
    server: "the server is {value}",
    tool: "the tool is {value}",
    method: "the client's request is {value}",
    key: "the API key is {value}",
    model: "the model is {value}",
    provenance: {
      claimed: "the client *only reports* where it comes from",
      inferred: "where it comes from is *only inferred*",
      observed: "the relay *saw* where it comes from",
      own: "the client *asks for itself*",
    },
    hasMedia: { yes: "it has *images, audio or files*", no: "it has *no images, audio or files*" },
    hasTools: { yes: "it offers or uses *tools*", no: "it offers *no tools*" },
    maxTokensOver: "the reply may have more than {value} tokens",
    costOverUsd: "it can cost over {value}",
    risk: {
      low: "it has *any warning*",
      medium: "it has a *medium or high* warning",
      high: "it has a *high* warning",
    },
  },
  then: {
    refuse: "*refuse* it.",
    allow: "*allow* prompt and reply.",
    askBoth: "ask {people} about prompt and reply.",
    askPrompt: "ask {people} about the prompt. *Allow the reply.*",
    askReply: "*allow the prompt*. Ask {people} about the reply.",
    askIfWarned: {
      low: "Ask {people} about a reply with any warning.",
      medium: "Ask {people} about a reply with a medium or high warning.",
      high: "Ask {people} about a reply with a high warning.",
    },
    one: "1 approves.",
    quorum: "{count} approve.",
    remind: "Remind after {times}.",
    escalate: "After {time} ask {people} too.",
    expires: "Expires in {time}.",
    notOwn: "Nobody approves their own request.",
    grants: {
      tool: "Reviewers may always allow requests of the same tool.",
      server: "Reviewers may always allow requests of the same server.",
      key: "Reviewers may always allow requests of the same API key.",
    },
    grantsInferred: "They may also where the tool is only inferred.",
    keptReplies: "A kept reply serves identical requests of any tool of the server.",
    handOver: "It may be handed to {people}.",
    noHandOver: "It cannot be handed over.",
    excerpt: "Notices show the beginning.",
    tellReason: "The server is told why a request was denied.",
    tellAuthor: "A reply that a reviewer wrote has the reviewer's name.",
    context: "The server may include its own context.",
    timeoutCoversReview: "The request's timeout includes the review.",
    cheaper: "If a budget is short, a cheaper model may answer.",
  },
};

export type RuleWords = typeof en;

const zhCN: RuleWords = {
  if: "如果{conditions}，{act}",
  and: "，且",
  always: "对每个请求：",
  nobody: "无人",
  space: "",
  when: {
    subject: { message: "请求*模型*", toolCall: "调用*工具*", form: "服务器请求填写*表单*" },
    server: "服务器是 {value}",
    tool: "工具是 {value}",
    method: "客户端的请求是 {value}",
    key: "API 密钥是 {value}",
    model: "模型是 {value}",
    provenance: {
      claimed: "来源*仅由客户端报告*",
      inferred: "来源*仅为推断*",
      observed: "来源由中继*亲自观察*",
      own: "客户端*为自己请求*",
    },
    hasMedia: { yes: "包含*图片、音频或文件*", no: "*不含图片、音频或文件*" },
    hasTools: { yes: "提供或使用*工具*", no: "*不提供工具*" },
    maxTokensOver: "回复上限超过 {value} 个 token",
    costOverUsd: "费用可能超过 {value}",
    risk: { low: "有*任何警告*", medium: "有*中级或高级*警告", high: "有*高级*警告" },
  },
  then: {
    refuse: "*拒绝*该请求。",
    allow: "*放行*提示和回复。",
    askBoth: "提示和回复均由 {people} 审核。",
    askPrompt: "提示由 {people} 审核，*放行回复*。",
    askReply: "*放行提示*，回复由 {people} 审核。",
    askIfWarned: {
      low: "回复有任何警告时，由 {people} 审核。",
      medium: "回复有中级或高级警告时，由 {people} 审核。",
      high: "回复有高级警告时，由 {people} 审核。",
    },
    one: "需 1 人批准。",
    quorum: "需 {count} 人批准。",
    remind: "{times}后提醒。",
    escalate: "{time}后同时请 {people} 审核。",
    expires: "{time}后过期。",
    notOwn: "不得批准自己的请求。",
    grants: {
      tool: "审核人可以始终放行同一工具的请求。",
      server: "审核人可以始终放行同一服务器的请求。",
      key: "审核人可以始终放行同一 API 密钥的请求。",
    },
    grantsInferred: "工具仅为推断时也可以。",
    keptReplies: "保留的回复可用于同一服务器任何工具的相同请求。",
    handOver: "可移交给 {people}。",
    noHandOver: "不可移交。",
    excerpt: "通知会显示开头部分。",
    tellReason: "被拒绝时告知服务器原因。",
    tellAuthor: "审核人撰写的回复会署名。",
    context: "服务器可以加入自己的上下文。",
    timeoutCoversReview: "请求的超时包含审核时间。",
    cheaper: "预算不足时，可由更便宜的模型回复。",
  },
};

export const ruleWords: Readonly<Record<Language, RuleWords>> = { en, "zh-CN": zhCN };
