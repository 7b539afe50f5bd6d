// What webhooks have the pages Worker make: the words in their events. The values are plain,
// because they cross a service binding.

import type { ReviewFacts } from "../../review/review-facts.ts";
import type { ReviewView } from "../../review/view.ts";
import { plainWordsOf } from "../plain-message.ts";
import { asksWords } from "../fact-words.ts";
import { type NoticeFacts, noticeLine } from "../notice-line.ts";
import { outsideName } from "../plain-text.ts";
import type { Language } from "../words/languages.ts";
import { noticeWordsOf } from "../words/notice-words.ts";
import { textOf } from "../../words/text.ts";

/** Nothing of the content is in it. */
export type WebhookRenderInput = {
  readonly facts: NoticeFacts;
  readonly isAhead: ReviewFacts["isAhead"];
  readonly names: Pick<ReviewView["requestor"], "server" | "client" | "method" | "name">;
  /** Unix milliseconds. */
  readonly now: number;
};

/** A line, and the request in a sentence: a receiver may show both as plain text. */
export type WebhookWords = { readonly title: string; readonly summary: string };

function words({ facts, isAhead, names, now }: WebhookRenderInput, language: Language): WebhookWords {
  const said = noticeWordsOf(language);
  const plain = (name: string): string => outsideName(name, said, { plain: true });
  const sentence = asksWords({ requestKind: facts.requestKind, isAhead }, said.review);
  return {
    title: noticeLine(facts, said, { now }),
    summary: textOf(
      sentence,
      { server: plain(names.server), client: plain(names.client), method: plain(names.method), name: plain(names.name) },
      said.lang,
    ),
  };
}

export const webhookRenderers = { words, plain: plainWordsOf } as const;
