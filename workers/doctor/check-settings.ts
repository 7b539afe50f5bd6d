// Checks the gateway's own variables: its address, its secrets and its numbers.

import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { isChannelSetting } from "../../shared/notice-channels.ts";
import { paths } from "../platform/urls.ts";
import { type Check, good, isOnThisMachine, fix, note } from "./check.ts";

const shortestSecret = 16;

const isSecret = (name: string): boolean => /KEY|TOKEN/.test(name);
const secretsHow = "It is a secret: `npx wrangler secret put` and `secret delete` change it.";
const variablesHow = "Set it under [vars] in wrangler.toml, and deploy again.";
const localHow = "Change it in .dev.vars, and start again.";

export function settingsChecks(env: Env): readonly Check[] {
  const { publicUrl, issues: problems } = settingsOf(env);
  const sentences = problems
    .map((problem) => ({ name: /^[A-Z_]+/.exec(problem)?.[0] ?? "settings", text: problem }))
    // The channels' own checks tell theirs.
    .filter(({ name }) => !isChannelSetting(name))
    .map(({ name, text }) =>
      fix(name, `${text.replace(/\.$/, "")}. ${isOnThisMachine(env) ? localHow : isSecret(name) ? secretsHow : variablesHow}`),
    );
  return [
    ...(publicUrl === undefined ? [] : [good("PUBLIC_URL", `Links to reviews begin with ${publicUrl}.`)]),
    ...sentences,
    good("LINK_KEY", "It is set; ids, links and keys are signed with it."),
    ...previousKeyChecks(env),
    ...adminTokenChecks(env),
    ...devKeyChecks(env),
    ...outboxChecks(env),
  ];
}

function previousKeyChecks({ LINK_KEY, LINK_KEY_PREVIOUS }: Env): Check[] {
  if (!LINK_KEY_PREVIOUS) return [];
  const without = "`npx wrangler secret delete LINK_KEY_PREVIOUS`";
  if (LINK_KEY_PREVIOUS === LINK_KEY)
    return [
      fix("LINK_KEY_PREVIOUS", `It is the same as LINK_KEY, so nothing was rotated: put a new key into LINK_KEY, or run ${without}.`),
    ];
  // Too short a one is not accepted, and told with the other settings.
  if (LINK_KEY_PREVIOUS.length < shortestSecret) return [];
  return [
    note(
      "LINK_KEY_PREVIOUS",
      `A rotation is under way: what this key signed is still accepted. When the longest deadline and RETENTION_HOURS are over, and not before a day, run ${without}.`,
    ),
  ];
}

/** Whoever asks has given the token: there is one, and it is long enough. */
function adminTokenChecks({ ADMIN_TOKEN, LINK_KEY, LINK_KEY_PREVIOUS, DEV_API_KEY }: Env): Check[] {
  const secrets = { LINK_KEY, LINK_KEY_PREVIOUS, DEV_API_KEY };
  const same = Object.entries(secrets).find(([, value]) => value !== undefined && value === ADMIN_TOKEN)?.[0];
  return [
    same === undefined
      ? good("ADMIN_TOKEN", "It is set, and it is the one that was sent.")
      : fix("ADMIN_TOKEN", `It is the same as ${same}, so whoever has the one has the other: set another ADMIN_TOKEN.`),
  ];
}

function devKeyChecks(env: Env): Check[] {
  const { DEV_API_KEY } = env;
  // Without an address nobody knows yet whether the key will count.
  if (!DEV_API_KEY || settingsOf(env).publicUrl === undefined) return [];
  if (!isOnThisMachine(env)) {
    return [
      fix(
        "DEV_API_KEY",
        "It is set and never accepted here, because PUBLIC_URL is not an address of one's own machine: run `npx wrangler secret delete DEV_API_KEY`, and make keys with POST /admin/keys.",
      ),
    ];
  }
  return [
    settingsOf(env).devApiKey === undefined
      ? fix("DEV_API_KEY", `It is shorter than ${shortestSecret} characters and not accepted: put a longer one into .dev.vars.`)
      : good("DEV_API_KEY", "It is accepted as an API key, on this machine only."),
  ];
}

function outboxChecks(env: Env): Check[] {
  if (!settingsOf(env).outbox) return [];
  if (isOnThisMachine(env))
    return [good("OUTBOX", `It is on: links to reviews are printed by npm start and listed at GET ${paths.admin.notices}.`)];
  return [
    note(
      "OUTBOX",
      "It is on: whoever has ADMIN_TOKEN can read every reviewer's link at /admin/notices and decide with it. Turn it off once reviewers have a channel.",
    ),
  ];
}
