// The channels, each with its own folder and one line here, and which of them notify a reviewer.

import type { Reviewer } from "../../shared/policy/evaluate.ts";
import { type LinkChannel, type NoticeChannel, noticeChannelNames } from "../../shared/notice-channels.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { isolateState } from "../platform/isolate.ts";
import { settingsOf } from "../platform/settings.ts";
import type { Channel, ChannelAdapter } from "./channel.ts";
import { emailAdapter } from "./email/email-channel.ts";
import { ntfyAdapter } from "./ntfy/ntfy-channel.ts";
import { outboxChannel } from "./outbox/outbox-channel.ts";
import { pushAdapter } from "./push/push-channel.ts";
import { roomAdapter } from "./room-webhook.ts";
import { slackAdapter } from "./slack/slack-channel.ts";
import { telegramAdapter } from "./telegram/telegram-channel.ts";
import { webhookAdapter } from "./webhook/webhook-channel.ts";

/**
 * In the order for reviewers without an order of their own. A channel that is missing here does not
 * compile.
 */
const adapters: Readonly<Record<NoticeChannel, ChannelAdapter>> = {
  slack: slackAdapter,
  email: emailAdapter,
  webhook: webhookAdapter,
  // A workflow answers 202 before it posts, and 404 or 410 where it is switched off or deleted.
  // Source: https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook
  teams: roomAdapter("teams", { message: ({ teams }, ...asked) => teams.renderers.message(...asked), mostInDigest: 20 }),
  ntfy: ntfyAdapter,
  telegram: telegramAdapter,
  push: pushAdapter,
};

/**
 * The configured channels, computed once for each environment. None without PUBLIC_URL, because a
 * link needs it.
 */
export const openChannels = isolateState((env): readonly Channel[] => {
  const { publicUrl, outbox } = settingsOf(env);
  const all = [...Object.values(adapters).map(({ open }) => open(env)), outbox ? outboxChannel() : undefined];
  return publicUrl === undefined ? [] : all.filter((channel) => channel !== undefined);
});

/** The configured channel of this name. */
export const openChannel = (env: Env, name: string): Channel | undefined => openChannels(env).find((each) => each.name === name);

/** What is wrong with the channels' configuration, and what to do. */
export const channelIssues = (env: Env): DoctorPhrase[] => Object.values(adapters).flatMap(({ issues }) => issues(env));

/** What the doctor asks and says of each channel, in the order of `noticeChannelNames`. */
export const channelDoctors: readonly (ChannelAdapter & { readonly name: NoticeChannel })[] = noticeChannelNames.map((name) => ({
  name,
  ...adapters[name],
}));

/**
 * `first`: the channels that notify a reviewer at once, which are the first of the reviewer's order
 * that reaches them, or without an order every one that does; and always the outbox. `then`: those
 * that replace a failed one, in order.
 */
export function channelsFor(
  reviewer: Reviewer,
  channels: readonly Channel[],
): { readonly first: readonly Channel[]; readonly then: readonly Channel[] } {
  const reaching = channels.filter((channel) => channel.reaches(reviewer));
  const { notify } = reviewer;
  if (notify === undefined) return { first: reaching, then: [] };
  const [first, ...then] = notify.flatMap((name) => reaching.filter((channel) => channel.name === name));
  const outbox = reaching.filter(({ name }) => name === "outbox");
  return { first: first === undefined ? outbox : [first, ...outbox], then };
}

/**
 * The channel that replaces a failed one: the first that was not used yet. The failed one may no
 * longer be configured.
 */
export function nextChannel(reviewer: Reviewer, channels: readonly Channel[], asked: ReadonlySet<LinkChannel>): Channel | undefined {
  const { first, then } = channelsFor(reviewer, channels);
  return [...first, ...then].find(({ name }) => !asked.has(name));
}
