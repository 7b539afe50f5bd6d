// What follows the first Slack message of a review: the reminder, and what stands in its place in the end. No content is in either.

import { isOpen, reviewFacts } from "../review/review-facts.ts";
import { asksWords, endedWords } from "./fact-words.ts";
import { type Inline, filled, moment, named, paragraph, plain, say, strong } from "./slack-blocks.ts";
import type { SlackMessage, SlackMessageInput } from "./slack-message.ts";
import { reviewWords, slackWords as words } from "./words/words.ts";
import type { ReviewView } from "../review/view.ts";

/** The message that reminds, in the thread of the first. It has no content and no button of ours. */
export const slackReminder = ({ view, url, reference }: Pick<SlackMessageInput, "view" | "url" | "reference">): SlackMessage => ({
  text: words.reminder.title,
  blocks: [
    paragraph(
      strong(`${words.reminder.title}. `),
      ...filled(`${words.reminder.line} ${reviewWords.silence}`, { at: moment(view.deadlineAt) }),
    ),
    reference === null
      ? paragraph({ type: "link", url, text: words.link })
      : { type: "actions", elements: [{ type: "button", action_id: "open", text: plain(words.buttons.open), url }] },
  ],
});

/** What stands in the place of a message whose review is over, or not this reviewer's any more: who, when and what, no content, no buttons. */
export function slackEnding(view: ReviewView): SlackMessage {
  const { title, line } = endingOf(view);
  const { server, client, method, name } = view.requestor;
  return {
    text: title,
    blocks: [
      { type: "header", text: plain(title) },
      paragraph(...line),
      paragraph(
        say(words.ended.what),
        ...filled(asksWords({ ...reviewFacts(view), isAhead: false }), {
          server: named(server),
          client: named(client),
          method: named(method),
          name: named(name),
        }),
      ),
    ],
  };
}

/** What stands in the place of a message that was posted anew, because its reviewer is asked once more. */
export const slackReplaced = (): SlackMessage => ({
  text: words.ended.replaced,
  blocks: [{ type: "header", text: plain(words.ended.replaced) }, paragraph(say(words.ended.replacedLine))],
});

function endingOf({ state, left, keyEnd = null }: ReviewView): { title: string; line: Inline[] } {
  const { ended } = words;
  if (isOpen(state)) {
    if (left === undefined || left === null) return { title: ended.closed, line: [say(ended.closedLine)] };
    return left.to === null
      ? { title: ended.notMine, line: filled(ended.notMineAt, { at: moment(left.at) }) }
      : { title: ended.handedOver, line: filled(ended.handedOverTo, { to: named(left.to), at: moment(left.at) }) };
  }
  const { title, sentence } = endedWords(state);
  const who: Readonly<Record<string, Inline>> = "by" in state ? { by: named(state.by) } : {};
  return { title, line: filled(keyEnd === null ? sentence : ended[`${keyEnd}At`], { ...who, at: moment(state.at) }) };
}
