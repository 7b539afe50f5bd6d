// A review as lines for a terminal. Text from outside stands behind a bar, with what is invisible
// written out: no character of it reaches the terminal as a command.

import { accountWords, asksWords, causeWords, endedWords } from "../../shared/channels/fact-words.ts";
import { numbersEn } from "../../shared/channels/words/en/page-numbers-en.ts";
import { reviewEn as words } from "../../shared/channels/words/en/review-en.ts";
import type { Block as MessageBlock, ReplyBlock } from "../../shared/model/sampling.ts";
import type { ToolResult } from "../../shared/model/subject/tool-call.ts";
import type { FieldChange } from "../../shared/review/difference.ts";
import { argumentName } from "../../shared/review/editable-fields.ts";
import { mayApprove } from "../../shared/review/permissions.ts";
import { fieldsOf, textsOf } from "../../shared/review/subject/parts.ts";
import { answerersOf, isOpen, reviewFacts, callIn } from "../../shared/review/review-facts.ts";
import { viewText } from "../../shared/review/text-view.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { callSentences, noteWords, placeWords, invisibleWords } from "../../shared/channels/content-words.ts";
import { textOf } from "../../shared/words/text.ts";
import { riskWords } from "../../shared/channels/risk-words.ts";

/** The catalogue of the terminal. */
export const inEnglish = { lang: "en", numbers: numbersEn, review: words };

const bar = "  ┃ ";

/** A text from outside, line by line, with what nobody sees between ⟨ and ⟩. */
function outsideLines(text: string): string[] {
  const shown = viewText(text).map((segment) => {
    if (segment.kind === "text") return segment.text;
    return `⟨${invisibleWords(segment, inEnglish)}⟩${segment.kind === "blankLines" ? "\n" : ""}`;
  });
  return shown
    .join("")
    .split(/\r\n|\n|\r/)
    .map((line) => bar + line.replaceAll("\t", "    "));
}

/** A short text from outside within a line of ours. */
const outsideWord = (text: string): string =>
  outsideLines(text === "" ? words.outside.empty : text)
    .map((line) => line.slice(bar.length))
    .join("⏎");

/** "in 9 minutes". */
const leftWords = (view: ReviewView): string => numbersEn.left(Math.max(0, view.deadlineAt - view.now));

const nameOfReply = ({ subject }: ReviewView): "reply" | "result" => (subject === "toolCall" ? "result" : "reply");

export function listLine(view: ReviewView, place: number): string {
  const facts = reviewFacts(view);
  const warnings = facts.risks.length === 0 ? "" : ` · ${textOf(words.notice.warnings, { n: facts.risks.length }, inEnglish.lang)}`;
  const { server, name } = view.requestor;
  const tool = name === "" ? "" : ` · ${outsideWord(name)}`;
  const [first] = answerersOf(view);
  const model = first === undefined ? "" : ` → ${outsideWord(first)}`;
  const what = view.subject === "form" ? "question" : view.gate === "request" ? "request" : nameOfReply(view);
  return `${String(place).padStart(3)}  ${what.padEnd(9)}${outsideWord(server)}${tool}${model}, ${leftWords(view)} left${warnings}, for ${outsideWord(view.reviewer)}`;
}

/**
 * Each text that may be edited, by its path, in the page's order. A reply that a reviewer wrote is
 * replaced on the page.
 */
export function editableFields({ gate, request, reply, written }: ReviewView): ReadonlyMap<string, string> {
  const content = gate === "request" ? request : reply;
  return written != null || content === null ? new Map() : fieldsOf(content);
}

export function placeOf(view: ReviewView, path: string): string {
  const place = placeWords(path, inEnglish, view.request.kind);
  const argument = argumentName(path);
  return argument === null ? place : `${place}: ${outsideWord(argument)}`;
}

type Block = MessageBlock | ReplyBlock | ToolResult["content"][number];

/** The blocks that are sent or delivered; a call and a form have texts alone. */
function blocksIn(view: ReviewView): readonly Block[] {
  if (view.subject === "message" && view.gate === "request") return view.request.messages.flatMap(({ content }) => content);
  return view.gate === "response" && (view.subject === "message" || view.subject === "toolCall") ? (view.reply?.content ?? []) : [];
}

/** What has no text: images, sounds and PDFs, which the terminal names and does not show. */
function unshown(view: ReviewView): string[] {
  const media = blocksIn(view).filter(({ type }) => type === "image" || type === "audio" || type === "pdf").length;
  const what = media === 1 ? "is 1 image, sound or PDF" : `are ${media} images, sounds or PDFs`;
  return media === 0 ? [] : [`There ${what} that a terminal cannot show.`];
}

/**
 * Whether everything that is sent or delivered is on the screen: only then can it be approved
 * there.
 */
export const isShownWhole = (view: ReviewView): boolean =>
  view.subject !== "form" && unshown(view).length === 0 && blocksIn(view).every(isText);

/** Whether `a` and `e` do anything: a form is filled in on its page. */
export const mayApproveHere = (view: ReviewView): boolean => view.subject !== "form" && mayApprove(view);

/** The keys that do something, and what. */
export function keysLine(view: ReviewView): string {
  const { mayStop } = callIn(view);
  return [
    ...(mayApproveHere(view) ? ["a approve", "e edit"] : []),
    view.subject === "form" ? "d decline" : "d deny",
    ...(mayStop == null ? [] : [`s deny and stop this tool for ${mayStop === "session" ? "the session" : "an hour"}`]),
    "r read again",
    "b back",
  ].join(" · ");
}

/** Tool results may have more than text. */
const isText = (block: Block): boolean => {
  if (block.type === "resource" || block.type === "resource_link") return false;
  return block.type !== "tool_result" || block.content.every(({ type }) => type === "text");
};

function settings({ request }: ReviewView): string[] {
  if (request.kind !== "chat") return [];
  const { messages: _, systemPrompt: __, tools, ...rest } = request;
  const lines = outsideLines(JSON.stringify(rest, null, 2));
  return tools === undefined || tools.length === 0 ? lines : [...lines, "  Tools:", ...outsideLines(JSON.stringify(tools, null, 2))];
}

/** The reply that a reviewer wrote in the model's place: approving sends it, and asks no model. */
function writtenLines({ written, request }: ReviewView): string[] {
  if (written == null || written.reply === null) return [];
  const texts = [...fieldsOf(written.reply).values()].flatMap(outsideLines);
  const prompt = [...fieldsOf(request).values()].flatMap(outsideLines);
  return [
    "",
    `  ${outsideWord(written.by)} wrote this reply, which goes out in the model's place:`,
    ...texts,
    "",
    "  The prompt that it answers:",
    ...prompt,
  ];
}

/** How usual the call is, and what the server says of its tool, in its own words and in ours. */
function definitionLines(view: ReviewView): string[] {
  if (view.subject !== "toolCall") return [];
  const { request, differing } = view;
  const { title, description } = request.definition ?? {};
  const said = [title, description].filter((text) => text !== undefined);
  return [
    ...callSentences({ call: request, differing }, inEnglish).map((sentence) => `  ${sentence}`),
    ...(said.length === 0 ? [] : ["", `  ${words.place.definition}`, ...said.flatMap(outsideLines)]),
  ];
}

/** Who asks whom. */
function headLine(view: ReviewView): string {
  const { server, client, method, name } = view.requestor;
  if (view.subject === "form") return `${outsideWord(server)} asks you. ${words.form.open}`;
  if (view.gate === "response") return `A ${nameOfReply(view)} for ${outsideWord(server)}`;
  if (view.subject === "message") return `${outsideWord(server)} asks ${answerersOf(view).map(outsideWord).join(", then ") || "no model"}`;
  const named = { server: outsideWord(server), client: outsideWord(client), method: outsideWord(method), name: outsideWord(name) };
  return textOf(asksWords(reviewFacts(view), words), named, inEnglish.lang);
}

/** Whose own login at the server a call is sent with. */
function accountLines({ requestor }: ReviewView): string[] {
  const found = accountWords(requestor, words);
  if (found === null) return [];
  const { account, owner, issuer } = found.names;
  const named = { account: outsideWord(account), owner: outsideWord(owner), issuer: outsideWord(issuer) };
  return [`  ${words.account.label}: ${textOf(found.sentence, named, inEnglish.lang)}`];
}

/** What is sent and is no reviewer's to change: of a call its definition says that. */
function fixedLines(view: ReviewView): string[] {
  if (view.subject === "message" || view.subject === "toolCall") return [];
  const content = view.gate === "request" ? view.request : view.reply;
  const fixed = content === null ? [] : textsOf(content).filter(({ isFixed, raw }) => isFixed && typeof raw === "string");
  return fixed.flatMap(({ path, text }) => ["", `  ${placeOf(view, path)}`, ...outsideLines(text)]);
}

/** The whole review. */
export function reviewLines(view: ReviewView): string[] {
  const facts = reviewFacts(view);
  const { name, client, method } = view.requestor;
  return [
    headLine(view),
    `  For ${outsideWord(client)}, ${outsideWord(method)} ${name === "" ? "" : outsideWord(name)}`.trimEnd(),
    `  ${words.sure[facts.associationConfidence].full}`,
    ...accountLines(view),
    ...(facts.isRaised ? [`  ${words.raised}`] : []),
    `  Decide within ${leftWords(view)}${facts.cost === null ? "" : `; ${facts.cost.kind === "atMost" ? "up to " : ""}${numbersEn.dollars(facts.cost.usd)}`}${facts.quorum === null ? "" : `; ${facts.quorum.votes} of ${facts.quorum.needed} approvals`}`,
    ...facts.risks.map(
      (risk) =>
        `  WARNING (${words.riskLevels[risk.level]}): ${riskWords(risk, inEnglish)} ${placeWords(risk.pointer, inEnglish, view.request.kind)}`,
    ),
    ...view.notes.map((note) => `  ${noteWords(note, inEnglish)}`),
    ...writtenLines(view),
    ...definitionLines(view),
    ...fixedLines(view),
    ...[...editableFields(view)].flatMap(([path, text]) => ["", `  ${placeOf(view, path)}`, ...outsideLines(text)]),
    ...unshown(view).flatMap((line) => ["", `  ${line}`]),
    "",
    "  Settings:",
    ...settings(view),
    ...(view.gate === "response"
      ? [
          "",
          view.subject === "toolCall" ? "  The approved call:" : "  The approved prompt:",
          ...[...fieldsOf(view.request).values()].flatMap(outsideLines),
        ]
      : []),
  ];
}

/** How a review stands that is over. */
export function endedLine(view: ReviewView): string {
  const { state, subject } = view;
  if (isOpen(state)) return "It is open.";
  const why = state.kind === "cancelled" || state.kind === "failed" ? ` ${causeWords(state, words)}` : "";
  return `${endedWords(state, subject, words).title}.${why}`;
}

/** The differences of each changed field: "-" what goes, "+" what comes. */
export function changeLines(view: ReviewView, changes: readonly FieldChange[]): string[] {
  const sign = { removed: "-", added: "+", same: " " } as const;
  return changes.flatMap(({ path, changes: parts }) => [
    `  ${placeOf(view, path)}`,
    ...parts.flatMap((part) =>
      part.kind === "skipped"
        ? [`    … ${part.lines} lines unchanged`]
        : outsideLines(part.text).map((line) => `  ${sign[part.kind]} ${line.slice(2)}`),
    ),
  ]);
}
