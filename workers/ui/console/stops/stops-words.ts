// The words of the kill switch's page.

import type { InLanguages } from "../page.ts";

const en = {
  title: "Stop sampling",
  lead: "A stop refuses new requests, withdraws open reviews and sends nothing more to a model. It takes effect within 2 seconds.",
  now: "Stopped now",
  none: "Nothing is stopped.",
  since: "since {at}",
  everything: "All sampling",
  server: "MCP server {name}",
  key: "API key {name}",
  resume: "Resume",
  stopAll: "Stop everything",
  stopAllSays: "Every open request is cancelled, and new ones are refused until you resume. What is cancelled stays cancelled.",
  stopOne: "Stop one server or key",
  kind: "What to stop",
  kinds: { servers: "MCP server", keys: "API key" },
  name: "Server name, or key id",
  missing: "Enter the name of the server or the id of the key. Nothing was stopped.",
  says: "Its open requests are cancelled, and new ones are refused until you resume.",
  stop: "Stop",
  done: { stopped: "Stopped.", resumed: "Resumed. New requests are accepted again." },
};

const zhCN: typeof en = {
  title: "停止采样",
  lead: "停止后，新请求会被拒绝，等待中的审核会被撤回，不再向模型发送任何内容。2 秒内生效。",
  now: "当前已停止",
  none: "没有停止任何内容。",
  since: "自 {at} 起",
  everything: "全部采样",
  server: "MCP 服务器 {name}",
  key: "API 密钥 {name}",
  resume: "恢复",
  stopAll: "全部停止",
  stopAllSays: "所有进行中的请求将被取消，新请求会被拒绝，直到您恢复。已取消的请求不会恢复。",
  stopOne: "停止一个服务器或密钥",
  kind: "停止对象",
  kinds: { servers: "MCP 服务器", keys: "API 密钥" },
  name: "服务器名称或密钥 ID",
  missing: "请输入服务器名称或密钥 ID。没有停止任何内容。",
  says: "它的进行中请求将被取消，新请求会被拒绝，直到您恢复。",
  stop: "停止",
  done: { stopped: "已停止。", resumed: "已恢复，重新接受新请求。" },
};

export const stopsWords: InLanguages<typeof en> = { en, "zh-CN": zhCN };
