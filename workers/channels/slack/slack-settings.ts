// Slack's settings: an app with a bot token, or an incoming webhook. An issue says what an operator
// can do, and never has a value.

import { isLoopbackHost } from "../../../shared/this-machine.ts";
import type { DoctorPhrase } from "../../../shared/words/doctor.ts";
import type { Env } from "../../platform/env.ts";

export type SlackApp = {
  readonly mode: "app";
  readonly token: string;
  readonly signingSecret: string;
  /** With a slash at the end. */
  readonly apiUrl: string;
  /** The app and workspace that interactions must come from; null where the operator sets none. */
  readonly appId: string | null;
  readonly teamId: string | null;
};
export type SlackWebhook = { readonly mode: "webhook"; readonly url: string };

const publicApi = "https://slack.com/api/";
/** In characters. Slack's are 32 hex digits; a short one can be guessed from one signed request. */
const shortestSecret = 16;

/** `settings` is null where Slack is not set up, or not correctly; `issues` say what to fix. */
export function slackSettings(env: Env): { readonly settings: SlackApp | SlackWebhook | null; readonly issues: readonly DoctorPhrase[] } {
  const token = given(env.SLACK_BOT_TOKEN);
  const signingSecret = given(env.SLACK_SIGNING_SECRET);
  const webhook = given(env.SLACK_WEBHOOK_URL);
  if (token === null && signingSecret === null) {
    if (webhook === null) return { settings: null, issues: [] };
    const url = safeUrl(webhook);
    return url === null ? { settings: null, issues: [{ key: "slackWebhookUrl" }] } : { settings: { mode: "webhook", url }, issues: [] };
  }

  const issues: DoctorPhrase[] = [];
  if (token === null) issues.push({ key: "slackTokenUnset" });
  else if (!/^xoxb-[\x21-\x7e]+$/.test(token)) issues.push({ key: "slackTokenWrong" });
  if (signingSecret === null) issues.push({ key: "slackSecretUnset" });
  else if (signingSecret.length < shortestSecret) issues.push({ key: "slackSecretShort", values: { least: shortestSecret } });
  const apiUrl = safeUrl(given(env.SLACK_API_URL) ?? publicApi);
  if (apiUrl === null) issues.push({ key: "slackApiUrl" });
  const appId = given(env.SLACK_APP_ID);
  if (appId !== null && !/^A[A-Z0-9]{2,20}$/.test(appId)) issues.push({ key: "slackAppId" });
  const teamId = given(env.SLACK_TEAM_ID);
  if (teamId !== null && !/^T[A-Z0-9]{2,20}$/.test(teamId)) issues.push({ key: "slackTeamId" });
  if (token === null || signingSecret === null || apiUrl === null || issues.length > 0) return { settings: null, issues };
  return {
    settings: { mode: "app", token, signingSecret, apiUrl: apiUrl.replace(/\/*$/, "/"), appId, teamId },
    issues: webhook === null ? [] : [{ key: "slackBoth" }],
  };
}

const given = (text: string | undefined): string | null => (text === undefined || text.trim() === "" ? null : text.trim());

function safeUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return null;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)) ? url.href : null;
}
