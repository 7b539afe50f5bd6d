// What a review page says of the grants that a reviewer may give, or has given, in simplified
// Chinese.

export const pageGrantZh = {
  grant: {
    heading: { request: "放行后续请求", response: "放行后续回复" },
    approve: { request: "批准并放行后续请求", response: "批准并放行后续回复" },
    approveMore: { request: { other: "批准，并再放行 {n} 个请求" }, response: { other: "批准，并再放行 {n} 个回复" } },
    lead: {
      request: "在此放行的后续请求会直接发给模型，不再审核。不能与修改同时使用。",
      response: "在此放行的后续回复会直接交付，不再审核。不能与修改同时使用。",
    },
    exact: {
      request: "“完全相同”指每个字符都一样的请求。",
      response: "“完全相同”指对每个字符都一样的请求的任何回复。",
    },
    shape: {
      request:
        "“同类”指系统提示词、工具、参数、模型和内容类型都相同的请求。消息内容可以是任何文字，最多 1,000 个字符，或当前字符数的 2.5 倍。",
      response: "“同类”指对系统提示词、工具、参数、模型和内容类型都相同的请求的回复。请求和回复的内容可以是任何文字。",
    },
    limits: "到期自动失效。你或管理员可以随时撤销。拒绝类规则仍然有效。",
    risk: {
      none: "带有任何警告的请求仍需审核。",
      low: "警告级别高于“低”的请求仍需审核。",
      medium: "警告级别高于“中”的请求仍需审核。",
      high: "本请求的警告已是最高级别，因此后续请求不会因警告而进入审核。",
    },
    replyRisk: {
      none: "带有任何警告的回复仍需审核。",
      low: "警告级别高于“低”的回复仍需审核。",
      medium: "警告级别高于“中”的回复仍需审核。",
      high: "本回复的警告已是最高级别，因此后续回复不会因警告而进入审核。",
    },
    what: "放行",
    kinds: { exact: "完全相同", shape: "同类" },
    scopes: {
      session: "本次会话中，{server} 的 {name}",
      tool: "{server} 的 {name}，面向 {client}",
      server: "{server} 的任何工具，面向 {client}",
      key: "任何服务器的任何工具，面向 {client}",
    },
    known: {
      claimed: "工具名由客户端上报，网关不作核实。放行适用于由客户端上报工具名的请求。",
      inferred: "工具是推断出来的：服务器可能等到该工具被使用时，再提出别的请求。放行适用于工具由推断得出的请求。",
    },
    hours: "有效期",
    hoursOf: { 1: "1 小时", 24: "1 天", 168: "7 天", 720: "30 天" },
    uses: "次数",
    usesHint: "次数：1 到 {most} 之间的整数。",
    given: {
      heading: { request: "你放行了后续请求", response: "你放行了后续回复" },
      covers: "{what}，{scope}",
      until: "最多 {uses} 次，{at} 前有效。",
      undo: "撤销：恢复审核",
      undone: { request: "后续请求已于 {at} 恢复审核。", response: "后续回复已于 {at} 恢复审核。" },
    },
  },
  clientGrant: {
    session: "本次会话中，{client} 自身的 {name}",
    tool: "{client} 自身的 {name}",
    server: "{client} 自身的任何请求",
    key: "{client} 的任何请求，不限服务器",
  },
  runGrant: {
    lead: "在此放行的后续运行不再审核。不能与修改同时使用。",
    shape: {
      request: "“同类”指同一工具，且参数名称相同。未标记的参数可以是任何值，最多 1,000 个字符，或当前字符数的 2.5 倍。",
      response: "“同类”指同一工具的结果，运行时的参数名称相同；未标记的参数可以是任何值。",
    },
    heading: { request: "放行后续调用", response: "放行后续结果" },
    pinned: { legend: "必须与此处相同", one: "{name} 为 {value}", hint: "适用于“同类”。" },
    scopes: {
      session: "本次会话中，{server} 上的 {name}",
      tool: "{server} 上的 {name}，面向 {client}",
      server: "{server} 的任何工具，面向 {client}",
    },
  },
} as const;
