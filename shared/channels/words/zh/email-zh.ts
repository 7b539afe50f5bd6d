// Every sentence of an email, in simplified Chinese. What other channels say in the same words is
// in review-zh.ts.

export const emailZh = {
  /** The same where a server asks a person. */
  form: {
    deadline: "回答截止时间",
    why: {
      asked: "{reviewer}，需要你来回答。",
      handedOver: "{reviewer}，另一位审核人把它转交给了你，需要你来回答。",
      escalated: "{reviewer}，先前收到提问的人尚未回答，现在需要你来回答。",
      reminder: "{reviewer}，提醒一下：仍需要你来回答。",
    },
  },
  /** Why this email is sent. `{version}` is the current version. */
  why: {
    asked: "{reviewer}，需要你来决定。",
    handedOver: "{reviewer}，另一位审核人把它转交给了你，需要你来决定。",
    escalated: "{reviewer}，先前的审核人尚未决定，现在也需要你来决定。",
    reminder: "{reviewer}，提醒一下：仍需要你来决定。",
    changed: "{reviewer}，通知你之后，有审核人修改了内容。当前为版本 {version}；对旧版本的批准不计入。",
    newLink: "{reviewer}，这是重新申请的链接。旧链接已失效。",
  },
  /** To the operators of a budget. `{used}` is a percentage. */
  budget: {
    subject: "Countersign：预算 {budget} 已使用 {used}%",
    lead: "预算 {budget}（{amount}）已使用 {used}%，本期始于 {since}。",
    part: "这是 {part} 的份额。",
    full: "在下一期开始之前，计入该预算的请求会被拒绝。",
    soon: "可能超出剩余金额的请求会被拒绝。",
    day: "每天 {amount}",
    month: "每月 {amount}",
    usd: "{number} 美元",
    tokens: "{number} 个词元",
    where: "管理员可在 {spend} 查看支出，在 {budgets} 修改预算。",
  },
  /** Several reviews in one email. */
  digest: {
    why: "{reviewer}，这些审核来得太密集，因此合并成一封邮件。每项审核有各自的页面。",
    deadline: "请在 {deadline} 前决定。",
    answerDeadline: "请在 {deadline} 前回答。",
  },
  /** Where no decision is needed. */
  ended: {
    title: "无需再决定",
    keyRevoked: "{reviewer}，此请求所用的 API 密钥已被撤销。",
    keyExpired: "{reviewer}，此请求所用的 API 密钥已过期。",
    nothing: "请求已撤回，不会再发送或交付任何内容。",
    page: "查看当前状态",
  },
  deadline: {
    label: "截止时间",
    left: "{deadline}，距本邮件写成还有 {span}。",
    passed: "{deadline}。截止时间已过。",
    silence: "届时无人决定，将自动拒绝。",
  },
  facts: {
    requestor: "请求方",
    sure: "来源依据",
    model: "发给",
    runs: "运行于",
    ran: "已运行于",
    run1: "{server}，名为 {name}",
    named: "指定的模型",
    namedVersion: "版本 {version}",
    namedProvider: "提供商 {provider}",
    namedStandIn: "可能改用其他模型，原因见页面。",
    form: "回复格式",
    json: "必须是 JSON。",
    jsonSchema: "必须是符合 schema 的 JSON，schema 见页面。",
    texts: "文字",
    vectors: "向量",
    toolSays: "工具报告",
    toolError: "这是一个错误。",
    cached: "来自缓存",
    cachedAt: "{at} 为完全相同的请求生成。",
    answeredBy: "回复者",
    writtenBy: "回复由谁撰写",
    model1: "{name}，提供商 {provider}",
    otherwise: "失败时改用",
    more: "等另外 {n} 个",
    noModel: "没有列出模型。",
    cost: "费用",
    people: "所需批准",
    quorum: "{n} 人。",
    votes: "目前 {n} 人已批准。",
    risk: "{n} 条{level}级警告",
    risksThere: "具体内容见页面。",
    run: "运行编号",
  },
  rules: {
    personal: "此链接仅供你本人使用：任何人打开它，都等于以你的身份决定。请勿转发本邮件。",
    reply: "回复本邮件不会产生任何决定。",
    expiry: "链接有效期至 {expiry}。",
    because: "你收到本邮件，是因为策略中的规则 {rule} 指定你为审核人。",
  },
} as const;
