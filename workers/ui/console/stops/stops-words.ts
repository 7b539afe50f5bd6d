// The words of the kill switch's page.

import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Stop requests and calls",
  lead: "A stop refuses new requests, tool calls and forms, withdraws open reviews and sends nothing more to a model or a tool. It takes effect within 2 seconds.",
  now: "Stopped now",
  none: "Nothing is stopped.",
  since: "since {at}",
  everything: "All requests and calls",
  server: "MCP server {name}",
  key: "API key {name}",
  tool: {
    session: "{tool} on {server}, in one session of {key}, stopped by {by}",
    key: "{tool} on {server}, for {key}, stopped by {by}",
  },
  resume: "Resume",
  stopAll: "Stop everything",
  stopAllSays: "Every open request is cancelled, and new ones are refused until you resume. What is cancelled stays cancelled.",
  stopServer: "Stop one MCP server",
  serverName: "Server",
  serverHint: "As the servers document or the host names it.",
  stopKey: "Stop one API key",
  keyName: "Key",
  choose: "Choose a key",
  stopIt: "Stop {name}",
  resumeIt: "Resume {name}",
  stoppedSince: "stopped {at}",
  unknownServer:
    "No MCP server {name} is configured or has been used. If you meant another one, it goes on: resume this one and stop the other.",
  missing: "Enter the name of the server or choose a key. Nothing was stopped.",
  says: "Its open requests are cancelled, and new ones are refused until you resume.",
  stop: "Stop",
  done: { stopped: "Stopped.", resumed: "Resumed. New requests are accepted again." },
} as const;

const zhCN: Texts<typeof en> = {
  title: "停止请求和调用",
  lead: "停止后，新的请求、工具调用和表单会被拒绝，等待中的审核会被撤回，不再向模型或工具发送任何内容。2 秒内生效。",
  now: "当前已停止",
  none: "没有停止任何内容。",
  since: "自 {at} 起",
  everything: "所有请求和调用",
  server: "MCP 服务器 {name}",
  key: "API 密钥 {name}",
  tool: {
    session: "{server} 上的 {tool}，限 {key} 的一个会话，由 {by} 停用",
    key: "{server} 上的 {tool}，对 {key}，由 {by} 停用",
  },
  resume: "恢复",
  stopAll: "全部停止",
  stopAllSays: "所有进行中的请求将被取消，新请求会被拒绝，直到您恢复。已取消的请求不会恢复。",
  stopServer: "停止一个 MCP 服务器",
  serverName: "服务器",
  serverHint: "服务器文档或主机所用的名称。",
  stopKey: "停止一个 API 密钥",
  keyName: "密钥",
  choose: "选择密钥",
  stopIt: "停止 {name}",
  resumeIt: "恢复 {name}",
  stoppedSince: "已停止 {at}",
  unknownServer: "没有名为 {name} 的 MCP 服务器被配置或使用过。如果您指的是另一个服务器，它仍在运行：请恢复此项并停止另一个。",
  missing: "请输入服务器名称或选择密钥。没有停止任何内容。",
  says: "它的进行中请求将被取消，新请求会被拒绝，直到您恢复。",
  stop: "停止",
  done: { stopped: "已停止。", resumed: "已恢复，重新接受新请求。" },
};

export const stopsWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
