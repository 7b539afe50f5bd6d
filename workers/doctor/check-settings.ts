// Checks the gateway's own variables: its address, its secrets and its numbers.

import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { isChannelSetting } from "../../shared/notice-channels.ts";
import { secretError, secretErrorWords } from "../../shared/secret-error.ts";
import { paths } from "../platform/urls.ts";
import { type Check, good, isOnThisMachine, fix, note } from "./check.ts";

const isSecret = (name: string): boolean => /KEY|TOKEN|HEADERS/.test(name);
const secretsHow = "It is a secret: change it with `npx wrangler secret put` or `npx wrangler secret delete`.";
const variablesHow = "Set it under [vars] in wrangler.toml, and deploy.";
const localHow = "Change it in .dev.vars, and restart the gateway.";

export function settingsChecks(env: Env): readonly Check[] {
  const { publicUrl, issues } = settingsOf(env);
  const sentences = issues
    .map((issue) => ({ name: /^[A-Z_]+/.exec(issue)?.[0] ?? "settings", text: issue }))
    // The channels' own checks report these.
    .filter(({ name }) => !isChannelSetting(name))
    .map(({ name, text }) =>
      fix(name, `${text.replace(/\.$/, "")}. ${isOnThisMachine(env) ? localHow : isSecret(name) ? secretsHow : variablesHow}`),
    );
  return [
    ...(publicUrl === undefined ? [] : [good("PUBLIC_URL", `Review links begin with ${publicUrl}.`)]),
    ...sentences,
    good("LINK_KEY", "It is set. Ids, links and keys are signed with it."),
    ...previousKeyChecks(env),
    ...contentKeyChecks(env),
    ...adminTokenChecks(env),
    ...metricsTokenChecks(env),
    ...devKeyChecks(env),
    ...outboxChecks(env),
  ];
}

function previousKeyChecks({ LINK_KEY, LINK_KEY_PREVIOUS }: Env): Check[] {
  if (!LINK_KEY_PREVIOUS) return [];
  const without = "`npx wrangler secret delete LINK_KEY_PREVIOUS`";
  if (LINK_KEY_PREVIOUS === LINK_KEY)
    return [
      fix("LINK_KEY_PREVIOUS", `It is the same as LINK_KEY, so the key was not rotated: set LINK_KEY to a new key, or run ${without}.`),
    ];
  // One that is not accepted is reported with the other settings.
  if (secretError(LINK_KEY_PREVIOUS) !== null) return [];
  return [
    note(
      "LINK_KEY_PREVIOUS",
      `A key rotation is in progress: this key's signatures are still accepted. After the longest deadline plus RETENTION_HOURS, and at least one day, run ${without}.`,
    ),
  ];
}

/** A weak one is reported with the other settings. */
function contentKeyChecks(env: Env): Check[] {
  const { CONTENT_KEY, CONTENT_KEY_PREVIOUS } = env;
  const without = "`npx wrangler secret delete CONTENT_KEY_PREVIOUS`";
  const [first] = settingsOf(env).contentSecrets;
  if (first === undefined)
    return [
      isOnThisMachine(env)
        ? good("CONTENT_KEY", "It is not set, so prompts and replies are stored as plain text on this machine.")
        : note(
            "CONTENT_KEY",
            "It is not set, so prompts and replies are stored as plain text for as long as they are kept: run `npx wrangler secret put CONTENT_KEY` with 32 random characters or more to encrypt them.",
          ),
    ];
  if (!CONTENT_KEY) return [];
  const isSet = good("CONTENT_KEY", "It is set. Stored prompts and replies are encrypted with it.");
  if (!CONTENT_KEY_PREVIOUS) return [isSet];
  if (CONTENT_KEY_PREVIOUS === CONTENT_KEY)
    return [isSet, fix("CONTENT_KEY_PREVIOUS", `It is the same as CONTENT_KEY: set CONTENT_KEY to a new key, or run ${without}.`)];
  return [
    isSet,
    note(
      "CONTENT_KEY_PREVIOUS",
      `A key rotation is in progress: content of this key can still be read. After the longest deadline plus RETENTION_HOURS, and the longest time for which callers have something cached or remembered, run ${without}.`,
    ),
  ];
}

/** The caller sent the token, so it is set and long enough. */
function adminTokenChecks({ ADMIN_TOKEN, LINK_KEY, LINK_KEY_PREVIOUS, DEV_API_KEY }: Env): Check[] {
  const secrets = { LINK_KEY, LINK_KEY_PREVIOUS, DEV_API_KEY };
  const same = Object.entries(secrets).find(([, value]) => value !== undefined && value === ADMIN_TOKEN)?.[0];
  return [
    same === undefined
      ? good("ADMIN_TOKEN", "It is set, and it is the token that was sent.")
      : fix("ADMIN_TOKEN", `It is the same as ${same}, so a person who has one has both: set a different ADMIN_TOKEN.`),
  ];
}

/** One that is too short is reported with the other settings. */
function metricsTokenChecks(env: Env): Check[] {
  const { METRICS_TOKEN, ADMIN_TOKEN } = env;
  if (settingsOf(env).metricsToken === undefined) return [];
  return [
    METRICS_TOKEN === ADMIN_TOKEN
      ? fix("METRICS_TOKEN", "It is the same as ADMIN_TOKEN, so whoever reads metrics can administer the gateway: set a different one.")
      : good("METRICS_TOKEN", `It is set. It may read GET ${paths.metrics} and nothing else.`),
  ];
}

function devKeyChecks(env: Env): Check[] {
  const { DEV_API_KEY } = env;
  // Without PUBLIC_URL it is not known whether the key will be accepted.
  if (!DEV_API_KEY || settingsOf(env).publicUrl === undefined) return [];
  if (!isOnThisMachine(env)) {
    return [
      fix(
        "DEV_API_KEY",
        "It is set but not accepted, because PUBLIC_URL is not a loopback address: run `npx wrangler secret delete DEV_API_KEY`, and create API keys with POST /admin/keys.",
      ),
    ];
  }
  const error = secretError(DEV_API_KEY);
  return [
    error !== null
      ? fix("DEV_API_KEY", `It ${secretErrorWords[error]}, so it is not accepted: set a random one of 32 characters or more in .dev.vars.`)
      : good("DEV_API_KEY", "It is accepted as an API key, on this machine only."),
  ];
}

function outboxChecks(env: Env): Check[] {
  if (!settingsOf(env).outbox) return [];
  if (isOnThisMachine(env))
    return [good("OUTBOX", `It is on: review links are printed by npm start and listed at GET ${paths.admin.notices}.`)];
  return [
    note(
      "OUTBOX",
      "It is on: anyone with ADMIN_TOKEN can read every reviewer's link at /admin/notices and decide with it. Turn it off once reviewers have a channel.",
    ),
  ];
}
