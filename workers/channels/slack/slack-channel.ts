// Notices through Slack, as an app or as an incoming webhook, and what operators are told of its
// setup.

import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { isRoomAddress } from "../../../shared/notice-channels.ts";
import { type DoctorPhrase, issuesText } from "../../../shared/words/doctor.ts";
import type { Channel, ChannelAdapter, ChannelFinding } from "../channel.ts";
import { callSlack } from "./api.ts";
import { slackAppChannel } from "./slack-app.ts";
import { slackSettings } from "./slack-settings.ts";
import { slackWebhookChannel } from "./webhook.ts";

/** The channel, or undefined where Slack is not set up, or not correctly. */
export function slackChannel(env: Env): Channel | undefined {
  const { settings } = slackSettings(env);
  if (settings === null) return undefined;
  return settings.mode === "app" ? slackAppChannel(settings, settingsOf(env).keys, env.PAGES) : slackWebhookChannel(settings, env.PAGES);
}

/** What is wrong with the setup. */
export const slackIssues = (env: Env): readonly DoctorPhrase[] => slackSettings(env).issues;

/** Asks Slack whether the token is valid. It posts nothing. */
export async function slackDoctor(env: Env): Promise<ChannelFinding> {
  const { settings, issues } = slackSettings(env);
  if (settings === null)
    return issues.length === 0
      ? { ok: true, says: { key: "chatNotSetUp", values: { chat: { key: "channel.slack" } } } }
      : { ok: false, says: issuesText(issues) };
  if (settings.mode === "webhook") return { ok: true, says: { key: "slackWebhookOnly" } };
  const answer = await callSlack(settings, "auth.test", {});
  switch (answer.kind) {
    case "error": {
      // Slack's errors are words of its own: letters and underscores.
      const error = /^[a-z_]{1,60}$/.test(answer.error) ? answer.error : ({ key: "anError" } as const);
      return { ok: false, says: { key: "slackRefuses", values: { error } } };
    }
    case "rateLimited":
      return { ok: false, says: { key: "slackRateLimited" } };
    case "unavailable":
      return { ok: false, says: { key: "slackSilent" } };
    case "ok": {
      const ok = settings.teamId === null || answer.body["team_id"] === settings.teamId;
      return { ok, says: { key: ok ? "slackAccepts" : "slackOtherTeam" } };
    }
    default:
      return answer satisfies never;
  }
}

export const slackAdapter: ChannelAdapter = {
  open: slackChannel,
  issues: slackIssues,
  doctor: {
    check: "slack",
    ask: slackDoctor,
    remedy: (address) => ({ key: isRoomAddress("slack", address) ? "slackRoomRemedy" : "slackRemedy" }),
  },
};
