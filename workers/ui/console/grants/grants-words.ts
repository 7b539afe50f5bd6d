// The words of the page of grants.

import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

const en = {
  title: "Grants",
  lead: "A reviewer who approves a request can allow later ones like it. These pass without review until a grant is used up or ends.",
  count: "{n, # grant/# grants}",
  none: "No grant may be used now.",
  noneEver: "No reviewer has given a grant.",
  show: { live: "Show usable grants only", all: "Show ended grants too" },
  columns: { for: "For", by: "Given by", uses: "Uses left", ends: "Ends", action: "Action" },
  scopes: {
    session: "{tool} of {server}, in one session",
    tool: "{tool} of {server}",
    server: "any tool of {server}",
    key: "any server",
  },
  covers: {
    request: { exact: "The same request again", shape: "Requests of the same shape" },
    response: { exact: "Replies to the same request", shape: "Replies to requests of the same shape" },
  },
  bypass: "Bypass of an operator: any tool call passes without review",
  pinned: "with the same {names}",
  usedTimes: "used {n} times",
  key: "key {key}",
  of: "{left} of {given}",
  money: "up to {amount} more",
  request: "the request",
  states: { live: "", usedUp: "used up", expired: "ended {at}", revoked: "ended by hand {at}" },
  revoke: "End",
  revokeSays: "The next request like this is reviewed again. What passed before goes on. The grant cannot be given back.",
  revokeButton: "End the grant",
  about: "the grant of {by}",
  done: { revoked: "The grant has ended." },
} as const;

const zhCN: Texts<typeof en> = {
  title: "授权",
  lead: "审核人批准请求时，可以允许之后的同类请求。在授权用完或结束之前，这些请求无需审核即可通过。",
  count: "{n} 个授权",
  none: "目前没有可用的授权。",
  noneEver: "还没有审核人给出授权。",
  show: { live: "只显示可用的授权", all: "同时显示已结束的授权" },
  columns: { for: "对象", by: "授权人", uses: "剩余次数", ends: "结束", action: "操作" },
  scopes: {
    session: "{server} 的 {tool}，限一个会话",
    tool: "{server} 的 {tool}",
    server: "{server} 的任何工具",
    key: "任何服务器",
  },
  covers: {
    request: { exact: "相同的请求", shape: "形式相同的请求" },
    response: { exact: "对相同请求的回复", shape: "对形式相同请求的回复" },
  },
  bypass: "操作员许可绕过：所有工具调用无需审核即可通过",
  pinned: "{names} 须相同",
  usedTimes: "已使用 {n} 次",
  key: "密钥 {key}",
  of: "{left} / {given}",
  money: "最多还可花费 {amount}",
  request: "相关请求",
  states: { live: "", usedUp: "已用完", expired: "{at} 结束", revoked: "{at} 手动终止" },
  revoke: "终止",
  revokeSays: "下一个同类请求将重新审核。之前已通过的继续进行。授权无法恢复。",
  revokeButton: "终止授权",
  about: "{by} 的授权",
  done: { revoked: "授权已终止。" },
};

export const grantsWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
