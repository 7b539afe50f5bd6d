// Whether the member behind an interaction may decide, and as which reviewer: by where the message
// was posted and for whom. Pure.

import { type Addresses, isRoomAddress } from "../../../shared/notice-channels.ts";
import type { PressWords } from "../../../shared/channels/press-words.ts";
import type { PressTarget } from "../../stubs/run-calls.ts";
import type { SlackPress, SlackSubmission } from "./interaction.ts";
import { parseReceipt } from "./receipt.ts";
import type { SlackApp } from "./slack-settings.ts";

/** Whether the reviewer is a Slack channel: any member of it decides as "someone in" it. */
export const isSlackChannel = ({ slack }: Pick<Addresses, "slack">): boolean => isRoomAddress("slack", slack);

/** Reviews in one digest: Slack takes no more than about 12,000 characters of blocks. */
export const mostInDigest = 20;

/** The link and the reviewer, by their place in the review, that a decision counts for. */
export type Deciding = {
  readonly link: string;
  readonly place: number;
  /**
   * The member who pressed, where they decide as a channel; otherwise the reviewer is the member.
   */
  readonly member: string | null;
};

type PressPermission =
  | { readonly kind: "may"; readonly as: Deciding }
  | { readonly kind: "mayNot"; readonly why: Extract<PressWords, "notYours" | "oldMessage"> }
  /** Of another app or workspace: nothing is answered. */
  | { readonly kind: "foreign" };

/**
 * `link` is the message's. In a direct message only its reviewer may decide. In a channel a
 * reviewer with a Slack id of their own decides as themself, and any other member of the same
 * workspace as the channel.
 */
export function permissionOf(app: SlackApp, target: PressTarget, link: string, interaction: SlackPress | SlackSubmission): PressPermission {
  const receipt = parseReceipt(target.receipt);
  const { team, user, api_app_id: appId } = interaction;
  // The press came before the message's receipt was stored: the member can press again.
  if (receipt === null) return { kind: "mayNot", why: "oldMessage" };
  if ((app.appId ?? appId) !== appId || (receipt.app ?? appId) !== appId) return { kind: "foreign" };
  if ((app.teamId ?? team.id) !== team.id || receipt.team !== team.id) return { kind: "foreign" };
  // A channel may be shared with another company, whose members have their own workspace.
  const isPress = interaction.type === "block_actions";
  if (user.team_id === undefined ? isPress : user.team_id !== receipt.team) return { kind: "mayNot", why: "notYours" };
  if (isPress) {
    const { channel_id: channel, message_ts: ts } = interaction.container;
    if (channel !== receipt.channel || ts !== receipt.ts) return { kind: "mayNot", why: "oldMessage" };
  }
  const { reviewer, place, colleagues } = target;
  if (reviewer.slack === user.id) return { kind: "may", as: { link, place, member: null } };
  if (!isSlackChannel(reviewer) || reviewer.slack !== receipt.channel) return { kind: "mayNot", why: "notYours" };
  const self = colleagues.find((each) => each.reviewer.slack === user.id);
  return {
    kind: "may",
    as: self === undefined ? { link, place, member: user.id } : { link: self.link, place: self.place, member: null },
  };
}
