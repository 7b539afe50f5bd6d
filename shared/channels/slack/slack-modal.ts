// Slack's modals: the reason of a denial, an edit, and a message that nothing was decided; how an
// edit is read back is in slack-submission.ts. It decides nothing.

import { parseJson } from "../../json/values.ts";
import { holdsSecret } from "../../policy/risk.ts";
import { isSecret } from "../../policy/scan-text.ts";
import type { EditIssue } from "../../review/edit.ts";
import { longestReason } from "../../review/form.ts";
import { type PlainText, type SlackBlock, grownLength, longestText, plain } from "./slack-blocks.ts";
import { gateWords, reasonWords } from "../fact-words.ts";
import { fieldWords } from "./slack-field-words.ts";
import { editableFields, inputAction, reasonBlock, stopBlock } from "./slack-submission.ts";
import { textOf } from "../../words/text.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import { reviewFacts, callIn } from "../../review/review-facts.ts";
import { findInvisible } from "../../invisible-characters.ts";
import type { ReviewView } from "../../review/view.ts";
import { editErrorWords } from "../content-words.ts";

export type SlackModal = {
  readonly type: "modal";
  readonly callback_id: "deny" | "edit" | "outcome";
  readonly title: PlainText;
  readonly close: PlainText;
  readonly submit?: PlainText;
  readonly private_metadata?: string;
  readonly blocks: readonly SlackBlock[];
};

const mostFields = 20;

/** Asks for the reason of a denial. `reference` names what is denied (act `submitDenial`). */
export function denyModal(view: ReviewView, reference: string, words: NoticeWords): SlackModal {
  const { modal } = words.slack;
  const facts = reviewFacts(view);
  return {
    type: "modal",
    callback_id: "deny",
    title: plain(gateWords(facts, words.review).denyTitle),
    submit: plain(modal.deny),
    close: plain(modal.cancel),
    private_metadata: reference,
    blocks: [
      {
        type: "input",
        block_id: reasonBlock,
        label: plain(modal.reason),
        optional: true,
        element: { type: "plain_text_input", action_id: inputAction, multiline: true, max_length: longestReason },
      },
      { type: "section", text: plain(reasonWords(facts, words.review)) },
      ...stopChoice(view, words),
    ],
  };
}

/** Whether the denial stops the tool too. */
function stopChoice(view: ReviewView, { slack: { modal } }: NoticeWords): readonly SlackBlock[] {
  const { mayStop } = callIn(view);
  if (mayStop == null) return [];
  const options = [{ text: plain(modal.stop[mayStop]), value: stopBlock }];
  const element = { type: "checkboxes", action_id: inputAction, options } as const;
  return [{ type: "input", block_id: stopBlock, label: plain(modal.further), optional: true, element }];
}

/**
 * The fields of this version for editing (act `submitEdit`), or null where Slack could not return
 * each of them unchanged: more than twenty, or one with over 3,000 characters, with invisible
 * characters, or with text that looks like Slack's escaping; or where one has what a warning calls
 * a secret, which stays out of Slack.
 */
export function editModal(view: ReviewView, reference: string, words: NoticeWords): SlackModal | null {
  const fields = editableFields(view);
  // A field would give back its marker in place of what is masked here alone.
  if (view.maskedHere !== undefined) return null;
  if (fields.size === 0 || fields.size > mostFields || ![...fields.values()].every(survivesSlack)) return null;
  const facts = reviewFacts(view);
  const said = gateWords(facts, words.review);
  const lead = textOf(said.edit, { version: String(view.version) }, words.lang);
  return {
    type: "modal",
    callback_id: "edit",
    title: plain(said.editTitle),
    submit: plain(said.approve),
    close: plain(words.slack.modal.cancel),
    private_metadata: reference,
    blocks: [
      { type: "section", text: plain(lead) },
      ...[...fields].map(([path, text]): SlackBlock => {
        const mayBeEmpty = view.gate === "response" || text === "" || /^\/(?:systemPrompt|temperature|stopSequences)/.test(path);
        return {
          type: "input",
          block_id: path,
          label: plain(fieldWords(path, { gate: view.gate, kind: view.request.kind }, words)),
          optional: mayBeEmpty,
          element: {
            type: "plain_text_input",
            action_id: inputAction,
            multiline: path !== "/maxTokens" && path !== "/temperature",
            max_length: longestText,
            ...(text === "" ? {} : { initial_value: text }),
          },
        };
      }),
    ],
  };
}

/** What Slack shows beside the fields; null where an issue is not about a field. */
export function modalErrors(view: ReviewView, issues: readonly EditIssue[], words: NoticeWords): Record<string, string> | null {
  const fields = editableFields(view);
  if (issues.length === 0 || !issues.every(({ field }) => fields.has(field))) return null;
  return Object.fromEntries(issues.map(({ field, fault }) => [field, editErrorWords(fault, words)]));
}

/** What Slack shows beside the reason of a denial that is too long. */
export const reasonError = ({ lang, slack: { modal } }: NoticeWords): Record<string, string> => ({
  [reasonBlock]: textOf(modal.longest, { n: longestReason }, lang),
});

/** Replaces a modal that decided nothing. `sentence` is one of ours. */
export const outcomeModal = (sentence: string, { slack: { modal } }: NoticeWords): SlackModal => ({
  type: "modal",
  callback_id: "outcome",
  title: plain(modal.outcome),
  close: plain(modal.close),
  blocks: [{ type: "section", text: plain(sentence) }],
});

const survivesSlack = (text: string): boolean =>
  grownLength(text) <= longestText &&
  findInvisible(text).length === 0 &&
  !text.includes("\r") &&
  !/&(?:amp|lt|gt|#\d+);/.test(text) &&
  !isSecret(text) &&
  !holdsSecret(parseJson(text));
