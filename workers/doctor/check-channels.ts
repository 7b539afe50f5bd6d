// Checks the channels that are set up, each by asking its own service, and how callers come in: the API keys.

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

/** Anything set is enough: what is set and wrong is worth a line, what nobody wants is not. */
const isSet = (env: Env, { open, issues: problems }: ChannelAdapter): boolean => open(env) !== undefined || problems(env).length > 0;

export async function channelChecks(env: Env): Promise<readonly Check[]> {
  const asked = await Promise.all(
    channelDoctors
      .filter((channel) => isSet(env, channel))
      .map(({ doctor: { check, ask } }) =>
        guardedCall(check, async () => {
          const { ok, text } = await ask(env);
          return { check, state: ok ? "good" : "mend", text };
        }),
      ),
  );
  return asked.length > 0 ? asked.flat() : withoutChannels(env, listed(channelDoctors.map(({ doctor }) => doctor.title)));
}

const guides = listed(channelDoctors.map(({ doctor }) => doctor.guide));

function withoutChannels(env: Env, titles: string): Check[] {
  const { outbox, publicUrl } = settingsOf(env);
  if (publicUrl === undefined) return [];
  const none = `${titles} are not set up`;
  const local = isOnThisMachine(env);
  if (!outbox) {
    const how = local ? "take OUTBOX=off out of .dev.vars" : `set one of them up, as ${guides} say`;
    return [fix("channels", `Nobody gets a link, because ${none}: ${how}.`)];
  }
  const where = `listed at GET ${paths.admin.notices}`;
  return local
    ? [good("channels", `The outbox is all there is: ${none}.`)]
    : [note("channels", `Links to reviews are only ${where}, because ${none}; ${guides} say how.`)];
}

/** Whether anybody can call (on one's own machine DEV_API_KEY is enough), and whether a key's owner is somebody whom the policy knows. */
export async function keyChecks(env: Env, policy: Policy): Promise<readonly Check[]> {
  const { devApiKey, publicUrl } = settingsOf(env);
  const stored = await configStub(env).keys();
  const accepted = await acceptedKeys(env, Date.now());
  const live = accepted.length;
  const owners = ownerChecks(accepted, policy);
  if (live > 0) return [good("keys", `${live === 1 ? "One API key is" : `${live} API keys are`} accepted.`), ...owners];
  const over = stored.length > 0 ? "Every API key that was made is revoked or expired" : "No API key was made yet";
  if (devApiKey !== undefined) return [good("keys", `DEV_API_KEY is accepted. ${over}.`)];
  const curl = `curl -X POST ${publicUrl ?? "https://…"}${paths.admin.keys} -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name":"my client"}'`;
  return [note("keys", `${over}, so nobody can send a request. To make one: ${curl}`)];
}

/** Where own requests are barred, a key whose owner is no reviewer is refused. */
function ownerChecks(keys: readonly KeyRecord[], policy: Policy): Check[] {
  const refused = keys.filter((key) => ruleWithoutOwner(policy, key) !== null);
  if (refused.length === 0) return [];
  const them = refused.length === 1 ? "it is" : "they are";
  const text = `The policy bars own requests (selfApproval: false), and the owner of ${listed(refused.map(({ id }) => id))} is no reviewer's name or email, so ${them} refused there: make the key again with a reviewer's name or email as its owner, and revoke the old one.`;
  return [fix("keys", text)];
}
