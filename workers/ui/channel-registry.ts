// The channels, each with what is said of it and what its sender has the pages Worker make: one
// line for each. How it sends is in workers/channels/.

import { chatRenderers } from "../../shared/channels/chat-message.ts";
import type { ChannelWords, WithAddress } from "../../shared/channels/channel-words.ts";
import { emailChannelWords } from "../../shared/channels/email/email-channel-words.ts";
import { ntfyChannelWords } from "../../shared/channels/ntfy/ntfy-channel-words.ts";
import { ntfyRenderers } from "../../shared/channels/ntfy/ntfy-renderers.ts";
import { outboxChannelWords } from "../../shared/channels/outbox/outbox-channel-words.ts";
import { pushChannelWords } from "../../shared/channels/push/push-channel-words.ts";
import { pushRenderers } from "../../shared/channels/push/push-renderers.ts";
import { slackChannelWords } from "../../shared/channels/slack/slack-channel-words.ts";
import { slackRenderers } from "../../shared/channels/slack/slack-renderers.ts";
import { teamsChannelWords } from "../../shared/channels/teams/teams-channel-words.ts";
import { teamsCard } from "../../shared/channels/teams/teams-card.ts";
import { telegramChannelWords } from "../../shared/channels/telegram/telegram-channel-words.ts";
import { telegramRenderers } from "../../shared/channels/telegram/telegram-renderers.ts";
import { webhookChannelWords } from "../../shared/channels/webhook/webhook-channel-words.ts";
import { webhookRenderers } from "../../shared/channels/webhook/webhook-renderers.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { type LinkChannel, type NoticeChannel, noticeChannelNames } from "../../shared/notice-channels.ts";
import { renderEmail } from "./emails.ts";

type ChannelPieces<Words> = { readonly words: Readonly<Record<Language, Words>>; readonly renderers: object };

/** A channel that is missing here does not compile. */
export const channelPieces = {
  email: { words: emailChannelWords, renderers: { mail: renderEmail } },
  slack: { words: slackChannelWords, renderers: slackRenderers },
  webhook: { words: webhookChannelWords, renderers: webhookRenderers },
  teams: { words: teamsChannelWords, renderers: chatRenderers("Teams", teamsCard) },
  ntfy: { words: ntfyChannelWords, renderers: ntfyRenderers },
  telegram: { words: telegramChannelWords, renderers: telegramRenderers },
  push: { words: pushChannelWords, renderers: pushRenderers },
  outbox: { words: outboxChannelWords, renderers: {} },
} as const satisfies Readonly<Record<NoticeChannel, ChannelPieces<WithAddress>> & Record<"outbox", ChannelPieces<ChannelWords>>>;

export const channelWords = (channel: LinkChannel, language: Language): ChannelWords => channelPieces[channel].words[language];

/** The names of all, by which the record has them. */
export const channelNames = (language: Language): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(channelPieces).map(([channel, { words }]) => [channel, words[language].name]));

/** The labels of the fields for a reviewer's addresses. */
export const addressFields = (language: Language): Readonly<Record<NoticeChannel, WithAddress["address"]>> =>
  Object.fromEntries(noticeChannelNames.map((name) => [name, channelPieces[name].words[language].address])) as Record<
    NoticeChannel,
    WithAddress["address"]
  >; // of all names

/** The names of their members in the policy, one of which is to be chosen. */
export const anyChannel = (language: Language): string => new Intl.ListFormat(language, { type: "disjunction" }).format(noticeChannelNames);

export const isLinkChannel = (name: string): name is LinkChannel => Object.hasOwn(channelPieces, name);
