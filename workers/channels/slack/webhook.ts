// Slack as an incoming webhook: one message to one channel, with that channel's own link. It
// reaches no person, has no buttons, and cannot change what it posted. Source:
// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.

import type { NoticeError } from "../../../shared/notice-channels.ts";
import type { SlackMessage } from "../../../shared/channels/slack/slack-message.ts";
import type { SlackRenderInput } from "../../../shared/channels/slack/slack-renderers.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import type { Env } from "../../platform/env.ts";
import type { Channel, DeliveryResult } from "../channel.ts";
import { exchange } from "../channel-exchange.ts";
import { fromPages } from "../from-pages.ts";
import type { SlackWebhook } from "./slack-settings.ts";
import { isSlackChannel, mostInDigest } from "./press-permission.ts";

const errors: Readonly<Record<number, NoticeError>> = {
  400: "invalid",
  401: "unauthorized",
  403: "notAllowed",
  404: "notFound",
  410: "notAllowed",
};

export function slackWebhookChannel({ url: address }: SlackWebhook, pages: Env["PAGES"]): Channel {
  const post = async (reviewer: Reviewer | undefined, asked: SlackRenderInput): Promise<DeliveryResult> =>
    postTo(address, await fromPages(pages.channels.slack.renderers.message(asked, languageFor(reviewer?.language))));
  /** Where Slack refuses the whole message, the one without what makes it long. */
  const postFitting = async (
    reviewer: Reviewer | undefined,
    asked: Extract<SlackRenderInput, { isBrief: boolean }>,
  ): Promise<DeliveryResult> => {
    const first = await post(reviewer, asked);
    return first.kind === "failed" && first.why === "invalid" ? post(reviewer, { ...asked, isBrief: true }) : first;
  };
  return {
    name: "slack",
    // A personal link never goes into a channel.
    reaches: isSlackChannel,
    async send({ view, excerpt, url, why, reviewer }) {
      if (!isSlackChannel(reviewer)) return { kind: "failed", why: "notFound" };
      // The link's page shows the change.
      if (why === "changed" || why === "voted") return sent;
      const input = { view, excerpt, url, inChannel: true, why: null, reference: null };
      return why === "reminder"
        ? post(reviewer, { kind: "reminder", input })
        : postFitting(reviewer, { kind: "review", input, isBrief: false });
    },
    ended: async () => sent,
    say: ({ reviewer, said }) => post(reviewer, { kind: "plain", said }),
    digest: {
      most: mostInDigest,
      address: ({ slack = "" }) => slack,
      counts: ({ why }, what) => what === "send" && why !== "changed" && why !== "voted",
      send: (entries) => postFitting(entries[0]?.reviewer, { kind: "digest", entries, isBrief: false }),
    },
  };
}

const sent: DeliveryResult = { kind: "sent", receipt: null };

async function postTo(url: string, { text, blocks }: SlackMessage): Promise<DeliveryResult> {
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
