// Every sentence of our Slack messages and dialogs, in simplified Chinese. What other channels say
// in the same words is in review-zh.ts.

import type { Gate } from "../../../model/gate.ts";
import type { ContentKind } from "../../../model/subject/subject.ts";
import { ordinalsIn } from "../../../review/editable-fields.ts";
import { counted, number } from "./page-numbers-zh.ts";
import { reviewZh } from "./review-zh.ts";

const places = {
  systemPrompt: "系统提示词",
  maxTokens: "最大 token 数（只能调低）",
  temperature: "温度",
  stopSequence: (n: number): string => `停止序列 ${n}`,
  message: (n: number, of: number, role: string): string => `消息 ${n}/${of}，${role}`,
  text: (n: number, of: number): string => `文字 ${n}/${of}，将转成向量`,
  call: "将要运行的内容",
  arguments: "参数",
  toolUse: "工具调用",
  result: "结果",
  structured: "结果的结构化内容",
  vectors: "向量",
  schema: "回复必须符合的 schema",
  part: (n: number): string => `，第 ${n} 部分`,
  reply: "回复",
  other: "文字",
} as const;

/** The label of an editable field, from its path. */
function field(path: string, gate: Gate, kind?: ContentKind): string {
  const [first = 0, second = 0] = ordinalsIn(path);
  if (path === "/arguments") return places.arguments;
  if (kind === "toolCall")
    return path.endsWith("/structuredContent") ? places.structured : places.result + (first > 1 ? places.part(first) : "");
  if (kind === "embedding" && path.startsWith("/messages/")) return `文字 ${first}`;
  if (path === "/systemPrompt") return places.systemPrompt;
  if (path === "/maxTokens") return places.maxTokens;
  if (path === "/temperature") return places.temperature;
  if (path.startsWith("/stopSequences/")) return places.stopSequence(first);
  if (path.startsWith("/messages/")) return `消息 ${first}${places.part(second)}`;
  return gate === "response" ? `${places.reply}${places.part(first)}` : places.other;
}

export const slackZh = {
  cut: "⟨已截断⟩",
  /** Several reviews in one message. */
  digest: {
    why: "这些审核来得太密集，因此合并成一条消息。每项审核有各自的页面。",
    gates: { request: "审核请求", response: "审核回复" } satisfies Record<Gate, string>,
    deadline: "。请在 {at} 前决定。",
  },
  request: {
    exactly: "批准后，只发送此处显示的内容，先发给第一个模型，失败时才发给下一个。",
    exactlyOne: "批准后，只发送此处显示的内容，只发给这个模型。",
    denyTitle: "拒绝此请求",
    editTitle: "编辑此请求",
  },
  response: {
    exactly: "批准后，原样交付此回复。已批准的提示词可点“打开”查看。",
    exactlyOne: "批准后，原样交付此回复。已批准的提示词可点“打开”查看。",
    denyTitle: "拒绝此回复",
    editTitle: "编辑此回复",
  },
  asked: {
    asked: "请你决定。",
    escalated: "尚无人决定，现在也请你决定。",
    handedOver: "此审核已转交给你。",
  },
  facts: {
    model: "发给 {provider} 的 {model}，{cost}",
    next: "失败时改用 {provider} 的 {model}，{cost}",
    runs: "在 {server} 上运行，名为 {model}。{why}",
    answered: "由 {model} 回复，自报名称 {name}",
    written: "回复由 {by} 撰写，不请求任何模型",
    ran: "由 {model} 运行",
    stopped: "结束原因：{reason}",
    cost: (words: string): string => `费用：${words}`,
    worstCost: (words: string): string => `最高费用：${words}`,
    settings: (maxTokens: number): string => `最大 token 数：${number(maxTokens)}`,
    temperature: (value: number): string => `温度：${value}`,
    topP: (value: number): string => `top_p ${value}`,
    topK: (value: number): string => `top_k ${value}`,
    jsonSchema: "回复必须是符合下方 schema 的 JSON。",
    jsonSchemaBehind: "回复必须是符合 schema 的 JSON，schema 可点“打开”查看。",
    toolChoice: (value: string): string => `工具选择：${value}`,
    version: "版本 {version}，由 {by} 修改。改动处可点“打开”查看。",
    reviewer: "发给 {reviewer}，依据规则 {rule}",
    channel: "在此频道或“打开”的页面中作出的决定，均以 {reviewer} 的身份生效。",
    quorum: (votes: number, quorum: number): string => `需 ${number(quorum)} 人批准，目前 ${number(votes)} 人已批准。`,
    note: "与请求不同：{note}",
  },
  risks: { more: (n: number): string => `另有 ${number(n)} 条，可点“打开”查看` },
  unseen: "不可见字符以名称写在 ⟨ ⟩ 中。",
  hidden: {
    heading: "此处未显示全部内容，因此不能在此批准。未显示：",
    byPolicy: "策略不允许在 Slack 中显示内容，因此不能在此批准。内容为：",
    tooLong: "内容太长，Slack 放不下，因此不能在此批准。内容为：",
    noButtons: "此频道的 webhook 没有按钮，因此不能在此批准。请到页面操作。",
    characters: reviewZh.counts.characters,
    image: reviewZh.counts.images,
    audio: reviewZh.counts.audio,
    tool: reviewZh.counts.tools,
    toolUse: (n: number): string => counted(n, "次工具调用"),
    toolResult: (n: number): string => counted(n, "个工具结果"),
    vector: (n: number): string => counted(n, "个向量"),
    file: (n: number): string => counted(n, "个文件"),
    metadata: (): string => "元数据",
    secret: (n: number): string => counted(n, "段疑似密钥或口令的文字"),
    model: (n: number): string => counted(n, "个可能使用的模型"),
    risk: (n: number): string => counted(n, "条警告"),
    name: (n: number): string => counted(n, "个长名称的末尾"),
    written: (): string => "审核人写的回复",
    masked: (count: number): string => `${number(count)} 处在此遮盖的内容`,
    text: (n: number): string => counted(n, "段完整文字"),
    open: "。点“打开”可查看全部。",
  },
  standing: {
    voted: "你已批准，正在等待其他人。",
  },
  buttons: { edit: "编辑…", deny: "拒绝…", open: "打开" },
  link: "打开审核",
  reminder: {
    title: "仍有审核待处理",
    line: "尚无人决定。详情见上方消息。",
  },
  ended: {
    handedOver: "已转交",
    notMine: "不再归你审核",
    closed: "不归你决定",
    replaced: "已重新通知",
    keyRevokedAt: "请求所用的 API 密钥已被撤销，{at}。不会再发送或交付任何内容，无需决定。",
    keyExpiredAt: "请求所用的 API 密钥已过期，{at}。不会再发送或交付任何内容，无需决定。",
    handedOverTo: "你已转交给 {to}，{at}。",
    notMineAt: "你已声明不归你审核，{at}。",
    closedLine: "此事不再需要你决定。",
    replacedLine: "已就此事重新通知你，请看较新的消息。",
    what: "内容：",
  },
  modal: {
    cancel: "取消",
    close: "关闭",
    deny: "拒绝",
    longest: (characters: number): string => `最多 ${number(characters)} 个字符。`,
    reason: "原因（选填）",
    edit: "这是版本 {version}。批准后，只发送这些字段中的内容。",
    editRun: "这是版本 {version}。批准后，先按工具的 schema 检查，再按这些字段中的内容运行。",
    editReply: "这是版本 {version}。批准后，只交付这些字段中的内容。",
    outcome: "尚未作出任何决定",
  },
  places,
  field,
  /** Where a tool runs. */
  run: {
    request: {
      exactly: "批准后，按此处显示的内容运行，先在第一个服务器上运行，失败时才换下一个。",
      exactlyOne: "批准后，按此处显示的内容运行，只在这个服务器上运行。",
      denyTitle: "拒绝运行",
      editTitle: "编辑参数",
    },
    response: {
      exactly: "批准后，原样交付此结果。运行的内容可点“打开”查看；拒绝不会撤销已执行的操作。",
      exactlyOne: "批准后，原样交付此结果。运行的内容可点“打开”查看；拒绝不会撤销已执行的操作。",
      denyTitle: "拒绝此结果",
      editTitle: "编辑此结果",
    },
  },
  /** Messages that only the member who pressed a button sees. */
  tell: {
    notYours: "你不在可决定此事的审核人之列。尚未作出任何决定。",
    stale: "此消息发出后，内容有变。尚未作出任何决定；请查看新版本后再决定。",
    openPersonalLink: "不能在此决定。请打开页面，在那里决定。",
    tooLongToEdit: "在 Slack 中编辑会改动你看不到的内容，因此不可行。请打开页面编辑。",
    dialogFailed: "Slack 未能及时打开对话框。尚未作出任何决定；请再按一次按钮，或打开审核页面。",
    invalidEdit: "部分修改不可用。尚未作出任何决定；请打开审核页面查看是哪些。",
    oldMessage: "这是旧消息。尚未作出任何决定；请使用最新的一条。",
  },
} as const;
