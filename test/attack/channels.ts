// Reviews that reach their reviewer in one channel: each with an address of its own.

import type { TakenMail } from "../support/mail-api.ts";
import { type SlackMessageSeen, directChannel } from "../support/slack/scripted-slack.ts";
import type { TakenWebhook } from "../support/webhook-receiver.ts";
import { until } from "../outside/support/raw-client.ts";
import { emailAddress, nameAt, placesPerChannel, slackMember } from "./documents.ts";
import { type Sampling, notices, sample } from "./people.ts";
import type { Answer, World } from "./world.ts";

const used = { slack: 0, email: 0, webhook: 0 };

function nextPlace(channel: keyof typeof used): number {
  used[channel] += 1;
  if (used[channel] > placesPerChannel) throw new Error(`more than ${placesPerChannel} reviews by ${channel}: raise placesPerChannel`);
  return used[channel] - 1;
}

type Asked<T> = { readonly notice: T; readonly answer: Promise<Answer>; readonly place: number };

async function asked<T>(
  world: World,
  channel: keyof typeof used,
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

/** The link in an email. */
export const linkIn = (text: string, world: World): string => new RegExp(`${world.url}/r/[\\w-]+`).exec(text)?.[0] ?? "";
