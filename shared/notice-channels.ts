// The channels that notify reviewers: one entry each, with what the policy, the links, the settings
// and the commands know of it. How a channel sends is in workers/channels/, what it says in
// shared/channels/.

/** A channel that needs an address of its reviewer. */
export type NoticeChannel = keyof typeof noticeChannels;

/** The outbox is a link's channel too: it reaches every reviewer, and needs no address. */
export type LinkChannel = NoticeChannel | "outbox";

/** Why a notice was not sent. Operators see it, and it is in the record. */
export const noticeErrors = [
  "rateLimited",
  "dailyLimit",
  "suppressed",
  "notAllowed",
  "notVerified",
  "invalid",
  "unauthorized",
  "notFound",
  "unavailable",
  "notConfigured",
] as const;
export type NoticeError = (typeof noticeErrors)[number];

type ChannelFacts = {
  /** Its name in a sentence to operators, and the page of the documentation on its setup. */
  readonly title: Readonly<Record<"en" | "zh-CN", string>>;
  readonly guide: string;
  /** A reviewer's address, as a policy has it; `says`: the key of what is said of another text. */
  readonly address: "email" | { readonly pattern: RegExp; readonly says: string };
  /** The policy has no address, only whether the channel is used: it is the same for everybody. */
  readonly isSwitch?: true;
  /**
   * Identifies the channel in a link's token: never changed, and never reused. The outbox has 0.
   */
  readonly linkByte: number;
  /**
   * Which addresses are rooms with several people, and what such a room is called; null where every
   * address is a person's.
   */
  readonly room: { readonly pattern: RegExp; readonly called: string } | null;
  /** Whether one person reads what is sent to an address that is no room, or a service does. */
  readonly isReadByPerson: boolean;
  /**
   * Its variables and secrets, with what each is for; null: a new project need not know of it.
   * `<NAME>` is the policy's own name for an address. No other part of the gateway has a variable
   * with the same word before its first underscore.
   */
  readonly variables: Readonly<Record<`${string}_${string}`, string | null>>;
};

/** The name of a configured address: capital letters, digits and _. */
const configuredName = /^[A-Z][A-Z0-9_]{0,30}$/;

export const noticeChannels = {
  email: {
    title: { en: "email", "zh-CN": "邮件" },
    guide: "docs/email.md",
    address: "email",
    linkByte: 1,
    room: null,
    isReadByPerson: true,
    variables: {
      EMAIL_FROM: "The sender of emails to reviewers, like Countersign <reviews@example.com>. A variable, not a secret.",
      RESEND_API_KEY: "Sends emails to reviewers by Resend.",
      RESEND_BASE_URL: null,
    },
  },
  slack: {
    title: { en: "Slack", "zh-CN": "Slack" },
    guide: "docs/slack.md",
    address: { pattern: /^[UWCG][A-Z0-9]{2,20}$/, says: "slackId" },
    linkByte: 2,
    room: { pattern: /^[CG]/, called: "a Slack channel" },
    isReadByPerson: true,
    variables: {
      SLACK_BOT_TOKEN: "Sends review notices to Slack.",
      SLACK_SIGNING_SECRET: "Verifies that a click in Slack comes from Slack.",
      SLACK_WEBHOOK_URL: "Sends notices to one Slack channel, where there is no bot.",
      SLACK_APP_ID: null,
      SLACK_TEAM_ID: null,
      SLACK_API_URL: null,
    },
  },
  webhook: {
    title: { en: "webhooks", "zh-CN": "webhook" },
    guide: "docs/webhook.md",
    address: { pattern: configuredName, says: "configuredName" },
    linkByte: 3,
    room: null,
    isReadByPerson: false,
    variables: {
      "WEBHOOK_<NAME>_URL": "The address of a webhook that the policy names.",
      "WEBHOOK_<NAME>_SECRET": "Signs what is sent to that webhook: whsec_ and base64.",
    },
  },
  teams: {
    title: { en: "Teams", "zh-CN": "Teams" },
    guide: "docs/teams.md",
    address: { pattern: configuredName, says: "configuredName" },
    linkByte: 4,
    // A workflow posts where many read: every address is a room.
    room: { pattern: /^/, called: "a Teams channel" },
    isReadByPerson: false,
    variables: { "TEAMS_<NAME>_URL": "The workflow address of a Teams channel that the policy names." },
  },
  ntfy: {
    title: { en: "ntfy", "zh-CN": "ntfy" },
    guide: "docs/ntfy.md",
    address: { pattern: configuredName, says: "configuredName" },
    linkByte: 6,
    room: null,
    isReadByPerson: false,
    variables: {
      "NTFY_<NAME>_URL": "The address of an ntfy topic that the policy names.",
      "NTFY_<NAME>_TOKEN": "Lets the gateway write to that topic, where it is protected.",
    },
  },
  telegram: {
    title: { en: "Telegram", "zh-CN": "Telegram" },
    guide: "docs/telegram.md",
    address: { pattern: /^-?[1-9]\d{0,15}$/, says: "telegramId" },
    linkByte: 7,
    room: { pattern: /^-/, called: "a Telegram group" },
    isReadByPerson: true,
    variables: { TELEGRAM_BOT_TOKEN: "Sends review notices by a Telegram bot.", TELEGRAM_API_URL: null },
  },
  push: {
    title: { en: "push", "zh-CN": "推送" },
    guide: "docs/inbox.md",
    // The devices are the person's own, and are not in the policy.
    address: { pattern: /^on$/, says: "pushOn" },
    isSwitch: true,
    linkByte: 5,
    room: null,
    isReadByPerson: true,
    variables: {},
  },
} as const satisfies Readonly<Record<string, ChannelFacts>>;

export const noticeChannelNames = Object.keys(noticeChannels) as NoticeChannel[]; // its own names

export const linkChannels = [...noticeChannelNames, "outbox"] as const satisfies readonly LinkChannel[];

/** What is known of a channel. */
export const channelFacts = (channel: NoticeChannel): ChannelFacts => noticeChannels[channel];

/** The names of all as phrases of the doctor. */
export const channelTitles = (language: "en" | "zh-CN") =>
  Object.fromEntries(noticeChannelNames.map((name) => [`channel.${name}`, channelFacts(name).title[language]])) as {
    readonly [Channel in NoticeChannel as `channel.${Channel}`]: string;
  }; // one of each

/** A variable of a channel whose name is always the same. */
export type ChannelVariable = Exclude<
  { [Channel in NoticeChannel]: keyof (typeof noticeChannels)[Channel]["variables"] }[NoticeChannel],
  `${string}<NAME>${string}`
>;

/** A reviewer's addresses. */
export type Addresses = { readonly [Channel in NoticeChannel]?: string | undefined };

/** Whether an address of this channel is a room with several people. */
export const isRoomAddress = (channel: NoticeChannel, address: string | undefined): boolean =>
  address !== undefined && channelFacts(channel).room?.pattern.test(address) === true;

/**
 * Whether the reviewer is a room, such as a Slack channel: each person in it who decides counts as
 * "someone in" it.
 */
export const isRoom = (addresses: Addresses): boolean => noticeChannelNames.some((channel) => isRoomAddress(channel, addresses[channel]));

/** Whether a notice by this channel is read by the reviewer alone: no service, no room, no list. */
export const isForOnePerson = (channel: LinkChannel, addresses: Addresses): boolean =>
  channel !== "outbox" && channelFacts(channel).isReadByPerson && !isRoom(addresses);

/** What such a room is called, with its article. */
export const roomWords = (addresses: Addresses): string | undefined =>
  noticeChannelNames.flatMap((channel) => (isRoomAddress(channel, addresses[channel]) ? [channelFacts(channel).room?.called] : []))[0];

/** Every variable of a channel, with what it is for: `ChannelFacts.variables`. */
export const channelVariables: readonly (readonly [name: string, what: string | null])[] = noticeChannelNames.flatMap((channel) =>
  Object.entries(channelFacts(channel).variables),
);

const firstWord = (name: string): string => name.slice(0, name.indexOf("_") + 1);
const firstWords: ReadonlySet<string> = new Set(channelVariables.map(([name]) => firstWord(name)));

/** Whether a variable of the environment is a channel's, by the word that its name begins with. */
export const isChannelSetting = (name: string): boolean => firstWords.has(firstWord(name));
