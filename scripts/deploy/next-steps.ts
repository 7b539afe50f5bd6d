// What to do after a deployment: the three steps that this gateway needs most. Pure.

import type { Check } from "../../client/doctor/report.ts";
import { channelFacts, noticeChannelNames } from "../../shared/notice-channels.ts";

export type Gateway = {
  readonly url: string;
  readonly checks: readonly Check[];
  /** The first model that would answer; null where none would. */
  readonly model: string | null;
  readonly hasKey: boolean;
};

const guides = noticeChannelNames.map((channel) => channelFacts(channel).guide).join(", ");

/** The doctor's names for what the first step is about. */
const aboutReaching: ReadonlySet<string> = new Set(["reviewers", "channels"]);

/**
 * Exactly three, the most urgent first. Each is one line that says what to do and where it is
 * described.
 */
export function nextSteps({ url, checks, model, hasKey }: Gateway): readonly string[] {
  const unreached = checks.some(({ check, state }) => aboutReaching.has(check) && state === "fix");
  const others = checks.filter(({ check, state }) => state === "fix" && !aboutReaching.has(check)).length;
  const steps = [
    unreached && `Set up a channel that reaches your reviewers (${guides}), and write them in the policy (docs/policy.md).`,
    (model === null || model === "demo") &&
      "Let a model answer: npm run deploy -- --secret ANTHROPIC_API_KEY, or another provider (docs/routing.md).",
    !hasKey && "Make an API key for a host (docs/operations.md).",
    others > 0 && `Fix what the doctor names above, then run npm run doctor -- --url ${url} again.`,
    `Connect a host or an MCP client with the API key to ${url} (docs/clients.md).`,
    `Save the configuration: npm run backup -- --url ${url} (docs/operations.md).`,
    "Decide who is asked about what: the policy (docs/policy.md).",
    "Know what each alert means and what to do (docs/operations.md).",
  ];
  return steps.filter((step) => step !== false).slice(0, 3);
}
