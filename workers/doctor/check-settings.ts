// Checks the gateway's own variables: its address, its secrets and its numbers.

import type { Env } from "../platform/env.ts";
import { secretErrorPhrase, settingsOf } from "../platform/settings.ts";
import { isChannelSetting } from "../../shared/notice-channels.ts";
import { secretError } from "../../shared/secret-error.ts";
import { paths } from "../platform/urls.ts";
import { type Check, good, isOnThisMachine, fix, note } from "./check.ts";

const isSecret = (name: string): boolean => /KEY|TOKEN|HEADERS/.test(name);
const command = (rest: string): string => `\`npx wrangler secret ${rest}\``;

export function settingsChecks(env: Env): readonly Check[] {
  const { publicUrl, issues } = settingsOf(env);
  const found = issues
    // The channels' own checks report these.
    .filter(({ variable }) => !isChannelSetting(variable))
    .map(({ variable, says }) => {
      const key = isOnThisMachine(env) ? "thenLocally" : isSecret(variable) ? "thenSecret" : "thenVariable";
      return fix({ name: variable }, { key, values: { issue: says } });
    });
  return [
    ...(publicUrl === undefined ? [] : [good({ name: "PUBLIC_URL" }, { key: "linksBegin", values: { url: publicUrl } })]),
    ...found,
    good({ name: "LINK_KEY" }, "linkKey"),
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
  const title = { name: "LINK_KEY_PREVIOUS" };
  const values = { command: command("delete LINK_KEY_PREVIOUS") };
  if (LINK_KEY_PREVIOUS === LINK_KEY) return [fix(title, { key: "linkKeySame", values })];
  // One that is not accepted is reported with the other settings.
  if (secretError(LINK_KEY_PREVIOUS) !== null) return [];
  return [note(title, { key: "linkKeyRotates", values })];
}

/** A weak one is reported with the other settings. */
function contentKeyChecks(env: Env): Check[] {
  const { CONTENT_KEY, CONTENT_KEY_PREVIOUS } = env;
  const [title, previous] = [{ name: "CONTENT_KEY" }, { name: "CONTENT_KEY_PREVIOUS" }];
  const [first] = settingsOf(env).contentSecrets;
  if (first === undefined)
    return [
      isOnThisMachine(env)
        ? good(title, "contentPlainHere")
        : note(title, { key: "contentPlain", values: { command: command("put CONTENT_KEY") } }),
    ];
  if (!CONTENT_KEY) return [];
  const isSet = good(title, "contentKey");
  if (!CONTENT_KEY_PREVIOUS) return [isSet];
  const values = { command: command("delete CONTENT_KEY_PREVIOUS") };
  if (CONTENT_KEY_PREVIOUS === CONTENT_KEY) return [isSet, fix(previous, { key: "contentKeySame", values })];
  return [isSet, note(previous, { key: "contentKeyRotates", values })];
}

/** The caller sent the token, so it is set and long enough. */
function adminTokenChecks({ ADMIN_TOKEN, LINK_KEY, LINK_KEY_PREVIOUS, DEV_API_KEY }: Env): Check[] {
  const secrets = { LINK_KEY, LINK_KEY_PREVIOUS, DEV_API_KEY };
  const same = Object.entries(secrets).find(([, value]) => value !== undefined && value === ADMIN_TOKEN)?.[0];
  return [
    same === undefined
      ? good({ name: "ADMIN_TOKEN" }, "adminToken")
      : fix({ name: "ADMIN_TOKEN" }, { key: "adminTokenSame", values: { variable: same } }),
  ];
}

/** One that is too short is reported with the other settings. */
function metricsTokenChecks(env: Env): Check[] {
  const { METRICS_TOKEN, ADMIN_TOKEN } = env;
  if (settingsOf(env).metricsToken === undefined) return [];
  return [
    METRICS_TOKEN === ADMIN_TOKEN
      ? fix({ name: "METRICS_TOKEN" }, "metricsTokenSame")
      : good({ name: "METRICS_TOKEN" }, { key: "metricsToken", values: { request: `GET ${paths.metrics}` } }),
  ];
}

function devKeyChecks(env: Env): Check[] {
  const { DEV_API_KEY } = env;
  // Without PUBLIC_URL it is not known whether the key will be accepted.
  if (!DEV_API_KEY || settingsOf(env).publicUrl === undefined) return [];
  const title = { name: "DEV_API_KEY" };
  if (!isOnThisMachine(env)) return [fix(title, { key: "devKeyPublic", values: { command: command("delete DEV_API_KEY") } })];
  const error = secretError(DEV_API_KEY);
  return [error !== null ? fix(title, { key: "devKeyWeak", values: { error: secretErrorPhrase(error) } }) : good(title, "devKey")];
}

function outboxChecks(env: Env): Check[] {
  if (!settingsOf(env).outbox) return [];
  const title = { name: "OUTBOX" };
  if (isOnThisMachine(env)) return [good(title, { key: "outboxHere", values: { request: `GET ${paths.admin.notices}` } })];
  return [note(title, "outboxPublic")];
}
