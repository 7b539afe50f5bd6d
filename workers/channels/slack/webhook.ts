// Slack as an incoming webhook: one message to one channel, with that channel's own link. It reaches no person, has no buttons, and
// cannot change what it posted. Source: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.

import { slackDigest } from "../../../shared/channels/slack-digest.ts";
import { slackReminder } from "../../../shared/channels/slack-ending.ts";
import { type SlackMessage, type SlackMessageInput, briefSlackMessage, slackMessage } from "../../../shared/channels/slack-message.ts";
import type { Channel, NoticeError, Sent } from "../channel.ts";
import { exchange } from "../channel-exchange.ts";
import type { SlackWebhook } from "./slack-settings.ts";
import { wordsFor } from "../reviewer-words.ts";
import { isSlackChannel, mostInDigest } from "./press-standing.ts";

const errors: Readonly<Record<number, NoticeError>> = {
  400: "invalid",
  401: "unauthorized",
  403: "notAllowed",
  404: "notFound",
  410: "notAllowed",
};

export const slackWebhookChannel = ({ url: address }: SlackWebhook): Channel => ({
  name: "slack",
  // A personal link never goes into a channel.
  reaches: isSlackChannel,
  async send({ view, excerpt, url, why, reviewer }) {
    if (!isSlackChannel(reviewer)) return { kind: "failed", why: "notFound" };
    // The link's page shows the change.
    if (why === "changed" || why === "voted") return sent;
    const input: SlackMessageInput = { view, words: wordsFor(reviewer), excerpt, url, inChannel: true, why: null, reference: null };
    if (why === "reminder") return post(address, slackReminder(input));
    const first = await post(address, slackMessage(input));
    return first.kind === "failed" && first.why === "invalid" ? post(address, briefSlackMessage(input)) : first;
  },
  ended: async () => sent,
  digest: {
    most: mostInDigest,
    address: ({ slack = "" }) => slack,
    counts: ({ why }, what) => what === "send" && why !== "changed" && why !== "voted",
    async send(entries) {
      const words = wordsFor(entries[0]?.reviewer);
      const first = await post(address, slackDigest(entries, words, false));
      return first.kind === "failed" && first.why === "invalid" ? post(address, slackDigest(entries, words, true)) : first;
    },
  },
});

const sent: Sent = { kind: "sent", receipt: null };

async function post(url: string, { text, blocks }: SlackMessage): Promise<Sent> {
  const answer = await exchange({
    url,
    method: "POST",
    headers: { "Content-Type": "application/json; charset=utf-8" },
    body: JSON.stringify({ text, blocks, unfurl_links: false, unfurl_media: false, mrkdwn: false }),
  });
  if (answer === undefined) return { kind: "again", why: "unavailable" };
  const { status, afterMs } = answer;
  if (status === 200) return sent;
  if (status === 429) return { kind: "again", why: "rateLimited", ...(afterMs === undefined ? {} : { afterMs }) };
  const why = errors[status];
  return why === undefined ? { kind: "again", why: "unavailable" } : { kind: "failed", why };
}
