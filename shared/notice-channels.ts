// The channels that notify reviewers, and what the policy, the links and the settings know of each.
// How a channel sends is in workers/channels/.

import * as z from "zod";

/** A reviewer's address of each channel, as a policy has it. */
export const channelAddresses = {
  email: z.email().max(254).optional(),
  /** A Slack member or channel id. */
  slack: z
    .string()
    .regex(/^[UWCG][A-Z0-9]{2,20}$/, "is not a Slack member or channel id")
    .optional(),
  /**
   * The name of a configured webhook: `TEAMS` stands for WEBHOOK_TEAMS_URL and
   * WEBHOOK_TEAMS_SECRET.
   */
  webhook: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,30}$/, "is not a webhook's name: capital letters, digits and _")
    .optional(),
  /**
   * The name of a configured channel of Microsoft Teams: `REVIEWS` stands for TEAMS_REVIEWS_URL.
   */
  teams: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,30}$/, "is not the name of a Teams channel: capital letters, digits and _")
    .optional(),
};

/** A channel that needs an address of its reviewer. */
export type NoticeChannel = keyof typeof channelAddresses;

/** The outbox is a link's channel too: it reaches every reviewer, and needs no address. */
export type LinkChannel = NoticeChannel | "outbox";

/** Why a notice was not sent. Operators see it, and it is in the record. */
export type NoticeError =
  | "rateLimited"
  | "dailyLimit"
  | "suppressed"
  | "notAllowed"
  | "notVerified"
  | "invalid"
  | "unauthorized"
  | "notFound"
  | "unavailable"
  | "notConfigured";

type ChannelFacts = {
  /**
   * Identifies the channel in a link's token: never changed, and never reused. The outbox has 0.
   */
  readonly linkByte: number;
  /**
   * Which addresses are rooms with several people, and what such a room is called; null where every
   * address is a person's.
   */
  readonly room: { readonly pattern: RegExp; readonly called: string } | null;
  /** How the names of its variables and secrets begin. */
  readonly settings: readonly string[];
};

export const noticeChannels: Readonly<Record<NoticeChannel, ChannelFacts>> = {
  email: { linkByte: 1, room: null, settings: ["EMAIL_", "RESEND_"] },
  slack: { linkByte: 2, room: { pattern: /^[CG]/, called: "a Slack channel" }, settings: ["SLACK_"] },
  webhook: { linkByte: 3, room: null, settings: ["WEBHOOK_"] },
  // A workflow posts where many read: every address is a room.
  teams: { linkByte: 4, room: { pattern: /^/, called: "a Teams channel" }, settings: ["TEAMS_"] },
};

export const noticeChannelNames = Object.keys(noticeChannels) as NoticeChannel[]; // its own names

/** A reviewer's addresses. */
export type Addresses = { readonly [Channel in NoticeChannel]?: string | undefined };

/** Whether an address of this channel is a room with several people. */
export const isRoomAddress = (channel: NoticeChannel, address: string | undefined): boolean =>
  address !== undefined && noticeChannels[channel].room?.pattern.test(address) === true;

/**
 * Whether the reviewer is a room, such as a Slack channel: each person in it who decides counts as
 * "someone in" it.
 */
export const isRoom = (addresses: Addresses): boolean => noticeChannelNames.some((channel) => isRoomAddress(channel, addresses[channel]));

/** What such a room is called, with its article. */
export const roomWords = (addresses: Addresses): string | undefined =>
  noticeChannelNames.flatMap((channel) => (isRoomAddress(channel, addresses[channel]) ? [noticeChannels[channel].room?.called] : []))[0];

/** Whether a variable of the environment is a channel's. */
export const isChannelSetting = (name: string): boolean =>
  Object.values(noticeChannels).some(({ settings }) => settings.some((prefix) => name.startsWith(prefix)));
