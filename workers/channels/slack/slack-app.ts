// Slack as an app: one message for each reviewer and gate, with buttons, updated as the review changes. A person gets a direct message
// with their own link; a channel gets its own reviewer's link and never a person's.

import { sha256Hex } from "../../../shared/encoding.ts";
import { slackDigest } from "../../../shared/channels/slack-digest.ts";
import { slackEnding, slackReminder, slackReplaced } from "../../../shared/channels/slack-ending.ts";
import { type SlackMessage, type SlackMessageInput, briefSlackMessage, slackMessage } from "../../../shared/channels/slack-message.ts";
import { slackReference } from "../../../shared/channels/slack-reference.ts";
import { type SigningKeys, randomOfRunId } from "../../../shared/sealed-id.ts";
import type { Channel, Notice, Sent } from "../channel.ts";
import { type SlackAnswer, type SlackMethod, callSlack } from "./api.ts";
import { isGone, isTooMuch, sentOf } from "./slack-errors.ts";
import { parseReceipt, receiptOf } from "./receipt.ts";
import type { SlackApp } from "./slack-settings.ts";
import { wordsFor } from "../reviewer-words.ts";
import { isSlackChannel, mostInDigest } from "./press-standing.ts";
import { tellBlocks, tellWords } from "./tell.ts";

/** The workspace of each bot token by `auth.test`: it never changes. By the token's digest, so that no token is kept. */
const teams = new Map<string, string>();

export const slackAppChannel = (app: SlackApp, keys: SigningKeys): Channel => ({
  name: "slack",
  reaches: ({ slack }) => slack !== undefined && /^[UWCG]/.test(slack),
  async send(notice) {
    const receipt = parseReceipt(notice.receipt);
    if (receipt === null) return post(app, keys, notice);
    if (isFirst(notice.why)) {
      // The reviewer is asked again: the older message loses its content, because the new one replaces its receipt.
      const { text, blocks } = slackReplaced(wordsFor(notice.reviewer));
      const answer = await callSlack(app, "chat.update", { channel: receipt.channel, ts: receipt.ts, text, blocks });
      const retired = answer.kind === "ok" ? null : sentOf(answer);
      return retired?.kind === "again" ? retired : post(app, keys, notice);
    }
    // Before a reminder too, which refers to the message above: where the link was renewed, that message has the old one's buttons.
    const answer = await sendMessage(app, "chat.update", { channel: receipt.channel, ts: receipt.ts }, inputOf(keys, notice));
    if (isGone(answer)) return post(app, keys, notice);
    if (answer.kind !== "ok") return sentOf(answer);
    if (notice.why !== "reminder") return { kind: "sent", receipt: null };
    const { text, blocks } = slackReminder(inputOf(keys, notice));
    const reminded = await callSlack(app, "chat.postMessage", {
      channel: receipt.channel,
      thread_ts: receipt.ts,
      reply_broadcast: true,
      text,
      blocks,
      ...quiet,
    });
    return reminded.kind === "ok" ? { kind: "sent", receipt: null } : sentOf(reminded);
  },
  async ended({ receipt: text, view, reviewer }) {
    const receipt = parseReceipt(text);
    if (receipt === null) return { kind: "sent", receipt: null };
    const ending = slackEnding(view, wordsFor(reviewer));
    const answer = await callSlack(app, "chat.update", {
      channel: receipt.channel,
      ts: receipt.ts,
      text: ending.text,
      blocks: ending.blocks,
    });
    return answer.kind === "ok" || isGone(answer) ? { kind: "sent", receipt: null } : sentOf(answer);
  },
  digest: {
    most: mostInDigest,
    address: ({ slack = "" }) => slack,
    counts: ({ receipt, why }, what) => what === "send" && (parseReceipt(receipt) === null || isFirst(why) || why === "reminder"),
    async send(entries) {
      const reviewer = entries[0]?.reviewer;
      const channel = reviewer?.slack;
      if (channel === undefined) return { kind: "failed", why: "notFound" };
      const words = wordsFor(reviewer);
      const post = ({ text, blocks }: SlackMessage): Promise<SlackAnswer> =>
        callSlack(app, "chat.postMessage", { channel, ...quiet, text, blocks });
      const answer = await post(slackDigest(entries, words, false));
      const last = isTooMuch(answer) ? await post(slackDigest(entries, words, true)) : answer;
      return last.kind === "ok" ? { kind: "sent", receipt: null } : sentOf(last);
    },
  },
  async tell({ user, words: said, url, notice }) {
    const receipt = parseReceipt(notice.receipt);
    if (receipt === null) return { kind: "failed", why: "notFound" };
    const words = wordsFor(notice.reviewer);
    const answer = await callSlack(app, "chat.postEphemeral", {
      channel: receipt.channel,
      user,
      text: tellWords(words)[said],
      blocks: tellBlocks(said, url, words),
    });
    return answer.kind === "ok" ? { kind: "sent", receipt: null } : sentOf(answer);
  },
});

/** Slack must not fetch a review's link for a preview. */
const quiet = { unfurl_links: false, unfurl_media: false, mrkdwn: false } as const;

const isFirst = (why: Notice["why"]): why is "asked" | "escalated" | "handedOver" =>
  why === "asked" || why === "escalated" || why === "handedOver";

async function post(app: SlackApp, keys: SigningKeys, notice: Notice): Promise<Sent> {
  const { slack } = notice.reviewer;
  if (slack === undefined) return { kind: "failed", why: "notFound" };
  const team = await teamOf(app);
  if (typeof team !== "string") return team;
  const answer = await sendMessage(app, "chat.postMessage", { channel: slack, ...quiet }, inputOf(keys, notice));
  return answer.kind === "ok" ? { kind: "sent", receipt: receiptOf(answer.body, team) } : sentOf(answer);
}

/** Sends the message; where Slack refuses its size, the one without content, so that the reviewer can at least open the review. */
async function sendMessage(
  app: SlackApp,
  method: SlackMethod,
  where: Readonly<Record<string, unknown>>,
  input: SlackMessageInput,
): Promise<SlackAnswer> {
  const send = ({ text, blocks }: SlackMessage): Promise<SlackAnswer> => callSlack(app, method, { ...where, text, blocks });
  const answer = await send(slackMessage(input));
  return isTooMuch(answer) ? send(briefSlackMessage(input)) : answer;
}

async function teamOf(app: SlackApp): Promise<string | Sent> {
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

function inputOf(keys: SigningKeys, { run, link, view, excerpt, url, reviewer, why }: Notice): SlackMessageInput {
  const runRandom = randomOfRunId(run);
  if (runRandom === undefined) throw new Error("a notice of no run");
  const { version, digest } = view;
  return {
    view,
    words: wordsFor(reviewer),
    excerpt,
    url,
    inChannel: isSlackChannel(reviewer),
    why: isFirst(why) ? why : null,
    reference: (act) => slackReference(keys, { runRandom, gate: link.gate, link: link.id, version, digest, act }),
  };
}
