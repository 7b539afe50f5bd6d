// The words of a Slack message or modal that depend on what is asked: an MCP server's sampling
// request, a client's own task, or a tool that is to run.

import type { ReviewFacts } from "../../review/review-facts.ts";
import { gateWords } from "../fact-words.ts";
import type { NoticeWords } from "../words/notice-words.ts";

type Facts = Pick<ReviewFacts, "asking" | "gate">;

export const slackGateWords = ({ asking, gate }: Facts, { review, slack }: NoticeWords) => ({
  ...gateWords({ asking, gate }, review),
  ...(asking === "toolCall" ? slack.run : slack)[gate],
});

/** What submitting the edit modal does, with {version}. */
export function editLead({ asking, gate }: Facts, { slack: { modal } }: NoticeWords): string {
  if (gate === "request") return asking === "toolCall" ? modal.editRun : modal.edit;
  return modal.editReply;
}
