// Notices through Slack, as an app or as an incoming webhook, and what operators are told of its
// setup.

import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { isRoomAddress } from "../../../shared/notice-channels.ts";
import type { Channel, ChannelAdapter } from "../channel.ts";
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

/** What is wrong with the setup, in sentences that say what to do. */
export const slackIssues = (env: Env): string[] => [...slackSettings(env).issues];

/** Asks Slack whether the token is valid. It posts nothing. */
export async function slackDoctor(env: Env): Promise<{ ok: boolean; text: string }> {
  const { settings, issues } = slackSettings(env);
  if (settings === null)
    return issues.length === 0 ? { ok: true, text: "Slack is not set up." } : { ok: false, text: `${issues.join(". ")}.` };
  if (settings.mode === "webhook") {
    return {
      ok: true,
      text: "Slack is set up as an incoming webhook, which only a message can test, and the doctor posts none. To test it, press Test at a reviewer whose slack is a channel id, on the page Reviewers of the console.",
    };
  }
  const answer = await callSlack(settings, "auth.test", {});
  switch (answer.kind) {
    case "error":
      // Slack's errors are words of its own: letters and underscores.
      return { ok: false, text: `Slack refuses SLACK_BOT_TOKEN: ${/^[a-z_]{1,60}$/.test(answer.error) ? answer.error : "an error"}.` };
    case "rateLimited":
      return { ok: false, text: "Slack answers with a rate limit; try again in a minute." };
    case "unavailable":
      return { ok: false, text: "Slack does not answer at SLACK_API_URL." };
    case "ok": {
      const { team_id: team } = answer.body;
      if (settings.teamId !== null && team !== settings.teamId) {
        return {
          ok: false,
          text: "SLACK_TEAM_ID is not the workspace that SLACK_BOT_TOKEN belongs to, so every button would be refused: correct it.",
        };
      }
      return {
        ok: true,
        text: "Slack accepts SLACK_BOT_TOKEN. For the buttons to work, the app's Request URL must be PUBLIC_URL followed by /slack/interactions.",
      };
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
    address: "a slack",
    remedy: (address) =>
      `a Slack id: set up Slack (SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET${isRoomAddress("slack", address) ? ", or SLACK_WEBHOOK_URL" : ""})`,
  },
};
