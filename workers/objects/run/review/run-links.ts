// The links of a run's reviewers: one live link for each reviewer, gate and channel. A link's URL
// is computed where it is used, and stored nowhere.

import { fromBase64url } from "../../../../shared/encoding.ts";
import { isForSignedIn } from "../../../../shared/policy/rules.ts";
import type { Review } from "../../../../shared/review/decision.ts";
import { linkRandomLength, linkToken } from "../../../../shared/review/link.ts";
import { randomOfRunId } from "../../../../shared/sealed-id.ts";
import type { LinkRow } from "../../../channels/channel.ts";
import type { Env } from "../../../platform/env.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { inboxReviewUrl, inboxUrl, reviewUrl } from "../../../platform/urls.ts";
import type { RunDeps } from "../run-deps.ts";
import type { StoredInput } from "../tables/run-store.ts";

type LinkOwner = Pick<LinkRow, "reviewer" | "channel">;
type LinkDeps = Pick<RunDeps, "env" | "store">;

/** The live link of a reviewer on a channel: the stored one, or a new one. */
export function liveLink(deps: LinkDeps, owner: LinkOwner, review: Review, now: number): LinkRow {
  const isOwned = ({ reviewer, channel }: LinkRow): boolean => reviewer === owner.reviewer && channel === owner.channel;
  const link = addLink(deps, { ...owner, receipt: null }, review, now) ?? deps.store.links(review.gate).find(isOwned);
  if (link === undefined) throw new Error("a link that is neither new nor stored");
  return link;
}

/** Revokes a link, and adds the one that replaces it. */
export function replaceLink(deps: LinkDeps, link: LinkRow, review: Review, now: number): LinkRow | null {
  deps.store.revokeLink(link.id, now);
  return addLink(deps, link, review, now);
}

function addLink(
  { env, store }: LinkDeps,
  { reviewer, channel, receipt }: LinkOwner & Pick<LinkRow, "receipt">,
  { gate, deadlineAt }: Review,
  now: number,
): LinkRow | null {
  const { linkMs, retentionMs } = settingsOf(env);
  // The link opens its page, which says how the review ended, for as long as the run is kept.
  const expiresAtSeconds = Math.ceil(Math.min(now + linkMs, deadlineAt + retentionMs) / 1000);
  const random = crypto.getRandomValues(new Uint8Array(linkRandomLength));
  return store.addLink({ gate, reviewer, channel, expiresAtSeconds, random, receipt });
}

/**
 * Where the reviewer decides: a token's page, or where they have to be signed in, the review in
 * their inbox, whose address opens nothing to anybody else. Null where PUBLIC_URL is not set.
 */
export function linkUrl(env: Env, { id, gatePolicy }: StoredInput, link: LinkRow): string | null {
  const { keys, publicUrl } = settingsOf(env);
  if (publicUrl !== undefined && isForSignedIn(gatePolicy)) return inboxReviewUrl(inboxUrl(publicUrl), link.gate, id);
  const runRandom = randomOfRunId(id);
  const random = fromBase64url(link.id);
  if (publicUrl === undefined || runRandom === undefined || random === undefined) return null;
  const { gate, reviewer, channel, expiresAtSeconds } = link;
  return reviewUrl(publicUrl, linkToken(keys, { runRandom, gate, reviewer, channel, expiresAtSeconds, random }));
}
