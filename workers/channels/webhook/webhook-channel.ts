// Notices as signed webhooks, for services without a channel of their own: a chat, a pager, a
// ticket system. A webhook carries the reviewer's personal link.
//
// Source: Standard Webhooks 1.0.0 (github.com/standard-webhooks/standard-webhooks). Of the answer
// only the status is read.

import { sha256Hex } from "../../../shared/encoding.ts";
import { err, ok, type Result, unreachable } from "../../../shared/result.ts";
import { handOverOf } from "../../../shared/channels/hand-over.ts";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import { answerersOf, isAhead } from "../../../shared/review/review-facts.ts";
import type { WebhookRenderInput, WebhookWords } from "../../../shared/channels/webhook/webhook-renderers.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import { beginningOf, excerptOf } from "../../../shared/channels/excerpt.ts";
import { evidenceWords } from "../../../shared/association/evidence.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { type DoctorPhrase, issuesText } from "../../../shared/words/doctor.ts";
import { Webhook } from "standardwebhooks";
import type { Env } from "../../platform/env.ts";
import { lookupIn } from "../../platform/lookup.ts";
import type { Channel, ChannelAdapter, ChannelFinding, Notice, NoticeWhy, DeliveryResult, PlainMessage } from "../channel.ts";
import { type Exchanged, exchange, exchangeTimeoutMs } from "../channel-exchange.ts";
import { fromPages } from "../from-pages.ts";
import { deliveryOf, isSafeService } from "../http-service.ts";

/** `signers`: of the current secret, and of the previous one while it is being changed. */
type Target = { readonly url: string; readonly signers: readonly Webhook[] };

const variable = /^WEBHOOK_([A-Z][A-Z0-9_]{0,30})_(?:URL|SECRET)$/;

/** The names of the webhooks of which any variable is set, sorted. */
const namesIn = (env: Env): string[] => [...new Set(Object.keys(env).flatMap((key) => variable.exec(key)?.[1] ?? []))].sort();

/**
 * A webhook's target. The error: each variable that is missing or wrong, without an address or a
 * secret.
 */
function targetOf(env: Env, name: string): Result<Target, readonly DoctorPhrase[]> {
  const lookup = lookupIn(env);
  const issues: DoctorPhrase[] = [];
  const url = readUrl(env, `WEBHOOK_${name}_URL`, lookup(`WEBHOOK_${name}_URL`)?.trim() ?? "", issues);
  const signers = readSecrets(`WEBHOOK_${name}_SECRET`, lookup(`WEBHOOK_${name}_SECRET`)?.trim() ?? "", issues);
  return issues.length === 0 ? ok({ url, signers }) : err(issues);
}

function readUrl(env: Env, name: string, text: string, issues: DoctorPhrase[]): string {
  const url = URL.parse(text);
  const values = { variable: name };
  if (text === "") issues.push({ key: "webhookUrlUnset", values });
  else if (url === null || !isSafeService(url, env)) issues.push({ key: "webhookUrl", values });
  else if (url.username !== "" || url.password !== "" || url.hash !== "") issues.push({ key: "webhookUrlExtras", values });
  return url?.href ?? "";
}

function readSecrets(name: string, text: string, issues: DoctorPhrase[]): Webhook[] {
  const values = { variable: name };
  if (text === "") issues.push({ key: "webhookSecretUnset", values });
  const secrets = text.split(/\s+/).filter((each) => each !== "");
  if (secrets.length <= 2 && secrets.every(isSecret)) return secrets.map((secret) => new Webhook(secret));
  issues.push({ key: "webhookSecret", values });
  return [];
}

function isSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return false;
  const bytes = (encoded.length / 4) * 3 - (encoded.endsWith("==") ? 2 : encoded.endsWith("=") ? 1 : 0);
  return bytes >= 24 && bytes <= 64;
}

/** Undefined where no webhook is configured correctly: `webhookIssues` says what is wrong. */
export function webhookChannel(env: Env): Channel | undefined {
  const targets = new Map(
    namesIn(env).flatMap((name) => {
      const target = targetOf(env, name);
      return target.ok ? [[name, target.value] as const] : [];
    }),
  );
  if (targets.size === 0) return undefined;
  const send = async (
    { reviewer, idempotencyKey }: Pick<Notice, "reviewer" | "idempotencyKey">,
    eventOf: () => Promise<DeliveredEvent>,
  ): Promise<DeliveryResult> => {
    const target = targets.get(reviewer.webhook ?? "");
    return target === undefined
      ? { kind: "failed", why: "notConfigured" }
      : deliveryOf(await deliver(target, idempotencyKey, await eventOf()));
  };
  const post = (notice: Notice, type: EventType, dataOf: (notice: Notice) => Promise<object> | object): Promise<DeliveryResult> =>
    send(notice, async () => ({ type, timestamp: isoOf(notice.view.now), data: await dataOf(notice) }));
  const saying = async ({ reviewer, said }: PlainMessage): Promise<DeliveredEvent> => {
    const { title, text, link } = await fromPages(env.PAGES.channels.webhook.renderers.plain(said, languageFor(reviewer.language)));
    if (said.kind === "test")
      return { type: "countersign.test", timestamp: isoOf(Date.now()), data: { reviewer: reviewer.name, title, text } };
    const { id, phase, topic, since, at, counts, leftOut } = said.alert;
    const data = { alert: id, ...topic, since: isoOf(since), ...counts, leftOut, title, text, url: link?.url };
    return { type: `alert.${phase}`, timestamp: isoOf(at), data };
  };
  const askedData = async (notice: Notice): Promise<object> =>
    askedDataOf(
      notice,
      await fromPages(env.PAGES.channels.webhook.renderers.words(saidOf(notice.view), languageFor(notice.reviewer.language))),
    );
  return {
    name: "webhook",
    reaches: ({ webhook }) => webhook !== undefined && targets.has(webhook),
    send: (notice) => post(notice, types[notice.why], askedData),
    ended: (notice) => post(notice, "review.ended", endingOf),
    say: (message) => send(message, () => saying(message)),
  };
}

/** What health reports. */
export const webhookIssues = (env: Env): DoctorPhrase[] =>
  namesIn(env).flatMap((name) => {
    const target = targetOf(env, name);
    return target.ok ? [] : [...target.error];
  });

const types = {
  asked: "review.asked",
  handedOver: "review.handed_over",
  escalated: "review.escalated",
  reminder: "review.reminder",
  changed: "review.changed",
  voted: "review.voted",
  newLink: "review.new_link",
} as const satisfies Record<NoticeWhy, string>;

type EventType = (typeof types)[NoticeWhy] | "review.ended" | "countersign.ping" | "countersign.test" | "alert.began" | "alert.ended";

type DeliveredEvent = { readonly type: EventType; readonly timestamp: string; readonly data: object };

const isoOf = (at: number): string => new Date(at).toISOString();

const longestName = 1_000;
const nameOf = (text: string): string => (text.length > longestName ? `${beginningOf(text, longestName)}…` : text);

const whichOf = ({ view, link }: Notice) => ({ run: view.run, gate: link.gate, reviewer: view.reviewer });

const endingOf = (notice: Notice): object => ({ ...whichOf(notice), state: endOf(notice.view) });

const saidOf = (view: ReviewView): WebhookRenderInput => {
  const { server, client, method, name } = view.requestor;
  return { facts: noticeFacts(view), isAhead: isAhead(view), names: { server, client, method, name }, now: view.now };
};

function askedDataOf(notice: Notice, { title, summary }: WebhookWords): object {
  const { view, url, why, link } = notice;
  const { requestor, quorum, version } = view;
  const handOver = handOverOf(view);
  return {
    ...whichOf(notice),
    why,
    title,
    summary,
    url,
    urlExpires: isoOf(link.expiresAtSeconds * 1000),
    server: nameOf(requestor.server),
    method: nameOf(requestor.method),
    name: nameOf(requestor.name),
    provenance: requestor.provenance,
    ...(requestor.evidence === undefined ? {} : { association: evidenceWords[requestor.evidence] }),
    client: nameOf(requestor.client),
    ...(requestor.account === undefined ? {} : { account: { ...requestor.account, owner: requestor.owner } }),
    ...(handOver === null ? {} : { handedOver: handOver }),
    version,
    deadline: isoOf(view.deadlineAt),
    quorum,
    ...(view.state.kind === "voted" ? { votes: view.state.votes } : {}),
    rule: view.rule,
    models: answerersOf(view).slice(0, 20).map(nameOf),
    worstCostUsd: view.subject === "message" ? view.worstCostUsd : 0,
    ...(notice.excerpt === "none" ? {} : { excerpt: excerptOf(view) }),
  };
}

/** How the review ended, without a reviewer's reason, which only other reviewers see. */
function endOf({ state, keyEnd = null }: ReviewView): object {
  switch (state.kind) {
    case "open":
    case "voted":
      // The review goes on without this reviewer.
      return { kind: "released" };
    case "approved":
      return { kind: state.kind, by: state.by, at: isoOf(state.at), edited: state.edited };
    case "denied":
      return { kind: state.kind, by: state.by, at: isoOf(state.at) };
    case "cancelled":
      return { kind: state.kind, at: isoOf(state.at), ...(keyEnd === null ? {} : { reason: keyEnd }) };
    case "expired":
    case "failed":
      return { kind: state.kind, at: isoOf(state.at) };
    default:
      return unreachable(state);
  }
}

/** Signs each attempt anew, because a receiver refuses a timestamp of more than five minutes. */
function deliver({ url, signers }: Target, key: string, event: DeliveredEvent): Promise<Exchanged | undefined> {
  const body = JSON.stringify(event);
  const now = Date.now();
  // With a full stop in the id, one signature would be valid for another id and time.
  const id = /^[\w-]{1,256}$/.test(key) ? key : sha256Hex(key);
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "countersign",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now / 1000)),
    "webhook-signature": signers.map((signer) => signer.sign(id, new Date(now), body)).join(" "),
  };
  return exchange({ url, method: "POST", headers, body });
}

/** Sends each configured webhook a signed `countersign.ping`. */
export async function webhookDoctor(env: Env): Promise<ChannelFinding> {
  const [first, ...more] = await Promise.all(namesIn(env).map((name) => checkOf(env, name)));
  if (first === undefined) return { ok: true, says: { key: "webhookNotSetUp" } };
  return more.reduce(
    (all, { ok, says }) => ({ ok: all.ok && ok, says: { key: "alsoSaid", values: { first: all.says, rest: says } } }),
    first,
  );
}

async function checkOf(env: Env, name: string): Promise<ChannelFinding> {
  const target = targetOf(env, name);
  if (!target.ok) return { ok: false, says: issuesText(target.error) };
  const answer = await deliver(target.value, `ping-${crypto.randomUUID()}`, {
    type: "countersign.ping",
    timestamp: isoOf(Date.now()),
    data: {},
  });
  if (answer === undefined) return { ok: false, says: { key: "webhookSilent", values: { name, seconds: exchangeTimeoutMs / 1_000 } } };
  const { status } = answer;
  if (status >= 200 && status < 300) return { ok: true, says: { key: "webhookAccepts", values: { name } } };
  return { ok: false, says: { key: "webhookRefuses", values: { name, status: String(status) } } };
}

const variablesOf = (name: string): readonly string[] => [`WEBHOOK_${name}_URL`, `WEBHOOK_${name}_SECRET`];

export const webhookAdapter: ChannelAdapter = {
  open: webhookChannel,
  issues: webhookIssues,
  doctor: {
    check: "webhooks",
    ask: webhookDoctor,
    remedy: (name) => ({ key: "webhookRemedy", values: { url: `WEBHOOK_${name}_URL`, secret: `WEBHOOK_${name}_SECRET` } }),
    // `issues` reports a variable that is set wrongly.
    unset: (env, name) => {
      const variables = variablesOf(name);
      return variables.some((variable) => lookupIn(env)(variable)?.trim()) ? null : { check: `webhook ${name}`, variables };
    },
  },
};
