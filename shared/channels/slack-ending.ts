// What follows the first Slack message of a review: the reminder, and what stands in its place in the end. No content is in either.

import { unreachable } from "../result.ts";
import { askingOf, askingWords } from "./asking.ts";
import { type Inline, filled, moment, named, paragraph, plain, say, strong } from "./slack-blocks.ts";
import type { SlackMessage, SlackMessageInput } from "./slack-message.ts";
import { slackWords as words } from "./slack-words.ts";
import type { ReviewView } from "../review/view.ts";

/** The message that reminds, in the thread of the first. It has no content and no button of ours. */
export const slackReminder = ({ view, url, reference }: Pick<SlackMessageInput, "view" | "url" | "reference">): SlackMessage => ({
  text: words.reminder.title,
  blocks: [
    paragraph(strong(`${words.reminder.title}. `), ...filled(words.reminder.line, { at: moment(view.deadlineAt) })),
    reference === null
      ? paragraph({ type: "link", url, text: words.link })
      : { type: "actions", elements: [{ type: "button", action_id: "open", text: plain(words.buttons.open), url }] },
  ],
});

/** What stands in the place of a message whose review is over, or not this reviewer's any more: who, when and what, no content, no buttons. */
export function slackEnding(view: ReviewView): SlackMessage {
  const { title, line } = endingOf(view);
  const { server, client, method, name } = view.asker;
  return {
    text: title,
    blocks: [
      { type: "header", text: plain(title) },
      paragraph(...line),
      paragraph(
        say(words.ended.what),
        ...filled(askingWords[askingOf(view)].asked, {
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
  switch (state.kind) {
    case "approved":
      return {
        title: state.edited ? ended.approvedEdited : ended.approved,
        line: filled(state.edited ? ended.editedBy : ended.approvedBy, { by: named(state.by), at: moment(state.at) }),
      };
    case "denied":
      return { title: ended.denied, line: filled(ended.deniedBy, { by: named(state.by), at: moment(state.at) }) };
    case "expired":
      return { title: ended.expired, line: filled(ended.expiredAt, { at: moment(state.at) }) };
    case "cancelled":
      return { title: ended.cancelled, line: filled(keyEnd === null ? ended.cancelledAt : ended[`${keyEnd}At`], { at: moment(state.at) }) };
    case "failed":
      return { title: ended.failed, line: filled(ended.failedAt, { at: moment(state.at) }) };
    case "open":
    case "voted":
      if (left === undefined || left === null) return { title: ended.closed, line: [say(ended.closedLine)] };
      return left.to === null
        ? { title: ended.notMine, line: filled(ended.notMineAt, { at: moment(left.at) }) }
        : { title: ended.handedOver, line: filled(ended.handedOverTo, { to: named(left.to), at: moment(left.at) }) };
    default:
      return unreachable(state);
  }
}
