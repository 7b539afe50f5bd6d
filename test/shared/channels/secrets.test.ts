// What our own warnings call a secret is in no excerpt of any channel, wherever in the content it
// stands and however it is written.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { excerptOf } from "../../../shared/channels/excerpt.ts";
import { handOverOf } from "../../../shared/channels/hand-over.ts";
import { slackMessage } from "../../../shared/channels/slack/slack-message.ts";
import { editModal } from "../../../shared/channels/slack/slack-modal.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { findRisks } from "../../../shared/policy/risk.ts";
import type { ChatRequest, SamplingReply, ToolResultBlock } from "../../../shared/model/sampling.ts";
import type { MessageView, ReviewView } from "../../../shared/review/view.ts";
import { reviewEmail } from "../../../workers/ui/review-email.tsx";
import { control, openRequest, openResponse, calling, returning } from "../../outside/pages/examples.ts";
import { plainRequest } from "../../support/slack/views.ts";

const { en: words } = catalogues;
/** The part that must not leave. */
const core = "Zq8Yw2Lk5Rt1Vb9Nc4Md7Xs3";
const secrets = [
  `sk-${core}`,
  `sk_live_${core}`,
  `AKIA${core}`,
  `ghp_${core}${core}`,
  `github_pat_${core}${core}`,
  `glpat-${core}`,
  `xoxb-${core}`,
  `AIza${core}${core}`,
  `npm_${core}${core}`,
  `eyJhbGciOiJIUzI1NiJ9.eyJ${core}.${core}`,
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${core}\n${core}\n-----END OPENSSH PRIVATE KEY-----`,
];
const url = "https://reviews.example.com/r/token";

/** The view with this text in each place that an excerpt or a Slack message could show. */
function viewsOf(text: string): ReviewView[] {
  const input = { note: `x\n${text}` };
  const call = (name: string) => ({ type: "tool_use" as const, id: "call_1", name, input });
  const block = { type: "text" as const, text };
  const result = (parts: Partial<ToolResultBlock>) => ({ type: "tool_result" as const, toolUseId: "1", content: [], ...parts });
  const asked = (request: Partial<ChatRequest>): MessageView => ({ ...openRequest, request: { ...openRequest.request, ...request } });
  const replied = (view: MessageView, ...content: SamplingReply["content"]): MessageView => ({
    ...view,
    reply: { model: "m", content },
  });
  return [
    asked({ systemPrompt: text }),
    asked({ messages: [{ role: "user", content: [block] }] }),
    asked({ messages: [{ role: "assistant", content: [{ type: "text", text: "before" }, block, { type: "text", text: "after" }] }] }),
    asked({ messages: [{ role: "user", content: [result({ content: [block] })] }] }),
    asked({ messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }], stopSequences: [`\n${text}`] }),
    { ...control.embedding, request: { ...control.embedding.request, messages: [{ role: "user", content: [block] }] } },
    calling(input),
    replied(openResponse, block),
    replied(openResponse, { type: "text", text: "before" }, block),
    replied(control.functionChoiceReply, call("choose")),
    returning({ content: [block] }),
    returning({ content: [], structuredContent: input }),
    returning({ content: [{ type: "resource", resource: { uri: "file:///a", text: `x\n${text}` } }] }),
  ];
}

/** Everything that leaves with this view, as text. */
function sentOf(view: ReviewView): string {
  const mail = reviewEmail({ view, language: "en", url, why: "asked", excerpt: "start", expiresAt: view.deadlineAt });
  const reference = { approve: "reference", deny: "reference", edit: "reference" };
  const message = slackMessage({ view, words, excerpt: "start", url, inChannel: false, why: "asked", reference });
  return JSON.stringify([excerptOf(view), mail, message, editModal(view, "reference", words), handOverOf(view)]).replaceAll("\u200b", "");
}

const surround = fc.string({ unit: fc.constantFrom("a", " ", "\n", ".", "é", "😀", "\t", '"', "\\"), maxLength: 30 });
/** Not part of a word before it: the checks look at the beginnings of words. */
const surrounded = fc
  .tuple(surround, fc.constantFrom(...secrets), surround)
  .map(([before, secret, after]) => `${before} ${secret} ${after}`);

describe("a text that a warning calls a secret", () => {
  test("is in no excerpt, email or Slack message, and cannot be approved in Slack", () => {
    fc.assert(
      fc.property(surrounded, (text) => {
        for (const view of viewsOf(text)) {
          const risks = findRisks(view.gate === "request" || view.reply === null ? view.request : view.reply);
          expect(risks.some(({ kind }) => kind === "credential")).toBe(true);
          const sent = sentOf(view);
          expect(sent).not.toContain(core);
          expect(sent).not.toContain('"action_id":"approve"');
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each(secrets)("right after a line break in JSON, where its escape hides the beginning of the word: %s", (secret) => {
    for (const view of viewsOf(secret)) expect(sentOf(view)).not.toContain(core);
  });

  test("is left out whole, its neighbours stay, and every notice says so", () => {
    const view: ReviewView = {
      ...plainRequest,
      request: {
        kind: "chat",
        maxTokens: 1,
        messages: [{ role: "user", content: ["One", `my key: ${secrets[0]}`, "Two"].map((text) => ({ type: "text", text })) }],
      },
    };
    expect(excerptOf(view)).toEqual({
      pieces: [
        { from: "user", text: "One" },
        { from: "user", text: "", leftOut: "secret" },
        { from: "user", text: "Two" },
      ],
      more: `my key: ${secrets[0]}`.length,
    });
    const sent = sentOf(view);
    expect(sent).toContain("Left out here, because it looks like a secret.");
    expect(sent).toContain("1 text that looks like a secret. Open shows all of it.");
  });

  test("is not handed on in a note", () => {
    const handedBy = { by: "Bo", at: 0, note: `use ${secrets[0]}` };
    expect(handOverOf({ ...plainRequest, handedBy })).toEqual({ by: "Bo", note: null, leftOut: "secret" });
    expect(sentOf({ ...plainRequest, handedBy })).not.toContain(core);
  });
});

test("a hand-over's note stands in the notice of the reviewer to whom it was handed", () => {
  const sent = sentOf({ ...plainRequest, handedBy: { by: "Bo Chen", at: 0, note: "Please look at the second message" } });
  expect(sent.split("Please look at the second message").length - 1).toBe(4);
  expect(sent).toContain("Handed over by ");
});
