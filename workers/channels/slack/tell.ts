// What one Slack member alone is told, by name of the words. No names, no content.

import { paragraph, plain, say, type SlackBlock } from "../../../shared/channels/slack-blocks.ts";
import { slackWords } from "../../../shared/channels/slack-words.ts";
import type { PressWords } from "../../stubs/run-calls.ts";

export const tellWords: Readonly<Record<PressWords, string>> = {
  notYours: "You are not among those who may decide this. Nothing was decided.",
  alreadyDecided: "This was decided before your answer came. Your answer did not count.",
  stale: "The content changed after this message was made. Nothing was decided; look at the new version, then decide.",
  late: "The deadline has passed. Your answer did not count.",
  ownRequest: "You may not approve your own request. Somebody else has to.",
  left: "You gave up your place in this review. Your answer did not count.",
  openPersonalLink: "This cannot be decided here. Open it, and decide there.",
  tooLongToEdit: "This cannot be edited in Slack without changing what you do not see. Open it, and edit there.",
  dialogFailed: "Slack did not open the dialog in time. Nothing was decided; press the button again, or open the review.",
  invalidEdit: "Some of your changes cannot be used. Nothing was decided; open the review to see which.",
  oldMessage: "This is an old copy of the message. Nothing was decided; use the newest one.",
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
