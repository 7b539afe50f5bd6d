// The channels, each its own folder and one line here, and which of them a reviewer is notified through.

import type { Reviewer } from "../../shared/policy/evaluate.ts";
import { type LinkChannel, type NoticeChannel, noticeChannelNames } from "../../shared/notice-channels.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import type { Channel, ChannelAdapter } from "./channel.ts";
import { emailAdapter } from "./email/email-channel.ts";
import { outboxChannel } from "./outbox/outbox-channel.ts";
import { slackAdapter } from "./slack/slack-channel.ts";
import { webhookAdapter } from "./webhook/webhook-channel.ts";

/** In the order in which a reviewer without an order of their own is asked. A channel that is missing here does not compile. */
const adapters: Readonly<Record<NoticeChannel, ChannelAdapter>> = { slack: slackAdapter, email: emailAdapter, webhook: webhookAdapter };

const opened = new WeakMap<object, readonly Channel[]>();

/** The channels that are configured. Without PUBLIC_URL there are none: a link could not be built. An environment does not change. */
export function openChannels(env: Env): readonly Channel[] {
  let channels = opened.get(env);
  if (channels === undefined) {
    const { publicUrl, outbox } = settingsOf(env);
    const all = [...Object.values(adapters).map(({ open }) => open(env)), outbox ? outboxChannel() : undefined];
    channels = publicUrl === undefined ? [] : all.filter((channel) => channel !== undefined);
    opened.set(env, channels);
  }
  return channels;
}

/** What is wrong with the channels' configuration, a sentence each that says what to do. */
export const channelIssues = (env: Env): string[] => Object.values(adapters).flatMap(({ issues: problems }) => problems(env));

/** What the doctor asks and says of each channel, in the order of `noticeChannelNames`. */
export const channelDoctors: readonly (ChannelAdapter & { readonly name: NoticeChannel })[] = noticeChannelNames.map((name) => ({
  name,
  ...adapters[name],
}));

/**
 * The channels by which a reviewer is asked at once: the first of their own order that reaches them, or every one that does
 * where they have none; and those that stand in, in order, where one of them failed. The operators' outbox is always asked.
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

/** The channel to ask where one has failed: the first by which the reviewer was not asked. The one that failed may not be configured any more. */
export function nextChannel(reviewer: Reviewer, channels: readonly Channel[], asked: ReadonlySet<LinkChannel>): Channel | undefined {
  const { first, then } = channelsFor(reviewer, channels);
  return [...first, ...then].find(({ name }) => !asked.has(name));
}
