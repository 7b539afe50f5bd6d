// The private messages to one Slack member. They have no names and no content.

import { paragraph, plain, say } from "./slack-blocks.ts";
import type { SlackMessage } from "./slack-message.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import type { PressWords } from "../press-words.ts";

export const tellWords = ({ slack: { tell }, review: { uncounted } }: NoticeWords): Readonly<Record<PressWords, string>> => ({
  ...tell,
  alreadyDecided: uncounted.closed,
  late: uncounted.late,
  ownRequest: uncounted.ownRequest,
  ownReply: uncounted.ownReply,
  left: uncounted.left,
});

/** The private message. `url` is the member's own link. */
export function tellMessage(said: PressWords, url: string | null, words: NoticeWords): SlackMessage {
  const text = tellWords(words)[said];
  const open = plain(words.slack.buttons.open);
  return {
    text,
    blocks: [
      paragraph(say(text)),
      ...(url === null ? [] : [{ type: "actions" as const, elements: [{ type: "button" as const, action_id: "open", text: open, url }] }]),
    ],
  };
}
