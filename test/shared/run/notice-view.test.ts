// What leaves in a notice where the policy has rules of redaction: everything masked again, and no
// original.

import { describe, expect, test } from "vitest";
import type { SamplingReply } from "../../../shared/model/sampling.ts";
import type { RedactionTerms } from "../../../shared/redaction/redact.ts";
import { forNotice } from "../../../shared/run/notice-view.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { openResponse, typedCall } from "../../outside/pages/examples.ts";

const secret = `ghp_${"aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"}`;
const redaction: RedactionTerms = { rules: [{ name: "secrets", at: ["notice"], secrets: "known" }], mayLift: ["Ada Lovelace"] };
const reply: SamplingReply = { content: [{ type: "text", text: `the reply ${secret}` }], model: "m" };
/** A reviewer lifted what was masked: each text of the view has the secret again. */
const view: ReviewView = {
  ...openResponse,
  request: { kind: "chat", maxTokens: 1, messages: [{ role: "user", content: [{ type: "text", text: `the request ${secret}` }] }] },
  requestAsAsked: { kind: "chat", maxTokens: 1, messages: [{ role: "user", content: [{ type: "text", text: secret }] }] },
  reply,
  replyAsGenerated: { ...reply, content: [{ type: "text", text: secret }] },
  written: { by: "Grace Hopper", at: 0, reply },
  handedBy: { by: "Bo Chen", at: 0, note: `the note ${secret}` },
};
const inputOf = (terms: RedactionTerms) =>
  ({ gatePolicy: { noticeExcerpt: "start" }, redaction: terms }) as Parameters<typeof forNotice>[1]; // all that is read

describe("a view for notices", () => {
  const { view: shown, excerpt } = forNotice(view, inputOf(redaction));

  test("has a marker in every text, also where a reviewer lifted it", () => {
    const text = JSON.stringify(shown);
    expect(text).not.toContain(secret.slice(0, 12));
    for (const part of ["the request", "the reply", "the note"]) expect(text).toContain(`${part} [redacted: GitHub token]`);
    expect(shown.reply).toMatchObject({ content: shown.written?.reply?.content });
    expect([shown.maskedHere, excerpt]).toEqual([3, "start"]);
  });

  test("has none of the texts that were there before a change", () => {
    expect([shown.requestAsAsked, shown.replyAsGenerated, shown.redactions]).toEqual([null, null, undefined]);
  });

  test("has nothing that a juror wrote", () => {
    const raised = { model: "judge", why: "said", reason: "the arguments again" } as const;
    expect(JSON.stringify(forNotice({ ...typedCall, raised }, inputOf(redaction)))).not.toContain("the arguments again");
  });

  test("has no excerpt where its texts cannot be masked", () => {
    const slow: RedactionTerms = { rules: [{ name: "slow", at: ["notice"], pattern: "[a-z]{200}Z", label: "slow" }], mayLift: [] };
    const long: ReviewView = { ...view, reply: { ...reply, content: [{ type: "text", text: "a".repeat(400_000) }] } };
    expect(forNotice(long, inputOf(slow)).excerpt).toBe("none");
  });
});
