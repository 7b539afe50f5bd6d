// The Slack message of one review for one reviewer: the facts, as much of the content as the policy
// and Slack's limits allow, and the buttons. It has Approve only where it shows everything that
// would be sent or delivered; a form, which needs more than a button, has the link alone. It sends
// nothing.

import {
  type Button,
  type SlackBlock,
  fallbackText,
  filled,
  framed,
  grownLength,
  isLongName,
  longestHeader,
  longestMessage,
  longestText,
  named,
  paragraph,
  plain,
  say,
  shownText,
  strong,
} from "./slack-blocks.ts";
import { handOverOf } from "../hand-over.ts";
import { noticeFacts, noticeLine } from "../notice-line.ts";
import { gateWords } from "../fact-words.ts";
import { type SlackContent, beginningOf, charactersIn, contentOf, fitsWhole, unshownKinds } from "./slack-content.ts";
import { factLines, mostLines, riskBlocks } from "./slack-facts.ts";
import type { SlackAct } from "./slack-reference.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import { toolName } from "../../model/subject/tool-call.ts";
import type { RiskNote } from "../../policy/risk.ts";
import { reviewFacts } from "../../review/review-facts.ts";
import { textOf } from "../../words/text.ts";
import type { ReviewView } from "../../review/view.ts";

/** `text` is what notifications show; Slack reads markup in it. */
export type SlackMessage = { readonly text: string; readonly blocks: readonly SlackBlock[] };

export type SlackMessageInput = {
  readonly view: ReviewView;
  readonly words: NoticeWords;
  readonly excerpt: "none" | "start";
  /** The reviewer's own link; in a channel, the channel reviewer's. */
  readonly url: string;
  /** Whether it goes to a channel, whose members decide as one reviewer. */
  readonly inChannel: boolean;
  /** Why the reviewer is asked; null where the message is updated. */
  readonly why: keyof NoticeWords["slack"]["asked"] | null;
  /**
   * The values of the buttons; null for an incoming webhook, which has a link in place of buttons.
   */
  readonly reference: Readonly<Record<Extract<SlackAct, "approve" | "deny" | "edit">, string>> | null;
};

const isForm = ({ subject }: ReviewView): boolean => subject === "form";

/** A message has at most 50 blocks, so content of more pieces is cut. */
const mostPieces = 30;

/** The message of an open review. */
export function slackMessage(input: SlackMessageInput): SlackMessage {
  const whole = wholeMessage(input);
  if (whole !== null) return whole;
  const part = compose(input, partContent(input, longestText), { isWhole: false, isBrief: false });
  return fits(part) ? part : compose(input, partContent(input, 0), { isWhole: false, isBrief: true });
}

/** The message without content, for where Slack refuses `slackMessage` as too long. */
export const briefSlackMessage = (input: SlackMessageInput): SlackMessage =>
  compose(input, partContent(input, 0), { isWhole: false, isBrief: true });

/** The message with all of the content, or null where it does not fit. */
function wholeMessage(input: SlackMessageInput): SlackMessage | null {
  const content = isForm(input.view) ? null : wholeContent(input);
  const message = content === null ? null : compose(input, content, { isWhole: true, isBrief: false });
  return message !== null && fits(message) ? message : null;
}

const fits = ({ blocks }: SlackMessage): boolean => grownLength(JSON.stringify(blocks)) <= longestMessage;

/** The blocks of the whole content, or null where something would be left out. */
function wholeContent({ view, words, excerpt }: SlackMessageInput): SlackBlock[] | null {
  const content = contentOf(view, words);
  if (excerpt === "none" || Object.keys(unshownOf(view, words, content)).length > 0) return null;
  if (content.pieces.length > mostPieces || !content.pieces.every(({ text }) => fitsWhole(text, words))) return null;
  if (view.gate === "response" && view.reply === null) return null;
  return contentBlocks(view, words, content.pieces);
}

/** The beginning of the content, where the policy allows it, and a count of what is not shown. */
function partContent({ view, words, excerpt }: SlackMessageInput, room: number): SlackBlock[] {
  const content = contentOf(view, words);
  const unshown = unshownOf(view, words, content);
  const {
    lang,
    review: { counts },
    slack: { hidden },
  } = words;
  const isAsked = isForm(view);
  if (excerpt === "none" || room === 0) {
    if (isAsked) return [paragraph(say(words.review.form.open))];
    const what = countWords(charactersIn(view), unshown, words);
    return [
      paragraph(
        strong(excerpt === "none" ? hidden.byPolicy : hidden.tooLong),
        say(`${what === "" ? textOf(counts.characters, { n: 0 }, lang) : what}${hidden.open}`),
      ),
    ];
  }
  const { pieces, missing } = beginningOf(content.pieces.slice(0, mostPieces), room, words);
  if (isAsked) return [...contentBlocks(view, words, pieces), paragraph(say(words.review.form.open))];
  const beyond = content.pieces.slice(mostPieces).reduce((sum, { text }) => sum + text.length, 0);
  const what = countWords(missing + beyond, unshown, words);
  return [
    ...contentBlocks(view, words, pieces),
    // Texts that each fit may be too long together.
    paragraph(
      strong(hidden.heading),
      say(`${what === "" ? textOf(hidden.wholeTexts, { n: content.pieces.length }, lang) : what}${hidden.open}`),
    ),
  ];
}

/** In the order in which they are said. */
const leftOut = [...unshownKinds, "model", "risk", "name", "written", "masked"] as const;
type LeftOut = Readonly<Partial<Record<(typeof leftOut)[number], number>>>;

/** What the message leaves out however much room there is. */
function unshownOf(view: ReviewView, words: NoticeWords, { unshown }: SlackContent): LeftOut {
  const asked = view.gate === "request";
  const { server, client, method, name: tool, account, owner } = view.requestor;
  const names = [view.reviewer, view.rule, server, client, method, tool];
  if (account !== undefined) names.push(account.issuer, account.name ?? "", owner ?? "");
  names.push(...namesOfModels(view));
  const models = view.subject === "message" ? view.models.length : 0;
  const long = names.filter((name) => isLongName(name, words)).length;
  return {
    ...unshown,
    ...(asked && models > mostLines ? { model: models - mostLines } : {}),
    ...(view.risks.length > mostLines ? { risk: view.risks.length - mostLines } : {}),
    ...(long > 0 ? { name: long } : {}),
    // Approve would send what is masked here.
    ...(view.maskedHere === undefined ? {} : { masked: view.maskedHere }),
    // Approve would send the reply that a reviewer wrote, and the message shows the request.
    ...(asked && (view.written ?? null) !== null ? { written: 1 } : {}),
  };
}

/** The names that the facts have of who answers, or would. */
function namesOfModels(view: ReviewView): string[] {
  if (view.subject === "toolCall") return [toolName(view.request)];
  if (view.subject !== "message") return [];
  const { gate, models, answeredBy, reply, request } = view;
  if (gate === "response") return [answeredBy?.id ?? "", reply?.model ?? "", reply?.stopReason ?? ""];
  const named = Object.values(request.namedModel ?? {}).filter((each) => each !== undefined);
  return [...models.flatMap(({ id, provider }) => [id, provider]), ...named];
}

function countWords(characters: number, unshown: LeftOut, { lang, review: { counts, marks }, slack: { hidden } }: NoticeWords): string {
  const kinds = { ...counts, ...hidden.kinds };
  const some = leftOut.flatMap((kind) => {
    const n = unshown[kind];
    return n === undefined ? [] : [textOf<"n">(kinds[kind], { n }, lang)];
  });
  return [...(characters > 0 ? [textOf(counts.characters, { n: characters }, lang)] : []), ...some].join(marks.comma);
}

function contentBlocks(view: ReviewView, words: NoticeWords, pieces: SlackContent["pieces"]): SlackBlock[] {
  const { risks } = reviewFacts(view);
  const shown = pieces.map(({ label, at = "", text }) => ({ label: label + warningsAt(at, risks, words), text: shownText(text, words) }));
  const isLabelled = pieces.some(({ text }, i) => text !== "" && shown[i]?.text !== text);
  return [
    paragraph(strong(gateWords(reviewFacts(view), words.review).content), ...(isLabelled ? [say(` ${words.slack.unseen}`)] : [])),
    ...shown.map(({ label, text }) => framed(label, text)),
  ];
}

/**
 * The numbers of the warnings about a text, beside its label. They never stand in the text, which
 * could imitate them.
 */
function warningsAt(at: string, risks: readonly RiskNote[], { review: { marks }, slack }: NoticeWords): string {
  const numbers = risks.flatMap(({ pointer }, i) => (pointer === at || pointer.startsWith(`${at}/`) ? [String(i + 1)] : []));
  return at === "" || numbers.length === 0 ? "" : slack.risks.here.replace("{numbers}", numbers.join(marks.comma));
}

/** Characters of a hand-over's note; the page has all of it. */
const longestNote = 1_000;

function handOverBlocks(view: ReviewView, words: NoticeWords): SlackBlock[] {
  const handOver = handOverOf(view);
  if (handOver === null) return [];
  const { handedOver, secret } = words.review;
  const by = paragraph(...filled(handedOver.by, { by: named(handOver.by, words) }));
  if (handOver.leftOut !== undefined) return [by, paragraph(say(`${handedOver.note}: ${secret}`))];
  if (handOver.note === null) return [by];
  const { pieces } = beginningOf([{ label: handedOver.note, text: handOver.note }], longestNote, words);
  return [by, ...pieces.map(({ label, text }) => framed(label, shownText(text, words)))];
}

type Extent = { readonly isWhole: boolean; readonly isBrief: boolean };

function compose(input: SlackMessageInput, content: readonly SlackBlock[], { isWhole, isBrief }: Extent): SlackMessage {
  const { view, words, why } = input;
  const facts = reviewFacts(view);
  const { lead, exactly, exactlyOne, approve } = gateWords(facts, words.review);
  const mayApprove = isWhole && facts.bar === null;
  const closing = facts.bar === null ? null : facts.bar === "voted" ? words.slack.voted : words.review[facts.bar];
  const line = (now: number | null): string =>
    noticeLine(noticeFacts(view), words, { now, most: longestHeader, lengthOf: (text) => grownLength(plain(text).text) });
  return {
    // A notification is read when it comes, and a header later too.
    text: fallbackText(line(view.now)),
    blocks: [
      { type: "header", text: plain(line(null)) },
      paragraph(say(why === null || input.inChannel ? lead : `${lead} ${words.slack.asked[why]}`)),
      ...handOverBlocks(view, words),
      factLines(view, facts, { words, inChannel: input.inChannel, isBrief }),
      ...(isBrief ? [] : riskBlocks(facts, words)),
      ...content,
      ...(closing === null ? [] : [paragraph(say(closing))]),
      ...(mayApprove && input.reference === null ? [paragraph(say(words.slack.hidden.noButtons))] : []),
      ...(mayApprove && input.reference !== null
        ? [paragraph(say(view.subject === "message" && view.models.length !== 1 ? exactly : exactlyOne))]
        : []),
      controls(input, mayApprove ? approve : null),
    ],
  };
}

/** `approve`: the words of the Approve button, or null for none. */
function controls({ view, url, reference, words: { slack: words } }: SlackMessageInput, approve: string | null): SlackBlock {
  if (reference === null) return paragraph({ type: "link", url, text: words.link });
  const { buttons } = words;
  const deny: Button = { type: "button", action_id: "deny", text: plain(buttons.deny), value: reference.deny, style: "danger" };
  const approval: Button[] =
    approve === null
      ? []
      : [
          { type: "button", action_id: "approve", text: plain(approve), value: reference.approve, style: "primary" },
          { type: "button", action_id: "edit", text: plain(buttons.edit), value: reference.edit },
        ];
  return {
    type: "actions",
    elements: [...approval, ...(isForm(view) ? [] : [deny]), { type: "button", action_id: "open", text: plain(buttons.open), url }],
  };
}
