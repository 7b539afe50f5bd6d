// Several reviews in one Slack message: a line with a link for each. No content and no buttons.

import type { DigestEntry } from "./digest-content.ts";
import { type Inline, filled, list, moment, named, paragraph, plain, say } from "./slack-blocks.ts";
import type { SlackMessage } from "./slack-message.ts";
import { reviewWords, slackWords } from "./words/words.ts";

const words = slackWords.digest;

/** @param brief Leaves the names out, for where Slack refuses the message as too long. */
export function slackDigest(entries: readonly DigestEntry[], brief: boolean): SlackMessage {
  const title = reviewWords.digest(entries.length);
  return {
    text: title,
    blocks: [{ type: "header", text: plain(title) }, paragraph(say(words.why)), list(entries.map((entry) => lineOf(entry, brief)))],
  };
}

function lineOf({ url, gate, asking, requestor, deadlineAt }: DigestEntry, brief: boolean): Inline[] {
  const link: Inline = { type: "link", url, text: words.gates[gate] };
  const { server, client, method, name } = requestor;
  const what = { server: named(server), client: named(client), method: named(method), name: named(name) };
  return [
    link,
    ...(brief ? [] : [say(": "), ...filled(reviewWords.asking[asking].subject, what)]),
    ...filled(words.deadline, { at: moment(deadlineAt) }),
  ];
}
