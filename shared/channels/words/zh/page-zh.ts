// Every sentence of the review page in simplified Chinese. What other channels say in the same
// words is in review-zh.ts, with the glossary; the pages around it are in page-answers-zh.ts.

import type { Gate } from "../../../model/gate.ts";
import type { Usage } from "../../../model/call.ts";
import type { Asking } from "../../../review/review-facts.ts";
import type { RunProgress } from "../../../review/view.ts";
import type { PluralForms } from "../plural-forms.ts";
import { pageAnswersZh } from "./page-answers-zh.ts";
import { pageGrantZh } from "./page-grant-zh.ts";
import { pageRedactionZh } from "./page-redaction-zh.ts";
import { pageWrittenZh } from "./page-written-zh.ts";
import { bytes, clockTime, counted, dollars, number, stampedTime } from "./page-numbers-zh.ts";

/** While it is open, and afterwards. */
type Tenses = { readonly now: string; readonly then: string };

const replies: Tenses = { now: "{model} 回复 {client}", then: "{model} 回复了 {client}" };

/** The page's heading. {caller} is the server and its tool. */
const headings: Readonly<Record<Asking, Readonly<Record<Gate, Tenses>>>> = {
  sampling: {
    request: { now: "{caller} 请求 {model}", then: "{caller} 请求了 {model}" },
    response: { now: "{model} 回复 {caller}", then: "{model} 回复了 {caller}" },
  },
  text: { request: { now: "{client} 请 {model} 生成文字", then: "{client} 曾请 {model} 生成文字" }, response: replies },
  translation: {
    request: { now: "{client} 请 {model} 翻译", then: "{client} 曾请 {model} 翻译" },
    response: { now: "{model} 为 {client} 翻译", then: "{model} 为 {client} 翻译了" },
  },
  embedding: {
    request: { now: "{client} 请 {model} 生成向量", then: "{client} 曾请 {model} 生成向量" },
    response: { now: "{model} 为 {client} 生成向量", then: "{model} 为 {client} 生成了向量" },
  },
  functionChoice: {
    request: { now: "{client} 请 {model} 选择函数", then: "{client} 曾请 {model} 选择函数" },
    response: { now: "{model} 为 {client} 选择函数", then: "{model} 为 {client} 选择了函数" },
  },
  multimodal: {
    request: { now: "{client} 请 {model} 解读图片", then: "{client} 曾请 {model} 解读图片" },
    response: replies,
  },
  function: {
    request: { now: "{client} 想在 {server} 上运行 {name}", then: "{client} 曾想在 {server} 上运行 {name}" },
    response: { now: "{name} 已在 {server} 上为 {client} 运行", then: "{name} 曾在 {server} 上为 {client} 运行" },
  },
};

const untrusted = " · 不可信文字";

const estimated = (usage: Usage): string => (usage.estimated === true ? "（估算）" : "");

const fromCache = ({ cachedInputTokens: cached }: Usage): string =>
  cached === undefined ? "" : `（其中 ${number(cached)} 来自提供商的缓存）`;

export const pageZh = {
  /** Of `<html lang>`, and of the script's plurals. */
  lang: "zh-CN",
  product: "Countersign",
  toDecision: "跳到决定",
  decideAs: "你的身份：",
  you: "你",
  headings,
  noModel: "（无模型）",
  steps: {
    label: "步骤",
    model: { asked: "提示词", served: "模型", answered: "回复" },
    run: { asked: "调用", served: "工具", answered: "结果" },
    vectors: { asked: "文字", served: "模型", answered: "向量" },
  },
  time: { clock: clockTime, stamp: stampedTime },
  dollars,
  strip: {
    expires: "{at} 截止，剩 {left}",
    upTo: "最多 {cost}",
    cost: "费用 {cost}",
    left: "剩 {left}",
    until: "{at} 截止",
    /** What the countdown's script says from an hour on. */
    hours: "{h} 小时 {m} 分",
  },
  warnings: {
    heading: (n: number): string => counted(n, "条警告"),
    all: { low: "低", medium: "中", high: "高" },
    some: { low: "低 {n}", medium: "中 {n}", high: "高 {n}" },
    inPrompt: "提示词中：{place}",
    place: "位置：{place}",
    none: "未发现",
  },
  facts: {
    heading: "详情",
    maxTokens: (n: number): string => `最多 ${number(n)} 个 token`,
    owner: "客户端所有者",
    model: "模型",
    answeredBy: "回复者",
    cost: "费用",
    warnings: "警告",
    differences: "与请求的差异",
    reviewers: "审核人",
    reviewersOf: (needed: number, of: number): string => `${number(of)} 人中需 ${number(needed)} 人批准：{names}`,
    rule: "规则",
    content: "内容",
    request: "请求",
    version: "版本 {version}，{run}，{digest}",
  },
  settings: {
    maxTokens: "最大 token 数",
    temperature: "温度",
    topP: "top_p",
    topK: "top_k",
    form: "回复格式",
    jsonSchema: "回复必须是符合此 schema 的 JSON：",
    toolChoice: "工具选择",
    parallelToolCalls: "一次回复中的工具调用",
    severalToolCalls: "数量不限",
    oneToolCall: "最多一个",
    metadata: "元数据",
    includeContext: "请求的上下文",
    preferences: "模型偏好",
    notSet: "未设置",
    hints: "偏好的模型：",
    priorities: "优先级：",
    stopReason: "结束原因",
    realModel: "提供商报告的名称",
    tokens: "token 数",
    usage: (usage: Usage): string =>
      `输入 ${number(usage.inputTokens)}${fromCache(usage)}，输出 ${number(usage.outputTokens)} 个 token${estimated(usage)}`,
    tokensRead: (usage: Usage): string => `输入 ${number(usage.inputTokens)} 个 token${estimated(usage)}`,
    was: "原为 {before}",
  },
  toolChoices: { auto: "由模型决定 (auto)", required: "必须使用工具 (required)", none: "不使用工具 (none)" },
  contexts: { none: "无", thisServer: "此服务器的上下文 (thisServer)", allServers: "所有服务器的上下文 (allServers)" },
  models: {
    heading: "模型",
    unaskedHeading: "原本会请求的模型",
    runsHeading: "运行于",
    unrunHeading: "原本会运行于",
    legend: "首选模型",
    order: "首选失败时，依次请求其他模型。除此之外，任何模型都不会收到。",
    knownAs: "{name}，提供商 {provider}",
    from: "提供商 {provider}",
  },
  changes: {
    changed: "已修改",
    byWhom: "{by} 修改了：{fields}",
    versionBy: "{by} 修改了内容，{at}",
    skipped: (lines: number): string => `${number(lines)} 行未改动，未显示`,
    removed: "删除",
    added: "新增",
    sent: { request: "将发送的文字：", response: "将交付的文字：" },
    closed: "修改后的文字：",
    preview: (n: number): string => (n === 0 ? "你没有修改任何内容。" : `${number(n)} 处修改：{fields}。`),
    undecided: "尚未作出任何决定。",
  },
  outside: {
    server: `来自 {server}${untrusted}`,
    serverAndUs: `来自 {server}，回复格式的说明由 Countersign 撰写${untrusted}`,
    serverAsAssistant: `来自 {server}，以模型口吻写成${untrusted}`,
    model: `来自 {model}${untrusted}`,
    client: `来自 {client}${untrusted}`,
    clientAndUs: `来自 {client}，任务说明由 Countersign 撰写${untrusted}`,
    clientAsAssistant: `来自 {client}，以模型口吻写成${untrusted}`,
    tool: `来自工具 {name}${untrusted}`,
    lineGoesOn: "本行未完",
    lines: (from: number, to: number, of: number): string => `第 ${number(from)}–${number(to)} 行，共 ${number(of)} 行`,
    size: (lines: number, characters: number): string => `${lines > 1 ? `${counted(lines, "行")}，` : ""}${counted(characters, "个字符")}`,
  },
  edit: {
    open: "编辑",
    undo: "撤销",
    limit: "只能调低。",
    removable: "留空即删除。",
    json: "JSON",
  },
  media: {
    image: (n: string, size: string): string => `${n}中的图片，${size}。Countersign 不检查图片内容。`,
    plain: "已重新编码；发出的正是这些字节。透明区域显示为白色。文字检查不读取图片。",
    audio: (n: string, size: string): string => `${n}中的音频，${size}`,
    unsafe: "此类图片不会显示。下面是它的源码。",
    unplayable: "本页无法显示或播放此类型，所以你还没有看到其内容。完整内容以 base64 列在下方。",
    notBase64: "这不是 base64，下面按收到的原样显示。",
    bytes,
  },
  decide: {
    heading: "决定",
    /** The button: {vote}, {changes} and {warnings} are the phrases below, or nothing. */
    approve: "批准{vote}{changes}{warnings}",
    vote: "（{vote}/{needed}）",
    withChanges: { other: "，含 {n} 处修改" } satisfies PluralForms,
    despite: { other: "，仍有 {n} 条警告" } satisfies PluralForms,
    /** What Approve does: {model}, {server} and {client} get it. */
    effect: {
      request: { same: "批准后发给 {model}。", changed: "批准后，把你修改的版本发给 {model}。" },
      response: { same: "批准后交付给 {to}。", changed: "批准后，把你修改的版本交付给 {to}。" },
      run: { same: "批准后在 {server} 上运行。", changed: "批准后，在 {server} 上运行你修改的版本。" },
    },
    moreVotes: (missing: number): string => (missing === 1 ? "还须由 {others} 批准。" : `还须由 {others} 中的 ${number(missing)} 人批准。`),
    preview: { request: "预览将发送的内容", response: "预览将交付的内容" },
    more: "更多选项",
    reason: "拒绝的原因（选填）",
    deny: "拒绝",
    notUndone: "拒绝不会撤销工具已执行的操作。",
    ownVote: "你已批准版本 {version}。你仍可拒绝：只要一人拒绝，审核即告结束。",
    lookAgain: "重新查看",
  },
  votes: {
    heading: "投票",
    approved: "{by} 已批准，{at}",
    soFar: "{by} 已批准，{votes}/{quorum}",
    waiting: "{who}：尚未表态",
  },
  own: {
    votedHeading: "你已批准",
    voted: (missing: number): string => (missing === 1 ? "还须由 {others} 批准。" : `还须由 {others} 中的 ${number(missing)} 人批准。`),
    leftHeading: "不再需要你决定",
    handedOver: "你已转交给 {to}，{at}。对方有自己的链接。你仍可在此查看，但不能决定。",
    notMine: "你已声明不归你审核，{at}。你不会再收到提醒。你仍可在此查看，但不能决定。",
  },
  recuse: {
    handOver: "转交",
    to: "转交给",
    note: "附言（选填）",
    handOverHint: "对方会收到自己的链接，并看到附言。之后你仍可在此查看，但不能决定。",
    notMine: "不归我审核",
    notMineHint: "你不会再收到提醒，其他审核人不受影响。如果剩下的审核人不足以批准，请求立即失败。",
    handedToYou: "{by} 转交给你，{at}",
  },
  live: {
    over: "你阅读期间，此审核已有决定或已结束。本页已过时，按钮不再有效。",
    seeOutcome: "查看结果",
    changed: "你阅读期间内容有变。本页已过时，显示的是旧版本。",
    seeNewVersion: "载入新版本；尚未提交的修改会丢失",
    /** With {by}: the names of those who approved, or of the person who changed it. */
    votedBy: "你阅读期间，{by} 已批准。",
    changedBy: "你阅读期间，{by} 修改了内容。本页显示的是旧版本。",
    voted: "你阅读期间又有一人批准。",
    approved: "你已在另一个页面批准。本页已过时。",
    left: "你已在另一个页面退出此审核。本页已过时。",
    reload: "重新载入本页；尚未提交的修改会丢失",
  },
  problem: { still: "你填写的内容仍在原处。" },
  /** The outcome: {by} is everybody whose vote made it. */
  states: {
    open: "进行中",
    voted: "等待更多人批准",
    approved: "{by} 已批准",
    approvedEdited: "{by} 修改后批准",
    denied: "{by} 已拒绝",
    expired: "已过期",
    expiredAt: "无人按时决定，已自动拒绝。",
    cancelled: "已撤回",
    failed: "失败",
    closedLink: "此审核已结束，你的链接不能再用来决定。",
    at: "时间：{at}。",
    why: "原因：{why}",
    reason: "原因：{reason}",
    replyLink: "如果回复也需要审核，链接会经同一渠道发来。",
    replyLinkSent: "链接会经同一渠道发来。",
  },
  /** From the approval of the request to the review of the reply, in the browser that approved. */
  next: {
    label: "进展",
    refresh: "刷新",
    close: "如果回复等你审核，会显示在这里。也可以关闭本页，链接会经同一渠道发来。",
    closeThere: "可以关闭本页，链接会经同一渠道发来。",
    model: {
      answers: "{model} 正在回复",
      answered: "{model} 已回复",
      mayWait: "回复可能需要审核",
      waits: "回复等你审核",
      review: "审核回复",
    },
    run: {
      answers: "{name} 正在 {server} 上运行",
      answered: "{name} 已在 {server} 上运行",
      mayWait: "结果可能需要审核",
      waits: "结果等你审核",
      review: "审核结果",
    },
  },
  prompt: { model: "已批准的提示词", run: "已运行的内容", vectors: "已批准的文字" },
  hidden: {
    reply: "此回复已被拒绝，没有交付，也不再显示。",
    run: "此结果已被拒绝，没有交付，也不再显示。工具已执行的操作不会撤销。",
  },
  missing: "没有可显示的回复。",
  counts: {
    systemPrompt: "系统提示词",
    messages: (n: number): string => counted(n, "条消息"),
    texts: (n: number): string => counted(n, "段文字"),
    arguments: "工具的参数",
    blocks: (n: number): string => counted(n, "个部分"),
  },
  pieces: {
    systemPrompt: "系统提示词",
    message: { user: "用户消息", assistant: "助手消息" },
    ordinal: "{n} · {title}",
    text: "文字",
    image: "图片",
    audio: "音频",
    toolUse: "{role}使用 {name}",
    assistant: "助手",
    model: "模型",
    id: "id {id}",
    toolResult: "{id} 的结果",
    failedToolResult: "{id} 的结果，标记为错误",
    run: "用这些参数运行 {name}",
    result: "结果",
    vectorText: (n: number, of: number): string => (of === 1 ? "将转成向量的文字" : `文字 ${n}/${of}，将转成向量`),
    moreVectors: (n: number): string => `另有 ${counted(n, "个向量")}`,
    vectorsLead: "这是每个向量开头的几个数字，已四舍五入。向量会原样交付，不能修改。",
    structured: "结构化内容",
    link: "资源链接（未抓取）",
    resource: "内嵌资源",
    tools: "工具",
    tool: "工具 {name}",
    schema: "{name} 的输入 schema",
    name: "名称",
    uri: "URI",
    mimeType: "类型",
    reply: "回复",
    replyPart: (n: number, of: number): string => (of === 1 ? "回复" : `回复，第 ${n} 部分`),
  },
  /** After the label `facts.askedBy`. Emails use it too. */
  askedBy: "请求方",
  whoAsks: "请求方",
  samplingAsks: "{server}，在处理 {client} 的 {method} {name} 时。",
  runNotice: "一经批准，工具就会运行：这是一次操作，而不是向模型提问。",
  functionChoiceNotice: "模型选择的函数会返回给客户端，或在登记它的服务器上运行。策略要求时，每次运行会单独审核。",
  /** The state of the run, on the page of a decided review. */
  progress: {
    waiting: "",
    generating: "正在请求模型。",
    responseReview: "模型已回复，回复等待审核。",
    completed: "回复已交付。",
    rejected: "已告知服务器：用户拒绝了请求。",
    expired: "已告知服务器：无人按时决定。",
    cancelled: "请求已撤回，不会再有后续。",
    failed: "已告知服务器：请求失败。",
  } satisfies Record<RunProgress, string>,
  clientProgress: {
    rejected: "已告知客户端：请求被拒绝。",
    expired: "已告知客户端：无人按时决定。",
    failed: "已告知客户端：请求失败。",
  } satisfies Partial<Record<RunProgress, string>>,
  runProgress: {
    generating: "工具正在运行。",
    responseReview: "工具已运行，结果等待审核。",
    completed: "结果已交付。",
  } satisfies Partial<Record<RunProgress, string>>,
  shortcuts: {
    open: "快捷键",
    heading: "键盘快捷键",
    keys: { a: "跳到“批准”", d: "打开“拒绝”，可写原因", e: "编辑第一段文字", Esc: "关闭菜单" },
    note: "按键只移动焦点，在按钮上按 Enter 才作出决定。",
  },
  ...pageGrantZh,
  ...pageWrittenZh,
  ...pageRedactionZh,
  ...pageAnswersZh,
} as const;
