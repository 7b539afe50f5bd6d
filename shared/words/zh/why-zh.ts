// Why a model may answer, and why in this place, in simplified Chinese.

export const whyZh = {
  function: "服务器文档把 MCP 服务器 {server} 的 {tool} 登记为函数，因此只在那里运行。",
  both: "{match}{order}",
  noPriorities: "未给出优先级，按路由表的顺序。",
  score: "得分：{sum} = {points}。",
  axes: { cost: "低成本", speed: "速度", intelligence: "智能" },
  hint: "匹配 {asked}。",
  through: "通过{alias}匹配 {asked}。",
  rest: "默认模型。",
  nearly: {
    version: "名称匹配 {asked}，但版本不同。",
    provider: "名称匹配 {asked}，但提供商不同。",
    both: "名称匹配 {asked}，但版本和提供商不同。",
  },
  alias: "别名",
  aliasOf: "别名 {entry} ",
  named: {
    version: "{name}，版本 {version}",
    provider: "{name}，提供商 {provider}",
    both: "{name}，版本 {version}，提供商 {provider}",
  },
} as const;
