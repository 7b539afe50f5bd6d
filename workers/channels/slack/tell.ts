// The private messages to one Slack member. They have no names and no content.

import { paragraph, plain, say, type SlackBlock } from "../../../shared/channels/slack-blocks.ts";
import { reviewWords, slackWords } from "../../../shared/channels/words/words.ts";
import type { PressWords } from "../../stubs/run-calls.ts";

const { uncounted } = reviewWords;

export const tellWords: Readonly<Record<PressWords, string>> = {
  ...slackWords.tell,
  alreadyDecided: uncounted.closed,
  late: uncounted.late,
  ownRequest: uncounted.ownRequest,
  left: uncounted.left,
};

/** The private message. `url` is the member's own link. */
export const tellBlocks = (words: PressWords, url: string | null): SlackBlock[] => [
  paragraph(say(tellWords[words])),
  ...(url === null
    ? []
    : [
        {
          type: "actions" as const,
          elements: [{ type: "button" as const, action_id: "open", text: plain(slackWords.buttons.open), url }],
        },
      ]),
];
