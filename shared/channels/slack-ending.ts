// What follows the first Slack message of a review: the reminder, and what replaces the message in the end. Neither has content.

import { isOpen, reviewFacts } from "../review/review-facts.ts";
import { asksWords, endedWords } from "./fact-words.ts";
import { type Inline, filled, moment, named, paragraph, plain, say, strong } from "./slack-blocks.ts";
import type { SlackMessage, SlackMessageInput } from "./slack-message.ts";
import { reviewWords, slackWords as words } from "./words/words.ts";
import type { ReviewView } from "../review/view.ts";

/** The reminder, in the thread of the first message. None of its buttons decides. */
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

/** Replaces a message whose review is over, or is no longer this reviewer's: who, when and what, no buttons. */
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

/** Replaces a message whose reviewer is asked once more in a newer one. */
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
