// The scripted Slack on a real socket, for what runs in a process of its own.

import { serve } from "./serve.ts";
import type { ScriptedSlack } from "./slack/scripted-slack.ts";

export type SlackServer = {
  /** For SLACK_API_URL. */
  readonly apiUrl: string;
  /** For SLACK_WEBHOOK_URL. */
  readonly webhookUrl: string;
  readonly close: () => Promise<void>;
};

export async function startSlackServer(slack: ScriptedSlack): Promise<SlackServer> {
  const { url, close } = await serve((request) => slack.handle(request));
  return { apiUrl: `${url}/api/`, webhookUrl: `${url}/services/T0/B0/secret`, close };
}
