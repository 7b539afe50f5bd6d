// Ordinary prompts and replies, which have nothing to mask and nothing to be warned of.
// `{letter:length}` is a value without a meaning, made from a seed.

import type { ChatRequest, ToolDefinition } from "../../shared/model/sampling.ts";
import type { ToolCall } from "../../shared/model/subject/tool-call.ts";
import { madeFrom } from "./made-up.ts";

export type OrdinaryText = { readonly kind: string; readonly text: string };

const of = (kind: string, ...texts: string[]): OrdinaryText[] => texts.map((text) => ({ kind, text }));

export const ordinaryTexts: readonly OrdinaryText[] = [
  ...of(
    "prose",
    "Summarize the minutes of Monday's meeting in five sentences, and name who has to do what until Friday.",
    "The key to a good sauce is patience: a secret that every cook knows. The token of thanks was small.",
    'She passed the password to nobody. "Open sesame", he said; the author: Antoine de Saint-Exupery, 1943.',
    "Write a polite answer to the customer whose order 4711-0815 has not arrived. Our reference is A-2026-11-0042.",
    "Access to the building: ask at the desk. Authorization: by the manager. Token: blue plastic.",
  ),
  ...of(
    "Chinese",
    "请把下面的会议记录总结成五句话，并列出每个人的任务和截止日期。",
    "密码学的基本概念：密钥、令牌与签名有什么区别？请用通俗的语言解释，字数不超过三百字。",
    "客户反馈：订单号 20261123001 一直显示“处理中”，访问地址 https://example.cn/orders/20261123001 打不开。",
    "令牌：用于身份验证的凭证。密钥：用于加密的参数。",
  ),
  ...of(
    "code",
    "export function keyOf(token: string): string {\n  return `${token.slice(0, 8)}:${secretFor(token)}`;\n}",
    "const apiKey = process.env.API_KEY ?? throwMissing('API_KEY');\nconst password = await prompt('Password: ');",
    "def get_access_token(client_id, client_secret):\n    return requests.post(TOKEN_URL, data={'key': client_id}).json()['access_token']",
    "SELECT id, token_hash, created_at FROM api_keys WHERE owner = $1 AND revoked_at IS NULL ORDER BY created_at DESC;",
    'fn main() { let secret = std::env::var("SECRET").unwrap(); println!("{}", secret.len()); }',
    "import { createHash } from 'node:crypto';\nconst authenticated = headers.authorization === `Bearer ${expected}`;",
    '<input type="password" name="password" autocomplete="current-password" id="password-field-1">',
    'resource "aws_iam_access_key" "deploy" {\n  user = aws_iam_user.deploy.name\n}\noutput "secret" { value = aws_iam_access_key.deploy.secret, sensitive = true }',
    "git clone https://github.com/example/project.git && cd project && npm ci && npm test",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\nstringData:\n  token: ${TOKEN}\n  password: <set in CI>",
  ),
  ...of(
    "logs",
    "2026-11-23T08:15:02.113Z INFO  auth: token refreshed for user=1042 in 31ms (request {h:8}-{h:4}-4{h:3}-a{h:3}-{h:12})",
    'Nov 23 08:15:04 web-1 nginx: 203.0.113.7 - - "GET /api/keys?page=2 HTTP/2.0" 200 5120 "-" "Mozilla/5.0"',
    "[error] Authentication failed: invalid access key (request id {n:26}); retrying in 2000 ms",
    "pod/api-7d9f8b6c5d-x2x9k   1/1   Running   0   3h12m   10.42.1.17   node-3",
    "npm warn deprecated request@2.88.2: request has been deprecated\nadded 512 packages in 14s",
    "Traceback (most recent call last):\n  File \"/app/keys.py\", line 118, in load_secret\nKeyError: 'API_SECRET_NAME'",
  ),
  ...of(
    "identifiers and hashes",
    "{h:8}-{h:4}-4{h:3}-9{h:3}-{h:12}",
    "commit {h:40}\nAuthor: Ada <ada@example.com>\n\n    keys: rotate less often",
    "sha256:{h:64}  dist/app-1.4.2.tar.gz",
    "integrity sha512-{b:86}== resolved https://registry.npmjs.org/zod/-/zod-4.6.6.tgz",
    'ETag: "{h:32}"\nX-Request-Id: {a:22}\nCF-Ray: {h:16}-AMS',
    "order {d:12}, customer {d:8}, invoice INV-2026-{d:6}, IBAN NL00BANK{d:10}",
    "key: {h:8}-{h:4}-4{h:3}-8{h:3}-{h:12}",
  ),
  ...of(
    "encoded data",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{b:1200}",
    '<img src="data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/{b:2400}">',
    "-----BEGIN CERTIFICATE-----\nMIID{b:60}\n{b:64}\n{b:64}\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b:43} ada@laptop",
    "Content-Transfer-Encoding: base64\n\n{b:76}\n{b:76}\n{b:76}\n{b:40}",
  ),
  ...of(
    "JSON and configuration",
    '{"user":"ada","roles":["admin","reader"],"keyCount":3,"lastAccess":"2026-11-23T08:15:02Z","tokenType":"bearer"}',
    '{"type":"object","properties":{"apiKey":{"type":"string","minLength":20,"description":"The key of the API"},"password":{"type":"string","format":"password"}},"required":["apiKey"]}',
    '[server]\nport = 8080\nauth = "oauth2"\ntoken_ttl_seconds = 3600\nsecret_name = "prod/app/database-credentials"\n',
    "DATABASE_URL=postgres://localhost:5432/app\nREDIS_URL=redis://cache:6379/0\nAPI_BASE=https://api.example.com/v2",
    "PUBLIC_URL=https://reviews.example.com/path?token=none#key",
  ),
];

const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;
const tools: ToolDefinition[] = [
  { name: "search", description: "Searches the notes for words.", inputSchema: { type: "object", properties: { q: { type: "string" } } } },
  { name: "read_note", description: "Reads one note by its name.", inputSchema: { type: "object" } },
];
const systemPrompt = "You are a helpful assistant. Answer in the language of the question, and say so where you do not know.";

const chat = (text: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  kind: "chat",
  systemPrompt,
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  maxTokens: 800,
  ...more,
});

/** The texts as servers send them: alone, with a picture or tools, as a result, as a call. */
export function ordinaryRequests(next: () => number): (ChatRequest | ToolCall)[] {
  return ordinaryTexts.flatMap((of) => {
    const text = madeFrom(of.text, next);
    return [
      chat(text),
      chat(text, { messages: [{ role: "user", content: [{ type: "text", text }, picture] }] }),
      chat(text, { tools, toolChoice: "auto" }),
      chat("", {
        tools,
        messages: [
          { role: "user", content: [{ type: "text", text: "What do my notes say about https://shop.example.com/list?page=2?" }] },
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "search", input: { q: "shop", limit: 5 } }] },
          { role: "user", content: [{ type: "tool_result", toolUseId: "t1", content: [{ type: "text", text }, picture] }] },
        ],
      }),
      { kind: "toolCall", server: "notes", tool: "append_note", arguments: { note: "2026-11-23", text } },
    ];
  });
}
