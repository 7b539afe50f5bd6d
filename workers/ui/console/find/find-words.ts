// The words of finding a page or a thing of the console, and of its keys.

import type { InLanguages } from "../page.ts";

const en = {
  title: "Find",
  label: "Find a page, key, server, model, provider, rule or reviewer",
  requests: "Search requests for this",
  results: "Results",
  kinds: { page: "page", key: "key", server: "server", model: "model", provider: "provider", rule: "rule", reviewer: "reviewer" },
  none: "Nothing here has this name.",
  button: "Find",
  open: "Find (Ctrl+K or ⌘K)",
  keysTitle: "Keys",
  keys: {
    "Ctrl+K": "find a page, key, server, model, provider, rule or reviewer",
    "/": "search this page",
    j: "next row",
    k: "previous row",
    Enter: "open the row",
    "?": "show these keys",
  },
};
const zhCN: typeof en = {
  title: "查找",
  label: "查找页面、密钥、服务器、模型、提供商、规则或审核人",
  requests: "在请求中搜索",
  results: "结果",
  kinds: { page: "页面", key: "密钥", server: "服务器", model: "模型", provider: "提供商", rule: "规则", reviewer: "审核人" },
  none: "没有这个名称。",
  button: "查找",
  open: "查找（Ctrl+K 或 ⌘K）",
  keysTitle: "按键",
  keys: {
    "Ctrl+K": "查找页面、密钥、服务器、模型、提供商、规则或审核人",
    "/": "在此页搜索",
    j: "下一行",
    k: "上一行",
    Enter: "打开该行",
    "?": "显示这些按键",
  },
};
export const findWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };
