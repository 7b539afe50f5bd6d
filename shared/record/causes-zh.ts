// Why a request got no reply and what to do about it, in simplified Chinese: for the console. Words
// as in shared/channels/words/zh/review-zh.ts.

import type { Gate, LimitName } from "../model/gate.ts";
import type { AnswerFault, StopScope } from "../model/call.ts";
import type { CancelCause, CredentialError, FunctionError, NotAssociated } from "../model/outcome.ts";
import type { Texts } from "../words/text.ts";
import type { Told, causesEn } from "./causes-en.ts";
import { reasonsZh } from "../words/zh/reasons-zh.ts";
import type { FailureReason } from "./failed-models.ts";

const gates = { request: "请求", response: "回复" } as const satisfies Readonly<Record<Gate, string>>;
const requestorsCode = "请修正请求方的代码";
const broken = ["网关出错", "请在网关日志中查找 {quote}"] as const;

const cancelled = {
  caller: ["请求方取消了请求", "如果它放弃得太早，请延长它的超时时间"],
  originatingRequest: ["它所服务的客户端请求先结束了", "如果客户端放弃得太早，请延长它的超时时间"],
  session: ["它所属的会话先结束了", "如果客户端过早关闭会话，请让会话保持到审核结束"],
  admin: ["管理员取消了请求", "如果仍然需要，请重新发送"],
  dismissed: ["审核人关闭了表单，没有作答", "如果仍需要回答，请让服务器再次询问"],
  stopped: ["管理员已将其停止", "要接受新请求，请在 /admin/stops 恢复"],
  keyRevoked: ["它的 API 密钥已被撤销，该密钥的所有请求随之结束", "请使用另一个密钥"],
  keyExpired: ["它的 API 密钥已过期，该密钥的所有请求随之结束", "如果审核需要更长时间，请创建 expiresAt 更晚的密钥"],
} as const satisfies Readonly<Record<CancelCause, Told>>;

const sendAgain = "请重新发送；如果仍然如此，请查看网关日志";

const reasons = {
  unreachable: ["无法连接", "请检查 /admin/routing 中的 baseUrl，以及提供商的服务是否正常"],
  abandoned: ["在请求方停止等待时仍在运行", "请延长请求方的超时时间，或选择更快的模型"],
  outcomeUnknown: ["被中断，可能已经生效", "重新发送之前，请先检查服务器"],
  timeout: ["没有按时回复", "请检查提供商，或调高 MODEL_TIMEOUT_SECONDS"],
  outOfTime: ["没有被调用，因为所有模型的总时间已用完", "请调高 MODEL_TIMEOUT_SECONDS，或移除较慢的模型"],
  rateLimited: ["因速率限制而拒绝", "请提高账户的限额，或在 /admin/routing 为该模型设置 lane"],
  overloaded: ["过载", "请稍后重试，或在 /admin/routing 添加另一个模型"],
  refusedCredential: ["拒绝了凭据", "请重新设置提供商的密钥，并确认它可以使用该模型"],
  badRequest: ["拒绝了所发送的请求", "请将 /admin/routing 中该模型的条目（accepts、tools、omits、tokenField）与其 API 支持的内容对照"],
  providerError: ["返回了错误", "请查看提供商的状态，或在 /admin/routing 添加另一个模型"],
  redirected: ["返回了重定向，网关不会跟随", "请更正 /admin/routing 中该提供商的 baseUrl"],
  brokenAnswer: ["返回了无法使用的回复", "请改用另一个模型，或查看提供商的状态"],
  noCredential: ["在此网关没有凭据", "请设置 /admin/routing 中该提供商条目所指定的密钥"],
  queueFull: ["的队列已满", "请在 /admin/routing 调高 lane 的 queue 或 concurrency"],
  queueTimeout: ["没有及时空出名额", "请在 /admin/routing 调高 lane 的 concurrency，或让请求方等待更久"],
  overBudget: ["没有被调用，因为其费用可能超过预算余额", "请在 /admin/budgets 提高预算，或等待预算重新开始"],
  budgetUnknown: ["没有被调用，因为无法读取预算", sendAgain],
  stopped: ["没有被调用，因为管理员已将其停止", "请查看 /admin/stops"],
  stopUnknown: ["没有被调用，因为无法确认采样是否已停止", sendAgain],
} as const satisfies Readonly<Record<FailureReason, Told>>;

const answerFaults = {
  notJson: "不是 JSON",
  tooLarge: "过大",
  errorInSuccess: "以成功的状态码返回了错误",
  overLimit: "超过了要求的长度",
  toolArguments: "工具调用的参数有误",
  empty: "为空",
  replyNotJson: "不是所要求的 JSON",
  cutOff: "中途断开",
  asksForMore: "要求参数以外的内容",
} as const satisfies Readonly<Record<AnswerFault, string>>;

const stopped = {
  everything: "管理员已停止一切",
  server: "管理员停止了此 MCP 服务器",
  key: "管理员停止了此 API 密钥",
  tool: "审核人停止了此工具的调用",
} as const satisfies Readonly<Record<StopScope, string>>;

const unassociated = {
  noSession: ["请求没有指明会话", "主机必须在 _meta 中发送 countersign/session"],
  noOriginatingRequest: ["请求不服务于任何可以使用采样的客户端请求", "主机必须指明一个 tools/call、resources/read 或 prompts/get"],
  originatingRequestEnded: ["它所服务的客户端请求已结束，服务器提出得太晚", "请让服务器在处理请求期间提出"],
  sessionEnded: ["它的会话已结束", "主机必须开始新的会话"],
  unknownTask: ["服务器在一个任务请求的流上提出，而会话不知道该任务", "请让服务器在其所服务请求的响应流上提出"],
  nothingShown: [
    '服务器没有表明它服务于哪个客户端请求，而其条目设置为 "association": "strict"',
    '请在 /admin/servers 设为 "auto"，以便按进行中的请求关联',
  ],
  noneInFlight: ["服务器没有表明它服务于哪个客户端请求，而当时没有进行中的请求", "请让服务器在处理请求期间提出"],
  severalInFlight: [
    "服务器没有表明它服务于哪个客户端请求，而当时有多个请求在进行",
    '请在 /admin/servers 的条目中设置 "association": "inFlight"，以采用最新的一个',
  ],
} as const satisfies Readonly<Record<NotAssociated, Told>>;

const functions = {
  noSuchTool: ["其 MCP 服务器没有这个工具", "请更正 /admin/servers 中的条目"],
  taskOnly: ["其 MCP 服务器只以任务方式运行它，这里不支持", "请使用可立即运行的工具"],
  unreachable: ["无法连接其 MCP 服务器", "请检查 /admin/servers 中的 url"],
  noCredential: ["其服务器条目所指定的密钥没有设置", "请设置该密钥，或更正 /admin/servers 中的条目"],
  broken: ["其 MCP 服务器不符合 MCP 规范", "请更新该服务器"],
  uncheckableSchema: ["其 MCP 服务器声明了此网关无法检查的 JSON Schema", "请在服务器中声明更简单的 schema"],
  noToolsWorker: ["tools Worker 没有响应", "请确认已部署 countersign-tools"],
} as const satisfies Readonly<Record<FunctionError, Told>>;

const sendKey = "请求方必须发送 API 密钥";
const newToken = "请求方必须获取新的令牌";
const credentials = {
  missing: ["没有发送 API 密钥", sendKey],
  missingBesideAuthorization: ["没有发送 X-Countersign-Key，而此处的 Authorization 属于 MCP 服务器", sendKey],
  missingAtControl: ["没有发送凭据", "请求方必须发送 API 密钥或令牌"],
  unknown: ["API 密钥未知", "请在 /admin/keys 创建一个"],
  revoked: ["密钥已被撤销，但仍在使用", "请给使用者另一个密钥，或查明是谁在使用它"],
  expired: ["密钥已过期", "请在 /admin/keys 创建另一个"],
  tokenInvalid: ["令牌无法读取，或不是由其签发者签名", newToken],
  tokenExpired: ["令牌已过期", newToken],
  tokenWithoutExpiry: ["令牌没有说明何时过期", "其签发者必须加上 exp"],
  tokenLongLived: ["令牌的有效期超过一天", "其签发者必须签发有效期更短的令牌"],
  tokenTooEarly: ["令牌尚未生效", "请核对签发者的时钟"],
  tokenIssuer: ["没有配置令牌的签发者", "请在 /admin/issuers 添加"],
  tokenAudience: ["令牌的 audience 不是此网关", "请更正 /admin/issuers 中的 audience，或签发者的设置"],
  tokenSubject: ["令牌的 subject 没有对应的密钥", "请在 /admin/issuers 设置对应关系"],
  accessToken: ["OAuth 访问令牌已失效、被撤销或属于其他服务器", "客户端须刷新令牌，或由其用户重新连接"],
  credentialsDisagree: ["请求中的凭据属于不同的密钥", "请求方只能发送其中一个"],
  scopedTokenUnknown: ["令牌不是此网关签发的，或其签名密钥已失效", newToken],
  scopedTokenExpired: ["令牌已过期", newToken],
} as const satisfies Readonly<Record<CredentialError, Told>>;

const limits = {
  requestsPerMinute: ["密钥每分钟的请求超过 {max} 个", "请减少请求，或创建 limits.requestsPerMinute 更高的密钥"],
  concurrent: ["密钥有 {max} 个请求在进行，已达上限", "请等一些请求结束，或创建 limits.concurrent 更高的密钥"],
  heldStreams: ["密钥保持着 {max} 个打开的响应，已达上限", "请关闭一些，或创建 limits.heldStreams 更高的密钥"],
  sessions: ["密钥有 {max} 个会话，已达上限", "请结束不再使用的会话，或创建 limits.sessions 更高的密钥"],
  callsPerMinute: ["密钥每分钟的消息超过 {max} 条", "请减少消息，或创建 limits.callsPerMinute 更高的密钥"],
} as const satisfies Readonly<Record<LimitName, Told>>;

const ownersKey = "请以某位审核人的姓名或邮箱为所有者，重新创建密钥";
const otherReviewers = "要由其他人决定，请在 /admin/policy 更改该规则的审核人";
const newId = "请求方必须使用新的 ID";

export const causesZh: Texts<typeof causesEn> = {
  lang: "zh-CN",
  modelReasons: reasonsZh,
  gates,
  broken,
  cancelled,
  stopped,
  unassociated,
  functions,
  credentials,
  limits,
  causes: {
    refusedMany: ["一分钟内又因同一原因（{reason}）被拒绝 {count} 次", "处理办法见更早的几行"],
    rejected: {
      request: ["{by} 拒绝了请求，因此没有调用模型", otherReviewers],
      response: ["{by} 拒绝了回复，因此没有交付", otherReviewers],
    },
    expired: ["截止前没有人对{content}作出决定", "请在 /admin/policy 为该规则增加审核人、提醒，或设置更长的 deadlineSeconds"],
    undeliverable: ["无法就{content}通知任何审核人", "请运行诊断（POST /admin/doctor），它会指出失败的渠道或地址"],
    contentUnreadable: [
      "存储的内容所用的加密密钥既不是 CONTENT_KEY 也不是 CONTENT_KEY_PREVIOUS，因此没有再发送或交付任何内容",
      "请将当时使用的密钥设为 CONTENT_KEY_PREVIOUS，直到相关请求被清除",
    ],
    outcomeUnknown: ["网关在写入请求的结果之前中断：调用方可能已收到回复，模型也可能已计费", "请询问调用方，并向提供商核对当时的计费"],
  },
  failed: {
    reasons,
    answerFaults,
    notAsSpecified: "不符合其 API 规范",
    about: "（状态码 {status}）",
    because: "（{fault}）",
    then: "，之后",
    between: "，",
    first: "提供商“{provider}”的模型“{model}”{what}",
    one: "提供商“{provider}”的模型“{model}”{what}",
    both: "2 次尝试全部失败：{what}",
    all: "{tried} 次尝试全部失败：{what}",
    models: "{names}{what}",
    fixOf: "对于{names}，{fix}",
    name: "“{model}”",
    comma: "、",
    more: "{names}等 {n} 个模型{more, }",
    none: ["没有模型回复，也没有调用记录", "请查看网关日志"],
  },
  ownRules: {
    noServer: "没有这个服务器",
    keyServers: "密钥允许的服务器",
    keyTools: "密钥允许的工具",
    serverOrigins: "服务器的 origins",
    serverTools: "服务器的 tools",
    serverSamplingTools: "服务器的 samplingTools",
    definition: "工具的定义未被接受",
    tokenModels: "令牌可用的模型",
  },
  refusals: {
    notJson: ["正文不是 JSON", requestorsCode],
    notJsonType: ["正文没有以 application/json 发送", requestorsCode],
    notSingleRequest: ["正文不是单个 JSON-RPC 请求", requestorsCode],
    unknownMethod: ["该端点没有方法 {method}", requestorsCode],
    invalidParams: ["params 有 {errors} 处错误", "请求方收到的错误指明了每一处"],
    toolResultMissing: ["params 违反了 MCP 关于工具结果的规则", "请求方收到的错误指明了位置"],
    toolResultsMixed: ["params 违反了 MCP 关于工具结果的规则", "请求方收到的错误指明了位置"],
    tooLarge: ["正文超过密钥的上限 {limitBytes} 字节", "请减少内容，或创建 limits.bodyBytes 更高的密钥"],
    tooLargeUnknown: ["正文超过 {limitBytes} 字节，且凭据在正文中", "请求方必须以请求头发送凭据"],
    wrongScope: ["密钥没有权限范围“{scope}”", "请创建有此范围的密钥，或使用此密钥可用的端点"],
    issuerUnavailable: ["无法读取令牌签发者的公钥", "请检查 /admin/issuers 中的 jwksUrl"],
    configurationUnavailable: ["无法从 KV 或 ConfigObject 读取配置", "请查看 GET /healthz"],
    sameIdOtherParams: ["该请求 ID 已用于其他 params", newId],
    noLongerKept: ["该请求 ID 已使用过，其回复已不再保留", newId],
    tooManyRounds: ["一个客户端请求的采样超过 {max} 轮", "请结束工具的循环，或创建 limits.roundsPerOriginatingRequest 更高的密钥"],
    flooded: ["来自同一地址的请求过多", "请等待一分钟"],
    budgetUsedUp: ["预算“{budget}”的余额低于该请求可能的费用", "请在 /admin/budgets 提高预算，或等到 {resetsAt}"],
    resume: "请在 /admin/stops 恢复",
    policyRefused: ["策略拒绝了它（{rule}）", "要允许它，请更改 /admin/policy 中的策略、密钥或服务器条目"],
    ownerUnknown: ["密钥的所有者不是策略中的审核人，而规则 {rule} 不允许自我批准", ownersKey],
    ownerUnknownDefault: ["密钥的所有者不是策略中的审核人，而默认规则不允许自我批准", ownersKey],
    noModel: ["没有模型可以处理它（{why}）", "请更改 /admin/routing，或使用 POST /admin/routing/explain 查看原因"],
    noModelAtAll: "路由表中没有模型",
    modelReason: "“{model}”：{reason}",
    moreModels: "，另有 {n} 个模型因其他原因",
    functionUnavailable: "无法运行函数 {name}：{what}",
    unknownTask: ["任务未知、属于其他密钥，或已不再保留", "请求方必须使用自己的任务"],
    taskEnded: ["任务已是 {status}，无法取消", "请获取它的结果"],
  },
};
