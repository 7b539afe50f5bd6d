// The channels that there are, each its own files and one line here, and which of them a reviewer is asked by.

import type { Reviewer } from "../../shared/policy/evaluate.ts";
import type { LinkChannel } from "../../shared/review/link.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import type { Channel } from "./channel.ts";
import { emailChannel, emailProblems } from "./email.ts";
import { outboxChannel } from "./outbox.ts";
import { slackChannel, slackProblems } from "./slack.ts";
import { webhookChannel, webhookProblems } from "./webhook.ts";

type Adapter = {
  /** The channel as it is configured; undefined where it is not. */
  readonly open: (env: Env) => Channel | undefined;
  /** What is wrong with its configuration: a sentence each, which says what to do. */
  readonly problems: (env: Env) => readonly string[];
};

/** In the order in which a reviewer without an order of their own is asked. A channel that is missing here does not compile. */
const adapters: Readonly<Record<LinkChannel, Adapter>> = {
  slack: { open: slackChannel, problems: slackProblems },
  email: { open: emailChannel, problems: emailProblems },
  webhook: { open: webhookChannel, problems: webhookProblems },
  outbox: { open: (env) => (settingsOf(env).outbox ? outboxChannel() : undefined), problems: () => [] },
};

const opened = new WeakMap<object, readonly Channel[]>();

/** The channels that are configured. Without PUBLIC_URL there are none: a link could not be built. An environment does not change. */
export function openChannels(env: Env): readonly Channel[] {
  let channels = opened.get(env);
  if (channels === undefined) {
    const configured = settingsOf(env).publicUrl === undefined ? [] : Object.values(adapters).map(({ open }) => open(env));
    channels = configured.filter((channel) => channel !== undefined);
    opened.set(env, channels);
  }
  return channels;
}

/** What is wrong with the channels' configuration, a sentence each that says what to mend. */
export const channelProblems = (env: Env): string[] => Object.values(adapters).flatMap(({ problems }) => problems(env));

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
