// Who an interaction comes from, and as whom they may decide: compared with where the message was posted and for whom. Pure.

import { isSlackChannel } from "../../../shared/policy/rules.ts";
import type { SlackTarget, SlackWords } from "../../stubs/run-calls.ts";
import type { SlackPress, SlackSubmission } from "./interaction.ts";
import { parseReceipt } from "./receipt.ts";
import type { SlackApp } from "./settings.ts";

/** A link to decide by, and its reviewer's place. */
export type Deciding = {
  readonly link: string;
  readonly place: number;
  /** The member who pressed, where they decide as a channel; otherwise the reviewer is the member. */
  readonly slackUser: string | null;
};

export type Standing =
  | { readonly kind: "may"; readonly as: Deciding }
  | { readonly kind: "mayNot"; readonly why: Extract<SlackWords, "notYours" | "oldMessage"> }
  /** Of another app or workspace: nobody is told anything. */
  | { readonly kind: "foreign" };

/**
 * Judges who pressed. `link` is the one whose message it is. In a direct message only its reviewer; in a channel a reviewer
 * with a Slack id of their own decides as themself, anybody else of the same workspace as the channel.
 */
export function standingOf(app: SlackApp, target: SlackTarget, link: string, interaction: SlackPress | SlackSubmission): Standing {
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
  if (reviewer.slack === user.id) return { kind: "may", as: { link, place, slackUser: null } };
  if (!isSlackChannel(reviewer) || reviewer.slack !== receipt.channel) return { kind: "mayNot", why: "notYours" };
  const self = colleagues.find((each) => each.reviewer.slack === user.id);
  return {
    kind: "may",
    as: self === undefined ? { link, place, slackUser: user.id } : { link: self.link, place: self.place, slackUser: null },
  };
}
