// An example of each JSON body that the gateway takes, by the operation's id: in the description,
// and sent by the page's curl commands.

import type { JsonObject } from "../../../shared/encoding.ts";
import type { DocumentName } from "../../stubs/config-calls.ts";

const originatingRequest = { id: 7, method: "tools/call", name: "summarize", server: "notes" };

const documents: Readonly<Record<DocumentName, JsonObject>> = {
  routing: {
    providers: { local: { kind: "openai", baseUrl: "http://127.0.0.1:11434/v1", allowPrivate: true } },
    models: [
      {
        id: "llama",
        provider: "local",
        name: "llama3.3",
        contextTokens: 128_000,
        maxOutputTokens: 8_000,
        price: { inputPerMTok: 0, outputPerMTok: 0 },
        scores: { intelligence: 0.5, speed: 0.7, cost: 1 },
      },
    ],
  },
  policy: {
    rules: [{ name: "replies to notes", when: { server: "notes" }, then: { request: "review", response: "allow" } }],
    default: { request: "review", response: "review", reviewers: ["everyone"] },
    reviewers: { everyone: [{ name: "Ada Lovelace", email: "ada@example.com" }] },
  },
  servers: { servers: { notes: { url: "https://notes.example.com/mcp" } } },
  issuers: {
    issuers: {
      idp: {
        issuer: "https://idp.example.com/",
        algorithm: "RS256",
        audience: "countersign",
        jwksUrl: "https://idp.example.com/keys",
        subjects: {},
      },
    },
  },
  budgets: { budgets: { all: { of: "everything", usd: 50, per: "month" } } },
};

export const examples: Readonly<Record<string, JsonObject>> = {
  sampling: {
    jsonrpc: "2.0",
    id: 1,
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "Say hello in five words." } }],
      maxTokens: 50,
      _meta: { "countersign/session": "sess-1", "countersign/originatingRequest": originatingRequest },
    },
  },
  control: {
    protocol_version: "2.0",
    request_id: "req-1",
    model: { name: "gpt-4" },
    task: { type: "translation", parameters: { text: "Hello, world!", target_lang: "zh-CN" } },
  },
  chatCompletions: { model: "auto", max_completion_tokens: 50, messages: [{ role: "user", content: "Say hello in five words." }] },
  createResponse: { model: "auto", max_output_tokens: 50, input: "Say hello in five words." },
  embeddings: { model: "auto", input: "Hello, world!" },
  returnResult: { result: { content: [{ type: "text", text: "Deleted /tmp/report.txt" }] } },
  requestApproval: { tool: "delete_file", server: "files", arguments: { path: "/tmp/report.txt" } },
  claudeCodeHook: {
    session_id: "abc123",
    cwd: "/home/user/my-project",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force" },
    tool_use_id: "toolu_01ABC123",
  },
  makeToken: { session: "sess-1", originatingRequest, maxUsd: 0.1, seconds: 300 },
  oauthRegister: { client_name: "Inspector", redirect_uris: ["http://127.0.0.1:6274/oauth/callback"], token_endpoint_auth_method: "none" },
  relayMessage: { jsonrpc: "2.0", id: 1, method: "ping" },
  ...Object.fromEntries(
    Object.entries(documents).flatMap(([name, document]) => [`put-${name}`, `check-${name}`].map((id) => [id, document])),
  ),
  replayPolicy: { policy: { default: { reviewers: ["oncall"] }, reviewers: { oncall: [{ name: "Ann" }] } }, days: 7 },
  explainRouting: { preferences: { costPriority: 1 } },
  sendNoticesAgain: { reviewer: "Ada Lovelace" },
  askReviewer: { reviewer: "Ada Lovelace" },
  testChannel: { reviewer: "Ada Lovelace", channel: "email" },
  changeKey: { name: "ci", servers: ["notes"], limits: { requestsPerMinute: 30 } },
  createKey: { name: "ci", owner: "Ada Lovelace", servers: ["notes"] },
  giveBypass: { server: "notes", hours: 2 },
  acceptTools: { tools: [{ name: "summarize", digest: "of the tool in the list" }] },
  hideTools: { tools: [{ name: "summarize", digest: "of the tool in the list" }] },
};
