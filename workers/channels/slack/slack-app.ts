// Slack as an app: one message for each reviewer and gate, with buttons, updated as the review
// changes. A person gets a direct message with their own link; a channel gets its own reviewer's
// link and never a person's.

import { sha256Hex } from "../../../shared/encoding.ts";
import type { SlackMessageInput } from "../../../shared/channels/slack/slack-message.ts";
import type { SlackRenderInput } from "../../../shared/channels/slack/slack-renderers.ts";
import { type SlackAct, slackReference } from "../../../shared/channels/slack/slack-reference.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import type { Reviewer } from "../../../shared/policy/evaluate.ts";
import { type SigningKeys, randomOfRunId } from "../../../shared/sealed-id.ts";
import type { Env } from "../../platform/env.ts";
import { isolateMap } from "../../platform/isolate.ts";
import type { Channel, Notice, DeliveryResult } from "../channel.ts";
import { fromPages } from "../from-pages.ts";
import { type SlackAnswer, type SlackMethod, callSlack } from "./api.ts";
import { isGone, isTooMuch, sentOf } from "./slack-errors.ts";
import { type SlackReceipt, parseReceipt, receiptOf } from "./receipt.ts";
import type { SlackApp } from "./slack-settings.ts";
import { isSlackChannel, mostInDigest } from "./press-permission.ts";

/**
 * The workspace of each bot token by `auth.test`: it never changes. By the token's digest, so that
 * no token is kept.
 */
const teams = isolateMap<string, string>();

/**
 * What a call needs: the app, the keys of the buttons' values, and the Worker that makes the
 * messages.
 */
type Slack = { readonly app: SlackApp; readonly keys: SigningKeys; readonly pages: Env["PAGES"] };

export const slackAppChannel = (app: SlackApp, keys: SigningKeys, pages: Env["PAGES"]): Channel => {
  const slack: Slack = { app, keys, pages };
  return {
    name: "slack",
    reaches: ({ slack: id }) => id !== undefined && /^[UWCG]/.test(id),
    send: (notice) => sendNotice(slack, notice),
    async ended({ receipt: text, view, reviewer }) {
      const receipt = parseReceipt(text);
      if (receipt === null) return done;
      const answer = await say(slack, updateOf(receipt, reviewer), { kind: "ended", view });
      return answer.kind === "ok" || isGone(answer) ? done : sentOf(answer);
    },
    async say({ reviewer, said }) {
      if (reviewer.slack === undefined) return { kind: "failed", why: "notFound" };
      const answer = await say(slack, postOf({ channel: reviewer.slack }, reviewer), { kind: "plain", said });
      return answer.kind === "ok" ? done : sentOf(answer);
    },
    digest: {
      most: mostInDigest,
      address: ({ slack: id = "" }) => id,
      counts: ({ receipt, why }, what) => what === "send" && (parseReceipt(receipt) === null || isFirst(why) || why === "reminder"),
      async send(entries) {
        const reviewer = entries[0]?.reviewer;
        const channel = reviewer?.slack;
        if (reviewer === undefined || channel === undefined) return { kind: "failed", why: "notFound" };
        const answer = await sayFitting(slack, postOf({ channel }, reviewer), { kind: "digest", entries, isBrief: false });
        return answer.kind === "ok" ? done : sentOf(answer);
      },
    },
    async tell({ user, words: said, url, notice: { receipt: text, reviewer } }) {
      const receipt = parseReceipt(text);
      if (receipt === null) return { kind: "failed", why: "notFound" };
      const call: Call = { method: "chat.postEphemeral", params: { channel: receipt.channel, user }, reader: reviewer };
      const answer = await say(slack, call, { kind: "told", said, url });
      return answer.kind === "ok" ? done : sentOf(answer);
    },
  };
};

const done: DeliveryResult = { kind: "sent", receipt: null };

async function sendNotice(slack: Slack, notice: Notice): Promise<DeliveryResult> {
  const { reviewer } = notice;
  const receipt = parseReceipt(notice.receipt);
  if (receipt === null) return post(slack, notice);
  const update = updateOf(receipt, reviewer);
  if (isFirst(notice.why)) {
    // The reviewer is asked again: the older message loses its content, because the new one
    // replaces its receipt.
    const answer = await say(slack, update, { kind: "replaced" });
    const retired = answer.kind === "ok" ? null : sentOf(answer);
    return retired?.kind === "again" ? retired : post(slack, notice);
  }
  const input = inputOf(slack, notice);
  // Before a reminder too, which refers to the message above: where the link was renewed, that
  // message has the old one's buttons.
  const answer = await sayFitting(slack, update, { kind: "review", input, isBrief: false });
  if (isGone(answer)) return post(slack, notice);
  if (answer.kind !== "ok") return sentOf(answer);
  if (notice.why !== "reminder") return done;
  const thread = { channel: receipt.channel, thread_ts: receipt.ts, reply_broadcast: true };
  const reminded = await say(slack, postOf(thread, reviewer), { kind: "reminder", input });
  return reminded.kind === "ok" ? done : sentOf(reminded);
}

/** A call that carries a message: its parameters beside the message, and who reads it. */
type Call = {
  readonly method: SlackMethod;
  readonly params: Readonly<Record<string, string | boolean>>;
  readonly reader: Pick<Reviewer, "language">;
};

const updateOf = ({ channel, ts }: SlackReceipt, reader: Call["reader"]): Call => ({
  method: "chat.update",
  params: { channel, ts },
  reader,
});

/** Slack must not fetch a review's link for a preview. */
const quiet = { unfurl_links: false, unfurl_media: false, mrkdwn: false } as const;

const postOf = (params: Call["params"], reader: Call["reader"]): Call => ({
  method: "chat.postMessage",
  params: { ...params, ...quiet },
  reader,
});

const isFirst = (why: Notice["why"]): why is "asked" | "escalated" | "handedOver" =>
  why === "asked" || why === "escalated" || why === "handedOver";

async function post(slack: Slack, notice: Notice): Promise<DeliveryResult> {
  const { reviewer } = notice;
  if (reviewer.slack === undefined) return { kind: "failed", why: "notFound" };
  const team = await teamOf(slack.app);
  if (typeof team !== "string") return team;
  const call = postOf({ channel: reviewer.slack }, reviewer);
  const answer = await sayFitting(slack, call, { kind: "review", input: inputOf(slack, notice), isBrief: false });
  return answer.kind === "ok" ? { kind: "sent", receipt: receiptOf(answer.body, team) } : sentOf(answer);
}

/** Sends a message in its reader's language. It rejects where the pages Worker does not answer. */
async function say({ app, pages }: Slack, { method, params, reader }: Call, asked: SlackRenderInput): Promise<SlackAnswer> {
  const { text, blocks } = await fromPages(pages.channels.slack.renderers.message(asked, languageFor(reader.language)));
  return callSlack(app, method, { ...params, text, blocks });
}

/**
 * Sends the message; where Slack refuses its size, the one without what makes it long, so that the
 * reviewer can at least open the review.
 */
async function sayFitting(slack: Slack, call: Call, asked: Extract<SlackRenderInput, { isBrief: boolean }>): Promise<SlackAnswer> {
  const answer = await say(slack, call, asked);
  return isTooMuch(answer) ? say(slack, call, { ...asked, isBrief: true }) : answer;
}

async function teamOf(app: SlackApp): Promise<string | DeliveryResult> {
  const name = sha256Hex(`${app.apiUrl} ${app.token}`);
  const known = teams.get(name);
  if (known !== undefined) return known;
  const answer = await callSlack(app, "auth.test", {});
  if (answer.kind !== "ok") return sentOf(answer);
  const { team_id: team } = answer.body;
  if (typeof team !== "string") return { kind: "again", why: "unavailable" };
  teams.set(name, team);
  return team;
}

function inputOf({ keys }: Slack, { run, link, view, excerpt, mustSignIn, url, reviewer, why }: Notice): Omit<SlackMessageInput, "words"> {
  const runRandom = randomOfRunId(run);
  if (runRandom === undefined) throw new Error("a notice of no run");
  const { version, digest } = view;
  const reference = (act: SlackAct): string => slackReference(keys, { runRandom, gate: link.gate, link: link.id, version, digest, act });
  return {
    view,
    excerpt,
    url,
    inChannel: isSlackChannel(reviewer),
    why: isFirst(why) ? why : null,
    reference: mustSignIn ? null : { approve: reference("approve"), deny: reference("deny"), edit: reference("edit") },
  };
}
