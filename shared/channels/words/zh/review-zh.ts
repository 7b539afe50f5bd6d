// What every channel says of a review in the same words, in simplified Chinese.
//
// The words that stand for one thing everywhere:
//
//   request 请求 · reply, response 回复 · result 结果 · prompt 提示词 · message 消息
//   token(s) token · model 模型 · tool 工具
//   server 服务器 · client 客户端 · requestor 请求方 · provider 提供商 · gateway 网关
//   session 会话 · API key API 密钥
//   review 审核 · reviewer 审核人 · approve 批准 · deny 拒绝 · decide 决定 · vote 票
//   hand over 转交 · deadline 截止 · expire 过期
//   allow later requests, grant 放行 · revoke 撤销 · withdrawn 已撤回
//   deliver 交付 · policy 策略 · rule 规则 · operator 管理员
//   warning 警告 · invisible character 不可见字符 · vector 向量 · cache 缓存
//   secret 密钥或口令 · untrusted 不可信 · unverified 未核实
//   system prompt 系统提示词 · temperature 温度 · stop sequence 停止序列
//   metadata 元数据 · response format 回复格式
//   finish reason 结束原因 · structured content 结构化内容
//   write the reply yourself 自己写回复 · inbox 收件箱
//
// Countersign, Slack, MCP, JSON, base64, the names of methods, fields and providers stay as they
// are. A reviewer is 你. Chinese text and Latin words or digits have a space between them;
// punctuation is full-width.
//
// `{name}` in a sentence is a place: the renderer puts a value there, and marks what came from
// outside.

import type { KeyEnd } from "../../../model/gate.ts";
import type { CancelCause } from "../../../model/outcome.ts";
import type { UndeliverableCause } from "../../../review/decision.ts";
import type { AssociationConfidence } from "../../../review/review-facts.ts";
import type { ReviewState } from "../../../review/view.ts";
import { formZh } from "./form-zh.ts";
import { kindsZh } from "./kinds-zh.ts";
import { noticeZh } from "./notice-zh.ts";
import { riskLevelsZh, riskZh } from "./risk-zh.ts";
import { vectorsZh } from "../../../words/zh/vectors-zh.ts";
import { whyZh } from "../../../words/zh/why-zh.ts";

const editFault = {
  notJson: "这不是有效的 JSON。文本要放在引号里。",
  notObject: "这里必须仍是 JSON 对象：{ … }。",
  empty: "这段文字不能为空。如果什么都不该发送，请拒绝请求。",
  repeatedMember: "有一个成员写了两次，请只保留一个。",
  notWholeNumber: "这里必须是大于等于 1 的整数。",
  notNumber: "这里必须是数字（例如 0.7），或留空。",
  raised: "只能调低；请求的值是 {requested}。",
  unknownField: "表单中有此内容没有的字段。",
  invalidRequest: "修改之后，这不再是有效的 sampling 请求。",
  invalidReply: "修改之后，这不再是有效的回复。",
  modelNotListed: "这个模型不能处理此请求，请从列表中选择。",
  notWritable: "此处不能自己写回复。",
  blankReply: "请先写回复。",
  notRequestedJson: "这里必须仍是 JSON：这是请求的要求。",
  notRequestedSchema: "这里必须仍是符合提示词中 schema 的 JSON：这是请求的要求。",
} as const;

const jsonFault = {
  surrogate: "其中有单独的代理码元，不是完整的字符。",
  surrogateName: "其中有成员的名称含单独的代理码元。",
  reservedName: "其中有成员名为 __proto__，不被接受。",
  hugeNumber: "其中有过大的数字。",
  depth: "嵌套超过 64 层。",
  notJson: "这不是有效的 JSON。",
} as const;

const fieldFault = {
  missing: "这一项必填。",
  wrongType: "这里必须是{types}。",
  or: "或",
  types: {
    string: "文本",
    number: "数字",
    integer: "整数",
    boolean: " true 或 false",
    object: " JSON 对象",
    array: "列表",
    null: " null",
  },
  notOffered: "请从列表中选择。",
  notAllowed: "服务器不允许这一项。",
  repeatedItem: "有两项相同，请只保留一项。",
  noMatch: "这不匹配服务器给出的模式。",
  unfit: "这不符合服务器的要求。",
  tooMuchWork: "检查这一项的工作量过大。",
  tooShort: "这里至少要有 {n} 个字符。",
  tooLong: "这里最多只能有 {n} 个字符。",
  tooFew: "至少需要 {n} 项。",
  tooMany: "最多只能有 {n} 项。",
  tooSmall: "这里必须大于等于 {limit}。",
  tooLarge: "这里必须小于等于 {limit}。",
  notAbove: "这里必须大于 {limit}。",
  notBelow: "这里必须小于 {limit}。",
  notMultiple: "这里必须是 {limit} 的倍数。",
  notOfFormat: {
    email: "这里必须是电子邮件地址。",
    uri: "这里必须是网址，例如 {example}。",
    date: "这里必须是日期，例如 {example}。",
    "date-time": "这里必须是日期和时间，例如 {example}。",
  },
  notOfOther: "这里必须是 {format} 格式的文本。",
} as const;

const sure: Readonly<Record<AssociationConfidence, { readonly short: string; readonly full: string }>> = {
  claimed: {
    short: "未核实：由客户端上报。",
    full: "未核实：由客户端上报。Countersign 没有看到客户端的原始请求。",
  },
  inferred: {
    short: "推断得出，可能有误。",
    full: "根据当时未完成的客户端请求推断得出，可能有误。",
  },
  observed: { short: "Countersign 已亲自看到。", full: "已亲自看到：Countersign 看到了客户端的原始请求。" },
  own: { short: "客户端自行提出。", full: "客户端自行提出：请求背后没有 MCP 服务器。" },
  responseStream: {
    short: "在该请求自己的响应流上看到。",
    full: "已亲自看到：服务器就在这个请求的响应流上提出。",
  },
  namedTask: {
    short: "已亲自看到：服务器指明了请求的任务。",
    full: "已亲自看到：服务器指明了为此请求运行的任务。",
  },
  inputRound: {
    short: "已亲自看到：服务器在此请求的结果中提出。",
    full: "已亲自看到：服务器对此请求的回答就是先要求得到这个回复。",
  },
  onlyInFlight: {
    short: "推断：当时只有这一个请求在处理，可能有误。",
    full: "推断：服务器没有说明为哪个请求服务，而当时只有这一个在处理。可能有误：服务器随时可以提出请求。",
  },
  newestInFlight: {
    short: "推断：取处理中的最新一个请求，可能有误。",
    full: "推断：服务器没有说明为哪个请求服务，这是处理中的多个请求里最新的一个。可能有误。",
  },
};

const note = {
  omitted: "未传递：{field}。{why}",
  clamped: "已调整：{field}从 {from} 改为 {to}，即模型支持的最接近的值。",
  overLimit: {
    cut: "上限为 {allowed} 个 token，模型报告用了 {reported} 个。回复已截断。",
    whole: "上限为 {allowed} 个 token，模型报告用了 {reported} 个。回复未截断。",
  },
  contextAdded: "因服务器请求上下文，Countersign 在系统提示词末尾加入了{parts}（{n} 个字符）。",
  contextParts: { instructions: "服务器的说明", arguments: "客户端请求的参数", both: "{first}和{second}" },
  notPassedOn: "未传给任何模型：{members}。",
  between: "、",
  toolNeedsSampling: "该工具需要调用方提供 sampling，函数调用不提供。",
  fields: {
    temperature: "温度",
    topP: "top_p",
    topK: "top_k",
    stopSequences: "停止序列",
    metadata: "元数据",
    toolChoice: "工具选择",
    responseFormat: "回复格式",
  },
} as const;

/** A pointer into the content, for people: "消息 2，第 1 部分". */
const place = {
  everythingElse: "其他内容",
  arguments: "参数",
  inputResponses: "客户端对服务器的回答",
  definition: "服务器对该工具的说明",
  result: "结果",
  text: "文字 {n}",
  systemPrompt: "系统提示词",
  written: "你的回复",
  model: "首选模型",
  maxTokens: "最大 token 数",
  temperature: "温度",
  stopSequences: "停止序列",
  stopSequence: "停止序列 {n}",
  tool: "工具 {n}",
  toolDescription: "工具 {n} 的描述",
  reply: "回复",
  message: "消息 {n}",
  part: "，第 {n} 部分",
  toolResult: "，结果 {n}",
  structured: "，结构化内容",
  input: "，工具调用的输入",
} as const;

const keyEnd: Readonly<Record<KeyEnd, string>> = {
  keyRevoked: "请求所用的 API 密钥已被撤销。",
  keyExpired: "请求所用的 API 密钥已过期。",
};

export const reviewZh = {
  marks: { comma: "，", semicolon: "；", colon: "：", stop: "。" },
  kinds: kindsZh,
  sure,
  note,
  why: whyZh,
  risk: riskZh,
  riskLevels: riskLevelsZh,
  serverSays: "服务器称：{claims}。",
  lastCall: {
    same: "上次批准的调用参数与此相同。",
    differs: "与上次批准的调用相比，有 {n} 个参数不同。",
  },
  claim: {
    readOnlyHint: { yes: "只读", no: "非只读" },
    destructiveHint: { yes: "有破坏性", no: "无破坏性" },
    idempotentHint: { yes: "幂等", no: "非幂等" },
    openWorldHint: { yes: "访问外部系统", no: "不访问外部系统" },
  },
  place,
  atMost: "最多 {cost}",
  editFault,
  fieldFault,
  jsonFault,
  outside: {
    unseen: { tags: "{n} 个标签字符", selectors: "{n} 个异体字选择符", spells: "，拼成“{text}”", spaces: "{n} 个空格" },
    empty: "（空）",
    lineBreak: "换行",
    blankLines: "{n} 个空行",
  },
  counts: {
    characters: "{n} 个字符的文字",
    image: "{n} 张图片",
    audio: "{n} 段音频",
    pdf: "{n} 个 PDF",
    tool: "{n} 个工具",
  },
  form: formZh,
  raised: "策略的陪审模型要求由人决定。",
  gone: "请求方已断开连接。你仍可决定；回复会保留一小时，供同一请求取用。",
  named: "客户端指定了模型 {name}。如改用其他模型，会说明原因。",
  namedVersion: "客户端指定了模型 {name}，版本 {version}。如改用其他模型，会说明原因。",
  namedProvider: "客户端指定了提供商 {provider}。",
  json: "回复必须是 JSON。",
  texts: "{n} 段文字将转成向量。",
  vectors: vectorsZh,
  account: {
    label: "服务器账户",
    named: "{account}，{owner} 在 {issuer} 的登录",
    unnamed: "{owner} 在 {issuer} 的登录，对方未提供账户名",
  },
  toolError: "工具报告这是一个错误。",
  cached: "此回复来自缓存：{at} 为完全相同的请求生成。",
  noStopReason: "未给出",
  risks: "警告",
  ownRequest: "这是你自己的请求，须由其他审核人批准。你可以拒绝。",
  ownReply: "这份回复是你写的，须由其他审核人批准。你可以拒绝。",
  reason: {
    told: { server: "服务器会收到这条原因。", client: "客户端会收到这条原因。" },
    kept: {
      server: "其他审核人能看到这条原因，服务器不会收到。",
      client: "其他审核人能看到这条原因，客户端不会收到。",
    },
    unsaid: "其他审核人能看到这条原因。",
  },
  ended: {
    titles: {
      approved: "已批准",
      approvedEdited: "修改后批准",
      written: "由人写了回复",
      approvedWritten: "已批准人写的回复",
      denied: "已拒绝",
      expired: "已过期",
      cancelled: "已取消",
      failed: "失败",
    } satisfies Record<Exclude<ReviewState["kind"], "open" | "voted"> | "approvedEdited" | "written" | "approvedWritten", string>,
    approved: "{by} 于 {at} 批准。",
    approvedEdited: "{by} 于 {at} 修改后批准。",
    written: "{by} 于 {at} 代替模型写了此回复。",
    approvedWritten: "{by} 于 {at} 批准了另一位审核人代替模型写的回复。",
    denied: "{by} 于 {at} 拒绝。",
    expired: "{at} 前无人决定，已自动拒绝。",
    cancelled: "请求已于 {at} 撤回，无需决定。",
    failed: "请求于 {at} 失败。",
  },
  cancelled: {
    caller: "请求方撤回了请求。",
    originatingRequest: "它所服务的客户端请求已结束。",
    session: "客户端的会话已结束。",
    admin: "管理员取消了请求。",
    stopped: "管理员已停止所有此类请求。",
    dismissed: "有人关闭了它，没有作答。",
    ...keyEnd,
  } satisfies Record<CancelCause, string>,
  undeliverable: {
    noReviewerLeft: "已没有可以决定的审核人",
    noneReached: "无法联系到任何审核人",
    contentUnreadable: "已存储的内容无法读取",
  } satisfies Record<UndeliverableCause, string>,
  keyEnd,
  keyEndNothing: "不会再发送或交付任何内容。",
  uncounted: {
    closed: "在你的决定到达之前，此事已有决定。你的决定不计入。",
    late: "已过截止时间，你的决定不计入。",
    ownRequest: "你不能批准自己的请求，须由其他审核人批准。",
    ownReply: "你不能批准自己写的回复，须由其他审核人批准。",
    left: "你已退出此审核，你的决定不计入。",
  },
  notice: noticeZh,
  handedOver: { by: "由 {by} 转交。", note: "附言" },
  secret: "疑似密钥或口令，此处省略。请到页面查看。",
  digest: "{n} 项审核等你处理",
} as const;
