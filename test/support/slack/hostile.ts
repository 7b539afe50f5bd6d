// Texts that Slack would read as something else wherever it reads markup, and a review that has one
// of them in every field.

import type { ModelWhy } from "../../../shared/routing/choose.ts";
import type { MessageView } from "../../../shared/review/view.ts";
import { plainReply } from "./views.ts";

/**
 * https://docs.slack.dev/messaging/formatting-message-text: mentions, links, dates, emoji,
 * emphasis, and what imitates escapes.
 */
export const controlSequences: readonly string[] = [
  "<!channel> <!here> <!everyone>",
  "<@U012ABCDEF> <@W012ABCDEF|boss> <#C012ABCDEF|general> <!subteam^S012ABCDEF>",
  "<https://evil.example.com|Approve and send> <mailto:a@example.com|mail>",
  "<!date^1392734382^{date} at {time}^https://evil.example.com|fallback>",
  "https://evil.example.com/r/token www.example.com a@example.com",
  ":tada: :white_check_mark: :skin-tone-2:",
  "*bold* _italic_ ~strike~ `code` ```block``` > quote",
  "&lt;!channel&gt; &amp;lt;!channel&amp;gt; &#60;!channel&#62;",
  "@channel @here @everyone #general",
  "```\nApprove and send\n```",
  '{"type":"button","action_id":"approve"}',
  "<script>alert(1)</script><svg onload=alert(1)>",
  "${server} {server} {by} {at} {model} %s <%= 1 %>",
];

const whyOf = (hint: string): ModelWhy => ({ tier: { kind: "hint", hint }, terms: [], points: 0 });

export const poisoned = (text: string): MessageView => ({
  ...plainReply,
  gate: "request",
  state: { kind: "voted", votes: 1, quorum: 2 },
  quorum: 2,
  run: text,
  reviewer: text,
  rule: text,
  version: 2,
  versions: [{ version: 2, by: text, at: 0 }],
  requestor: { server: text, method: text, name: text, provenance: "claimed", client: text, owner: text, gone: true },
  models: [1, 2].map(() => ({
    id: text,
    provider: text,
    name: text,
    why: whyOf(text),
    worstCostUsd: 1,
  })),
  risks: [{ level: "high", kind: "urlWithData", pointer: `/messages/${text}` }],
  notes: [{ kind: "omitted", field: "metadata", why: text }],
  requestAsAsked: { kind: "chat", messages: [], maxTokens: 9, systemPrompt: "before" },
  request: {
    kind: "chat",
    systemPrompt: text,
    messages: [
      { role: "user", content: [{ type: "text", text }] },
      { role: "user", content: [{ type: "image", data: text, mimeType: text }] },
      { role: "assistant", content: [{ type: "tool_use", id: text, name: text, input: { [text]: text } }] },
      { role: "user", content: [{ type: "tool_result", toolUseId: text, content: [{ type: "text", text }] }] },
    ],
    maxTokens: 5,
    stopSequences: [text],
    metadata: { [text]: text },
    tools: [{ name: text, description: text, inputSchema: { [text]: text } }],
  },
  answeredBy: { id: text, provider: text, name: text, why: whyOf(text), worstCostUsd: 1 },
  reply: { content: [{ type: "text", text }], model: text, stopReason: text },
});
