// The words of the page of MCP servers.

import type { Server } from "../../../../shared/relay/servers.ts";
import type { FieldTexts } from "../fields.tsx";
import { keysWords } from "../keys/keys-words.ts";
import type { Texts } from "../../../../shared/words/text.ts";
import type { InLanguages } from "../page.ts";

/** What the key of a connection carries is called as in a key's form. */
const keyFields = { en: keysWords.en.fields, "zh-CN": keysWords["zh-CN"].fields };

const en = {
  title: "Servers",
  lead: "The relay reaches these MCP servers and no other. A client connects to {address}, with the server’s name at the end.",
  add: "Add server",
  count: "{n, # server/# servers}",
  none: "There is no server yet. Add one, then point a client at its address here.",
  columns: { name: "Server", address: "Address", mode: "Sampling", used: "Last request", action: "Action" },
  modes: { fulfil: "the gateway answers", forward: "the client answers", fallback: "the gateway answers where the client cannot" },
  associations: { auto: "association: automatic", strict: "association: only what is shown", inFlight: "association: newest in flight" },
  never: "none",
  requests: "{n, # request/# requests}",
  functions: "{n, # function/# functions}",
  signsIn: "clients sign in to it",
  connects: "says who connects clients",
  tokens: "may get tokens for /v1",
  check: "Check",
  checked: { good: "answers", note: "was not checked", fix: "does not work" },
  edit: "Edit",
  remove: "Remove",
  removeSays: "Clients can no longer reach {name} through the relay, and its sessions end. Its requests stay in the record.",
  removeButton: "Remove {name}",
  json: "Edit as JSON",
  done: { saved: "Saved. It takes effect within a minute.", removed: "Removed. It takes effect within a minute." },
  form: {
    add: "Add server",
    edit: "Edit server {name}",
    nameHint: "As it stands in addresses and in the policy: letters, digits, . _ - only.",
    more: "Tools, tokens and headers",
    connections: "Clients that people connect by OAuth",
  },
  fields: {
    url: {
      label: "Address",
      hint: "Its MCP endpoint (Streamable HTTP), without credentials.",
      missing: "Enter the address of its MCP endpoint.",
    },
    mode: {
      label: "Who answers its sampling",
      options: { fulfil: "The gateway, always", forward: "The client", fallback: "The gateway, where the client cannot" },
    },
    elicitation: {
      label: "Who answers its forms",
      options: { forward: "The client", fulfil: "A person, through the gateway", fallback: "A person, where the client cannot" },
    },
    elicitationHosts: {
      label: "Hosts that it may ask to open (optional)",
      hint: "Exact names, one on each line. Empty: every public host.",
    },
    roots: { label: "Roots (optional)", hint: "For clients without roots: file:///work Work, one on each line." },
    association: {
      label: "Which client request a sampling request belongs to",
      options: {
        auto: "What the server shows, else the only request in flight",
        strict: "Only what the server shows",
        inFlight: "What the server shows, else the newest request in flight",
      },
    },
    protocol: {
      label: "Revision spoken to it",
      options: { auto: "As the server says", "2025": "2025-11-25 and older", "2026": "2026-07-28" },
    },
    secret: {
      label: "Secret (optional)",
      hint: "The name of the variable whose value is sent as bearer token, such as NOTES_TOKEN. Not the token itself.",
    },
    passAuthorization: { label: "Clients sign in to the server themselves" },
    auth: {
      kind: {
        label: "Each key’s owner signs in at the server (optional)",
        options: { oauth: "With OAuth" },
        hint: "Their requests carry their own token. They sign in under Connections in their inbox.",
      },
      scopes: { label: "Scopes (optional)", hint: "One on each line. Empty: those that the server names." },
      clientId: { label: "Client id (optional)", hint: "Where this gateway was registered there by hand. Empty: it registers itself." },
      issuer: {
        label: "Issuer of the client id (optional)",
        hint: "The authorization server where it was registered, such as https://login.example.com. Sign-ins with it go to no other.",
      },
      secret: { label: "Client secret (optional)", hint: "The name of the variable that has it. Not the secret itself." },
    },
    allowPrivate: { label: "Allow a private address or plain http" },
    context: { label: "Declare sampling.context to the server" },
    tools: {
      allow: {
        label: "Tools that clients see (optional)",
        hint: "Names, one on each line; * stands for any characters. Empty: every tool.",
      },
      deny: { label: "Tools that clients do not see (optional)", hint: "In the same form; stronger than those above." },
      sampling: { label: "Declare tools in sampling to the server" },
    },
    pin: {
      label: "When a tool’s definition changes",
      options: { off: "Do nothing", warn: "Show it to operators", hold: "Hide the tool until an operator accepts it" },
    },
    tasks: { label: "Declare sampling as a task to the server" },
    samplingTools: { label: "Tools that may sample (optional)", hint: "Exact names, one on each line. Empty: every tool." },
    trustAnnotations: { label: "Rules believe what its tools say of themselves (read-only, destructive)" },
    connections: {
      reviewers: {
        label: "Who may connect clients by OAuth (optional)",
        hint: "Groups or names of the policy, one on each line. Empty: everybody of the policy. In JSON, an empty list: nobody.",
      },
      mostDays: { label: "Days until a client has to be connected again (optional)" },
      tools: keyFields.en.tools,
      limits: keyFields.en.limits,
      budget: keyFields.en.budget,
    },
    receipts: { label: "Send a receipt with each call and answer" },
    functions: { label: "Functions (optional)", hint: "Tools that callers of POST /control may run, one on each line." },
    origins: {
      label: "Web origins (optional)",
      hint: "Pages that may use the relay, such as https://app.example.com, one on each line.",
    },
    headers: {
      label: "Headers (optional)",
      hint: "Sent with each request, as Name: value, one on each line. Not for credentials.",
    },
    v1Tokens: {
      maxUsd: { label: "Tokens for /v1: US dollars each (optional)" },
      maxSeconds: { label: "Tokens for /v1: seconds each (optional)" },
      models: { label: "Tokens for /v1: models (optional)", hint: "One on each line. Empty: every model that the key may use." },
    },
  } satisfies FieldTexts<Omit<Server, "login">>,
} as const;

const zhCN: Texts<typeof en> = {
  title: "服务器",
  lead: "中继只能访问这些 MCP 服务器。客户端连接到 {address}，末尾为服务器名称。",
  add: "添加服务器",
  count: "{n} 个服务器",
  none: "还没有服务器。请添加一个，然后让客户端连接到它在此处的地址。",
  columns: { name: "服务器", address: "地址", mode: "采样", used: "最近的请求", action: "操作" },
  modes: { fulfil: "由网关应答", forward: "由客户端应答", fallback: "客户端无法应答时由网关应答" },
  associations: { auto: "关联：自动", strict: "关联：仅依据明示信息", inFlight: "关联：最新的进行中请求" },
  never: "无",
  requests: "{n} 个请求",
  functions: "{n} 个函数",
  signsIn: "客户端自行登录",
  connects: "指定谁可以连接客户端",
  tokens: "可获得 /v1 的令牌",
  check: "检查",
  checked: { good: "有应答", note: "未检查", fix: "无法使用" },
  edit: "编辑",
  remove: "删除",
  removeSays: "客户端将无法再通过中继访问 {name}，其会话会结束。它的请求保留在记录中。",
  removeButton: "删除 {name}",
  json: "以 JSON 编辑",
  done: { saved: "已保存，一分钟内生效。", removed: "已删除，一分钟内生效。" },
  form: {
    add: "添加服务器",
    edit: "编辑服务器 {name}",
    nameHint: "用于地址和策略：仅限字母、数字和 . _ -。",
    more: "工具、令牌和标头",
    connections: "由人通过 OAuth 连接的客户端",
  },
  fields: {
    url: { label: "地址", hint: "它的 MCP 端点（Streamable HTTP），不含凭据。", missing: "请输入 MCP 端点的地址。" },
    mode: {
      label: "由谁应答采样",
      options: { fulfil: "始终由网关", forward: "由客户端", fallback: "客户端无法应答时由网关" },
    },
    elicitation: {
      label: "由谁回答它的表单",
      options: { forward: "由客户端", fulfil: "由人通过网关回答", fallback: "客户端无法回答时由人回答" },
    },
    elicitationHosts: { label: "可请人打开的主机（可选）", hint: "完整名称，每行一个。留空表示所有公网主机。" },
    roots: { label: "根目录（可选）", hint: "供没有根目录的客户端使用，例如 file:///work Work，每行一个。" },
    association: {
      label: "采样请求属于哪个客户端请求",
      options: {
        auto: "依据服务器明示的信息，否则为唯一的进行中请求",
        strict: "仅依据服务器明示的信息",
        inFlight: "依据服务器明示的信息，否则为最新的进行中请求",
      },
    },
    protocol: {
      label: "与它使用的协议版本",
      options: { auto: "由服务器决定", "2025": "2025-11-25 及更早", "2026": "2026-07-28" },
    },
    secret: { label: "密钥变量（可选）", hint: "变量的名称，其值作为 Bearer 令牌发送，例如 NOTES_TOKEN。不要填写令牌本身。" },
    passAuthorization: { label: "客户端自行登录服务器" },
    auth: {
      kind: {
        label: "由每个密钥的所有者登录该服务器（可选）",
        options: { oauth: "通过 OAuth" },
        hint: "他们的请求带有各自的令牌。他们在收件箱的“连接”中登录。",
      },
      scopes: { label: "Scopes（可选）", hint: "每行一个。留空：服务器所要求的。" },
      clientId: { label: "客户端 id（可选）", hint: "已在该服务器手动注册本网关时填写。留空：网关自行注册。" },
      issuer: {
        label: "客户端 id 的签发者（可选）",
        hint: "注册该 id 的授权服务器，例如 https://login.example.com。使用该 id 的登录只会前往此处。",
      },
      secret: { label: "客户端密钥（可选）", hint: "存放它的变量的名称，而非密钥本身。" },
    },
    allowPrivate: { label: "允许私有地址或明文 http" },
    context: { label: "向服务器声明 sampling.context" },
    tools: {
      allow: { label: "客户端可见的工具（可选）", hint: "名称，每行一个；* 代表任意字符。留空表示所有工具。" },
      deny: { label: "客户端不可见的工具（可选）", hint: "格式相同，优先于上面的设置。" },
      sampling: { label: "向服务器声明采样中的工具" },
    },
    pin: {
      label: "工具的定义变更时",
      options: { off: "不处理", warn: "向操作员显示", hold: "隐藏该工具，直到操作员接受" },
    },
    tasks: { label: "向服务器声明以任务方式采样" },
    samplingTools: { label: "可以采样的工具（可选）", hint: "完整名称，每行一个。留空表示所有工具。" },
    trustAnnotations: { label: "规则采信其工具对自身的说明（只读、破坏性）" },
    connections: {
      reviewers: {
        label: "谁可以通过 OAuth 连接客户端（可选）",
        hint: "策略中的组或姓名，每行一个。留空表示策略中的所有人；在 JSON 中写空列表表示没有人。",
      },
      mostDays: { label: "多少天后必须重新连接客户端（可选）" },
      tools: keyFields["zh-CN"].tools,
      limits: keyFields["zh-CN"].limits,
      budget: keyFields["zh-CN"].budget,
    },
    receipts: { label: "每次调用和答复都附带凭据" },
    functions: { label: "函数（可选）", hint: "POST /control 的调用方可以运行的工具，每行一个。" },
    origins: { label: "网页来源（可选）", hint: "可以使用中继的页面，例如 https://app.example.com，每行一个。" },
    headers: { label: "标头（可选）", hint: "随每个请求发送，格式为 Name: value，每行一个。不要用于凭据。" },
    v1Tokens: {
      maxUsd: { label: "/v1 令牌：每个的美元上限（可选）" },
      maxSeconds: { label: "/v1 令牌：每个的秒数（可选）" },
      models: { label: "/v1 令牌：模型（可选）", hint: "每行一个。留空表示密钥可用的所有模型。" },
    },
  },
};

export const serversWords: InLanguages<Texts<typeof en>> = { en, "zh-CN": zhCN };
