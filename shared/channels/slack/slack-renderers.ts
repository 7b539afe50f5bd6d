// What Slack's channel and endpoint have the pages Worker make, by its kind. The values are plain,
// because they cross a service binding.

import { unreachable } from "../../result.ts";
import type { EditIssue } from "../../review/edit.ts";
import type { ReviewView } from "../../review/view.ts";
import { type PlainInput, plainWordsOf } from "../plain-message.ts";
import type { DigestEntry } from "../digest-content.ts";
import type { PressWords } from "../press-words.ts";
import type { Language } from "../words/languages.ts";
import { noticeWordsOf } from "../words/notice-words.ts";
import { slackDigest } from "./slack-digest.ts";
import { slackEnding, slackReminder, slackReplaced, slackPlain } from "./slack-ending.ts";
import { type SlackMessage, type SlackMessageInput, briefSlackMessage, slackMessage } from "./slack-message.ts";
import { type SlackModal, denyModal, editModal, modalErrors, outcomeModal, reasonError } from "./slack-modal.ts";
import { tellMessage, tellWords } from "./slack-tell.ts";

export type SlackRenderInput =
  /** `isBrief`: without what makes it long, for where Slack refused the whole one. */
  | { readonly kind: "review"; readonly input: Omit<SlackMessageInput, "words">; readonly isBrief: boolean }
  | { readonly kind: "reminder"; readonly input: Omit<SlackMessageInput, "words"> }
  | { readonly kind: "ended"; readonly view: ReviewView }
  | { readonly kind: "replaced" }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[]; readonly isBrief: boolean }
  | { readonly kind: "plain"; readonly said: PlainInput }
  /** To the member alone who pressed a button. `url` is their own link. */
  | { readonly kind: "told"; readonly said: PressWords; readonly url: string | null };

function message(asked: SlackRenderInput, language: Language): SlackMessage {
  const words = noticeWordsOf(language);
  switch (asked.kind) {
    case "review":
      return (asked.isBrief ? briefSlackMessage : slackMessage)({ ...asked.input, words });
    case "reminder":
      return slackReminder({ ...asked.input, words });
    case "ended":
      return slackEnding(asked.view, words);
    case "replaced":
      return slackReplaced(words);
    case "digest":
      return slackDigest(asked.entries, words, asked.isBrief);
    case "plain":
      return slackPlain(plainWordsOf(asked.said, language));
    case "told":
      return tellMessage(asked.said, asked.url, words);
    default:
      return unreachable(asked);
  }
}

type AskedSlackModal =
  | { readonly kind: "deny" | "edit"; readonly view: ReviewView; readonly reference: string }
  /** In place of a modal that decided nothing. */
  | { readonly kind: "outcome"; readonly said: PressWords };

/** Null where the review cannot be edited in Slack. */
function modal(asked: AskedSlackModal, language: Language): SlackModal | null {
  const words = noticeWordsOf(language);
  switch (asked.kind) {
    case "deny":
      return denyModal(asked.view, asked.reference, words);
    case "edit":
      return editModal(asked.view, asked.reference, words);
    case "outcome":
      return outcomeModal(tellWords(words)[asked.said], words);
    default:
      return unreachable(asked);
  }
}

type AskedSlackErrors =
  | { readonly kind: "longReason" }
  | { readonly kind: "invalidEdit"; readonly view: ReviewView; readonly issues: readonly EditIssue[] };

/** What Slack shows beside a modal's fields, by block; null where an issue is not about a field. */
function errors(asked: AskedSlackErrors, language: Language): Record<string, string> | null {
  const words = noticeWordsOf(language);
  return asked.kind === "longReason" ? reasonError(words) : modalErrors(asked.view, asked.issues, words);
}

export const slackRenderers = { message, modal, errors } as const;
