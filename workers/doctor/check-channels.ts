// Checks the channels that are set up, by asking each one's service, and the API keys.

import { channelFacts, noticeChannelNames } from "../../shared/notice-channels.ts";
import { ruleWithoutOwner } from "../../shared/policy/own-requests.ts";
import type { Policy } from "../../shared/policy/rules.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { ChannelAdapter } from "../channels/channel.ts";
import { channelDoctors } from "../channels/registry.ts";
import type { Env } from "../platform/env.ts";
import { configStub } from "../stubs/stubs.ts";
import { settingsOf } from "../platform/settings.ts";
import { type KeyRecord, acceptedKeys } from "../stores/keys.ts";
import { paths } from "../platform/urls.ts";
import { type Check, type Title, good, guardedCall, isOnThisMachine, listed, fix, note } from "./check.ts";

/** A channel that is set up wrongly is reported; one that is not set up, or not used, is not. */
const isSet = async (env: Env, { open, issues, doctor: { isUsed } }: ChannelAdapter): Promise<boolean> =>
  issues(env).length > 0 || (open(env) !== undefined && (isUsed === undefined || (await isUsed(env).catch(() => true))));

export async function channelChecks(env: Env): Promise<readonly Check[]> {
  const set = await Promise.all(channelDoctors.map((channel) => isSet(env, channel)));
  const asked = await Promise.all(
    channelDoctors
      .filter((_, index) => set[index])
      .map(({ doctor: { check, ask } }) =>
        guardedCall({ name: check }, async () => {
          const { ok, says } = await ask(env);
          return (ok ? good : fix)({ name: check }, says);
        }),
      ),
  );
  return asked.length > 0 ? asked.flat() : withoutChannels(env);
}

const guides = listed(noticeChannelNames.map((name) => channelFacts(name).guide));
const channels = listed(noticeChannelNames.map((name): DoctorPhrase => ({ key: `channel.${name}` })));

function withoutChannels(env: Env): Check[] {
  const { outbox, publicUrl } = settingsOf(env);
  if (publicUrl === undefined) return [];
  const title: Title = { key: "channels" };
  const local = isOnThisMachine(env);
  if (!outbox) {
    const how: DoctorPhrase = local ? { key: "outboxOff" } : { key: "setOneUp", values: { guides } };
    return [fix(title, { key: "noLinks", values: { channels, fix: how } })];
  }
  return local
    ? [good(title, { key: "outboxOnly", values: { channels } })]
    : [note(title, { key: "listedOnly", values: { request: `GET ${paths.admin.notices}`, channels, guides } })];
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
  const title: Title = { key: "keys" };
  if (live > 0) return [good(title, live === 1 ? "oneKey" : { key: "someKeys", values: { n: live } }), ...owners];
  const over: DoctorPhrase = { key: stored.length > 0 ? "keysOver" : "noKeys" };
  if (devApiKey !== undefined) return [good(title, { key: "devKeyAlone", values: { over } })];
  const command = `curl -X POST ${publicUrl ?? "https://…"}${paths.admin.keys} -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{"name":"my client"}'`;
  return [note(title, { key: "noKeyAtAll", values: { over, command } })];
}

/** Where the policy forbids self-approval, a key whose owner is not a reviewer is refused. */
function ownerChecks(keys: readonly KeyRecord[], policy: Policy): Check[] {
  const refused = keys.filter((key) => ruleWithoutOwner(policy, key) !== null);
  if (refused.length === 0) return [];
  return [fix({ key: "keys" }, { key: "ownersUnknown", values: { n: refused.length, keys: listed(refused.map(({ id }) => id)) } })];
}
