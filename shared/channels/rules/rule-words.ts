// The words of a rule's sentences. `{value}` is a place for a value, and what stands between two
// `*` is stressed.

import type { Wanted } from "../../policy/conditions.ts";
import type { Language } from "../words/languages.ts";

/**
 * The words of a condition by its value: some for each value that it may have, or one sentence with
 * a place for it. Of an object, one sentence with places for its members, or words for each member.
 */
type WordsFor<Value> = [Value] extends [boolean]
  ? { readonly yes: string; readonly no: string }
  : [Value] extends [number]
    ? string
    : [Value] extends [string]
      ? string extends Value
        ? string
        : Readonly<Record<Value, string>>
      : string | { readonly [Member in keyof Value]-?: WordsFor<NonNullable<Value[Member]>> };

/**
 * A condition without words does not compile. Of a list, rule-sentence.ts says which it uses; those
 * of a subject are with its other words (`kinds-en.ts`).
 */
type ConditionWords = {
  readonly [Name in Exclude<keyof Wanted, "subject">]: Wanted[Name] extends readonly unknown[] ? object : WordsFor<Wanted[Name]>;
};

const en = {
  if: "if {conditions}, {act}",
  /** Between conditions; "": as the language lists things. */
  and: "",
  always: "for every request: ",
  nobody: "nobody",
  space: " ",
  when: {
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
    arguments: {
      equals: "the argument {pointer} is {value}",
      oneOf: "the argument {pointer} is one of {value}",
      glob: "the argument {pointer} matches {value}",
      over: "the argument {pointer} is over {value}",
      under: "the argument {pointer} is under {value}",
      present: { yes: "the argument {pointer} is *given*", no: "the argument {pointer} is *not given*" },
    },
    annotations: {
      readOnly: { yes: "the tool *only reads*", no: "the tool *may change something*" },
      destructive: { yes: "the tool *may destroy something*", no: "the tool *destroys nothing*" },
      openWorld: { yes: "the tool *reaches the outside world*", no: "the tool *reaches its own system alone*" },
    },
    firstUse: { yes: "the API key calls the tool *for the first time*", no: "the API key *has called the tool before*" },
    definitionChanged: { yes: "the tool's definition *has changed*", no: "the tool's definition *has not changed*" },
  } satisfies ConditionWords,
  then: {
    refuse: "*refuse* it.",
    owner: "the API key's owner",
    askIfWarned: {
      low: "Ask {people} about a {reply} with any warning.",
      medium: "Ask {people} about a {reply} with a medium or high warning.",
      high: "Ask {people} about a {reply} with a high warning.",
    },
    shadow: "*In shadow*: nobody is asked, the record says who would have been, and the rules after it decide.",
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
    signedIn: "Only reviewers who are signed in see it and decide.",
    passkey: "Each approval needs the reviewer's passkey.",
    tellReason: "The server is told why a request was denied.",
    tellAuthor: "A reply that a reviewer wrote has the reviewer's name.",
    context: "The server may include its own context.",
    timeoutCoversReview: "The request's timeout includes the review.",
    cheaper: "If a budget is short, a cheaper model may answer.",
    receipt: "A receipt goes with the answer.",
    juror: {
      raises: "The model {model} is asked first; *people are asked* only about what it does not let pass.",
      passes: "The model {model} is asked first, and may *let {count} calls an hour pass*.",
    },
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
    arguments: {
      equals: "参数 {pointer} 是 {value}",
      oneOf: "参数 {pointer} 是 {value} 之一",
      glob: "参数 {pointer} 匹配 {value}",
      over: "参数 {pointer} 大于 {value}",
      under: "参数 {pointer} 小于 {value}",
      present: { yes: "*给出了*参数 {pointer}", no: "*没有*参数 {pointer}" },
    },
    annotations: {
      readOnly: { yes: "工具*只读取*", no: "工具*可能更改内容*" },
      destructive: { yes: "工具*可能造成破坏*", no: "工具*不会造成破坏*" },
      openWorld: { yes: "工具*会接触外部*", no: "工具*只接触自己的系统*" },
    },
    firstUse: { yes: "API 密钥*首次调用*该工具", no: "API 密钥*曾调用*该工具" },
    definitionChanged: { yes: "工具的定义*已更改*", no: "工具的定义*未更改*" },
  },
  then: {
    refuse: "*拒绝*该请求。",
    owner: "API 密钥所有者",
    askIfWarned: {
      low: "{reply}有任何警告时，由 {people} 审核。",
      medium: "{reply}有中级或高级警告时，由 {people} 审核。",
      high: "{reply}有高级警告时，由 {people} 审核。",
    },
    shadow: "*仅作影子规则*：不询问任何人，记录中写明本会询问谁，由其后的规则决定。",
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
    signedIn: "只有已登录的审核人才能查看和决定。",
    passkey: "每次批准都需要审核人的通行密钥。",
    tellAuthor: "审核人撰写的回复会署名。",
    context: "服务器可以加入自己的上下文。",
    timeoutCoversReview: "请求的超时包含审核时间。",
    cheaper: "预算不足时，可由更便宜的模型回复。",
    receipt: "答复附带凭据。",
    juror: {
      raises: "先询问模型 {model}，*只有它没有放行的调用才由人审核*。",
      passes: "先询问模型 {model}，它*每小时可以放行 {count} 个调用*。",
    },
  },
};

export const ruleWords: Readonly<Record<Language, RuleWords>> = { en, "zh-CN": zhCN };
