// Slack messages without content: the reminder, what replaces a review's message in the end, and
// messages about no review.

import { reviewFacts } from "../../review/review-facts.ts";
import { endingOf } from "../ending-words.ts";
import type { PlainWords } from "../plain-message.ts";
import { asksWords, silenceWords } from "../fact-words.ts";
import { filled, moment, named, namesOf, paragraph, plain, say, strong } from "./slack-blocks.ts";
import type { SlackMessage, SlackMessageInput } from "./slack-message.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import type { ReviewView } from "../../review/view.ts";

/** The reminder, in the thread of the first message. None of its buttons decides. */
export const slackReminder = ({
  view,
  url,
  reference,
  words: { review, slack: words },
}: Pick<SlackMessageInput, "view" | "url" | "reference" | "words">): SlackMessage => ({
  text: words.reminder.title,
  blocks: [
    paragraph(
      strong(`${words.reminder.title}${review.marks.stop} `),
      ...filled(`${words.reminder.line} ${silenceWords(reviewFacts(view), review)}`, { at: moment(view.deadlineAt) }),
    ),
    reference === null
      ? paragraph({ type: "link", url, text: words.link })
      : { type: "actions", elements: [{ type: "button", action_id: "open", text: plain(words.buttons.open), url }] },
  ],
});

/**
 * Replaces a message whose review is over, or is no longer this reviewer's: who, when and what, no
 * buttons.
 */
export function slackEnding(view: ReviewView, words: NoticeWords): SlackMessage {
  const { title, sentence, by, to, at } = endingOf(view, words);
  const places = {
    ...(by === null ? {} : { by: named(by, words) }),
    ...(to === null ? {} : { to: named(to, words) }),
    ...(at === null ? {} : { at: moment(at) }),
  };
  return {
    text: title,
    blocks: [
      { type: "header", text: plain(title) },
      paragraph(...filled(sentence, places)),
      paragraph(
        say(words.slack.ended.what),
        ...filled(asksWords({ ...reviewFacts(view), isAhead: false }, words.review), namesOf(view.requestor, words)),
      ),
    ],
  };
}

/** Replaces a message whose reviewer is asked once more in a newer one. */
export const slackReplaced = ({ slack: { ended } }: NoticeWords): SlackMessage => ({
  text: ended.replaced,
  blocks: [{ type: "header", text: plain(ended.replaced) }, paragraph(say(ended.replacedLine))],
});

/** About no review, and without buttons. */
export const slackPlain = ({ title, text, link }: PlainWords): SlackMessage => ({
  text: title,
  blocks: [
    { type: "header", text: plain(title) },
    paragraph(say(text)),
    ...(link === null ? [] : [paragraph({ type: "link", url: link.url, text: link.label })]),
  ],
});
