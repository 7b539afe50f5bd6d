// Who an interaction comes from, and as whom they may decide: compared with where the message was posted and for whom. Pure.

import { type Addresses, isRoomAddress } from "../../../shared/notice-channels.ts";
import type { PressTarget, PressWords } from "../../stubs/run-calls.ts";
import type { SlackPress, SlackSubmission } from "./interaction.ts";
import { parseReceipt } from "./receipt.ts";
import type { SlackApp } from "./slack-settings.ts";

/** A Slack channel in place of a person: whoever of it decides counts as "someone in" it. */
export const isSlackChannel = ({ slack }: Pick<Addresses, "slack">): boolean => isRoomAddress("slack", slack);

/** Reviews in one digest: Slack takes no more than about 12,000 characters of blocks. */
export const mostInDigest = 20;

/** A link to decide by, and its reviewer's place. */
export type Deciding = {
  readonly link: string;
  readonly place: number;
  /** The member who pressed, where they decide as a channel; otherwise the reviewer is the member. */
  readonly member: string | null;
};

export type PressStanding =
  | { readonly kind: "may"; readonly as: Deciding }
  | { readonly kind: "mayNot"; readonly why: Extract<PressWords, "notYours" | "oldMessage"> }
  /** Of another app or workspace: nobody is told anything. */
  | { readonly kind: "foreign" };

/**
 * Judges who pressed. `link` is the one whose message it is. In a direct message only its reviewer; in a channel a reviewer
 * with a Slack id of their own decides as themself, anybody else of the same workspace as the channel.
 */
export function standingOf(app: SlackApp, target: PressTarget, link: string, interaction: SlackPress | SlackSubmission): PressStanding {
  const receipt = parseReceipt(target.receipt);
  const { team, user, api_app_id: appId } = interaction;
  // Nothing is known yet of where the message is: somebody was quicker than our books, and can press again.
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
