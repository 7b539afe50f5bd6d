// Notices to topics of an ntfy server, by which phones and desktops show them: one message for each
// reviewer and gate, with the reviewer's personal link. Nothing can be decided in it. The outcome
// replaces the message, as far as server and app know how (ntfy 2.16).
//
// Source: https://docs.ntfy.sh/publish/#publish-as-json and #updating-deleting-notifications; the
// codes of errors: server/errors.go at github.com/binwiederhier/ntfy.

import { objectOf } from "../../../shared/json/values.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import type { ChatRenderInput } from "../../../shared/channels/chat-message.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import { err, ok, type Result } from "../../../shared/result.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import { type DoctorPhrase, issuesText } from "../../../shared/words/doctor.ts";
import type { Env } from "../../platform/env.ts";
import { lookupIn } from "../../platform/lookup.ts";
import { type Channel, type ChannelAdapter, type ChannelFinding, type DeliveryResult, type Notice, isPosted } from "../channel.ts";
import { exchange } from "../channel-exchange.ts";
import { fromPages } from "../from-pages.ts";
import { deliveryOf, namesSet, serviceAddress } from "../http-service.ts";

/** `server`: its origin with a slash. A public topic needs no token. */
type Topic = { readonly server: string; readonly topic: string; readonly token: string | null };

const variable = /^NTFY_([A-Z][A-Z0-9_]{0,30})_(?:URL|TOKEN)$/;
const urlOf = (name: string): string => `NTFY_${name}_URL`;
const tokenOf = (name: string): string => `NTFY_${name}_TOKEN`;
/** Reviews in one message, whose links are most of it. */
const mostInDigest = 8;
/** Of the outcome: it makes no sound. */
const lowPriority = 2;
const dailyLimitCode = 42_908;

const namesIn = (env: Env): string[] => namesSet(env, variable);

/** The error has neither the topic, by whose name anyone may read it, nor the token. */
function topicOf(env: Env, name: string): Result<Topic, DoctorPhrase> {
  const url = serviceAddress(lookupIn(env)(urlOf(name))?.trim() ?? "", env);
  const topic = /^\/([-_A-Za-z0-9]{1,64})$/.exec(url?.pathname ?? "")?.[1];
  if (url === null || topic === undefined || url.search !== "") return err({ key: "ntfyUrl", values: { variable: urlOf(name) } });
  const token = lookupIn(env)(tokenOf(name))?.trim() ?? "";
  if (!/^[\x21-\x7e]*$/.test(token)) return err({ key: "ntfyToken", values: { variable: tokenOf(name) } });
  return ok({ server: `${url.origin}/`, topic, token: token === "" ? null : token });
}

/** What health reports. */
export const ntfyIssues = (env: Env): DoctorPhrase[] =>
  namesIn(env).flatMap((name) => {
    const topic = topicOf(env, name);
    return topic.ok ? [] : [topic.error];
  });

/** Undefined where no topic is configured correctly. */
export function ntfyChannel(env: Env): Channel | undefined {
  const topics = new Map(
    namesIn(env).flatMap((name) => {
      const topic = topicOf(env, name);
      return topic.ok ? [[name, topic.value] as const] : [];
    }),
  );
  if (topics.size === 0) return undefined;
  const post = async (reviewer: Reviewer | undefined, asked: ChatRenderInput, extras: Extras = {}): Promise<DeliveryResult> => {
    const topic = topics.get(reviewer?.ntfy ?? "");
    if (topic === undefined) return { kind: "failed", why: "notConfigured" };
    const message = await fromPages(env.PAGES.channels.ntfy.renderers.message(asked, languageFor(reviewer?.language)));
    return postTo(topic, { ...message, ...extras });
  };
  return {
    name: "ntfy",
    reaches: ({ ntfy }) => ntfy !== undefined && topics.has(ntfy),
    async send(notice) {
      const { view, excerpt, url, why, reviewer } = notice;
      // The link's page shows the change.
      if (!isPosted(why)) return { kind: "sent", receipt: null };
      const input = { view, excerpt, url, isRoom: false };
      const extras = { sequence_id: sequenceOf(notice) };
      const first = await post(reviewer, { kind: why === "reminder" ? "reminder" : "review", input }, extras);
      const isTooMuch = first.kind === "failed" && first.why === "invalid" && why !== "reminder";
      return isTooMuch ? post(reviewer, { kind: "brief", input }, extras) : first;
    },
    say: ({ reviewer, said }) => post(reviewer, { kind: "plain", said }),
    ended: async (notice) =>
      notice.receipt === null
        ? { kind: "sent", receipt: null }
        : post(notice.reviewer, { kind: "ended", view: notice.view }, { sequence_id: notice.receipt, priority: lowPriority }),
    digest: {
      most: mostInDigest,
      address: ({ ntfy = "" }) => ntfy,
      counts: ({ why, receipt }, what) => (what === "send" ? isPosted(why) : receipt !== null),
      send: (entries) => post(entries[0]?.reviewer, { kind: "digest", entries }),
    },
  };
}

/** An older server takes `sequence_id` for nothing: each message is then one more. */
type Extras = { readonly sequence_id?: string; readonly priority?: number };

/** The messages of one review to one reviewer replace one another. A digest discloses nothing. */
const sequenceOf = ({ run, link: { gate, reviewer } }: Notice): string =>
  sha256Hex(`countersign/ntfy/v1\0${run}\0${gate}\0${reviewer}`).slice(0, 32);

const headersOf = ({ token }: Topic): Record<string, string> => ({
  "Content-Type": "application/json; charset=utf-8",
  "User-Agent": "countersign",
  ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
});

/** As JSON, because a header holds no title but in ASCII. */
async function postTo(topic: Topic, message: Extras): Promise<DeliveryResult> {
  const body = JSON.stringify({ topic: topic.topic, ...message });
  const answer = await exchange({ url: topic.server, method: "POST", headers: headersOf(topic), body }, { readJson: true });
  const delivery = deliveryOf(answer, message.sequence_id ?? null);
  const isOver = delivery.kind === "again" && delivery.why === "rateLimited" && objectOf(answer?.body)?.["code"] === dailyLimitCode;
  return isOver ? { ...delivery, why: "dailyLimit" } : delivery;
}

/** Asks each server for the account of its token, which writes nothing. */
export async function ntfyDoctor(env: Env): Promise<ChannelFinding> {
  const issues = ntfyIssues(env);
  if (issues.length > 0) return { ok: false, says: issuesText(issues) };
  const names = namesIn(env);
  if (names.length === 0) return { ok: true, says: { key: "chatNotSetUp", values: { chat: { key: "channel.ntfy" } } } };
  const wrong = await Promise.all(names.map((name) => accountIssue(env, name)));
  const found = wrong.filter((issue) => issue !== null);
  return found.length > 0
    ? { ok: false, says: issuesText(found) }
    : { ok: true, says: { key: "ntfySetUp", values: { names: names.join(", ") } } };
}

async function accountIssue(env: Env, name: string): Promise<DoctorPhrase | null> {
  const topic = topicOf(env, name);
  if (!topic.ok) return topic.error;
  const answer = await exchange({ url: `${topic.value.server}v1/account`, method: "GET", headers: headersOf(topic.value) });
  if (answer?.status === 401 || answer?.status === 403) return { key: "ntfyRefused", values: { variable: tokenOf(name) } };
  return answer?.status === 200 ? null : { key: "ntfySilent", values: { variable: urlOf(name) } };
}

export const ntfyAdapter: ChannelAdapter = {
  open: ntfyChannel,
  issues: ntfyIssues,
  doctor: {
    check: "ntfy",
    ask: ntfyDoctor,
    remedy: (name) => ({ key: "ntfyRemedy", values: { variable: urlOf(name) } }),
    // `issues` reports a variable that is set wrongly.
    unset: (env, name) => (namesIn(env).includes(name) ? null : { check: `ntfy ${name}`, variables: [urlOf(name)] }),
  },
};
