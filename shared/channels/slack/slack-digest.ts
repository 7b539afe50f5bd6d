// Several reviews in one Slack message: a line with a link for each. No content and no buttons.

import type { DigestEntry } from "../digest-content.ts";
import { digestDeadlineWords, gateWords } from "../fact-words.ts";
import { warningsOf, whatOf } from "../notice-line.ts";
import { textOf } from "../../words/text.ts";
import { type Inline, filled, list, moment, paragraph, plain, say } from "./slack-blocks.ts";
import type { SlackMessage } from "./slack-message.ts";
import type { NoticeWords } from "../words/notice-words.ts";

/** @param brief Leaves the names out, for where Slack refuses the message as too long. */
export function slackDigest(entries: readonly DigestEntry[], words: NoticeWords, brief: boolean): SlackMessage {
  const title = textOf(words.review.digest, { n: entries.length }, words.lang);
  return {
    text: title,
    blocks: [
      { type: "header", text: plain(title) },
      paragraph(say(words.slack.digest.why)),
      list(entries.map((entry) => lineOf(entry, words, brief))),
    ],
  };
}

function lineOf({ url, facts }: DigestEntry, words: NoticeWords, brief: boolean): Inline[] {
  const link: Inline = { type: "link", url, text: gateWords(facts, words.review).link };
  return [
    link,
    ...(brief ? [] : [say(`${words.review.marks.colon}${whatOf(facts, words)}${warningsOf(facts, words)}`)]),
    ...filled(digestDeadlineWords(facts, words), { at: moment(facts.deadlineAt) }),
  ];
}
