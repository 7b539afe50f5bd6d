// Notices to channels of Microsoft Teams, each through the webhook of a workflow: one card to a
// room, with that room's own link. It reaches no person, nothing can be decided in it, and a card
// cannot be changed, so the outcome is a second card.
//
// Source: https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook. A workflow
// answers 202 before it posts, and 404 or 410 where it is switched off or deleted.

import type { TeamsMessage } from "../../../shared/channels/teams/teams-card.ts";
import type { ChatRenderInput } from "../../../shared/channels/chat-message.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import { err, ok, type Result } from "../../../shared/result.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import { type DoctorPhrase, issuesText } from "../../../shared/words/doctor.ts";
import type { Env } from "../../platform/env.ts";
import { lookupIn } from "../../platform/lookup.ts";
import type { Channel, ChannelAdapter, ChannelFinding, NoticeWhy, DeliveryResult } from "../channel.ts";
import { exchange } from "../channel-exchange.ts";
import { fromPages } from "../from-pages.ts";
import { deliveryOf, namesSet, serviceAddress } from "../http-service.ts";

const variable = /^TEAMS_([A-Z][A-Z0-9_]{0,30})_URL$/;
const variableOf = (name: string): string => `TEAMS_${name}_URL`;
/** Reviews in one card: their links alone take about 250 bytes each. */
const mostInDigest = 20;

const namesIn = (env: Env): string[] => namesSet(env, variable);

/** The address, which has the workflow's signature in it. The error has neither. */
function addressOf(env: Env, name: string): Result<string, DoctorPhrase> {
  const url = serviceAddress(lookupIn(env)(variableOf(name))?.trim() ?? "", env);
  return url === null ? err({ key: "teamsUrl", values: { variable: variableOf(name) } }) : ok(url.href);
}

/** What health reports. */
export const teamsIssues = (env: Env): DoctorPhrase[] =>
  namesIn(env).flatMap((name) => {
    const address = addressOf(env, name);
    return address.ok ? [] : [address.error];
  });

const isPosted = (why: NoticeWhy): boolean => why !== "changed" && why !== "voted";

/** Undefined where no Teams channel is configured correctly. */
export function teamsChannel(env: Env): Channel | undefined {
  const addresses = new Map(
    namesIn(env).flatMap((name) => {
      const address = addressOf(env, name);
      return address.ok ? [[name, address.value] as const] : [];
    }),
  );
  if (addresses.size === 0) return undefined;
  const post = async (reviewer: Reviewer | undefined, asked: ChatRenderInput): Promise<DeliveryResult> => {
    const url = addresses.get(reviewer?.teams ?? "");
    if (url === undefined) return { kind: "failed", why: "notConfigured" };
    return postTo(url, await fromPages(env.PAGES.channels.teams.renderers.message(asked, languageFor(reviewer?.language))));
  };
  return {
    name: "teams",
    reaches: ({ teams }) => teams !== undefined && addresses.has(teams),
    async send({ view, excerpt, url, why, reviewer }) {
      // The link's page shows the change.
      if (!isPosted(why)) return sent;
      const input = { view, excerpt, url, isRoom: true };
      const first = await post(reviewer, { kind: why === "reminder" ? "reminder" : "review", input });
      const isTooMuch = first.kind === "failed" && first.why === "invalid" && why !== "reminder";
      return isTooMuch ? post(reviewer, { kind: "brief", input }) : first;
    },
    say: ({ reviewer, said }) => post(reviewer, { kind: "plain", said }),
    ended: async ({ view, reviewer, link }) => (link.notice === "sent" ? post(reviewer, { kind: "ended", view }) : sent),
    digest: {
      most: mostInDigest,
      address: ({ teams = "" }) => teams,
      counts: ({ why, link }, what) => (what === "send" ? isPosted(why) : link.notice === "sent"),
      send: async (entries) => post(entries[0]?.reviewer, { kind: "digest", entries }),
    },
  };
}

const sent: DeliveryResult = { kind: "sent", receipt: null };

async function postTo(url: string, message: TeamsMessage): Promise<DeliveryResult> {
  const headers = { "Content-Type": "application/json; charset=utf-8", "User-Agent": "countersign" };
  return deliveryOf(await exchange({ url, method: "POST", headers, body: JSON.stringify(message) }));
}

/** Only a card can test a workflow, and the doctor posts none. */
export async function teamsDoctor(env: Env): Promise<ChannelFinding> {
  const names = namesIn(env);
  const issues = teamsIssues(env);
  if (issues.length > 0) return { ok: false, says: issuesText(issues) };
  if (names.length === 0) return { ok: true, says: { key: "teamsNotSetUp" } };
  return { ok: true, says: { key: "teamsSetUp", values: { names: names.join(", ") } } };
}

export const teamsAdapter: ChannelAdapter = {
  open: teamsChannel,
  issues: teamsIssues,
  doctor: {
    check: "teams",
    ask: teamsDoctor,
    remedy: (name) => ({ key: "teamsRemedy", values: { variable: variableOf(name) } }),
    // `issues` reports a variable that is set wrongly.
    unset: (env, name) => (namesIn(env).includes(name) ? null : { check: `teams ${name}`, variables: [variableOf(name)] }),
  },
};
