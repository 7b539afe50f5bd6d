// Reviews that reach their reviewer in one channel: each with an address of its own.

import type { TakenMail } from "../support/mail-api.ts";
import { type SlackMessageSeen, directChannel } from "../support/slack/scripted-slack.ts";
import type { NtfyNotification } from "../support/ntfy-server.ts";
import type { TelegramShown } from "../support/telegram-server.ts";
import type { TakenWebhook } from "../support/webhook-receiver.ts";
import { until } from "../outside/support/raw-client.ts";
import { type PlacedChannel, emailAddress, nameAt, ntfyTopic, placesOf, slackMember, telegramChat } from "./documents.ts";
import { type Sampling, notices, sample } from "./people.ts";
import type { Answer, World } from "./world.ts";

const used = { slack: 0, email: 0, webhook: 0, ntfy: 0, telegram: 0, push: 0 };

/** A reviewer of this channel whom no attack has used. */
export function nextPlace(channel: PlacedChannel): number {
  used[channel] += 1;
  const most = placesOf(channel);
  if (used[channel] > most) throw new Error(`more than ${most} reviews by ${channel}: raise what placesOf gives`);
  return used[channel] - 1;
}

type Asked<T> = { readonly notice: T; readonly answer: Promise<Answer>; readonly place: number };

async function asked<T>(
  world: World,
  channel: PlacedChannel,
  sampling: Sampling,
  find: (place: number) => T | undefined,
): Promise<Asked<T>> {
  const place = nextPlace(channel);
  const answer = sample(world, { ...sampling, server: `by-${channel}-${place}` });
  let ended: Answer | undefined;
  answer.then((value) => (ended = value)).catch(() => {});
  const notice = await until(`a notice by ${channel}`, () => {
    if (ended !== undefined) throw new Error(`nobody was asked: ${ended.status} ${ended.text}`);
    return find(place);
  });
  // Until the gateway has the receipt, a press on the message is one on a message that it does not
  // know.
  await until("the receipt", async () =>
    (await notices(world)).some(({ reviewer, state }) => reviewer === nameAt(channel, place) && state === "sent"),
  );
  return { notice, answer, place };
}

/** A request that is asked about in Slack, and the message about it. */
export const askedInSlack = (world: World, sampling: Sampling = {}): Promise<Asked<SlackMessageSeen>> =>
  asked(world, "slack", sampling, (place) => world.slack.messages.find(({ channel }) => channel === directChannel(slackMember(place))));

/** A request that is asked about by email, and the email. */
export const askedByEmail = (world: World, sampling: Sampling = {}): Promise<Asked<TakenMail>> =>
  asked(world, "email", sampling, (place) => world.mail.taken.find(({ to }) => to.includes(emailAddress(place))));

/** A request that is asked about by webhook, and what was posted. */
export const askedByWebhook = (world: World, sampling: Sampling = {}): Promise<Asked<TakenWebhook>> =>
  asked(world, "webhook", sampling, (place) =>
    world.webhooks.taken.find(({ event }) => event.data["reviewer"] === nameAt("webhook", place)),
  );

/** A request that is asked about by ntfy, and the message on the topic. */
export const askedByNtfy = (world: World, sampling: Sampling = {}): Promise<Asked<NtfyNotification>> =>
  asked(world, "ntfy", sampling, (place) => world.ntfy.shown.find(({ topic }) => topic === ntfyTopic(place)));

/** A request that is asked about by Telegram, and the message in the chat. */
export const askedByTelegram = (world: World, sampling: Sampling = {}): Promise<Asked<TelegramShown>> =>
  asked(world, "telegram", sampling, (place) => world.telegram.shown.find(({ chat }) => chat === telegramChat(place)));

/** The link in an email. */
export const linkIn = (text: string, world: World): string => new RegExp(`${world.url}/r/[\\w-]+`).exec(text)?.[0] ?? "";
