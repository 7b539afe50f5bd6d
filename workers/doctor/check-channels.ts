// Checks the channels that are set up, by asking each one's service, and the API keys.

import { channelFacts, noticeChannelNames } from "../../shared/notice-channels.ts";
import { ruleWithoutOwner } from "../../shared/policy/own-requests.ts";
import type { Policy } from "../../shared/policy/rules.ts";
import type { ChannelAdapter } from "../channels/channel.ts";
import { channelDoctors } from "../channels/registry.ts";
import type { Env } from "../platform/env.ts";
import { configStub } from "../stubs/stubs.ts";
import { settingsOf } from "../platform/settings.ts";
import { type KeyRecord, acceptedKeys } from "../stores/keys.ts";
import { paths } from "../platform/urls.ts";
import { type Check, good, guardedCall, isOnThisMachine, listed, fix, note } from "./check.ts";

/** A channel that is set up wrongly is reported; one that is not set up at all is not. */
const isSet = (env: Env, { open, issues }: ChannelAdapter): boolean => open(env) !== undefined || issues(env).length > 0;

export async function channelChecks(env: Env): Promise<readonly Check[]> {
  const asked = await Promise.all(
    channelDoctors
      .filter((channel) => isSet(env, channel))
      .map(({ doctor: { check, ask } }) =>
        guardedCall(check, async () => {
          const { ok, text } = await ask(env);
          return { check, state: ok ? "good" : "fix", text };
        }),
      ),
  );
  return asked.length > 0 ? asked.flat() : withoutChannels(env);
}

const factsOfAll = noticeChannelNames.map(channelFacts);
const guides = listed(factsOfAll.map(({ guide }) => guide));
const titles = listed(factsOfAll.map(({ title }) => title));

function withoutChannels(env: Env): Check[] {
  const { outbox, publicUrl } = settingsOf(env);
  if (publicUrl === undefined) return [];
  const none = `${titles} are not set up`;
  const local = isOnThisMachine(env);
  if (!outbox) {
    const how = local ? "remove OUTBOX=off from .dev.vars" : `set one of them up (see ${guides})`;
    return [fix("channels", `Reviewers get no links, because ${none}: ${how}.`)];
  }
  const where = `listed at GET ${paths.admin.notices}`;
  return local
    ? [good("channels", `Review links are in the outbox only: ${none}.`)]
    : [note("channels", `Review links are only ${where}, because ${none}. To set one up, see ${guides}.`)];
}

/**
 * Whether any API key is accepted (on one's own machine DEV_API_KEY is enough), and whether the
 * policy knows each key's owner.
 */
export async function keyChecks(env: Env, policy: Policy): Promise<readonly Check[]> {
  const { devApiKey, publicUrl } = settingsOf(env);
  const stored = await configStub(env).keys();
  const accepted = await acceptedKeys(env, Date.now());
  const live = accepted.length;
  const owners = ownerChecks(accepted, policy);
  if (live > 0) return [good("keys", `${live === 1 ? "One API key is" : `${live} API keys are`} accepted.`), ...owners];
  const over = stored.length > 0 ? "Every API key is revoked or expired" : "No API key has been created yet";
  if (devApiKey !== undefined) return [good("keys", `DEV_API_KEY is accepted. ${over}.`)];
  const curl = `curl -X POST ${publicUrl ?? "https://…"}${paths.admin.keys} -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name":"my client"}'`;
  return [note("keys", `${over}, so no client can send a request. To create one: ${curl}`)];
}

/** Where the policy forbids self-approval, a key whose owner is not a reviewer is refused. */
function ownerChecks(keys: readonly KeyRecord[], policy: Policy): Check[] {
  const refused = keys.filter((key) => ruleWithoutOwner(policy, key) !== null);
  if (refused.length === 0) return [];
  const them = refused.length === 1 ? "its requests are" : "their requests are";
  const text = `The policy forbids self-approval (selfApproval: false), and the owner of ${listed(refused.map(({ id }) => id))} is not a reviewer's name or email, so ${them} refused: create the key again with a reviewer's name or email as its owner, and revoke the old one.`;
  return [fix("keys", text)];
}
