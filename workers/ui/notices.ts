// What Slack, Teams and webhooks say of a review, by its kind: what their channels and Slack's
// endpoint ask the pages Worker for. The values are plain, because they cross a service binding.
// Emails are in mails.ts.

import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import { asksWords } from "../../shared/channels/fact-words.ts";
import { type NoticeFacts, noticeLine } from "../../shared/channels/notice-line.ts";
import { outsideName } from "../../shared/channels/plain-text.ts";
import { slackDigest } from "../../shared/channels/slack/slack-digest.ts";
import { slackEnding, slackReminder, slackReplaced, slackTest } from "../../shared/channels/slack/slack-ending.ts";
import { type SlackMessage, type SlackMessageInput, briefSlackMessage, slackMessage } from "../../shared/channels/slack/slack-message.ts";
import { type SlackModal, denyModal, editModal, modalErrors, outcomeModal, reasonError } from "../../shared/channels/slack/slack-modal.ts";
import {
  type TeamsCardInput,
  type TeamsMessage,
  briefTeamsCard,
  teamsCard,
  teamsDigest,
  teamsEnding,
  teamsReminder,
  teamsTest,
} from "../../shared/channels/teams/teams-card.ts";
import { noticeWordsOf } from "../../shared/channels/words/notice-words.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { unreachable } from "../../shared/result.ts";
import type { EditIssue } from "../../shared/review/edit.ts";
import type { ReviewFacts } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { type AskedTest, testWordsOf } from "./channel-test.tsx";
import type { PressWords } from "../stubs/run-calls.ts";
import { tellMessage, tellWords } from "./slack-tell.ts";

export type AskedSlackMessage =
  /** `isBrief`: without what makes it long, for where Slack refused the whole one. */
  | { readonly kind: "review"; readonly input: Omit<SlackMessageInput, "words">; readonly isBrief: boolean }
  | { readonly kind: "reminder"; readonly input: Omit<SlackMessageInput, "words"> }
  | { readonly kind: "ended"; readonly view: ReviewView }
  | { readonly kind: "replaced" }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[]; readonly isBrief: boolean }
  | ({ readonly kind: "test" } & AskedTest)
  /** To the member alone who pressed a button. `url` is their own link. */
  | { readonly kind: "told"; readonly said: PressWords; readonly url: string | null };

export function renderSlackMessage(asked: AskedSlackMessage, language: Language): SlackMessage {
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
    case "test":
      return slackTest(testWordsOf(asked, language));
    case "told":
      return tellMessage(asked.said, asked.url, words);
    default:
      return unreachable(asked);
  }
}

export type AskedSlackModal =
  | { readonly kind: "deny" | "edit"; readonly view: ReviewView; readonly reference: string }
  /** In place of a modal that decided nothing. */
  | { readonly kind: "outcome"; readonly said: PressWords };

/** Null where the review cannot be edited in Slack. */
export function renderSlackModal(asked: AskedSlackModal, language: Language): SlackModal | null {
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

export type AskedSlackErrors =
  | { readonly kind: "longReason" }
  | { readonly kind: "invalidEdit"; readonly view: ReviewView; readonly issues: readonly EditIssue[] };

/** What Slack shows beside a modal's fields, by block; null where an issue is not about a field. */
export function renderSlackErrors(asked: AskedSlackErrors, language: Language): Record<string, string> | null {
  const words = noticeWordsOf(language);
  return asked.kind === "longReason" ? reasonError(words) : modalErrors(asked.view, asked.issues, words);
}

export type AskedTeamsMessage =
  | { readonly kind: "review" | "brief" | "reminder"; readonly input: Omit<TeamsCardInput, "words"> }
  | { readonly kind: "ended"; readonly view: ReviewView }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[] }
  | ({ readonly kind: "test" } & AskedTest);

export function renderTeamsMessage(asked: AskedTeamsMessage, language: Language): TeamsMessage {
  const words = noticeWordsOf(language);
  switch (asked.kind) {
    case "review":
      return teamsCard({ ...asked.input, words });
    case "brief":
      return briefTeamsCard({ ...asked.input, words });
    case "reminder":
      return teamsReminder({ ...asked.input, words });
    case "ended":
      return teamsEnding(asked.view, words);
    case "digest":
      return teamsDigest(asked.entries, words);
    case "test":
      return teamsTest(testWordsOf(asked, language), words);
    default:
      return unreachable(asked);
  }
}

/** Nothing of the content is in it. */
export type AskedWebhookWords = {
  readonly facts: NoticeFacts;
  readonly isAhead: ReviewFacts["isAhead"];
  readonly names: Pick<ReviewView["requestor"], "server" | "client" | "method" | "name">;
  /** Unix milliseconds. */
  readonly now: number;
};

/** A line, and the request in a sentence: a receiver may show both as plain text. */
export type WebhookWords = { readonly title: string; readonly summary: string };

export function renderWebhookWords({ facts, isAhead, names, now }: AskedWebhookWords, language: Language): WebhookWords {
  const words = noticeWordsOf(language);
  const places: Readonly<Record<string, string>> = names;
  const sentence = asksWords({ asking: facts.asking, isAhead }, words.review);
  return {
    title: noticeLine(facts, words, { now }),
    summary: sentence.replaceAll(/\{(\w+)\}/g, (_, key: string) => outsideName(places[key] ?? "", words, { plain: true })),
  };
}
